import MarqueeModel
import MarqueeScheduler

/// A device with a given number of widgets, entries and donations.
struct GrowingHome {
  private static let memberCountMax = 40
  private static let actionCount = 40

  let stacks: [StackID]
  let widgets: [Widget]
  private(set) var device: Device
  private let app: AppID
  private let entryCount: Int
  private var donationCount = 0

  /// Creates a device with widgets of one app, in stacks of at most 40, each with a timeline of hourly entries.
  init(widgetCount: Int, entryCount: Int) throws {
    self.entryCount = entryCount
    let app = try AppID("com.example.applications.number0")
    self.app = app
    let type = try IntentType("Order")
    let item = try IntentParameter.Name("item")
    let kind = WidgetKind(app: app, name: try KindName("Order"))
    widgets = try (0..<widgetCount).map { Widget(kind: kind, configuration: try Self.order($0)) }
    stacks = try (0..<(widgetCount + Self.memberCountMax - 1) / Self.memberCountMax).map { try StackID("stack-\($0)") }
    device = Device(
      id: try DeviceID("phone"), timeZone: try TimeZoneID("UTC"), at: BusyHome.instant(day: 0, minute: 0))
    let descriptor = try WidgetDescriptor(
      kind: kind, displayName: "Order", families: [.systemSmall], configuration: .intent(type))
    let types = try IntentTypeDescriptor(
      app: app, type: type, parameters: [.init(name: item, type: .integer)], combinations: [.init(parameters: [item])])
    var events: [Event] = [.intentTypesRegistered(app, [types]), .kindsRegistered(app, [descriptor])]
    events += stacks.map { .stackEdited($0, .create(.systemSmall)) }
    for (index, widget) in widgets.enumerated() {
      events.append(.stackEdited(stacks[index / Self.memberCountMax], .add(widget, at: nil)))
      events.append(.timelinePublished(widget, Timeline(submitted: try entries(of: index), policy: .never)))
    }
    for event in events { take(event, at: device.now) }
  }

  /// Returns the entries of a widget's timeline.
  func entries(of widget: Int) throws -> [TimelineEntry] {
    try (0..<entryCount).map { entry in
      TimelineEntry(
        date: BusyHome.instant(day: 1, minute: 60 * entry),
        relevance: try TimelineEntryRelevance(score: Double((widget + entry) % 11)))
    }
  }

  /// Performs the user's next action, half an hour after the previous one.
  mutating func donate() throws {
    let (event, instant) = try donation()
    take(event, at: instant)
  }

  /// The user's next action.
  mutating func donation() throws -> (Event, Instant) {
    donationCount += 1
    let date = BusyHome.instant(day: 0, minute: 30 * donationCount)
    let item = (donationCount * 7 + donationCount / 48) % Self.actionCount
    let donation = Donation(
      id: try Donation.ID("\(donationCount)"), date: date, activity: .intent(try Self.order(1_000_000 + item)))
    return (.donated(app, [donation]), date)
  }

  mutating func take(_ event: Event, at instant: Instant) { _ = device.handle(event, at: instant) }

  private static func order(_ item: Int) throws -> Intent {
    try Intent(
      type: IntentType("Order"),
      parameters: [IntentParameter(name: .init("item"), value: .single(.integer(Int64(item))))])
  }
}
