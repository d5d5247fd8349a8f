import Foundation
import GRDB
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

@testable import MarqueeStore

@Suite(.timeLimit(.minutes(1))) struct StoreTests {
  private let directory = StoreDirectory()

  /// Returns a store with a device whose events until noon have been written.
  private func storeAtNoon(snapshot: Bool = false) async throws -> (Store, SampleDevice, Recorder) {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    var recorder = Recorder(try sample.created())
    try await store.create(recorder.device)
    for event in try sample.setUp() { try recorder.apply(event, at: SampleDevice.midnight) }
    try await store.write(&recorder, snapshot: snapshot)
    try recorder.apply(.reported(.hidden(sample.stack)), at: SampleDevice.time(3, 30))
    try await store.write(&recorder)
    try recorder.apply(.reported(.tapped(sample.stack, sample.widgets[0])), at: SampleDevice.time(12))
    try await store.write(&recorder)
    return (store, sample, recorder)
  }

  @Test("A reopened store returns exactly the same device", arguments: [false, true])
  func reopening(snapshot: Bool) async throws {
    let (store, sample, recorder) = try await storeAtNoon(snapshot: snapshot)
    try store.close()
    let reopened = try Store(directory: directory.path)
    let found = try #require(try await reopened.load(sample.id))
    #expect(found.device == recorder.device)
    #expect(found.device.encoded == recorder.device.encoded)
    #expect(found.sequence == 8)
    #expect(found.unrecorded.isEmpty)
    #expect(recorder.device.decisionCount > 5)
    #expect(try await reopened.load(DeviceID("tablet")) == nil)
  }

  @Test("The latest instant of any record is that of a device, an event, a snapshot or a decision")
  func lastInstant() async throws {
    #expect(try Store(directory: StoreDirectory().path).lastInstant() == nil)
    var (store, sample, recorder) = try await storeAtNoon()
    #expect(try store.lastInstant() == SampleDevice.time(12))
    try await store.create(
      Device(id: try DeviceID("tablet"), timeZone: try TimeZoneID("UTC"), at: SampleDevice.time(13)))
    #expect(try store.lastInstant() == SampleDevice.time(13))
    #expect(try await store.latestInstants(count: 1).map(\.instant) == [SampleDevice.time(13)])
    let latest = try await store.latestInstants(count: 9)
    #expect(latest.map(\.instant) == [SampleDevice.time(13), SampleDevice.time(12)] && latest[1].device == sample.id)
    try recorder.apply(.reported(.hidden(sample.stack)), at: SampleDevice.time(14))
    try await store.write(&recorder)
    #expect(try store.lastInstant() == SampleDevice.time(14))
    var later = recorder.device
    let decisions = later.advance(to: SampleDevice.time(16)).compactMap(\.decision)
    try await store.append(
      created: [], events: [], decisions: decisions.map { RecordedDecision($0, of: sample.id) }, snapshots: [])
    #expect(try store.lastInstant() == decisions.last?.at)
    _ = later.advance(to: SampleDevice.time(17, 30))
    try await store.append(
      created: [], events: [], decisions: [], snapshots: [DeviceSnapshot(later, sequence: 9)])
    #expect(try store.lastInstant() == SampleDevice.time(17, 30))
  }

  @Test("Appended records are in the files if the process is killed right after")
  func crash() async throws {
    let (store, sample, recorder) = try await storeAtNoon()
    let image = StoreDirectory()
    try FileManager.default.createDirectory(atPath: image.path, withIntermediateDirectories: false)
    for name in ["marquee.sqlite", "marquee.sqlite-wal"] {
      try FileManager.default.copyItem(atPath: "\(directory.path)/\(name)", toPath: "\(image.path)/\(name)")
    }
    let recovered = try await Store(directory: image.path).load(sample.id)
    #expect(recovered?.device == recorder.device)
    try store.close()
  }

  @Test("Events are read in pages of limited size, and a larger event alone")
  func pages() async throws {
    var (store, sample, recorder) = try await storeAtNoon()
    let content = try EntryContent(mediaType: "", bytes: Array(repeating: 1, count: 65_536))
    let entries = (0..<20).map { TimelineEntry(date: SampleDevice.time(20, Int64($0)), content: content) }
    let large = Event.timelinePublished(sample.widgets[0], Timeline(submitted: entries, policy: .never))
    try recorder.apply(large, at: SampleDevice.time(12))
    try recorder.apply(.developerModeChanged(true), at: SampleDevice.time(13))
    try await store.write(&recorder)
    #expect(large.encoded.count > Store.eventPageSizeMax)
    let origin = try #require(try await store.origin(of: sample.id))
    #expect(
      origin.device == (try sample.created()) && origin.eventCount == 10 && origin.lastEvent == SampleDevice.time(13))
    let pages = [
      try await store.events(of: sample.id, after: 0), try await store.events(of: sample.id, after: 8),
      try await store.events(of: sample.id, after: 9), try await store.events(of: sample.id, after: 10),
    ]
    #expect(pages.map { $0.map(\.sequence) } == [Array(1...8), [9], [10], []])
    #expect(pages[1].first?.event == large && pages[2].first?.at == SampleDevice.time(13))
    var replayed = origin.device
    for event in pages.joined() { _ = replayed.handle(event.event, at: event.at) }
    #expect(replayed == recorder.device)
    let tablet = try await store.origin(of: DeviceID("tablet"))
    #expect(tablet == nil)
  }

  @Test("A missing event is detected when events are read")
  func gap() async throws {
    let (store, sample, _) = try await storeAtNoon()
    try await store.pool.write { try $0.execute(sql: "DELETE FROM journal WHERE sequence = 3") }
    let error = await #expect(throws: StoreError.self) { try await store.events(of: sample.id, after: 0) }
    #expect(error?.code == .corrupt && error?.sequence == 4)
  }

  @Test("Commits are flushed, and foreign keys are enforced")
  func pragmas() async throws {
    let store = try Store(directory: directory.path)
    let values = try await store.pool.writeWithoutTransaction { db in
      try ["journal_mode", "synchronous", "foreign_keys"].map { try String.fetchOne(db, sql: "PRAGMA \($0)") }
    }
    #expect(values == ["wal", "2", "1"])
  }

  @Test("The state of a device at an instant is exact, from the creation or a snapshot", arguments: [false, true])
  func history(snapshot: Bool) async throws {
    let (store, sample, recorder) = try await storeAtNoon(snapshot: snapshot)
    var witness = try sample.created()
    for event in try sample.setUp() { _ = witness.handle(event, at: SampleDevice.midnight) }
    for minute in stride(from: Int64(0), to: 210, by: 15) {
      _ = witness.advance(to: SampleDevice.time(0, minute))
      #expect(try await store.history(of: sample.id, at: SampleDevice.time(0, minute)) == witness)
    }
    var later = recorder.device
    _ = later.advance(to: SampleDevice.time(13))
    #expect(try await store.history(of: sample.id, at: SampleDevice.time(13)) == later)
    #expect(try await store.history(of: sample.id, at: SampleDevice.midnight.advanced(by: .seconds(-1))) == nil)
    #expect(try await store.history(of: DeviceID("tablet"), at: SampleDevice.time(13)) == nil)
  }

  @Test("Decisions are listed in pages, the newest first, and by stack")
  func decisions() async throws {
    let (store, sample, recorder) = try await storeAtNoon()
    let all = try await store.decisions(of: sample.id, stack: nil, before: nil, count: 1_000)
    #expect(all.map(\.number) == (1...recorder.device.decisionCount).reversed())
    #expect(all.first?.explanation.candidates.count == 2)
    let page = try await store.decisions(of: sample.id, stack: sample.stack, before: 5, count: 2)
    #expect(page == all.filter { $0.number == 3 || $0.number == 4 })
    #expect(try await store.decisions(of: sample.id, stack: StackID("work"), before: nil, count: 9).isEmpty)
    #expect(try await store.decisions(of: DeviceID("tablet"), stack: nil, before: nil, count: 9).isEmpty)
  }

  @Test("A decision is stored once, and load returns the unrecorded decisions")
  func decisionsAgain() async throws {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    var recorder = Recorder(try sample.created())
    try await store.create(recorder.device)
    for event in try sample.setUp() { try recorder.apply(event, at: SampleDevice.midnight) }
    recorder.advance(to: SampleDevice.time(2, 30))
    let first = recorder.decisions
    try await store.write(&recorder)
    try await store.append(created: [], events: [], decisions: first, snapshots: [])
    recorder.advance(to: SampleDevice.time(5, 30))
    let lost = recorder.decisions.map(\.decision)
    recorder.decisions = []
    try recorder.apply(.developerModeChanged(false), at: SampleDevice.time(6, 30))
    let known = recorder.decisions.map(\.decision)
    recorder.decisions = []
    try await store.write(&recorder)
    let found = try #require(try await store.load(sample.id))
    #expect(found.unrecorded == lost + known)
    #expect(try await store.decisions(of: sample.id, stack: nil, before: nil, count: 9).count == first.count)
  }

  @Test("A loaded device has at least the time of its last decision")
  func decisionAfterTheLastEvent() async throws {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    var recorder = Recorder(try sample.created())
    try await store.create(recorder.device)
    for event in try sample.setUp() { try recorder.apply(event, at: SampleDevice.midnight) }
    recorder.advance(to: SampleDevice.time(4))
    try await store.write(&recorder)
    #expect(try await store.load(sample.id)?.device == recorder.device)
  }

  @Test("Device names are listed in pages, in byte order")
  func devices() async throws {
    let store = try Store(directory: directory.path)
    for name in ["b", "a", "ä", "B"] { try await store.create(try SampleDevice(name).created()) }
    #expect(try await store.devices(after: nil, count: 3).map(\.text) == ["B", "a", "b"])
    #expect(try await store.devices(after: DeviceID("b"), count: 3).map(\.text) == ["ä"])
  }

  @Test("Of old snapshots some are kept, and of the newest ones all")
  func sparseSnapshots() async throws {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    var recorder = Recorder(try sample.created())
    try await store.create(recorder.device)
    for number in 1...9_000 {
      try recorder.apply(.developerModeChanged(number % 2 == 0), at: SampleDevice.midnight)
      if number % 256 == 0 { try await store.write(&recorder, snapshot: true) }
    }
    try await store.write(&recorder)
    let kept = try await store.pool.read { try Int.fetchAll($0, sql: "SELECT sequence FROM snapshot ORDER BY 1") }
    #expect(kept == [4_096, 8_192, 8_448, 8_704, 8_960])
    #expect(try await store.load(sample.id)?.device == recorder.device)
  }
}
