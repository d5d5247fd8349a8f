import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

@testable import MarqueeJournal

/// Rule D5 in storage: nothing that an engine stores contains deleted donations once the deletion has completed.
@Suite(.timeLimit(.minutes(5))) struct RedactionTests {
  private let app: AppID

  init() throws {
    app = try AppID("com.example.soup-chef")
  }

  /// Returns a donation with its number in its name, its parameters and their display strings.
  private static func donation(
    _ number: Int, at date: Instant, group: Int? = nil, version: Int = 0, size: Int = 0
  ) throws -> Donation {
    let object = DisplayIdentity(identifier: Mark.text(number), display: "Shown \(Mark.text(number)) \(version)")
    let parameters = [
      IntentParameter(name: try .init("soup"), value: .single(.object(object))),
      IntentParameter(
        name: try .init("note"), value: .single(.string(Mark.text(number) + String(repeating: "-", count: size)))),
    ]
    return Donation(
      id: try .init("name \(Mark.text(number))"), group: try group.map { try .init("group \(Mark.text($0))") },
      date: date, activity: .intent(try Intent(type: .init("OrderSoup"), parameters: parameters)),
      display: try DonationDisplay(title: "Title \(Mark.text(number))", imageKey: "Image \(Mark.text(number))"))
  }

  private func names(_ numbers: some Sequence<Int>) throws -> DonationSelection {
    .identifiers(try numbers.map { try .init("name \(Mark.text($0))") })
  }

  private func delete(
    _ selection: DonationSelection, _ recorder: inout Recorder, in store: any TableJournal
  ) async throws {
    try recorder.apply(.donationsDeleted(app, selection), at: recorder.device.now)
    try await store.write(&recorder, snapshot: true)
  }

  @Test(
    "D5 After a deletion nothing stored contains any byte of it, whatever else is stored",
    arguments: JournalEngine.available, [1, 2])
  func bytes(engine: JournalEngine, seed: Int) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    var recorders = [
      try await store.recorder(of: SampleDevice("phone")), try await store.recorder(of: SampleDevice("tablet")),
    ]
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
      let found = try await database.marks()
      #expect(found.intersection(gone) == [])
      #expect(kept.subtracting(found) == [])
    }
    #expect(gone.count > 30)
    for recorder in recorders { #expect(try await store.load(recorder.device.id)?.device == recorder.device) }
    try await database.close()
    #expect(try await database.marks().intersection(gone) == [])
    let reopened = try await database.open()
    for recorder in recorders { #expect(try await reopened.load(recorder.device.id)?.device == recorder.device) }
  }

  @Test(
    "D5 A group is deleted with the donations that it replaced, and with those that were evicted",
    arguments: JournalEngine.available)
  func groups(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    var recorder = try await store.recorder(of: SampleDevice("phone"))
    let now = SampleDevice.time(1)
    func donate(_ number: Int, group: Int?, version: Int) throws {
      try recorder.apply(.donated(app, [Self.donation(number, at: now, group: group, version: version)]), at: now)
    }
    try donate(1, group: 100, version: 0)  // Evicted by the limit.
    try recorder.apply(.donationsTrimmed(nil, keeping: 0), at: now)
    try donate(2, group: 101, version: 0)  // Replaced by a donation of the group.
    try donate(2, group: 100, version: 1)
    try donate(3, group: 100, version: 0)  // Replaced by a donation of another group, which stays.
    try donate(3, group: 101, version: 1)
    try await store.write(&recorder, snapshot: true)
    try await delete(.group(.init("group \(Mark.text(100))")), &recorder, in: store)
    #expect(try await database.marks() == [3, 101])
    #expect(recorder.device.donationCount() == 1)
    #expect(try await store.load(recorder.device.id)?.device == recorder.device)
  }

  @Test("D5 A deletion in the same batch as its donations leaves no bytes of them", arguments: JournalEngine.available)
  func sameBatch(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    var recorder = try await store.recorder(of: SampleDevice("phone"))
    for number in 1...3 {
      try recorder.apply(.donated(app, [Self.donation(number, at: SampleDevice.midnight)]), at: SampleDevice.midnight)
    }
    try await delete(names([1, 3]), &recorder, in: store)
    #expect(try await database.marks() == [2])
    #expect(try await store.load(recorder.device.id)?.device == recorder.device)
  }

  @Test(
    "D5 Deletions complete among continuous readers, which see consistent states", arguments: JournalEngine.available)
  func manyReaders(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    var recorder = try await store.recorder(of: SampleDevice("phone"))
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
      #expect(try await database.marks() == [])
    }
    for reader in readers {
      reader.cancel()
      #expect(try await reader.value.isSubset(of: [0, 1]))
    }
  }

  @Test(
    "D5 The history after a deletion is exact, and before it omits the deleted donations",
    arguments: JournalEngine.available)
  func history(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    var recorder = try await store.recorder(of: SampleDevice("phone"))
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

  @Test("The snapshots right after the latest deletions are kept", arguments: JournalEngine.available)
  func snapshots(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    var recorder = try await store.recorder(of: SampleDevice("phone"))
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
    let kept = try await store.rows(of: recorder.device.id, in: .snapshots).map { Int($0.number) }
    #expect(Set(kept).isSuperset(of: deletions.suffix(Redaction.snapshotCountMax)))
    #expect(kept.count <= Redaction.snapshotCountMax + Batch.Rows.recentSnapshotCount)
    #expect(try await store.load(recorder.device.id)?.device == recorder.device)
  }

  @Test(
    "D5 Decisions for widgets of only deleted donations are redacted, and others do not mention them",
    arguments: JournalEngine.available)
  func decisions(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    var recorder = try await store.recorder(of: SampleDevice("phone"))
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
    #expect(try await database.marks().isEmpty)
    let left = try await store.decisions(of: sample.id, stack: nil, before: nil, count: 9)
    #expect(left == [decision(2, to: own, [])])
    // A page does not count the redacted ones, of which the newest decision is one.
    #expect(try await store.decisions(of: sample.id, stack: nil, before: nil, count: 1) == left)
  }

  @Test("D5 A decision for a widget that another donation also configures is kept", arguments: JournalEngine.available)
  func sharedDecisions(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    var recorder = try await store.recorder(of: SampleDevice("phone"))
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
