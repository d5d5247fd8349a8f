public import MarqueeModel
import MarqueeRPC
import MarqueeTransport
public import MarqueeWire

extension DisplayClient {
  /// Sets an app's Focus filter for a Focus, in place of one of the same intent type (rule S11). Durable when the call
  /// returns; if the Focus is on, the app performs the filter at once.
  ///
  /// - Throws: ``RPCStatus``: `FAILED_PRECONDITION` if the app has not registered the intent type as one of Focus
  ///   filters, `INVALID_ARGUMENT` if a value is not of a declared parameter and its type.
  public func setFocusFilter(_ intent: Intent, of app: AppID, in focus: FocusID, on device: DeviceID) async throws {
    let request = SetFocusFilterRequest(device: device, app: app, focus: focus, intent: intent)
    _ = try await connection.unary(DisplayService.setFocusFilter, request, options: options.about(device))
  }

  /// Returns the Focus filters of a device, in the order of their first setting.
  public func focusFilters(on device: DeviceID) async throws -> ListFocusFiltersResponse {
    let request = ListFocusFiltersRequest(device: device)
    return try await connection.unary(DisplayService.listFocusFilters, request, options: options.about(device))
  }

  /// Removes a Focus filter. If its Focus is on, the app performs the intent with the default values.
  ///
  /// - Returns: Whether there was such a filter.
  @discardableResult
  public func removeFocusFilter(_ filter: FocusFilter.Key, on device: DeviceID) async throws -> Bool {
    let request = RemoveFocusFilterRequest(
      device: device, app: filter.app, focus: filter.focus, intentType: filter.intentType)
    return try await connection.unary(DisplayService.removeFocusFilter, request, options: options.about(device))
      .isRemoved
  }
}
