import MarqueeClient
import MarqueeModel
import MarqueeTransport

/// Publishes the rain forecast of a device, and each further timeline that the server requests.
func provideRain(
  on server: Endpoint, to device: DeviceID, _ forecast: @escaping @Sendable () -> [TimelineEntry]
) async throws {
  let rain = try WidgetKind(app: AppID("com.example.weather"), name: KindName("Rain"))
  let kinds = [try WidgetDescriptor(kind: rain, displayName: "Rain", families: [.systemSmall])]
  try await ProviderClient.run(RPCClient(server), device: device, app: rain.app, kinds: kinds) { provider in
    try await provider.publish(forecast(), for: Widget(kind: rain))
    for await request in provider.reloadRequests { try await provider.publish(forecast(), for: request.widget) }
  }
}
