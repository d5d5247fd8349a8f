import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

/// Goal: compaction changes nothing but the retained history, and leaves no bytes that a later deletion would miss.
@Suite("Compaction of journals", .timeLimit(.minutes(5))) struct CompactionTests {
  private let app: AppID

  init() throws {
    app = try AppID("com.example.soup-chef")
  }

  /// A simulated device, and its states by hour.
  private struct Recording {
    var recorder: Recorder
    var states: [Int: Device] = [:]
    var decisions: [Decision] = []

    mutating func apply(_ event: Event, at instant: Instant) throws {
      try recorder.apply(event, at: instant)
      for decision in recorder.decisions.map(\.decision) where decision.number > decisions.last?.number ?? 0 {
        decisions.append(decision)
      }
    }
  }

  private func recording(_ name: String, in store: any TableJournal) async throws -> Recording {
    let sample = try SampleDevice(name)
    var recording = Recording(recorder: Recorder(try sample.created()))
    try await store.create(recording.recorder.device)
    for event in try sample.setUp() { try recording.apply(event, at: SampleDevice.midnight) }
    try await store.write(&recording.recorder)
    return recording
  }

  private func donation(_ number: Int, at date: Instant, size: Int) throws -> Donation {
    let text = Mark.text(number) + String(repeating: "-", count: size)
    let note = IntentParameter(name: try .init("note"), value: .single(.string(text)))
    return Donation(
      id: try .init("name \(Mark.text(number))"), date: date,
      activity: .intent(try Intent(type: .init("OrderSoup"), parameters: [note])))
  }

  private func delete(_ numbers: [Int], _ recording: inout Recording, in store: any TableJournal) async throws {
    let names = try numbers.map { try Donation.ID("name \(Mark.text($0))") }
    try recording.apply(.donationsDeleted(app, .identifiers(names)), at: recording.recorder.device.now)
    try await store.write(&recording.recorder, snapshot: true)
  }

  /// Returns the numbers of events and decisions of all devices.
  private static func rowCounts(_ store: any TableJournal) async throws -> [Int] {
    var counts = [0, 0]
    for id in try await store.devices(after: nil, count: 100) {
      counts[0] += try await store.rowCount(of: id, in: .events)
      counts[1] += try await store.rowCount(of: id, in: .decisions)
    }
    return counts
  }

  /// Checks that the history from the hour `kept` on is retained, and that the history before `first` is not, unless no
  /// event followed.
  private func check(
    _ recording: Recording, in store: any TableJournal, from first: Int, keeping kept: Int
  ) async throws {
    let id = recording.recorder.device.id
    let found = try #require(try await store.load(id))
    #expect(found.device == recording.recorder.device && found.sequence == recording.recorder.sequence)
    #expect(found.unrecorded == [])
    for (hour, state) in recording.states where hour >= kept {
      #expect(try await store.history(of: id, at: SampleDevice.time(Int64(hour))) == state)
    }
    let last = try #require(recording.states.keys.filter { $0 < kept }.max())
    let gone = recording.states.keys.filter { $0 < min(first, last) }.max() ?? 0
    let error = await #expect(throws: JournalError.self) {
      try await store.history(of: id, at: SampleDevice.time(Int64(gone)))
    }
    #expect(error?.code == .notKept)
    await #expect(throws: JournalError.self) { try await store.origin(of: id) }
    let stored = try await store.decisions(of: id, stack: nil, before: nil, count: 1_000)
    let expected = recording.decisions.filter { $0.at >= SampleDevice.time(Int64(kept)) }
    #expect(stored.reversed().suffix(expected.count) == expected[...])
  }

  @Test(
    "Devices, their retained history and their decisions do not change; older history is deleted",
    arguments: JournalEngine.available)
  func transparency(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    var store = try await database.open()
    var recordings = [try await recording("phone", in: store), try await recording("tablet", in: store)]
    var generator = Sampler(seed: 7)
    for hour in 1...240 {
      let now = SampleDevice.time(Int64(hour))
      for index in recordings.indices where index == 0 || hour % 50 == 1 {
        let size = [0, 40, 900, 4_000][Int.random(in: 0..<4, using: &generator)]
        try recordings[index].apply(.donated(app, [donation(1_000 * index + hour, at: now, size: size)]), at: now)
        recordings[index].states[hour] = recordings[index].recorder.device
        try await store.write(&recordings[index].recorder, snapshot: hour % 7 == 0)
      }
      guard hour % 60 == 0 else { continue }
      let before = try await Self.rowCounts(store)
      let compaction = try await store.compact(keeping: .hours(40), now: now)
      #expect(compaction.deviceCount > 0)
      #expect(hour < 180 || compaction.rowCount > 10)
      #expect(try await Self.rowCounts(store).reduce(0, +) == before.reduce(0, +) - compaction.rowCount)
      for recording in recordings { try await check(recording, in: store, from: hour - 44, keeping: hour - 40) }
      #expect(try await database.verify().findings.isEmpty)
      store = try await database.reopen()
    }
    #expect(try await Self.rowCounts(store)[0] < 200)
    for recording in recordings { try await check(recording, in: store, from: 196, keeping: 200) }
  }

  @Test(
    "A copy in another engine has the same history, and nothing that was deleted",
    arguments: [JournalEngine.sqlite, .postgres].filter {
      JournalEngine.available.map(\.testDescription).contains($0.testDescription)
    })
  func copy(engine: JournalEngine) async throws {
    let (database, other) = (try JournalEngine.sqlite.makeDatabase(), try engine.makeDatabase())
    let (source, target) = (try await database.open(), try await other.open())
    var recordings = [try await recording("phone", in: source), try await recording("tablet", in: source)]
    for hour in 1...90 {
      let now = SampleDevice.time(Int64(hour))
      for index in recordings.indices {
        try recordings[index].apply(.donated(app, [donation(1_000 * index + hour, at: now, size: 400)]), at: now)
        if hour % 25 == 24 { try await delete([1_000 * index + hour - 3], &recordings[index], in: source) }
        recordings[index].states[hour] = recordings[index].recorder.device
        try await source.write(&recordings[index].recorder, snapshot: hour % 7 == 0)
      }
      if hour == 60 { _ = try await source.compact(keeping: .hours(40), now: now) }
    }
    let copied = try await source.copyDevices(to: target)
    #expect(copied.devices == 2 && copied.events > 60)
    let again = try await source.copyDevices(to: target)
    #expect(again.devices == 2 && again.events == 0)
    #expect(try await other.verify().findings.isEmpty)
    // Of the deleted donations, those that the snapshots of the source have no more.
    #expect(try await other.marks().isSubset(of: database.marks()))
    for recording in recordings {
      let id = recording.recorder.device.id
      let found = try #require(try await target.load(id))
      #expect(found.device.encoded == recording.recorder.device.encoded)
      #expect(found.sequence == recording.recorder.sequence && found.unrecorded == [])
      // Without deleted donations, also before their deletion.
      for hour in 20...90 {
        let instant = SampleDevice.time(Int64(hour))
        let (state, original) = (
          try await target.history(of: id, at: instant), try await source.history(of: id, at: instant)
        )
        #expect(state == original)
      }
      let decisions = try await target.decisions(of: id, stack: nil, before: nil, count: 1_000)
      let all = try await source.decisions(of: id, stack: nil, before: nil, count: 1_000)
      let kept = recording.decisions.filter { $0.at >= SampleDevice.time(20) }
      #expect(!kept.isEmpty && decisions.reversed().suffix(kept.count) == kept[...])
      #expect(all.prefix(decisions.count) == decisions[...])
      let (events, originals) = (
        try await target.events(of: id, after: 70), try await source.events(of: id, after: 70)
      )
      #expect(!events.isEmpty && events.map(\.event) == originals.map(\.event))
    }
    let schedules = [
      try await source.wakeSchedule(policy: .default, after: nil, count: 9),
      try await target.wakeSchedule(policy: .default, after: nil, count: 9),
    ]
    #expect(schedules[0].map(\.device) == schedules[1].map(\.device))
    #expect(schedules[0].map(\.wake) == schedules[1].map(\.wake))
    // A source that has deleted content since is refused.
    try await delete([70], &recordings[1], in: source)
    let changed = await #expect(throws: JournalError.self) { try await source.copyDevices(to: target) }
    #expect(changed?.code == .refused && changed?.device == recordings[1].recorder.device.id)
  }

  @Test("A copy continues an interrupted one, and refuses other devices and histories")
  func interruptedCopy() async throws {
    let (database, other) = (try JournalEngine.sqlite.makeDatabase(), try JournalEngine.sqlite.makeDatabase())
    let (source, target) = (try await database.open(), try await other.open())
    var recording = try await recording("phone", in: source)
    for hour in 1...20 {
      let now = SampleDevice.time(Int64(hour))
      try recording.apply(.donated(app, [donation(hour, at: now, size: 400)]), at: now)
      try await source.write(&recording.recorder, snapshot: hour % 4 == 0)
    }
    let id = recording.recorder.device.id
    let events = try await source.events(of: id, after: 0)
    let initial = try SampleDevice("phone").created()
    try await target.append(created: [initial], events: Array(events.prefix(9)), decisions: [], snapshots: [])
    let copied = try await source.copyDevices(to: target)
    #expect(copied.devices == 1 && copied.events == events.count - 9)
    #expect(try #require(try await target.load(id)).device == recording.recorder.device)
    #expect(try await other.verify().findings.isEmpty)
    let now = SampleDevice.time(21)
    try recording.apply(.donated(app, [donation(21, at: now, size: 4)]), at: now)
    try await target.write(&recording.recorder)
    let later = await #expect(throws: JournalError.self) { try await source.copyDevices(to: target) }
    #expect(later?.code == .refused && later?.device == id)
    let unknown = try SampleDevice("tablet").created()
    try await target.create(unknown)
    let more = await #expect(throws: JournalError.self) { try await source.copyDevices(to: target) }
    #expect(more?.code == .refused && more?.device == unknown.id)
  }

  @Test(
    "A device with a damaged event is reported, and others are compacted; a page of expired events is an error",
    arguments: JournalEngine.available)
  func unreadable(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    // SQLite deletes no rows behind those of the damaged device, and keeps 32 KiB without overflow pages.
    for name in ["tablet", "phone"] {
      var recording = try await recording(name, in: store)
      for number in 0..<60 {
        let now = SampleDevice.time(1, Int64(number))
        try recording.apply(.donated(app, [donation(number, at: now, size: 1_400)]), at: now)
        try await store.write(&recording.recorder)
      }
    }
    let (tablet, phone) = (try DeviceID("tablet"), try DeviceID("phone"))
    let damaged = try await store.rows(of: phone, in: .events).last?.number
    try await store.damage(.events, of: phone) { $0.number == damaged }
    let compaction = try await store.compact(keeping: .hours(40), now: SampleDevice.time(2_000))
    #expect(compaction.unreadable == [phone])
    #expect(compaction.deviceCount == 1 && compaction.rowCount > 0)
    let error = await #expect(throws: JournalError.self) { try await store.events(of: tablet, after: 0) }
    #expect(error?.code == .notKept && error?.device == tablet)
  }

  @Test(
    "A snapshot after an event that has expired since is not written, and does not end the store",
    arguments: JournalEngine.available, [0, 60])
  func lateSnapshot(engine: JournalEngine, donationCount: Int) async throws {
    let database = try engine.makeDatabase()
    var store = try await database.open()
    var recording = try await recording("phone", in: store)
    for number in 0..<donationCount {
      let now = SampleDevice.time(1, Int64(number))
      try recording.apply(.donated(app, [donation(number, at: now, size: 4_000)]), at: now)
      try await store.write(&recording.recorder)
    }
    // The device is idle for longer than the retention, in which all of its events expire.
    _ = try await store.compact(keeping: .hours(40), now: SampleDevice.time(2_000))
    recording.recorder.advance(to: SampleDevice.time(2_001))
    try await store.write(&recording.recorder, snapshot: true)
    #expect(try await store.rowCount(of: recording.recorder.device.id, in: .snapshots) == 0)
    for hour in [2_100, 2_200] as [Int64] {
      _ = try await store.compact(keeping: .hours(40), now: SampleDevice.time(hour))
      try recording.apply(.developerModeChanged(hour == 2_100), at: SampleDevice.time(hour))
      try await store.write(&recording.recorder, snapshot: true)
      store = try await database.reopen()
      #expect(try await store.load(recording.recorder.device.id)?.device == recording.recorder.device)
    }
    try await database.close()
    #expect(try await database.verify().findings.isEmpty)
  }

  @Test("Decisions without events are deleted, too", arguments: JournalEngine.available)
  func quiet(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    let sample = try SampleDevice()
    var recorder = Recorder(try sample.created())
    try await store.create(recorder.device)
    for event in try sample.setUp().dropLast(2) { try recorder.apply(event, at: SampleDevice.midnight) }
    for (parity, widget) in sample.widgets.enumerated() {
      let entries = try (1...300).map { number in
        TimelineEntry(
          date: SampleDevice.time(0, 20 * Int64(number)),
          relevance: try TimelineEntryRelevance(score: number % 2 == parity ? 1 : 0))
      }
      try recorder.apply(
        .timelinePublished(widget, Timeline(submitted: entries, policy: .never)), at: SampleDevice.midnight)
    }
    try await store.write(&recorder)
    recorder.advance(to: SampleDevice.time(90))
    let decisions = recorder.decisions.map(\.decision)
    try await store.write(&recorder)
    #expect(decisions.count > 100)
    #expect(try await store.compact(keeping: .hours(10), now: SampleDevice.time(90)).rowCount > 0)
    let left = try await store.decisions(of: sample.id, stack: nil, before: nil, count: 1_000)
    #expect(left.count < decisions.count && left.reversed() == decisions.suffix(left.count))
    var found = try #require(try await store.load(sample.id))
    #expect(found.unrecorded == [])
    _ = found.device.advance(to: recorder.device.now)
    #expect(found.device == recorder.device)
    #expect(try await store.history(of: sample.id, at: SampleDevice.time(80))?.now == SampleDevice.time(80))
    #expect(try await database.verify().findings.isEmpty)
  }

  @Test(
    "D5 A deletion after compactions leaves no bytes, even of older donations", arguments: JournalEngine.available,
    [1, 2])
  func deletions(engine: JournalEngine, seed: UInt64) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    var recordings = [try await recording("phone", in: store), try await recording("tablet", in: store)]
    var generator = Sampler(seed: seed)
    var (kept, gone): (Set<Int>, Set<Int>) = ([], [])
    for number in 0..<400 {
      let now = SampleDevice.midnight.advanced(by: .minutes(Int64(number)))
      let index = Int.random(in: 0...3, using: &generator) == 0 ? 1 : 0
      let size = [0, 40, 300, 1_500, 4_000][Int.random(in: 0..<5, using: &generator)]
      try recordings[index].apply(.donated(app, [donation(number, at: now, size: size)]), at: now)
      try await store.write(&recordings[index].recorder, snapshot: Int.random(in: 0...9, using: &generator) == 0)
      if index == 0 { kept.insert(number) }
      if Int.random(in: 0...9, using: &generator) == 0 {
        _ = try await store.compact(keeping: .minutes(Int64.random(in: 1...200, using: &generator)), now: now)
      }
      guard Int.random(in: 0...5, using: &generator) == 0 else { continue }
      // An old donation, or the latest one.
      let old = kept.sorted().prefix(Bool.random(using: &generator) ? 600 : 0)
      guard let victim = old.randomElement(using: &generator) ?? kept.max() else { continue }
      kept.remove(victim)
      gone.insert(victim)
      try await delete([victim], &recordings[0], in: store)
      #expect(try await database.marks().intersection(gone) == [])
      #expect(try await store.load(recordings[0].recorder.device.id)?.device == recordings[0].recorder.device)
    }
    #expect(gone.count > 40)
    #expect(try await database.verify().findings.isEmpty)
    #expect(try await Self.rowCounts(store)[0] < 400)
  }

  @Test(
    "D5 The donations that a deleted one replaced are deleted with it, even if they are older than the history",
    arguments: JournalEngine.available)
  func replaced(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    var recording = try await recording("phone", in: store)
    func donate(_ mark: Int, hour: Int64) async throws {
      let text = IntentParameter(name: try .init("note"), value: .single(.string(Mark.text(mark))))
      let activity = Donation.Activity.intent(try Intent(type: .init("OrderSoup"), parameters: [text]))
      let group = try Donation.Group("group \(hour)")
      let donation = Donation(id: try .init("name"), group: group, date: SampleDevice.time(hour), activity: activity)
      try recording.apply(.donated(app, [donation]), at: SampleDevice.time(hour))
      try await store.write(&recording.recorder)
    }
    try await donate(1, hour: 1)
    try await donate(2, hour: 9)
    _ = try await store.compact(keeping: .hours(5), now: SampleDevice.time(10))
    #expect(try await database.marks() == [1, 2])
    try recording.apply(.donationsDeleted(app, .group(.init("group 9"))), at: SampleDevice.time(11))
    try await store.write(&recording.recorder, snapshot: true)
    #expect(try await database.marks() == [])
    #expect(try await store.load(recording.recorder.device.id)?.device == recording.recorder.device)
  }

  @Test("Concurrent compactions do not affect writes and loads", arguments: JournalEngine.available)
  func concurrency(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    var recording = try await recording("phone", in: store)
    let compacting = Task {
      var count = 0
      while !Task.isCancelled { count += try await store.compact(keeping: .minutes(20), now: .max).rowCount }
      return count
    }
    for number in 0..<300 {
      let now = SampleDevice.midnight.advanced(by: .minutes(Int64(number)))
      try recording.apply(.donated(app, [donation(number, at: now, size: 700)]), at: now)
      try await store.write(&recording.recorder, snapshot: number % 9 == 0)
      if number % 10 == 9 {
        try await delete([number - 5], &recording, in: store)
        let found = try await database.marks()
        #expect(found.allSatisfy { $0 % 10 != 4 || $0 > number - 5 })
      }
      #expect(try await store.load(recording.recorder.device.id)?.device == recording.recorder.device)
    }
    compacting.cancel()
    #expect(try await compacting.value > 100)
  }
}
