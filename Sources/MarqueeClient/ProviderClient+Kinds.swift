public import MarqueeModel
import MarqueeWire

extension ProviderClient {
  /// Registers or updates widget kinds of the app, in addition to those that ``run()`` registers. The kinds are durable
  /// when the call returns. It does not require ``run()``.
  public func registerKinds(_ kinds: [WidgetDescriptor]) async throws {
    let request = try RegisterKindsRequest(device: registration.device, app: registration.app, kinds: kinds)
    _ = try await connection.unary(ProviderService.registerKinds, request, options: callOptions)
  }

  /// Removes widget kinds of the app with everything that the device keeps of them, and returns when they are erased
  /// from every file. Names of other kinds are ignored. It does not require ``run()``, and retrying is safe.
  ///
  /// A provider that still declares a removed kind registers it again when it reconnects.
  ///
  /// - Returns: The number of removed kinds.
  /// - Throws: `RequestError` if there are no names or a name is duplicated; otherwise ``RPCStatus``.
  @discardableResult
  public func removeKinds(_ kinds: [KindName]) async throws -> Int {
    let request = try RemoveKindsRequest(device: registration.device, app: registration.app, kinds: kinds)
    return try await connection.unary(ProviderService.removeKinds, request, options: callOptions).removedCount
  }

  /// Removes intent types of the app, with their donations and everything learned from them, like ``removeKinds(_:)``.
  ///
  /// - Returns: The number of removed types.
  /// - Throws: `RequestError` if there are no types or a type is duplicated; otherwise ``RPCStatus``,
  ///   `FAILED_PRECONDITION` if a type configures a registered kind.
  @discardableResult
  public func removeIntentTypes(_ types: [IntentType]) async throws -> Int {
    let request = try RemoveIntentTypesRequest(device: registration.device, app: registration.app, intentTypes: types)
    return try await connection.unary(ProviderService.removeIntentTypes, request, options: callOptions).removedCount
  }
}
