import MarqueeModel
import MarqueeScheduler

/// A synthetic device with 3 stacks of 8 widgets, each of its own kind of one of 8 apps.
///
/// It has 20 sessions per day with 10 events each; timelines are published daily.
struct BusyHome {
  static let stackCount = 3
  static let appCount = 8
  /// The number of sessions per day.
  static let sessionCount = 20
  /// The number of events per session.
  static let sessionEventCount = 10
  /// The number of entries of a timeline: one per hour of a day, all with relevance.
  static let entryCount = 24
  /// The number of donations per day, without those of sessions.
  static let pastDonationCount = 20
  /// Monday, 7 June 2021, in UTC.
  static let monday: Int64 = 1_623_024_000_000

  private let apps: [AppID]
  private let stacks: [StackID]
  /// The widgets, by stack and app.
  private let widgets: [[Widget]]
  private let orders: [IntentTypeDescriptor]
  private let content: EntryContent

  /// Creates a home whose strings are heap-allocated, like those decoded from the wire.
  init() throws {
    apps = try (0..<Self.appCount).map { try AppID("com.example.applications.number\($0)") }
    stacks = try (0..<Self.stackCount).map { try StackID("home-screen-page-1-stack-\($0)") }
    let item = try IntentParameter.Name("item")
    orders = try apps.map { app in
      try IntentTypeDescriptor(
        app: app, type: IntentType("Order"), parameters: [.init(name: item, type: .integer)],
        combinations: [.init(parameters: [item])])
    }
    content = try EntryContent(mediaType: "application/json", bytes: Array(repeating: 32, count: 64))
    let apps = apps
    widgets = try [("Today", nil), ("Week", nil), ("Order", 0)].map { name, value in
      try apps.map { Widget(kind: WidgetKind(app: $0, name: try KindName(name)), configuration: try value.map(order)) }
    }
  }

  /// Returns the instant of a session.
  static func time(day: Int, session: Int) -> Instant {
    instant(day: day, minute: 390 + 50 * session)
  }

  static func instant(day: Int, minute: Int) -> Instant {
    Instant.min.advanced(by: TimeSpan(milliseconds: monday + (Int64(day) * 1_440 + Int64(minute)) * 60_000))
  }

  /// Returns events that create stacks and members, timelines for the day, and shortcuts of three apps that are
  /// relevant on every day of a month.
  func setUp(day: Int) throws -> [Event] {
    var events: [Event] = []
    for (number, app) in apps.enumerated() {
      let kinds = try widgets.map { column in
        let widget = column[number]
        return try WidgetDescriptor(
          kind: widget.kind, displayName: "Number \(number)", families: [.systemSmall],
          configuration: widget.configuration.map { .intent($0.type) } ?? .static)
      }
      events += [.intentTypesRegistered(app, [orders[number]]), .kindsRegistered(app, kinds)]
    }
    for (stack, column) in zip(stacks, widgets) {
      events.append(.stackEdited(stack, .create(.systemSmall)))
      events += column.map { .stackEdited(stack, .add($0, at: nil)) }
    }
    for number in 0..<Self.stackCount * Self.appCount { try events.append(publication(number, day: day, hour: 0)) }
    for app in 0..<3 { events.append(.relevantShortcutsSet(apps[app], try shortcuts(app, day: day))) }
    return events
  }

  /// Returns 20 donations of an earlier day, most at their usual time of day.
  func donations(day: Int) throws -> [Event] {
    try (0..<Self.pastDonationCount).map { number in
      let (app, item) = (number % Self.appCount, (number + (day % 5 == 0 ? day : 0)) % 6)
      let date = Self.instant(day: day, minute: 400 + 50 * number)
      return .donated(apps[app], [try donation(app, item, date, "past-\(day)-\(number)")])
    }
  }

  /// Returns the events of a session.
  func session(day: Int, _ number: Int) throws -> [Event] {
    let (stack, app) = (number % Self.stackCount, (number * 3 + day) % Self.appCount)
    let (other, seen) = ((stack + 1) % Self.stackCount, (number * 5 + day) % Self.appCount)
    let now = Self.time(day: day, session: number)
    let extra: Event =
      switch number {
      case 16...19: try publication(number + 4, day: day, hour: number + 1)
      case _ where number % 3 == 0: .reported(.contextChanged(.place(try place(number))))
      default: .reported(.tapped(stacks[other], widgets[other][seen]))
      }
    return [
      .reported(.shown(stacks[stack])), .reported(.scrolled(stacks[stack], to: widgets[stack][app])),
      .reported(.tapped(stacks[stack], widgets[stack][app])), .reported(.appOpened(apps[app])),
      .donated(apps[app], [try donation(app, number % 6, now, "\(day)-\(number)")]),
      try publication(number, day: day, hour: (390 + 50 * number) / 60),
      .reported(.appClosed(apps[app])), .reported(.scrolled(stacks[other], to: widgets[other][seen])),
      extra, .reported(.hidden(stacks[stack])),
    ]
  }

  /// Returns a timeline of 24 hours from the next full hour on.
  private func publication(_ number: Int, day: Int, hour: Int) throws -> Event {
    let widget = widgets[number / Self.appCount][number % Self.appCount]
    let entries = try (1...Self.entryCount).map { step in
      let score = Double((number * 7 + (hour + step) * 5 + day) % 11)
      let relevance = try TimelineEntryRelevance(score: score, duration: step % 2 == 0 ? .zero : .minutes(60))
      return TimelineEntry(
        date: Self.instant(day: day, minute: 60 * (hour + step)), relevance: relevance, content: content)
    }
    return .timelinePublished(widget, Timeline(submitted: entries, policy: .atEnd))
  }

  private func shortcuts(_ app: Int, day: Int) throws -> [RelevantShortcut] {
    try (1...2).map { number in
      let windows = try (0..<30).map { next in
        RelevanceProvider.date(
          try DateWindow(
            start: Self.instant(day: day + next, minute: 480 + 180 * number + 20 * app),
            end: Self.instant(day: day + next, minute: 540 + 180 * number + 20 * app)))
      }
      return try RelevantShortcut(kind: KindName("Order"), intent: order(item: number + 10), providers: windows)
    }
  }

  private func donation(_ app: Int, _ item: Int, _ date: Instant, _ name: String) throws -> Donation {
    Donation(id: try Donation.ID(name), date: date, activity: .intent(try order(item: item)))
  }

  private func place(_ number: Int) throws -> Place {
    try Place(latitude: 52.5 + Double(number % 2) / 10, longitude: 13.4, display: "")
  }
}

/// Returns an intent to order an item.
private func order(item: Int) throws -> Intent {
  try Intent(
    type: IntentType("Order"),
    parameters: [IntentParameter(name: .init("item"), value: .single(.integer(Int64(item))))])
}
