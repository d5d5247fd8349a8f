import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import PostgresProcess
import Testing

@Suite(.timeLimit(.minutes(1))) struct JournalTests {
  @Test("The suites run on all engines", .enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"))
  func engines() {
    #expect(JournalEngine.available.map(\.testDescription) == ["SQLite", "PostgreSQL", "PostgreSQL, a node"])
  }

  /// Returns a journal with a device whose events until noon have been written.
  private func storeAtNoon(_ database: any JournalDatabase, snapshot: Bool = false) async throws -> (
    any TableJournal, SampleDevice, Recorder
  ) {
    let (store, sample) = (try await database.open(), try SampleDevice())
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

  @Test("A reopened journal returns exactly the same device", arguments: JournalEngine.available, [false, true])
  func reopening(engine: JournalEngine, snapshot: Bool) async throws {
    let database = try engine.makeDatabase()
    let (_, sample, recorder) = try await storeAtNoon(database, snapshot: snapshot)
    let reopened = try await database.reopen()
    let found = try #require(try await reopened.load(sample.id))
    #expect(found.device == recorder.device)
    #expect(found.device.encoded == recorder.device.encoded)
    #expect(found.sequence == 8)
    #expect(found.unrecorded.isEmpty)
    #expect(recorder.device.decisionCount > 5)
    #expect(try await reopened.load(DeviceID("tablet")) == nil)
  }

  @Test(
    "The latest instant of any record is that of a device, an event, a snapshot or a decision",
    arguments: JournalEngine.available)
  func latestInstants(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    var (store, sample, recorder) = try await storeAtNoon(database)
    #expect(try await store.latestInstants(count: 1).first?.instant == SampleDevice.time(12))
    try await store.create(
      Device(id: try DeviceID("tablet"), timeZone: try TimeZoneID("UTC"), at: SampleDevice.time(13)))
    #expect(try await store.latestInstants(count: 1).first?.instant == SampleDevice.time(13))
    let latest = try await store.latestInstants(count: 9)
    #expect(latest.map(\.instant) == [SampleDevice.time(13), SampleDevice.time(12)] && latest[1].device == sample.id)
    try recorder.apply(.reported(.hidden(sample.stack)), at: SampleDevice.time(14))
    try await store.write(&recorder)
    #expect(try await store.latestInstants(count: 1).first?.instant == SampleDevice.time(14))
    var later = recorder.device
    let decisions = later.advance(to: SampleDevice.time(16)).compactMap(\.decision)
    try await store.append(
      created: [], events: [], decisions: decisions.map { RecordedDecision($0, of: sample.id) }, snapshots: [])
    #expect(try await store.latestInstants(count: 1).first?.instant == decisions.last?.at)
    _ = later.advance(to: SampleDevice.time(17, 30))
    try await store.append(created: [], events: [], decisions: [], snapshots: [DeviceSnapshot(later, sequence: 9)])
    #expect(try await store.latestInstants(count: 1).first?.instant == SampleDevice.time(17, 30))
  }

  @Test("Events are read in pages of limited size, and a larger event alone", arguments: JournalEngine.available)
  func pages(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    var (store, sample, recorder) = try await storeAtNoon(database)
    let content = try EntryContent(mediaType: "", bytes: Array(repeating: 1, count: 65_536))
    let entries = (0..<20).map { TimelineEntry(date: SampleDevice.time(20, Int64($0)), content: content) }
    let large = Event.timelinePublished(sample.widgets[0], Timeline(submitted: entries, policy: .never))
    try recorder.apply(large, at: SampleDevice.time(12))
    try recorder.apply(.developerModeChanged(true), at: SampleDevice.time(13))
    try await store.write(&recorder)
    #expect(large.encoded.count > 1_048_576)
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

  @Test(
    "The state of a device at an instant is exact, from the creation or a snapshot", arguments: JournalEngine.available,
    [false, true])
  func history(engine: JournalEngine, snapshot: Bool) async throws {
    let database = try engine.makeDatabase()
    let (store, sample, recorder) = try await storeAtNoon(database, snapshot: snapshot)
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

  @Test("Decisions are listed in pages, the newest first, and by stack", arguments: JournalEngine.available)
  func decisions(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let (store, sample, recorder) = try await storeAtNoon(database)
    let all = try await store.decisions(of: sample.id, stack: nil, before: nil, count: 1_000)
    #expect(all.map(\.number) == (1...recorder.device.decisionCount).reversed())
    #expect(all.first?.explanation.candidates.count == 2)
    let page = try await store.decisions(of: sample.id, stack: sample.stack, before: 5, count: 2)
    #expect(page == all.filter { $0.number == 3 || $0.number == 4 })
    #expect(try await store.decisions(of: sample.id, stack: StackID("work"), before: nil, count: 9).isEmpty)
    #expect(try await store.decisions(of: DeviceID("tablet"), stack: nil, before: nil, count: 9).isEmpty)
  }

  @Test("A decision is stored once, and load returns the unrecorded decisions", arguments: JournalEngine.available)
  func decisionsAgain(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let (store, sample) = (try await database.open(), try SampleDevice())
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

  @Test("A loaded device has at least the time of its last decision", arguments: JournalEngine.available)
  func decisionAfterTheLastEvent(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let (store, sample) = (try await database.open(), try SampleDevice())
    var recorder = Recorder(try sample.created())
    try await store.create(recorder.device)
    for event in try sample.setUp() { try recorder.apply(event, at: SampleDevice.midnight) }
    recorder.advance(to: SampleDevice.time(4))
    try await store.write(&recorder)
    #expect(try await store.load(sample.id)?.device == recorder.device)
  }

  @Test("Device names are listed in pages, in byte order", arguments: JournalEngine.available)
  func devices(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    for name in ["b", "a", "ä", "B"] { try await store.create(try SampleDevice(name).created()) }
    #expect(try await store.devices(after: nil, count: 3).map(\.text) == ["B", "a", "b"])
    #expect(try await store.devices(after: DeviceID("b"), count: 3).map(\.text) == ["ä"])
  }

  @Test("Of old snapshots some are kept, and of the newest ones all", arguments: JournalEngine.available)
  func sparseSnapshots(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let (store, sample) = (try await database.open(), try SampleDevice())
    var recorder = Recorder(try sample.created())
    try await store.create(recorder.device)
    for number in 1...9_000 {
      try recorder.apply(.developerModeChanged(number % 2 == 0), at: SampleDevice.midnight)
      if number % 256 == 0 { try await store.write(&recorder, snapshot: true) }
    }
    try await store.write(&recorder)
    let kept = try await store.rows(of: sample.id, in: .snapshots).map(\.number)
    #expect(kept == [4_096, 8_192, 8_448, 8_704, 8_960])
    #expect(try await store.load(sample.id)?.device == recorder.device)
  }

  @Test("A device with more events than fit into a page is loaded and verified", arguments: JournalEngine.available)
  func longHistory(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    var (store, sample, recorder) = try await storeAtNoon(database)
    let content = try EntryContent(mediaType: "", bytes: Array(repeating: 1, count: 60_000))
    let entry = TimelineEntry(date: SampleDevice.time(20), content: content)
    for number in 1...2_300 {
      // In the first page the number of bytes is the limit, in the others that of rows.
      let isLarge = number <= 30
      let timeline = Timeline(submitted: [entry], policy: .never)
      try recorder.apply(
        isLarge ? .timelinePublished(sample.widgets[0], timeline) : .developerModeChanged(number % 2 == 0),
        at: SampleDevice.time(12))
    }
    try await store.write(&recorder)
    #expect(try await store.rows(of: sample.id, in: .events).count < 30)
    #expect(try await store.rowCount(of: sample.id, in: .events) == Int(recorder.sequence))
    let found = try #require(try await store.load(sample.id))
    #expect(found.device == recorder.device && found.sequence == recorder.sequence)
    let verification = try await database.verify()
    #expect(verification.findings == [] && verification.eventCount == Int(recorder.sequence))
  }

  private func code(_ body: () async throws -> Void) async -> JournalError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? JournalError)?.code
    }
  }

  @Test(
    "Records that conflict with the journal are rejected, and nothing of their batch is written",
    arguments: JournalEngine.available)
  func conflicts(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let (store, sample, recorder) = try await storeAtNoon(database)
    let event = Event.developerModeChanged(true)
    func append(_ sequence: UInt64, at instant: Instant) async throws {
      try await store.append(
        created: [try SampleDevice("tablet").created()],
        events: [JournalEntry(sample.id, sequence: sequence, at: instant, event)], decisions: [], snapshots: [])
    }
    #expect(await code { try await append(10, at: SampleDevice.time(12)) } == .conflict)
    #expect(await code { try await append(8, at: SampleDevice.time(12)) } == .conflict)
    #expect(await code { try await append(9, at: SampleDevice.midnight.advanced(by: .seconds(-1))) } == .conflict)
    #expect(await code { try await store.create(recorder.device) } == .conflict)
    let unknown = JournalEntry(try DeviceID("unknown"), sequence: 1, at: SampleDevice.time(1), event)
    let unknownCode = await code {
      try await store.append(created: [], events: [unknown], decisions: [], snapshots: [])
    }
    #expect(unknownCode == .conflict)
    #expect(try await store.devices(after: nil, count: 9) == [sample.id])
    #expect(try await store.load(sample.id)?.device == recorder.device)
    try await append(9, at: SampleDevice.time(12))
  }

  @Test(
    "Damaged records are reported with the device and the number", arguments: JournalEngine.available,
    [RowTable.events, .decisions])
  func damage(engine: JournalEngine, table: RowTable) async throws {
    let database = try engine.makeDatabase()
    let (store, sample, recorder) = try await storeAtNoon(database)
    let number = table == .events ? 3 : recorder.device.decisionCount
    try await store.damage(table, of: sample.id) { $0.number == number }
    let error = await #expect(throws: JournalError.self) { try await store.load(sample.id) }
    #expect(error?.code == .corrupt && error?.device == sample.id && error?.sequence == number)
    let finding = try #require(try await database.verify().findings.first)
    #expect(finding.device == sample.id && finding.message.contains("record \(number) "))
  }

  @Test("A closed journal rejects reads and writes", arguments: JournalEngine.available)
  func closed(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let (store, sample, recorder) = try await storeAtNoon(database)
    try await database.close()
    #expect(await code { try await store.create(recorder.device) } == .closed)
    #expect(await code { _ = try await store.load(sample.id) } == .closed)
  }
}
