public import MarqueeModel
import MarqueeRPC
public import MarqueeTransport
public import MarqueeWire

/// Looks at what a server holds and decided, and why: every call of the service `marquee.v1.Admin`.
///
/// Each call throws ``RPCStatus``, and fails with `UNAVAILABLE` at once when no server answers. A request that cannot
/// be made throws `Refusal`.
public struct OperatorClient: Sendable {
  private let connection: RPCClient
  private let options: CallOptions

  /// A client on that connection, whose calls each take `callTimeMax` at most.
  public init(_ connection: RPCClient, callTimeMax: Duration = .seconds(30)) {
    self.connection = connection
    options = CallOptions(timeout: callTimeMax)
  }

  /// The devices after `after` in the order of their names, at most `count`, and whether there are more.
  public func devices(
    after: DeviceID? = nil, count: Int = ListDevicesRequest.countStandard
  ) async throws -> ListDevicesResponse {
    try await connection.unary(
      AdminService.listDevices, ListDevicesRequest(after: after, count: count), options: options)
  }

  /// A device's stacks.
  public func stacks(of device: DeviceID) async throws -> [Stack] {
    try await connection.unary(AdminService.listStacks, ListStacksRequest(device: device), options: options).stacks
  }

  /// The kinds and widgets that a device knows.
  public func widgets(of device: DeviceID) async throws -> ListWidgetsResponse {
    try await connection.unary(AdminService.listWidgets, ListWidgetsRequest(device: device), options: options)
  }

  /// A stack, its members' relevance in force, and when anything can change next.
  public func inspect(_ stack: StackID, on device: DeviceID) async throws -> InspectStackResponse {
    try await connection.unary(
      AdminService.inspectStack, InspectStackRequest(device: device, stack: stack), options: options)
  }

  /// A widget's stored timeline, without its entries' content.
  public func timeline(of widget: Widget, on device: DeviceID) async throws -> GetTimelineResponse {
    try await connection.unary(
      AdminService.getTimeline, GetTimelineRequest(device: device, widget: widget), options: options)
  }

  /// Why a stack shows what it shows, now or at another instant (rule R10).
  public func explanation(
    of stack: StackID, on device: DeviceID, at instant: Instant? = nil
  ) async throws -> ExplainResponse {
    try await connection.unary(
      AdminService.explain, ExplainRequest(device: device, stack: stack, at: instant), options: options)
  }

  /// What keeps a widget from the front of a stack, now or at another instant, and what would have to change (rule
  /// R10).
  public func whyNot(
    _ widget: Widget, in stack: StackID, on device: DeviceID, at instant: Instant? = nil
  ) async throws -> WhyNotResponse {
    let request = WhyNotRequest(device: device, stack: stack, widget: widget, at: instant)
    return try await connection.unary(AdminService.whyNot, request, options: options)
  }

  /// What apps hold relevant, and where its windows stand: of one app or all, after `after` in the order of their
  /// names, as many as go into one answer.
  public func shortcuts(
    on device: DeviceID, of app: AppID? = nil, after: AppID? = nil
  ) async throws -> ListShortcutsResponse {
    let request = ListShortcutsRequest(device: device, app: app, after: after)
    return try await connection.unary(AdminService.listShortcuts, request, options: options)
  }

  /// The shortcuts of a device's watch face, the most relevant first, at most `count` and as many as go into one
  /// answer (rules S5, S6).
  public func watchFace(
    of device: DeviceID, count: Int = ListWatchFaceRequest.countStandard
  ) async throws -> ListWatchFaceResponse {
    let request = ListWatchFaceRequest(device: device, count: count)
    return try await connection.unary(AdminService.listWatchFace, request, options: options)
  }

  /// The numbers of the rules that are in force on a device.
  public func policy(on device: DeviceID) async throws -> [PolicySetting] {
    try await connection.unary(AdminService.getPolicy, GetPolicyRequest(device: device), options: options).settings
  }

