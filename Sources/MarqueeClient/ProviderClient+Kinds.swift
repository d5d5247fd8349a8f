public import MarqueeModel
import MarqueeWire

extension ProviderClient {
  /// Describes widget kinds of the app's besides those that ``run()`` registers, or describes them anew; durable when
  /// it returns. It is a call such as ``registerIntentTypes(_:)``.
  public func registerKinds(_ kinds: [WidgetDescriptor]) async throws {
    let request = try RegisterKindsRequest(device: registration.device, app: registration.app, kinds: kinds)
    _ = try await connection.unary(ProviderService.registerKinds, request, options: callOptions)
  }
}
