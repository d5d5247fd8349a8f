public import MarqueeModel
import MarqueeRPC
public import MarqueeTransport
public import MarqueeWire

/// Looks at what a server holds and decided, and why: every call of the service `marquee.v1.Admin`.
///
/// Each call throws ``RPCStatus``, and fails with `UNAVAILABLE` at once when no server answers.
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
