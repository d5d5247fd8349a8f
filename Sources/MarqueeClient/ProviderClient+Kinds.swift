public import MarqueeModel
import MarqueeWire

extension ProviderClient {
  /// Registers or updates widget kinds of the app, in addition to those that ``run()`` registers. The kinds are durable
  /// when the call returns. It does not require ``run()``.
  public func registerKinds(_ kinds: [WidgetDescriptor]) async throws {
    let request = try RegisterKindsRequest(device: registration.device, app: registration.app, kinds: kinds)
    _ = try await connection.unary(ProviderService.registerKinds, request, options: callOptions)
  }
}
