import MarqueeModel
import MarqueeScheduler

/// A made-up device with 3 stacks of 8 widgets, each of a kind of its own of one of 8 apps, whose person picks it up 20
/// times a day. Each time brings 10 events; the widgets' timelines are renewed every day.
struct BusyHome {
  static let stackCount = 3
  static let appCount = 8
  /// How often the device is picked up in a day.
  static let sessionCount = 20
  /// Events that come when it is picked up.
  static let sessionEventCount = 10
  /// Entries of a timeline, one for every hour of a day, all with relevance.
  static let entryCount = 24
  /// Donations that one day leaves, apart from those of its sessions.
  static let pastDonationCount = 20
  /// Monday, 7 June 2021, in UTC.
  static let monday: Int64 = 1_623_024_000_000

  private let apps: [AppID]
  private let stacks: [StackID]
  /// By stack, and there by app.
  private let widgets: [[Widget]]
  private let orders: [IntentTypeDescriptor]
  private let content: EntryContent

  /// A home whose names take memory of their own, as those that come over a wire do.
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

  /// The instant of a session.
  static func time(day: Int, session: Int) -> Instant {
    instant(day: day, minute: 390 + 50 * session)
  }

  static func instant(day: Int, minute: Int) -> Instant {
    Instant.min.advanced(by: TimeSpan(milliseconds: monday + (Int64(day) * 1_440 + Int64(minute)) * 60_000))
  }

  /// Stacks and members, timelines for the day, and shortcuts of three apps that are relevant every day of a month.
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

  /// What was done on a day before: 20 donations, most at their time of the day.
  func donations(day: Int) throws -> [Event] {
    try (0..<Self.pastDonationCount).map { number in
      let (app, item) = (number % Self.appCount, (number + (day % 5 == 0 ? day : 0)) % 6)
      let date = Self.instant(day: day, minute: 400 + 50 * number)
      return .donated(apps[app], [try donation(app, item, date, "past-\(day)-\(number)")])
    }
  }

  /// What happens when the device is picked up.
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

  /// A timeline of 24 hours from the next full one on.
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
    Donation(id: try Donation.ID(name), date: date, deed: .intent(try order(item: item)))
  }

  private func place(_ number: Int) throws -> Place {
    try Place(latitude: 52.5 + Double(number % 2) / 10, longitude: 13.4, display: "")
  }
}

/// An order of that item.
private func order(item: Int) throws -> Intent {
  try Intent(
    type: IntentType("Order"),
    parameters: [IntentParameter(name: .init("item"), value: .single(.integer(Int64(item))))])
}
