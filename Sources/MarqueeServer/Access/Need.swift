import MarqueeModel
import MarqueeWire

/// What a method asks of its caller: a role, and that what the request is about is the caller's.
struct Need<Request: Sendable>: Sendable {
  let role: CallRole
  let scope: @Sendable (Request) -> CallScope

  private init(_ role: CallRole, _ scope: @escaping @Sendable (Request) -> CallScope) {
    self.role = role
    self.scope = scope
  }

  /// Viewers and operators.
  static var viewer: Need { Need(.viewer) { _ in CallScope() } }
  /// Operators.
  static var `operator`: Need { Need(.operator) { _ in CallScope() } }
}

/// A request about one device.
protocol DeviceRequest: Sendable {
  var device: DeviceID { get }
}

/// A request about one app on a device.
protocol AppRequest: DeviceRequest {
  var app: AppID { get }
}

extension Need where Request: DeviceRequest {
  /// Displays of the device.
  static var display: Need { Need(.display) { CallScope(device: $0.device) } }
  /// Displays of the device, and viewers.
  static var watcher: Need { Need(.watcher) { CallScope(device: $0.device) } }
}

extension Need where Request: AppRequest {
  /// Those who speak for the app on the device.
  static var provider: Need { Need(.provider) { CallScope(device: $0.device, app: $0.app) } }
}

extension RegisterDeviceRequest: DeviceRequest {}
extension WatchRequest: DeviceRequest {}
extension ReportRequest: DeviceRequest {}
extension ListSuggestionsRequest: DeviceRequest {}
extension ListPeopleRequest: DeviceRequest {}
extension EditStackRequest: DeviceRequest {}
extension ListParameterOptionsRequest: DeviceRequest {}
extension GetConfigurationFormRequest: DeviceRequest {}
extension ConfigureWidgetRequest: DeviceRequest {}

extension RegisterKindsRequest: AppRequest {}
extension RegisterIntentTypesRequest: AppRequest {}
extension SetRelevantShortcutsRequest: AppRequest {}
extension SetRelevantIntentsRequest: AppRequest {}
extension SetUpcomingMediaRequest: AppRequest {}
extension ListPlacedWidgetsRequest: AppRequest {}
extension RequestReloadRequest: AppRequest {}
extension DonateRequest: AppRequest {}
extension DeleteDonationsRequest: AppRequest {}
