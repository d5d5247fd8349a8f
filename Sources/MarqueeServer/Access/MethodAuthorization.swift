import MarqueeModel
import MarqueeWire

/// The authorization that a method requires: a role, and access to the request's device and app.
struct MethodAuthorization<Request: Sendable>: Sendable {
  let role: CallRole
  let scope: @Sendable (Request) -> CallScope
  /// Whether the method concerns the server that is called, also if the request names a device.
  let isLocal: Bool
  /// Returns a request without what the permissions do not allow. Only server-streaming methods call it.
  let restricted: @Sendable (Request, Permissions) -> Request

  init(
    _ role: CallRole, isLocal: Bool = false,
    restricted: @escaping @Sendable (Request, Permissions) -> Request = { request, _ in request },
    _ scope: @escaping @Sendable (Request) -> CallScope
  ) {
    self.isLocal = isLocal
    self.role = role
    self.restricted = restricted
    self.scope = scope
  }

  /// Requires the viewer or operator role.
  static var viewer: MethodAuthorization { MethodAuthorization(.viewer) { _ in CallScope() } }
  /// Requires the operator role.
  static var `operator`: MethodAuthorization { MethodAuthorization(.operator) { _ in CallScope() } }
}

extension MethodAuthorization<WatchRequest> {
  /// Requires the display role for the request's device, or the viewer role. The permissions of a kiosk determine the
  /// state of its screen, which anyone at the screen could change in the page's address.
  static var watch: MethodAuthorization {
    MethodAuthorization(.watcher, restricted: { $1.isScreenShared ? $0.forScreenOfOthers : $0 }) {
      CallScope(device: $0.device)
    }
  }
}

/// A request that accesses one device.
protocol DeviceRequest: Sendable {
  var device: DeviceID { get }
}

/// A request that accesses one app on a device.
protocol AppRequest: DeviceRequest {
  var app: AppID { get }
}

/// A message of a bidirectional stream, whose first one names the device.
protocol StreamRequest: Sendable {
  /// The device, and the app of a provider; `nil` unless it is a first message.
  var scope: CallScope? { get }
}

extension MethodAuthorization where Request: DeviceRequest {
  /// Requires the display role for the request's device.
  static var display: MethodAuthorization { MethodAuthorization(.display) { CallScope(device: $0.device) } }
  /// Requires the display role for the request's device, or the viewer role.
  static var watcher: MethodAuthorization { MethodAuthorization(.watcher) { CallScope(device: $0.device) } }
  /// Requires the display role for the request's device, the provider role for any app on it, or the viewer role.
  static var participant: MethodAuthorization { MethodAuthorization(.participant) { CallScope(device: $0.device) } }
  /// Requires the viewer or operator role.
  static var viewer: MethodAuthorization { MethodAuthorization(.viewer) { CallScope(device: $0.device) } }
  /// Requires the operator role.
  static var `operator`: MethodAuthorization { MethodAuthorization(.operator) { CallScope(device: $0.device) } }
}

extension MethodAuthorization where Request: AppRequest {
  /// Requires the provider role for the request's app on its device.
  static var provider: MethodAuthorization {
    MethodAuthorization(.provider) { CallScope(device: $0.device, app: $0.app) }
  }
}

extension RegisterDeviceRequest: DeviceRequest {}
extension GetDeviceTimeRequest: DeviceRequest {}
extension WatchRequest: DeviceRequest {}
extension ReportRequest: DeviceRequest {}
extension ListSuggestionsRequest: DeviceRequest {}
extension WatchSurfaceRequest: DeviceRequest {}
extension ListPeopleRequest: DeviceRequest {}
extension ListBlockedSuggestionsRequest: DeviceRequest {}
extension RemoveAppRequest: DeviceRequest {}
extension EditStackRequest: DeviceRequest {}
extension ListParameterOptionsRequest: DeviceRequest {}
extension GetConfigurationFormRequest: DeviceRequest {}
extension ConfigureWidgetRequest: DeviceRequest {}
extension ContinueInAppRequest: DeviceRequest {}
extension MatchPhraseRequest: DeviceRequest {}
extension RunIntentRequest: DeviceRequest {}
extension ReplyToPromptRequest: DeviceRequest {}
extension SetFocusFilterRequest: DeviceRequest {}
extension ListFocusFiltersRequest: DeviceRequest {}
extension RemoveFocusFilterRequest: DeviceRequest {}

extension ListStacksRequest: DeviceRequest {}
extension ListWidgetsRequest: DeviceRequest {}
extension InspectStackRequest: DeviceRequest {}
extension GetTimelineRequest: DeviceRequest {}
extension ExplainRequest: DeviceRequest {}
extension WhyNotRequest: DeviceRequest {}
extension ListDecisionsRequest: DeviceRequest {}
extension ForeseeRequest: DeviceRequest {}
extension SetDeveloperModeRequest: DeviceRequest {}
extension ListShortcutsRequest: DeviceRequest {}
extension GetPolicyRequest: DeviceRequest {}
extension SetPolicyRequest: DeviceRequest {}
extension ListDonationsRequest: DeviceRequest {}
extension PredictRequest: DeviceRequest {}
extension ListStatisticsRequest: DeviceRequest {}
extension DeleteAllDonationsRequest: DeviceRequest {}
extension ListWatchFaceRequest: DeviceRequest {}
extension ExportDeviceRequest: DeviceRequest {}
extension ResetDeviceClockRequest: DeviceRequest {}
extension RemoveDeviceRequest: DeviceRequest {}

extension RegisterKindsRequest: AppRequest {}
extension RegisterIntentTypesRequest: AppRequest {}
extension RemoveKindsRequest: AppRequest {}
extension RemoveIntentTypesRequest: AppRequest {}
extension SetRelevantShortcutsRequest: AppRequest {}
extension SetRelevantIntentsRequest: AppRequest {}
extension SetUpcomingMediaRequest: AppRequest {}
extension ListPlacedWidgetsRequest: AppRequest {}
extension GetStatisticsRequest: AppRequest {}
extension RequestReloadRequest: AppRequest {}
extension DonateRequest: AppRequest {}
extension DeleteDonationsRequest: AppRequest {}
extension WatchWidgetEventsRequest: AppRequest {}
extension PublishTimelineRequest: AppRequest {}
extension WatchReloadsRequest: AppRequest {}
extension WatchQueriesRequest: AppRequest {}
extension RespondToQueryRequest: AppRequest {}

extension ProviderMessage: StreamRequest {
  var scope: CallScope? {
    if case .attach(let device, let app, _) = self { CallScope(device: device, app: app) } else { nil }
  }
}

extension DonationMessage: StreamRequest {
  var scope: CallScope? {
    if case .attach(let device, let app) = self { CallScope(device: device, app: app) } else { nil }
  }
}

extension ServeQueriesRequest: StreamRequest {
  var scope: CallScope? {
    if case .attach(let device, let app, _) = self { CallScope(device: device, app: app) } else { nil }
  }
}

extension PerformIntentRequest: StreamRequest {
  var scope: CallScope? { if case .begin(let device, _, _) = self { CallScope(device: device) } else { nil } }
}
