import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport

/// Widgets with large configurations, which together exceed what a stream may have unsent.
enum LargeWidgets {
  static let app = valid { try AppID("com.example.atlas") }
  private static let kind = WidgetKind(app: app, name: valid { try KindName("Map") })
  private static let type = valid { try IntentType("Map") }

  /// 40 widgets, each with a configuration of 8,000 bytes.
  static let all = (0..<40).map { number in
    valid {
      let text = "\(number) " + String(repeating: "x", count: 4_000)
      let parameters = try ["area", "legend"].map {
        IntentParameter(name: try .init($0), value: .single(.string(text)))
      }
      return Widget(kind: kind, configuration: try Intent(type: type, parameters: parameters))
    }
  }

  /// Registers the device and the kind, publishes the timelines, and creates an empty stack.
  static func register(_ connection: RPCClient) async throws {
    try await Fixture.register(connection, widgets: [])
    let kinds = [
      try WidgetDescriptor(
        kind: kind, displayName: "Map", families: [.systemSmall], configuration: .intent(type))
    ]
    let provider = try ProviderClient(connection, device: Fixture.device, app: app, kinds: kinds)
    try await provider.setRelevantShortcuts([])
    var stream = try await ProviderStream(connection, app: app)
    for (number, widget) in all.enumerated() {
      _ = try await stream.publish(UInt64(number + 1), widget, [Fixture.entry(Fixture.start)])
    }
    stream.call.finish()
    for try await _ in stream.call.responses {}
    try await DisplayClient(connection).edit(Fixture.stack, on: Fixture.device, .create(.systemSmall))
  }
}
