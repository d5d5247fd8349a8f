import Dispatch
import Foundation
import GRDB
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Synchronization
import Testing

@testable import MarqueeStore

/// Rule D5 on disk: no file in the data directory contains deleted donations once the deletion has completed.
@Suite(.timeLimit(.minutes(5))) struct RedactionTests {
  private let directory = StoreDirectory()
  private let app: AppID

  init() throws {
    app = try AppID("com.example.soup-chef")
  }

  // MARK: Stored data

  /// Returns a donation with its number in its name, its parameters and their display strings.
  private static func donation(
    _ number: Int, at date: Instant, group: Int? = nil, version: Int = 0, size: Int = 0
  ) throws -> Donation {
    let object = DisplayIdentity(identifier: Mark.text(number), display: "Shown \(Mark.text(number)) \(version)")
    let parameters = [
      IntentParameter(name: try .init("soup"), value: .single(.object(object))),
      IntentParameter(
        name: try .init("note"),
        value: .single(.string(Mark.text(number) + String(repeating: "-", count: size)))),
    ]
    return Donation(
      id: try .init("name \(Mark.text(number))"), group: try group.map { try .init("group \(Mark.text($0))") },
      date: date, activity: .intent(try Intent(type: .init("OrderSoup"), parameters: parameters)),
      display: try DonationDisplay(title: "Title \(Mark.text(number))", imageKey: "Image \(Mark.text(number))"))
  }

  /// Creates a device with a stack and timelines in the store.
  private func recorder(_ name: String, in store: Store) async throws -> Recorder {
    let sample = try SampleDevice(name)
    var recorder = Recorder(try sample.created())
    try await store.create(recorder.device)
    for event in try sample.setUp() { try recorder.apply(event, at: SampleDevice.midnight) }
    try await store.write(&recorder)
    return recorder
  }

  private func names(_ numbers: some Sequence<Int>) throws -> DonationSelection {
    .identifiers(try numbers.map { try .init("name \(Mark.text($0))") })
  }

  private func delete(_ selection: DonationSelection, _ recorder: inout Recorder, in store: Store) async throws {
    try recorder.apply(.donationsDeleted(app, selection), at: recorder.device.now)
    try await store.write(&recorder, snapshot: true)
  }

  // MARK: Files

  @Test("D5 After a deletion no file contains any byte of it, whatever else is stored", arguments: [1, 2])
  func files(seed: Int) async throws {
    let store = try Store(directory: directory.path)
    var recorders = [try await recorder("phone", in: store), try await recorder("tablet", in: store)]
    var generator = Sampler(seed: UInt64(seed))
    var kept: Set<Int> = []
    var gone: Set<Int> = []
    for number in 0..<300 {
      let index = Int.random(in: 0...3, using: &generator) == 0 ? 1 : 0
      let size = [0, 0, 40, 1_500, 4_000][Int.random(in: 0..<5, using: &generator)]
      let donation = try Self.donation(number, at: recorders[index].device.now, size: size)
      try recorders[index].apply(
        .donated(app, [donation]), at: SampleDevice.midnight.advanced(by: .seconds(Int64(number))))
      try await store.write(&recorders[index], snapshot: Int.random(in: 0...9, using: &generator) == 0)
      if index == 0 { kept.insert(number) }
      guard Int.random(in: 0...4, using: &generator) == 0, let victim = kept.sorted().randomElement(using: &generator)
      else { continue }
      kept.remove(victim)
      gone.insert(victim)
      try await delete(names([victim]), &recorders[0], in: store)
      let found = try Mark.numbers(in: directory.path)
      #expect(found.intersection(gone) == [])
      #expect(kept.subtracting(found) == [])
    }
    #expect(gone.count > 30)
    for recorder in recorders { #expect(try await store.load(recorder.device.id)?.device == recorder.device) }
    try store.close()
    #expect(try Mark.numbers(in: directory.path).intersection(gone) == [])
    let reopened = try Store(directory: directory.path)
    for recorder in recorders { #expect(try await reopened.load(recorder.device.id)?.device == recorder.device) }
  }

  @Test("D5 A group is deleted with the donations that it replaced, and with those that were evicted")
  func groups() async throws {
    let store = try Store(directory: directory.path)
    var recorder = try await recorder("phone", in: store)
    let now = SampleDevice.time(1)
    func donate(_ number: Int, group: Int?, version: Int) throws {
      try recorder.apply(
        .donated(app, [Self.donation(number, at: now, group: group, version: version)]), at: now)
    }
    try donate(1, group: 100, version: 0)  // Evicted by the limit.
    try recorder.apply(.donationsTrimmed(nil, keeping: 0), at: now)
    try donate(2, group: 101, version: 0)  // Replaced by a donation of the group.
    try donate(2, group: 100, version: 1)
    try donate(3, group: 100, version: 0)  // Replaced by a donation of another group, which stays.
    try donate(3, group: 101, version: 1)
    try await store.write(&recorder, snapshot: true)
    try await delete(.group(.init("group \(Mark.text(100))")), &recorder, in: store)
    #expect(try Mark.numbers(in: directory.path) == [3, 101])
    #expect(recorder.device.donationCount() == 1)
    #expect(try await store.load(recorder.device.id)?.device == recorder.device)
  }

  @Test("D5 A deletion in the same batch as its donations leaves no bytes of them")
  func sameBatch() async throws {
    let store = try Store(directory: directory.path)
    var recorder = try await recorder("phone", in: store)
    for number in 1...3 {
      try recorder.apply(.donated(app, [Self.donation(number, at: SampleDevice.midnight)]), at: SampleDevice.midnight)
    }
    try await delete(names([1, 3]), &recorder, in: store)
    #expect(try Mark.numbers(in: directory.path) == [2])
    #expect(try await store.load(recorder.device.id)?.device == recorder.device)
  }

  @Test("D5 A deletion waits for readers, and is completed at the next start if the process is killed before")
  func readers() async throws {
    let store = try Store(directory: directory.path)
    var recorder = try await recorder("phone", in: store)
    for number in 1...50 {
      let donation = try Self.donation(number, at: SampleDevice.midnight, size: 2_000)
      try recorder.apply(.donated(app, [donation]), at: SampleDevice.midnight)
      try await store.write(&recorder, snapshot: number % 7 == 0)
    }
    // A reader that begins before the deletion and ends after its commit, at which the files are copied.
    let (isReading, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let hasEnded = Mutex(false)
    store.pool.asyncRead { database in
      let count = try? Int.fetchOne(database.get(), sql: "SELECT count(*) FROM journal")  // Opens the snapshot.
      #expect(count != nil)
      isReading.signal()
      mayEnd.wait()
      hasEnded.withLock { $0 = true }
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        isReading.wait()
        continuation.resume()
      }
    }
    let image = StoreDirectory()
    let path = directory.path
    store.pool.add(
      transactionObserver: CommitObserver {
        try FileManager.default.createDirectory(atPath: image.path, withIntermediateDirectories: false)
        for name in ["marquee.sqlite", "marquee.sqlite-wal"] {
          try FileManager.default.copyItem(atPath: "\(path)/\(name)", toPath: "\(image.path)/\(name)")
        }
        mayEnd.signal()
      }, extent: .databaseLifetime)
    try await delete(names(1...49), &recorder, in: store)
    #expect(hasEnded.withLock { $0 })
    #expect(try Mark.numbers(in: directory.path) == [50])

    #expect(try Mark.numbers(in: image.path).count == 50)
    let recovered = try Store(directory: image.path)
    #expect(try Mark.numbers(in: image.path) == [50])
    #expect(try await recovered.load(recorder.device.id)?.device == recorder.device)
  }

  @Test("D5 A deletion that is blocked by a reader of another process is durable, and is completed automatically")
  func foreignReader() async throws {
    let store = try Store(directory: directory.path)
    var recorder = try await recorder("phone", in: store)
    for number in 1...3 {
      try recorder.apply(.donated(app, [Self.donation(number, at: SampleDevice.midnight)]), at: SampleDevice.midnight)
    }
    try await store.write(&recorder)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let file = directory.path + "/marquee.sqlite"
    var foreignReader: DatabaseQueue? = try DatabaseQueue(path: file, configuration: configuration)
    try await foreignReader?.writeWithoutTransaction { try $0.execute(sql: "BEGIN; SELECT * FROM journal") }
    for number in 1...2 {
      do {
        try await delete(names([number]), &recorder, in: store)
        Issue.record("the deletion completed")
      } catch let error as StoreError {
        #expect(error.code == .deletionUnfinished && store.isDurable(error) && !store.isUnwritten(error))
      }
      recorder.events = []
      recorder.decisions = []
    }
    #expect(try await store.load(recorder.device.id)?.device == recorder.device)
    try recorder.apply(.developerModeChanged(true), at: SampleDevice.midnight)
    try await store.write(&recorder)
    #expect(try Mark.numbers(in: directory.path) == [1, 2, 3])
    // The next store finds the same WAL, and the same reader.
    try store.close()
    let again = try Store(directory: directory.path)
    #expect(try await again.load(recorder.device.id)?.device == recorder.device)
    try await foreignReader?.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    foreignReader = nil
    // There is no notification when the WAL has been truncated.
    while try Mark.numbers(in: directory.path) != [3] { try await Task.sleep(for: .milliseconds(50)) }
    try await delete(names([3]), &recorder, in: again)
    #expect(try Mark.numbers(in: directory.path) == [])
    #expect(try Store.verify(directory.path).findings.isEmpty)
  }

  @Test("D5 Deletions complete among continuous readers, which see consistent states")
  func manyReaders() async throws {
    let store = try Store(directory: directory.path)
    var recorder = try await recorder("phone", in: store)
    let readers = (0..<3).map { _ in
      Task {
        var counts: Set<Int> = []
        while !Task.isCancelled {
          let found = try await store.load(DeviceID("phone"))
          counts.insert(found?.device.donationCount() ?? -1)
        }
        return counts
      }
    }
    for number in 0..<60 {
      try recorder.apply(
        .donated(app, [Self.donation(number, at: SampleDevice.midnight, size: 2_000)]), at: SampleDevice.midnight)
      try await store.write(&recorder, snapshot: number % 5 == 0)
      try await delete(names([number]), &recorder, in: store)
      #expect(try Mark.numbers(in: directory.path) == [])
    }
    for reader in readers {
      reader.cancel()
      #expect(try await reader.value.isSubset(of: [0, 1]))
    }
  }

  @Test("D5 A deletion that is not committed has no effect")
  func crashBefore() async throws {
    let store = try Store(directory: directory.path)
    var recorder = try await recorder("phone", in: store)
    try recorder.apply(.donated(app, [Self.donation(1, at: SampleDevice.midnight)]), at: SampleDevice.midnight)
    try await store.write(&recorder)
    let before = recorder.device
    let image = StoreDirectory()
    try FileManager.default.copyItem(atPath: directory.path, toPath: image.path)
    try await delete(names([1]), &recorder, in: store)
    let recovered = try Store(directory: image.path)
    #expect(try await recovered.load(recorder.device.id)?.device == before)
  }

  // MARK: Reads

  @Test("D5 The history after a deletion is exact, and before it omits the deleted donations")
  func history() async throws {
    let store = try Store(directory: directory.path)
    var recorder = try await recorder("phone", in: store)
    var unaffected = recorder.device
    for hour in 1...8 {
      let donation = try Self.donation(hour, at: SampleDevice.time(Int64(hour)))
      try recorder.apply(.donated(app, [donation]), at: SampleDevice.time(Int64(hour)))
      if hour != 3 { _ = unaffected.handle(.donated(app, [donation]), at: SampleDevice.time(Int64(hour))) }
      try await store.write(&recorder, snapshot: hour % 2 == 0)
      guard hour == 5 else { continue }
      try recorder.apply(.donationsDeleted(app, names([3])), at: SampleDevice.time(5))
      try await store.write(&recorder, snapshot: true)
    }
    #expect(unaffected == recorder.device)
    #expect(try await store.history(of: recorder.device.id, at: SampleDevice.time(8)) == recorder.device)
    for hour in 1...8 {
      let past = try #require(try await store.history(of: recorder.device.id, at: SampleDevice.time(Int64(hour))))
      let left = (1...hour).reversed().filter { $0 != 3 }.map { SampleDevice.time(Int64($0)) }
      #expect(past.donations(count: 9).map(\.date) == left)
    }
    #expect(try await store.load(recorder.device.id)?.sequence == recorder.sequence)
  }

  @Test("The snapshots right after the latest deletions are kept")
  func snapshots() async throws {
    let store = try Store(directory: directory.path)
    var recorder = try await recorder("phone", in: store)
    var deletions: [Int] = []
    for number in 1...30 {
      try recorder.apply(.donated(app, [Self.donation(number, at: SampleDevice.midnight)]), at: SampleDevice.midnight)
      try await delete(names([number]), &recorder, in: store)
      deletions.append(Int(recorder.sequence))
      for _ in 0..<2 {
        try recorder.apply(.developerModeChanged(true), at: SampleDevice.midnight)
        try await store.write(&recorder, snapshot: true)
      }
    }
    let kept = try await store.pool.read { try Int.fetchAll($0, sql: "SELECT sequence FROM snapshot ORDER BY 1") }
    #expect(Set(kept).isSuperset(of: deletions.suffix(Redaction.snapshotCountMax)))
    #expect(kept.count <= Redaction.snapshotCountMax + Batch.recentSnapshotCount)
    #expect(try await store.load(recorder.device.id)?.device == recorder.device)
  }

  @Test("D5 Decisions for widgets of only deleted donations are redacted, and others do not mention them")
  func decisions() async throws {
    let store = try Store(directory: directory.path)
    var recorder = try await recorder("phone", in: store)
    let sample = try SampleDevice("phone")
    for number in 1...2 {
      try recorder.apply(.donated(app, [Self.donation(number, at: SampleDevice.midnight)]), at: SampleDevice.midnight)
    }
    func widget(_ number: Int) throws -> Widget {
      let object = DisplayIdentity(identifier: Mark.text(number), display: "")
      let soup = IntentParameter(name: try .init("soup"), value: .single(.object(object)))
      let intent = try Intent(type: .init("OrderSoup"), parameters: [soup])
      return Widget(kind: WidgetKind(app: app, name: try KindName("Soup")), configuration: intent)
    }
    func candidate(_ widget: Widget, _ representative: Widget?) -> Candidate {
      Candidate(
        widget: widget, position: 0, isInFront: false, evidence: 1, signals: [], episodeStart: nil, gates: [],
        representative: representative)
    }
    func decision(_ number: UInt64, to widget: Widget, _ others: [Widget], front: Widget? = nil) -> Decision {
      let explanation = Explanation(
        stack: sample.stack, at: SampleDevice.midnight, front: front,
        candidates: ([widget] + others).map { candidate($0, front) }, chosen: widget)
      return Decision(kind: .suggestion, number: number, to: widget, explanation: explanation)
    }
    let (first, second, own) = (try widget(1), try widget(2), sample.widgets[0])
    recorder.decisions = [
      decision(1, to: first, [own]), decision(2, to: own, [first, second], front: first), decision(3, to: second, []),
    ].map { RecordedDecision($0, of: sample.id) }
    try await store.write(&recorder)
    try await delete(names([1, 2]), &recorder, in: store)
    #expect(try Mark.numbers(in: directory.path).isEmpty)
    let left = try await store.decisions(of: sample.id, stack: nil, before: nil, count: 9)
    #expect(left == [decision(2, to: own, [])])
  }

  @Test("D5 A decision for a widget that another donation also configures is kept")
  func sharedDecisions() async throws {
    let store = try Store(directory: directory.path)
    var recorder = try await recorder("phone", in: store)
    let descriptor = try IntentTypeDescriptor(
      app: app, type: .init("OrderSoup"),
      parameters: [.init(name: .init("soup"), type: .object), .init(name: .init("note"), type: .string)],
      combinations: [.init(parameters: [.init("soup")])])
    try recorder.apply(.intentTypesRegistered(app, [descriptor]), at: SampleDevice.midnight)
    var other = try Self.donation(1, at: SampleDevice.midnight)
    other = Donation(id: try .init("other"), date: SampleDevice.midnight, activity: other.activity)
    try recorder.apply(.donated(app, [Self.donation(1, at: SampleDevice.midnight), other]), at: SampleDevice.midnight)
    guard case .intent(let app, let intent)? = recorder.device.donatedActions.first else {
      Issue.record("no action")
      return
    }
    let widget = Widget(kind: WidgetKind(app: app, name: try KindName("Soup")), configuration: intent)
    let explanation = Explanation(
      stack: try StackID("home"), at: SampleDevice.midnight, front: nil, candidates: [], chosen: widget)
    let decision = Decision(number: 1, to: widget, explanation: explanation)
    recorder.decisions = [RecordedDecision(decision, of: recorder.device.id)]
    try await store.write(&recorder)
    try await delete(names([1]), &recorder, in: store)
    #expect(try await store.decisions(of: recorder.device.id, stack: nil, before: nil, count: 9).count == 1)
    #expect(recorder.device.donationCount() == 1)
  }
}

/// A transaction observer that calls its body at the first commit.
private final class CommitObserver: TransactionObserver {
  private var body: (() throws -> Void)?

  init(_ body: @escaping () throws -> Void) {
    self.body = body
  }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
  func databaseDidChange(with event: DatabaseEvent) {}
  func databaseDidRollback(_ db: Database) {}

  func databaseDidCommit(_ db: Database) {
    do { try body?() } catch { Issue.record(error) }
    body = nil
  }
}
