import MarqueeJournal
import MarqueeModel
import MarqueeScheduler

/// Devices with contents for tests of removals and deletions.
extension TableJournal {
  /// Stores a sample device with its stacks and timelines.
  package func recorder(of sample: SampleDevice) async throws -> Recorder {
    var recorder = Recorder(try sample.created())
    try await create(recorder.device)
    for event in try sample.setUp() { try recorder.apply(event, at: SampleDevice.midnight) }
    try await write(&recorder)
    return recorder
  }

  /// Stores a device whose name, stack, timeline and donations contain the mark of a number.
  ///
  /// - Parameters:
  ///   - number: The number.
  ///   - size: The number of bytes of a donation and of a timeline's content, in addition to the mark.
  ///   - snapshots: The number of snapshots, each with a donation and a timeline.
  package func markedDevice(_ number: Int, size: Int, snapshots: Int = 1) async throws -> Recorder {
    let name = String(repeating: "x", count: number * 37 % 90) + Mark.text(number)
    let (app, now) = (try AppID("com.example.app"), SampleDevice.midnight)
    let kind = WidgetKind(app: app, name: try KindName(Mark.text(number)))
    var recorder = Recorder(Device(id: try DeviceID(name), timeZone: try TimeZoneID("UTC"), at: now))
    try await create(recorder.device)
    let descriptor = try WidgetDescriptor(kind: kind, displayName: "", families: [.systemSmall])
    let text = Mark.text(number) + String(repeating: "-", count: size)
    let note = IntentParameter(name: try .init("note"), value: .single(.string(String(text.prefix(4_000)))))
    let content = try EntryContent(mediaType: "", bytes: Array(text.utf8))
    let stack = try StackID(Mark.text(number))
    let widgets = [Widget(kind: kind)] + (try SampleDevice().widgets)
    try recorder.apply(.kindsRegistered(app, [descriptor]), at: now)
    for event in try SampleDevice().setUp().filter({ if case .stackEdited = $0 { false } else { true } }) {
      try recorder.apply(event, at: now)
    }
    try recorder.apply(.stackEdited(stack, .create(.systemSmall)), at: now)
    for widget in widgets { try recorder.apply(.stackEdited(stack, .add(widget, at: nil)), at: now) }
    for minute in 0..<snapshots {
      let date = SampleDevice.time(3, Int64(minute))
      let donation = Donation(
        id: try .init("\(minute)"), date: date, activity: .intent(try Intent(type: .init("Order"), parameters: [note])))
      try recorder.apply(.donated(app, [donation]), at: date)
      let timeline = Timeline(submitted: [TimelineEntry(date: date, content: content)], policy: .never)
      try recorder.apply(.timelinePublished(widgets[0], timeline), at: date)
      try await write(&recorder, snapshot: true)
    }
    try await append(
      created: [], events: [], decisions: [], snapshots: [], wakeSchedule: [ScheduledWake(recorder.device)])
    return recorder
  }
}
