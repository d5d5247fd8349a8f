import MarqueeModel
import MarqueeScheduler
import Testing

/// The placed widgets of a device, and the taps on them, as events for providers need them (rule W7).
@Suite struct WidgetObservationTests {
  private static let start = Scene.instant(0)

  /// A device with a stack of the widget of an account, named by its app, and of a static widget, the first in front.
  private struct Home {
    var device: Device
    let app: AppID
    let stack: StackID
    /// The widget as its app names it.
    let account: Widget
    let news: Widget

    init() throws {
      device = Device(id: try DeviceID("phone"), timeZone: try TimeZoneID("UTC"), at: WidgetObservationTests.start)
      (app, stack) = (try AppID("com.example.bank"), try StackID("home"))
      account = try Self.account(app, named: "Savings")
      news = Widget(kind: WidgetKind(app: app, name: try KindName("News")))
      let kinds = [
        try WidgetDescriptor(
          kind: account.kind, displayName: "Account", families: [.systemSmall, .systemMedium],
          configuration: .intent(try IntentType("Account"))),
        try WidgetDescriptor(kind: news.kind, displayName: "News", families: [.systemSmall, .systemMedium]),
      ]
      try send(.kindsRegistered(app, kinds))
      let details = EntryDetails(link: try EntryLink("bank://savings"))
      let entry = try TimelineEntry(date: WidgetObservationTests.start, details: details)
      try send(.timelinePublished(account, Timeline(submitted: [entry], policy: .never)))
      try send(.stackEdited(stack, .create(.systemSmall)))
      // The display has its own words for the account.
      try send(.stackEdited(stack, .add(try Self.account(app, named: "Secret"), at: nil)))
      try send(.stackEdited(stack, .add(news, at: nil)))
    }

    static func account(_ app: AppID, named name: String) throws -> Widget {
      let value = IntentValue.object(DisplayIdentity(identifier: "1", display: name))
      let parameter = IntentParameter(name: try .init("account"), value: .single(value))
      return Widget(
        kind: WidgetKind(app: app, name: try KindName("Account")),
        configuration: try Intent(type: try IntentType("Account"), parameters: [parameter]))
    }

    mutating func send(_ event: Event) throws {
      try device.check(event)
      _ = device.handle(event, at: device.now)
    }

    /// The places with their families, followed by `*` if the widget is visible.
    var places: [String] {
      device.observation().items.map { item in
        let place = item.placement.stack?.text ?? "outside"
        return "\(place) \(item.placement.instance.widget.kind.name) \(item.placement.instance.family)"
          + (item.visibleSince == nil ? "" : "*")
      }
    }
  }

  @Test("W7 The placed widgets are those of stacks and those outside, with the front of a visible stack as visible")
  func placements() throws {
    var home = try Home()
    #expect(home.places == ["home Account systemSmall*", "home News systemSmall"])
    _ = home.device.advance(to: Scene.instant(60))
    try home.send(.reported(.scrolled(home.stack, to: home.news)))
    try home.send(.reported(.homeWidgetAdded(home.account, in: .systemMedium)))
    #expect(home.places == ["home Account systemSmall", "home News systemSmall*", "outside Account systemMedium"])
    #expect(home.device.observation().items[1].visibleSince == Scene.instant(60))
    try home.send(.reported(.hidden(home.stack)))
    #expect(home.places == ["home Account systemSmall", "home News systemSmall", "outside Account systemMedium"])
    try home.send(.appRemoved(home.app))
    #expect(home.places.isEmpty)
  }

  @Test("W7 A tap has the entry and the link that the widget shows, and the device's words, not the display's")
  func taps() throws {
    var home = try Home()
    let named = try Home.account(home.app, named: "Other words")
    let tap = try #require(home.device.tap(reportedBy: .reported(.tapped(home.stack, named))))
    #expect(tap.change == .tapped(entry: Self.start, link: try EntryLink("bank://savings")))
    #expect(tap.placement.stack == home.stack && tap.at == home.device.now)
    let words = tap.placement.instance.widget.configuration?.parameters.map { "\($0.value)" }
    #expect(words == home.account.configuration?.parameters.map { "\($0.value)" })
    #expect(
      tap.placement.instance.widget.configuration?.encoded == home.account.configuration?.encoded)
    let news = home.device.tap(reportedBy: .reported(.tapped(home.stack, home.news)))
    #expect(news?.change == .tapped(entry: nil, link: nil))
    #expect(home.device.tap(reportedBy: .reported(.shown(home.stack))) == nil)
    let outside = WidgetInstance(named, in: .systemMedium)
    #expect(home.device.tap(onHomeWidget: outside) == nil)
    try home.send(.reported(.homeWidgetAdded(named, in: .systemMedium)))
    let second = try #require(home.device.tap(onHomeWidget: outside))
    #expect(second.placement.stack == nil && second.change == tap.change)
    #expect(home.device.observation(tap: tap).tap == tap)
  }
}
