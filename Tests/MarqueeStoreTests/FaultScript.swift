import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport

@testable import MarqueeStore

/// A sequence of writes and removals with the expected contents after each: all kinds of records, on two devices, with
/// rows from a few bytes to many pages.
struct FaultScript {
  /// One write, a compaction or a removal of a device.
  struct Step {
    let created: [Device]
    let events: [JournalEntry]
    let decisions: [RecordedDecision]
    let snapshots: [DeviceSnapshot]
    /// The retention boundary of a compaction; `nil` for a write.
    var beginning: Instant?
    /// The device to remove; `nil` for a write.
    var removed: DeviceID?
    /// The expected contents of the store after the step.
    let outcome: Contents
  }

  /// The contents of a store: each device's encoding, sequence and last decision.
  struct Contents: Hashable, Sendable {
    struct DeviceContents: Hashable, Sendable {
      let device: [UInt8]
      let sequence: UInt64
      let lastDecision: UInt64
    }

    var devices: [DeviceID: DeviceContents] = [:]

    init() {}

    /// Reads the contents of a store.
    init(of store: Store) async throws {
      for id in try await store.devices(after: nil, count: 100) {
        guard let found = try await store.load(id) else { continue }
        let last = try await store.decisions(of: id, stack: nil, before: nil, count: 1).first
        devices[id] = DeviceContents(
          device: found.device.encoded, sequence: found.sequence,
          lastDecision: found.unrecorded.last?.number ?? last?.number ?? 0)
      }
    }
  }

  private(set) var steps: [Step] = []
  private var recorders: [Recorder] = []
  private var lastDecisions: [DeviceID: UInt64] = [:]
  private var created: [Device] = []

  /// A word that only deleted donations, a removed app and a removed device contain.
  static let deletedWord = "plugh"

  init() throws {
    let samples = [try SampleDevice("phone"), try SampleDevice("tablet")]
    for sample in samples { try create(sample) }
    add()
    let app = try AppID("com.example.soup-chef")
    for round in 0..<4 {
      let now = SampleDevice.time(Int64(round) + 1)
      let names = ["kept \(round)", "\(Self.deletedWord) \(round)"]
      let donations = try names.map { try Self.donation($0, at: now, size: round % 2 * 4_000) }
      try recorders[0].apply(.donated(app, donations), at: now)
      add()
      let content = try EntryContent(mediaType: "", bytes: Array(repeating: UInt8(round), count: 30_000))
      let timeline = Timeline(submitted: [TimelineEntry(date: SampleDevice.time(30), content: content)], policy: .never)
      try recorders[1].apply(.timelinePublished(samples[1].widgets[0], timeline), at: now)
      add(snapshots: round % 2 == 0 ? [1] : [])
      if round == 2 { compact(from: now) }
      try recorders[0].apply(.donationsDeleted(app, .identifiers([donations[1].id])), at: now)
      add(snapshots: [0])
    }
    // Enough rows that compaction deletes some.
    for _ in 0..<12 {
      let donation = try Self.donation("kept", at: SampleDevice.time(5), size: 4_000)
      try recorders[0].apply(.donated(app, [donation]), at: SampleDevice.time(5))
    }
    add()
    compact(from: SampleDevice.time(6))
  }

  /// Creates a script that continues with a removal of an app and of a device.
  static func withRemovals() throws -> FaultScript {
    var script = try FaultScript()
    let app = try AppID("com.example.\(deletedWord)")
    let widget = Widget(kind: WidgetKind(app: app, name: try KindName(deletedWord)))
    let descriptor = try WidgetDescriptor(kind: widget.kind, displayName: deletedWord, families: [.systemSmall])
    let text = Array(repeating: Array(deletedWord.utf8), count: 900).joined()
    let content = try EntryContent(mediaType: "", bytes: Array(text))
    let timeline = Timeline(submitted: [TimelineEntry(date: SampleDevice.time(30), content: content)], policy: .never)
    let events: [Event] = [.kindsRegistered(app, [descriptor]), .timelinePublished(widget, timeline)]
    try script.create(SampleDevice("\(deletedWord) phone"))
    for index in [1, 2] {
      for event in events { try script.recorders[index].apply(event, at: SampleDevice.time(9)) }
    }
    script.add(snapshots: [1, 2])
    try script.recorders[1].apply(.appRemoved(app), at: SampleDevice.time(10))
    script.add(snapshots: [1])
    let removed = script.recorders.removeLast().device.id
    var outcome = script.steps.last?.outcome ?? Contents()
    outcome.devices[removed] = nil
    script.steps.append(
      Step(created: [], events: [], decisions: [], snapshots: [], removed: removed, outcome: outcome))
    try script.recorders[1].apply(.developerModeChanged(true), at: SampleDevice.time(11))
    script.add()
    return script
  }

  private mutating func compact(from beginning: Instant) {
    guard let last = steps.last else { return }
    steps.append(
      Step(created: [], events: [], decisions: [], snapshots: [], beginning: beginning, outcome: last.outcome))
  }

  private static func donation(_ name: String, at date: Instant, size: Int) throws -> Donation {
    let text = name + String(repeating: "-", count: size)
    let parameter = IntentParameter(name: try .init("text"), value: .single(.string(text)))
    return Donation(
      id: try .init(name), date: date, activity: .intent(try Intent(type: .init("Order"), parameters: [parameter])))
  }

  private mutating func create(_ sample: SampleDevice) throws {
    created.append(try sample.created())
    var recorder = Recorder(try sample.created())
    for event in try sample.setUp() { try recorder.apply(event, at: SampleDevice.midnight) }
    recorders.append(recorder)
  }

  /// Adds a step with everything recorded since the last one.
  private mutating func add(snapshots indices: [Int] = []) {
    var contents = Contents()
    for recorder in recorders {
      let id = recorder.device.id
      if let last = recorder.decisions.last { lastDecisions[id] = last.decision.number }
      if recorder.events.contains(where: \.event.removesContent) { lastDecisions[id] = nil }
      contents.devices[id] = .init(
        device: recorder.device.encoded, sequence: recorder.sequence, lastDecision: lastDecisions[id] ?? 0)
    }
    steps.append(
      Step(
        created: created, events: recorders.flatMap(\.events), decisions: recorders.flatMap(\.decisions),
        snapshots: indices.map { recorders[$0].snapshot }, outcome: contents))
    created = []
    for index in recorders.indices { (recorders[index].events, recorders[index].decisions) = ([], []) }
  }
}
