import MarqueeModel
import MarqueeScheduler

/// A device with one stack of two widgets that alternate at the front by their timelines.
struct FleetHome {
  let stack: StackID
  let widgets: [Widget]
  private let app: AppID
  private let content: EntryContent

  init() throws {
    stack = try StackID("home-screen-page-1-stack-0")
    let app = try AppID("com.example.applications.number0")
    self.app = app
    widgets = try ["Today", "Week"].map { Widget(kind: WidgetKind(app: app, name: try KindName($0))) }
    content = try EntryContent(mediaType: "application/json", bytes: Array(repeating: 32, count: 64))
  }

  /// Returns a device ID as long as a UUID.
  static func name(_ number: Int) throws -> DeviceID {
    let digits = "\(1_000_000_000_000 + number)"
    return try DeviceID("6fa1b2c3-4d5e-4f60-8a7b-\(digits.dropFirst())")
  }

  /// Returns events that create the stack, and timelines with an entry for every hour of a day from `instant` on.
  func setUp(from instant: Instant) throws -> [Event] {
    try setUp(rotatingAt: (0..<24).map { instant.advanced(by: .minutes(60 * $0)) })
  }

  /// Returns events that create the stack, and timelines whose relevance alternates at each of `instants`.
  func setUp(rotatingAt instants: [Instant]) throws -> [Event] {
    let kinds = try widgets.map {
      try WidgetDescriptor(kind: $0.kind, displayName: $0.kind.name.text, families: [.systemSmall])
    }
    return [.kindsRegistered(app, kinds), .stackEdited(stack, .create(.systemSmall))]
      + widgets.map { .stackEdited(stack, .add($0, at: nil)) }
      + (try timelines(instants)).map { .timelinePublished($0, $1) }
  }

  private func timelines(_ instants: [Instant]) throws -> [(Widget, Timeline)] {
    try widgets.enumerated().map { index, widget in
      let entries = try instants.enumerated().map { rotation, date in
        let relevance = try TimelineEntryRelevance(score: rotation % 2 == index ? 0 : 1)
        return TimelineEntry(date: date, relevance: relevance, content: content)
      }
      return (widget, Timeline(submitted: entries, policy: .never))
    }
  }
}
