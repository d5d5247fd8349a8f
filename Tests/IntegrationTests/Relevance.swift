import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

/// Apps with relevant shortcuts.
enum Relevance {
  static let cardsApp = valid { try AppID("com.example.cards") }
  static let amex = purchases("amex")
  static let calendar = Fixture.widget("Agenda", of: valid { try AppID("com.example.calendar") })
  static let fitness = Fixture.widget("Rings", of: valid { try AppID("com.example.fitness") })
  static let news = Fixture.widget("Headlines", of: valid { try AppID("com.example.news") })

  /// The type that configures the cards' widgets.
  static let purchasesType = valid {
    let card = try IntentParameter.Name("card")
    return try IntentTypeDescriptor(
      app: cardsApp, type: IntentType("ViewPurchases"), parameters: [.init(name: card, type: .object)],
      combinations: [.init(parameters: [card])])
  }

  /// The widget with a card's purchases.
  static func purchases(_ card: String) -> Widget {
    let value = ParameterValue.single(.object(DisplayIdentity(identifier: card, display: "")))
    let intent = valid {
      let name = try IntentParameter.Name("card")
      return try Intent(type: IntentType("ViewPurchases"), parameters: [.init(name: name, value: value)])
    }
    return Widget(kind: WidgetKind(app: cardsApp, name: valid { try KindName("Purchases") }), configuration: intent)
  }

  /// A shortcut that makes a widget relevant in each of the windows.
  static func shortcut(
    _ widget: Widget, _ windows: [(start: Instant, end: Instant?)], role: RelevantShortcut.Role = .action
  ) -> RelevantShortcut {
    valid {
      try RelevantShortcut(
        kind: widget.kind.name, intent: widget.configuration, role: role,
        providers: windows.map { .date(try DateWindow(start: $0.start, end: $0.end)) })
    }
  }

  /// A provider of the widget's app with a registered intent type.
  static func provider(_ connection: RPCClient, of widget: Widget) async throws -> ProviderClient {
    let configuration = widget.configuration.map { WidgetDescriptor.Configuration.intent($0.type) }
    let descriptor = try WidgetDescriptor(
      kind: widget.kind, displayName: widget.kind.name.text, families: [.systemSmall],
      configuration: configuration ?? .static)
    let provider = try ProviderClient(connection, device: Fixture.device, app: widget.kind.app, kinds: [descriptor])
    if widget.configuration != nil { try await provider.registerIntentTypes([purchasesType]) }
    return provider
  }
}
