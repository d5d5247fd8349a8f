import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

/// Rule W6 in storage: nothing that an engine stores contains removed content once the removal has completed.
@Suite(.timeLimit(.minutes(5))) struct RemovalTests {
  @Test(
    "W6 After the removal of an app nothing stored contains any byte of it, whatever else is stored",
    arguments: JournalEngine.available, [1, 2, 3, 4])
  func apps(engine: JournalEngine, seed: UInt64) async throws {
    let database = try engine.makeDatabase()
    var store = try await database.open()
    var recorders = [
      try await store.recorder(of: SampleDevice()), try await store.recorder(of: SampleDevice("tablet")),
    ]
    var (kept, gone): ([[Int]], Set<Int>) = ([[], []], [])
    var generator = Sampler(seed: seed)
    for number in 0..<120 {
      let now = SampleDevice.midnight.advanced(by: .minutes(Int64(10 * number)))
      let index = Int.random(in: 0...2, using: &generator) == 0 ? 1 : 0
      let size = [0, 0, 40, 700, 1_500, 5_000][Int.random(in: 0..<6, using: &generator)]
      for event in try MarkedApp(number).events(at: now, size: size) { try recorders[index].apply(event, at: now) }
      if number % 4 == 0 {
        let edit = StackEdit.add(try MarkedApp(number).widget, at: 0)
        try recorders[index].apply(.stackEdited(SampleDevice().stack, edit), at: now)
      }
      kept[index].append(number)
      try await store.write(&recorders[index], snapshot: Int.random(in: 0...4, using: &generator) == 0)
      if seed % 2 == 0, Int.random(in: 0...9, using: &generator) == 0 {
        _ = try await store.compact(keeping: .minutes(Int64.random(in: 1...400, using: &generator)), now: now)
      }
      guard Int.random(in: 0...3, using: &generator) == 0, let victim = kept[0].randomElement(using: &generator) else {
        continue
      }
      kept[0].removeAll { $0 == victim }
      gone.insert(victim)
      recorders[0].advance(to: now)
      try recorders[0].apply(.appRemoved(MarkedApp(victim).id), at: now)
      try await store.write(&recorders[0], snapshot: true)
      let found = try await database.marks()
      #expect(found.intersection(gone) == [])
      #expect(try await !database.contains(MarkedApp(victim).id.text))
      #expect(Set(kept.joined()).subtracting(found) == [])
      for recorder in recorders { #expect(try await store.load(recorder.device.id)?.device == recorder.device) }
    }
    #expect(gone.count > 15)
    #expect(try await database.verify().findings == [])
    try await database.close()
    #expect(try await database.marks().intersection(gone) == [])
    store = try await database.open()
    for recorder in recorders { #expect(try await store.load(recorder.device.id)?.device == recorder.device) }
  }

  @Test(
    "W6 After the removal of a kind and of an intent type nothing stored contains any byte of them",
    arguments: JournalEngine.available)
  func kindsAndTypes(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    var recorder = try await store.recorder(of: SampleDevice())
    let (app, now) = (try MarkedApp(1).id, SampleDevice.time(2))
    let events = try MarkedApp(1).events(at: now, size: 3_000)
    for event in events { try recorder.apply(event, at: now) }
    guard case .kindsRegistered(_, let own) = events[0] else {
      Issue.record("no kinds")
      return
    }
    let other = try WidgetDescriptor(
      kind: WidgetKind(app: app, name: KindName(Mark.text(2))), displayName: "", families: [.systemSmall])
    try recorder.apply(.kindsRegistered(app, own + [other]), at: now)
    try await store.write(&recorder, snapshot: true)
    try recorder.apply(.kindsRemoved(app, [other.kind.name]), at: now)
    try await store.write(&recorder, snapshot: true)
    #expect(try await database.marks() == [1])
    try recorder.apply(.intentTypesRemoved(app, [IntentType(Mark.text(1))]), at: now)
    try await store.write(&recorder, snapshot: true)
    #expect(recorder.device.donationCount() == 0)
    #expect(try await store.load(recorder.device.id)?.device == recorder.device)
    try recorder.apply(.appRemoved(app), at: now)
    try await store.write(&recorder, snapshot: true)
    #expect(try await database.marks() == [])
    #expect(try await store.load(recorder.device.id)?.device == recorder.device)
    #expect(try await database.verify().findings == [])
  }

  @Test(
    "W6 The retained history begins with the removal, which is stored without names, and continues after it",
    arguments: JournalEngine.available)
  func history(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    var recorder = try await store.recorder(of: SampleDevice())
    let id = recorder.device.id
    for event in try MarkedApp(1).events(at: SampleDevice.time(2), size: 9) {
      try recorder.apply(event, at: SampleDevice.time(2))
    }
    recorder.advance(to: SampleDevice.time(5))
    let late = recorder.decisions
    try #require(late.count > 2)
    recorder.decisions = Array(late.prefix(1))
    try await store.write(&recorder, snapshot: true)
    // In the same batch: earlier decisions that could not be written before, the removal, and events after it.
    recorder.decisions = late
    try recorder.apply(.appRemoved(MarkedApp(1).id), at: SampleDevice.time(6))
    let (removal, snapshot) = (recorder.sequence, recorder.snapshot)
    let count = recorder.device.decisionCount
    try recorder.apply(.developerModeChanged(true), at: SampleDevice.time(8))
    let later = recorder.decisions.map(\.decision).filter { $0.number > count }
    try await store.append(
      created: [], events: recorder.events, decisions: recorder.decisions, snapshots: [snapshot, recorder.snapshot])
    #expect(try await database.marks() == [])
    #expect(later.isEmpty == false)
    #expect(try await store.decisions(of: id, stack: nil, before: nil, count: 99) == later.reversed())
    #expect(try await store.decisions(of: id, stack: SampleDevice().stack, before: nil, count: 99) == later.reversed())
    let notKept: [() async throws -> Void] = [
      { _ = try await store.events(of: id, after: removal - 1) }, { _ = try await store.origin(of: id) },
      { _ = try await store.history(of: id, at: SampleDevice.time(5)) },
    ]
    for read in notKept {
      let error = await #expect(throws: JournalError.self) { try await read() }
      #expect(error?.code == .notKept)
    }
    #expect(try await store.events(of: id, after: removal).map(\.event) == [.developerModeChanged(true)])
    let found = try #require(try await store.load(id))
    #expect(found.device == recorder.device && found.sequence == recorder.sequence && found.unrecorded == [])
    // A decision that is stored even later does not come back.
    try await store.append(created: [], events: [], decisions: late, snapshots: [])
    #expect(try await store.decisions(of: id, stack: nil, before: nil, count: 99) == later.reversed())
    let stored = try await store.rows(of: id, in: .events).filter { $0.number <= removal }.map(\.bytes)
    #expect(stored.dropLast().allSatisfy { $0.allSatisfy { $0 == 0 } } && stored.count == Int(removal))
    #expect(try stored.last.map { try Event(decoding: $0) } == .contentRemoved)
    #expect(try await database.verify().findings == [])
  }

  @Test(
    "W6 Damaged rows before a removal do not prevent it, and are damaged no longer", arguments: JournalEngine.available)
  func damage(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    var recorder = try await store.recorder(of: SampleDevice())
    for event in try MarkedApp(1).events(at: SampleDevice.midnight, size: 9) {
      try recorder.apply(event, at: SampleDevice.midnight)
    }
    try await store.write(&recorder, snapshot: true)
    try await store.damage(.events, of: recorder.device.id) { $0.number == 2 }
    #expect(try await database.verify().findings.count == 1)
    try recorder.apply(.appRemoved(MarkedApp(1).id), at: SampleDevice.midnight)
    try await store.write(&recorder, snapshot: true)
    #expect(try await database.marks() == [])
    #expect(try await database.verify().findings == [])
  }

  @Test(
    "D5 A deletion and a reset of the clock in one batch leave no bytes, and the history begins with the reset",
    arguments: JournalEngine.available)
  func deletionAndReset(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    var recorder = try await store.recorder(of: SampleDevice())
    let (app, id) = (try MarkedApp(1).id, recorder.device.id)
    func donation(_ number: Int, at date: Instant) throws -> Event {
      let note = IntentParameter(name: try .init("note"), value: .single(.string(Mark.text(number))))
      let intent = try Intent(type: .init("Order"), parameters: [note])
      return .donated(app, [Donation(id: try .init("same"), date: date, activity: .intent(intent))])
    }
    try recorder.apply(donation(1, at: SampleDevice.time(1)), at: SampleDevice.time(1))
    try await store.write(&recorder)
    try recorder.apply(.donationsDeleted(app, .identifiers([.init("same")])), at: SampleDevice.time(2))
    let deletion = recorder.snapshot
    try recorder.apply(donation(2, at: SampleDevice.time(2)), at: SampleDevice.time(2))
    try recorder.apply(.developerModeChanged(false), at: SampleDevice.time(2))
    var device = recorder.device
    _ = device.restateTime(at: SampleDevice.time(1))
    try await store.append(
      created: [], events: recorder.events, decisions: recorder.decisions,
      snapshots: [deletion, DeviceSnapshot(device, sequence: recorder.sequence)])
    #expect(try await database.marks() == [2])
    let found = try #require(try await store.load(id))
    #expect(found.device == device && found.sequence == recorder.sequence)
    #expect(try await store.history(of: id, at: SampleDevice.time(1)) == device)
    #expect(try await database.verify().findings == [])
  }
}