  /// Gives a device numbers of its own, by their names in `snake_case`, and takes others back; all of it or, when one
  /// is refused, nothing. Gives the policy as it then is.
  @discardableResult
  public func setPolicy(
    _ set: [PolicyNumber] = [], reset: [String] = [], on device: DeviceID
  ) async throws -> [PolicySetting] {
    let request = try SetPolicyRequest(device: device, set: set, reset: reset)
    return try await connection.unary(AdminService.setPolicy, request, options: options).settings
  }

  /// A device's whole history until now: how it began, then every event in order. It is read once.
  public func record(_ device: DeviceID) -> DeviceRecords {
    DeviceRecords(connection, RecordDeviceRequest(device: device))
  }

  /// All that the server has, as of one moment, as the file that `marquee restore` takes. It is read once.
  public func backup() -> BackupParts { BackupParts(connection) }

  /// What apps have donated, newest first, and which combinations each donation satisfies: of one app or all, no later
  /// than `last`, after `skipCount` of these, at most `count`.
  public func donations(
    on device: DeviceID, of app: AppID? = nil, until last: Instant? = nil, skipping skipCount: Int = 0,
    count: Int = ListDonationsRequest.countStandard
  ) async throws -> ListDonationsResponse {
    let request = ListDonationsRequest(device: device, app: app, until: last, skipping: skipCount, count: count)
    return try await connection.unary(AdminService.listDonations, request, options: options)
  }

  /// What the person likely does within half an hour (rule P1), the most probable first and at most `count`: now, as it
  /// was said at an instant of the past, or as it will be at one to come if nothing happens until then.
  public func prediction(
    on device: DeviceID, at instant: Instant? = nil, count: Int = PredictRequest.countStandard
  ) async throws -> PredictResponse {
    let request = PredictRequest(device: device, at: instant, count: count)
    return try await connection.unary(AdminService.predict, request, options: options)
  }

  /// Forgets all donations of a device or, with `app`, of that app on it, as if they had never been (rule D5). Gives
  /// how many were remembered.
  @discardableResult
  public func forgetDonations(on device: DeviceID, of app: AppID? = nil) async throws -> Int {
    let request = ForgetDonationsRequest(device: device, app: app)
    return try await connection.unary(AdminService.forgetDonations, request, options: options).count
  }

  /// The limits in force, with how much the server uses of them and the devices in its memory that use most; or, with
  /// `device`, how much that one uses.
  public func limits(of device: DeviceID? = nil) async throws -> [LimitReading] {
    try await connection.unary(AdminService.getLimits, GetLimitsRequest(device: device), options: options).limits
  }

  /// What the server's clock shows.
  public func clock() async throws -> ClockReading {
    try await connection.unary(AdminService.getClock, GetClockRequest(), options: options).clock
  }

  /// Moves the time on, on a server whose clock stands still until it is moved, and returns once everything that was
  /// due until then has been decided, is durable, and is on its way to displays and providers. Gives the clock as it
  /// then is; throws `FAILED_PRECONDITION` of a server with an ordinary clock, and `INVALID_ARGUMENT` of a time that is
  /// past.
  @discardableResult
  public func advanceClock(to instant: Instant) async throws -> ClockReading {
    try await connection.unary(AdminService.advanceClock, AdvanceClockRequest(to: instant), options: options).clock
  }

  /// A device's decisions, newest first: of one stack or all, of a number below `before`, at most `count`.
  public func decisions(
    on device: DeviceID, stack: StackID? = nil, before: UInt64? = nil,
    count: Int = ListDecisionsRequest.countStandard
  ) async throws -> ListDecisionsResponse {
    let request = ListDecisionsRequest(device: device, stack: stack, before: before, count: count)
    return try await connection.unary(AdminService.listDecisions, request, options: options)
  }

  /// Lifts dwell, hold and budgets on a device, or puts them back (rule R7).
  public func setDeveloperMode(_ isOn: Bool, on device: DeviceID) async throws {
    _ = try await connection.unary(
      AdminService.setDeveloperMode, SetDeveloperModeRequest(device: device, isEnabled: isOn), options: options)
  }
}
