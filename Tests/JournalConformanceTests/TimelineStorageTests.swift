import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

/// Snapshots refer to the events that published large timelines.
@Suite(.timeLimit(.minutes(1))) struct TimelineStorageTests {
  private static let contentSize = 60_000
  private let sample: SampleDevice

  init() throws {
    sample = try SampleDevice()
  }

  private func timeline(_ byte: UInt8, size: Int = contentSize, at hour: Int64 = 0) throws -> Event {
    let content = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: byte, count: size))
    let entries = (0..<3 as Range<Int64>).map { TimelineEntry(date: SampleDevice.time(hour + $0), content: content) }
    return .timelinePublished(sample.widgets[Int(byte) % 2], Timeline(submitted: entries, policy: .never))
  }

  /// Creates a device with a large timeline for each of its two widgets.
  private func recorder(in store: any TableJournal) async throws -> Recorder {
    var recorder = Recorder(try sample.created())
    try await store.create(recorder.device)
    for event in try sample.setUp().dropLast(2) + [timeline(0), timeline(1)] {
      try recorder.apply(event, at: SampleDevice.midnight)
    }
    try await store.write(&recorder, snapshot: true)
    return recorder
  }

  @Test("A snapshot does not contain large timelines, and the loaded device does", arguments: JournalEngine.available)
  func snapshots(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    var store = try await database.open()
    var recorder = try await recorder(in: store)
    for number in 1...5 as ClosedRange<Int64> {
      let size = number == 3 ? 100 : Self.contentSize
      try recorder.apply(timeline(UInt8(number), size: size, at: number), at: SampleDevice.time(number))
      try await store.write(&recorder, snapshot: true)
      let found = try #require(try await store.load(sample.id))
      #expect(found.device == recorder.device && found.sequence == recorder.sequence)
      #expect(found.device.encoded == recorder.device.encoded)
      // The loaded device knows the events, too.
      #expect(found.device.stored(.referenced) == recorder.device.stored(.referenced))
      store = try await database.reopen()
    }
    let sizes = try await store.rows(of: sample.id, in: .snapshots).map(\.bytes.count)
    #expect(sizes.count >= 4 && sizes.allSatisfy { $0 < 2 * 4_096 }, "\(sizes)")
    #expect(try await store.history(of: sample.id, at: SampleDevice.time(2, 30))?.now == SampleDevice.time(2, 30))
    #expect(try await database.verify().findings.isEmpty)
  }

  @Test("A timeline whose event has expired remains available to later snapshots", arguments: JournalEngine.available)
  func retention(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    var recorder = try await recorder(in: store)
    for hour in 1...300 as ClosedRange<Int64> {
      try recorder.apply(.developerModeChanged(hour % 2 == 0), at: SampleDevice.time(hour))
      try await store.write(&recorder, snapshot: hour % 8 == 0)
      guard hour % 100 == 0 else { continue }
      let compaction = try await store.compact(keeping: .hours(20), now: SampleDevice.time(hour))
      #expect(compaction.deviceCount == 1)
      let boundary = try #require(try await store.boundaryState(of: sample.id))
      #expect(boundary.bytes.count > 6 * Self.contentSize)
      #expect(try await store.rows(of: sample.id, in: .snapshots).map(\.bytes.count).allSatisfy { $0 < 2 * 4_096 })
      #expect(try await store.load(sample.id)?.device == recorder.device)
      #expect(try await database.verify().findings.isEmpty)
    }
    // A timeline at the boundary is replaced, and then belongs to the next boundary.
    try recorder.apply(timeline(2, at: 301), at: SampleDevice.time(301))
    try await store.write(&recorder, snapshot: true)
    #expect(try await store.load(sample.id)?.device == recorder.device)
    _ = try await store.compact(keeping: .hours(20), now: SampleDevice.time(400))
    try recorder.apply(.developerModeChanged(true), at: SampleDevice.time(401))
    try await store.write(&recorder, snapshot: true)
    #expect(try await store.load(sample.id)?.device == recorder.device)
    #expect(try await store.rows(of: sample.id, in: .snapshots).map(\.bytes.count).allSatisfy { $0 < 2 * 4_096 })
    #expect(try await database.verify().findings.isEmpty)
  }

  @Test(
    "After a deletion and after a restatement of the time, snapshots still refer to events",
    arguments: JournalEngine.available)
  func deletion(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    var recorder = try await recorder(in: store)
    let app = sample.widgets[0].kind.app
    let id = try Donation.ID("soup")
    let donation = Donation(
      id: id, date: SampleDevice.time(1), activity: .intent(try Intent(type: IntentType("Order"))))
    try recorder.apply(.donated(app, [donation]), at: SampleDevice.time(1))
    try await store.write(&recorder, snapshot: true)
    _ = try await store.compact(keeping: .hours(20), now: SampleDevice.time(60))
    try recorder.apply(.donationsDeleted(app, .identifiers([id])), at: SampleDevice.time(61))
    try await store.write(&recorder, snapshot: true)
    #expect(try await store.load(sample.id)?.device == recorder.device)
    #expect(try await database.verify().findings.isEmpty)
    // The retained history begins with the deletion, and a snapshot after it refers to events before it.
    try recorder.apply(.developerModeChanged(true), at: SampleDevice.time(62))
    try await store.write(&recorder, snapshot: true)
    #expect(try await store.load(sample.id)?.device == recorder.device)
    #expect(try await store.rows(of: sample.id, in: .snapshots).map(\.bytes.count).allSatisfy { $0 < 3 * 4_096 })
    #expect(try await database.verify().findings.isEmpty)
    // The time is restated after an event that changes nothing.
    var device = recorder.device
    let sequence = recorder.sequence + 1
    _ = device.handle(.developerModeChanged(true), at: device.now, sequence: sequence)
    let event = JournalEntry(sample.id, sequence: sequence, at: device.now, .developerModeChanged(true))
    _ = device.restateTime(at: SampleDevice.time(5))
    try await store.append(
      created: [], events: [event], decisions: [], snapshots: [DeviceSnapshot(device, sequence: sequence)])
    #expect(try await store.load(sample.id)?.device == device)
    let next = JournalEntry(sample.id, sequence: sequence + 1, at: SampleDevice.time(6), .developerModeChanged(false))
    _ = device.handle(next.event, at: next.at, sequence: next.sequence)
    try await store.append(
      created: [], events: [next], decisions: [], snapshots: [DeviceSnapshot(device, sequence: next.sequence)])
    #expect(try await store.load(sample.id)?.device == device)
    #expect(try await store.rows(of: sample.id, in: .snapshots).map(\.bytes.count).allSatisfy { $0 < 3 * 4_096 })
    #expect(try await database.verify().findings.isEmpty)
  }

  @Test(
    "A damaged event makes the devices whose snapshots refer to it unreadable, and verification finds it",
    arguments: JournalEngine.available)
  func damage(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    _ = try await recorder(in: store)
    try await store.damage(.events, of: sample.id) { $0.bytes.count > 100_000 }
    let error = await #expect(throws: JournalError.self) { try await store.load(sample.id) }
    #expect(error?.code == .corrupt && error?.message.contains("checksum") == true, "\(String(describing: error))")
    try await database.close()
    #expect(try await !database.verify().findings.isEmpty)
  }

  @Test(
    "A reference to an event without a timeline, or to a later one, is corrupt", arguments: JournalEngine.available,
    [1, 1_000] as [UInt64])
  func wrongReference(engine: JournalEngine, sequence: UInt64) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    var recorder = try await recorder(in: store)
    var other = try sample.created()
    for (offset, event) in try (sample.setUp().dropLast(2) + [timeline(0), timeline(1)]).enumerated() {
      let known = offset == 4 ? sequence : UInt64(offset + 1)
      _ = other.handle(event, at: SampleDevice.midnight, sequence: known)
    }
    try recorder.apply(.developerModeChanged(true), at: SampleDevice.midnight)
    _ = other.handle(.developerModeChanged(true), at: SampleDevice.midnight)
    try await store.append(
      created: [], events: recorder.events, decisions: [],
      snapshots: [DeviceSnapshot(other, sequence: recorder.sequence)])
    let error = await #expect(throws: JournalError.self) { try await store.load(sample.id) }
    #expect(error?.message.contains("refers to event \(sequence), which has no timeline") == true)
    try await database.close()
    #expect(try await !database.verify().findings.isEmpty)
  }

  @Test("A device whose timelines come from an earlier format contains them in its snapshots")
  func unknownEvents() throws {
    var device = try sample.created()
    for event in try sample.setUp().dropLast(2) + [timeline(0)] { _ = device.handle(event, at: SampleDevice.midnight) }
    #expect(device.stored(.referenced).count > 3 * Self.contentSize && device.publishedTimelines.isEmpty)
    let decoded = try Device(decoding: device.encoded)
    #expect(decoded == device && decoded.stored(.included) == device.stored(.referenced))
  }
}
