public import MarqueeModel
import MarqueeRPC
public import MarqueeTransport
public import MarqueeWire

/// The client of an operator: inspects and administers a server. It covers the service `marquee.v1.Admin`.
///
/// Calls throw ``RPCStatus``, and fail with `UNAVAILABLE` at once if the server is unreachable. Invalid arguments throw
/// `RequestError`.
public struct OperatorClient: Sendable {
  private let connection: RPCClient
  private let reconnection: Reconnection
  private let options: CallOptions

  /// Creates a client on a connection, with a timeout for each call.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - reconnection: The delays between streams of changes.
  ///   - callTimeMax: The timeout for each other call.
  public init(
    _ connection: RPCClient, reconnection: Reconnection = Reconnection(), callTimeMax: Duration = .seconds(30)
  ) {
    self.connection = connection
    self.reconnection = reconnection
    options = CallOptions(timeout: callTimeMax)
  }

  /// Lists devices in the order of their names, starting after `after`, at most `count`.
  public func devices(
    after: DeviceID? = nil, count: Int = ListDevicesRequest.countDefault
  ) async throws -> ListDevicesResponse {
    try await connection.unary(
      AdminService.listDevices, ListDevicesRequest(after: after, count: count), options: options)
  }

  /// Returns the stacks of a device.
  public func stacks(of device: DeviceID) async throws -> [Stack] {
    try await connection.unary(
      AdminService.listStacks, ListStacksRequest(device: device), options: options.about(device)
    ).stacks
  }

  /// Returns the widget kinds and widgets of a device.
  public func widgets(of device: DeviceID) async throws -> ListWidgetsResponse {
    try await connection.unary(
      AdminService.listWidgets, ListWidgetsRequest(device: device), options: options.about(device))
  }

  /// Returns a stack, the current relevance of its members, and the next time at which it can change.
  public func inspect(_ stack: StackID, on device: DeviceID) async throws -> InspectStackResponse {
    try await connection.unary(
      AdminService.inspectStack, InspectStackRequest(device: device, stack: stack), options: options.about(device))
  }

  /// Returns a widget's stored timeline, without the content of its entries, now or at another instant.
  ///
  /// Without a family, it is that of a family in which the widget is visible, or else of the one published last.
  ///
  /// - Parameters:
  ///   - widget: The widget.
  ///   - family: The widget's family.
  ///   - device: The device.
  ///   - instant: The instant; `nil` for now.
  ///   - start: The beginning of a period before a present or past instant, of at most 48 hours, for which the response
  ///     has the timelines that were in force; `nil` for none.
  public func timeline(
    of widget: Widget, in family: WidgetFamily? = nil, on device: DeviceID, at instant: Instant? = nil,
    since start: Instant? = nil
  ) async throws -> GetTimelineResponse {
    let request = GetTimelineRequest(device: device, widget: widget, family: family, at: instant, since: start)
    return try await connection.unary(AdminService.getTimeline, request, options: options.about(device))
  }

  /// Returns a widget's current timeline entry with its content, if there is one, and the next entry without content.
  ///
  /// Without a family, it is that of a family in which the widget is visible, or else of the one published last.
  public func currentEntry(
    of widget: Widget, in family: WidgetFamily? = nil, on device: DeviceID
  ) async throws -> GetTimelineResponse {
    let request = GetTimelineRequest(device: device, widget: widget, family: family, includesContent: true)
    return try await connection.unary(AdminService.getTimeline, request, options: options.about(device))
  }

  /// Explains the current front of a stack, now or at another instant.
  public func explanation(
    of stack: StackID, on device: DeviceID, at instant: Instant? = nil
  ) async throws -> ExplainResponse {
    try await connection.unary(
      AdminService.explain, ExplainRequest(device: device, stack: stack, at: instant), options: options.about(device))
  }

  /// Explains which conditions keep a widget from the front of a stack, now or at another instant, and what would have
  /// to change.
  public func whyNot(
    _ widget: Widget, in stack: StackID, on device: DeviceID, at instant: Instant? = nil
  ) async throws -> WhyNotResponse {
    let request = WhyNotRequest(device: device, stack: stack, widget: widget, at: instant)
    return try await connection.unary(AdminService.whyNot, request, options: options.about(device))
  }

  /// Returns the decisions that a device makes if no event occurs, with the fronts and the evidence of its stacks.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - until: The end, at most 48 hours after the device's time; `nil` for 24 hours after it.
  /// - Returns: As much as fits one response; ``ForeseeResponse/until`` is the instant until which it is complete.
  public func foresight(of device: DeviceID, until: Instant? = nil) async throws -> ForeseeResponse {
    let request = ForeseeRequest(device: device, until: until)
    return try await connection.unary(AdminService.foresee, request, options: options.about(device))
  }

  /// Follows the changes of devices as they occur: decisions, stacks, timelines, and the streams of providers.
  ///
  /// The sequence survives the loss of its connection: after reconnecting, ``WatchActivityResponse/started`` precedes
  /// the next change, and nothing is reported of what happened meanwhile.
  ///
  /// - Parameter devices: The devices, which need not exist yet; none for all.
  /// - Throws: `RequestError` if a device is named twice, or too many are named.
  public func activity(of devices: [DeviceID] = []) throws(RequestError) -> ActivityUpdates {
    ActivityUpdates(
      connection, AdminService.watchActivity, try WatchActivityRequest(devices: devices), reconnection)
  }

  /// Lists relevant shortcuts and the state of their windows, of one app or of all apps.
  ///
  /// Apps are listed in the order of their names, starting after `after`, as many as fit one response.
  public func shortcuts(
    on device: DeviceID, of app: AppID? = nil, after: AppID? = nil
  ) async throws -> ListShortcutsResponse {
    let request = ListShortcutsRequest(device: device, app: app, after: after)
    return try await connection.unary(AdminService.listShortcuts, request, options: options.about(device))
  }

  /// Lists the shortcuts of a device's watch face, the most relevant first, at most `count` and as many as fit one
  /// response.
  public func watchFace(
    of device: DeviceID, count: Int = ListWatchFaceRequest.countDefault
  ) async throws -> ListWatchFaceResponse {
    let request = ListWatchFaceRequest(device: device, count: count)
    return try await connection.unary(AdminService.listWatchFace, request, options: options.about(device))
  }

  /// Lists how often and for how long widgets were shown, and how the user reacted to them, of one app or of all apps.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - app: The app, or `nil` for all apps.
  ///   - skipCount: The number of instances to skip, in the order of the list.
  ///   - count: The maximum number of instances; at most as many as fit one response are listed.
  public func statistics(
    on device: DeviceID, of app: AppID? = nil, skipping skipCount: Int = 0,
    count: Int = ListStatisticsRequest.countDefault
  ) async throws -> ListStatisticsResponse {
    let request = ListStatisticsRequest(device: device, app: app, skipCount: skipCount, count: count)
    return try await connection.unary(AdminService.listStatistics, request, options: options.about(device))
  }

  /// Returns the policy settings in force on a device.
  public func policy(on device: DeviceID) async throws -> [PolicySetting] {
    try await connection.unary(AdminService.getPolicy, GetPolicyRequest(device: device), options: options.about(device))
      .settings
  }

  /// Overrides and resets policy settings of a device, named in `snake_case`. If any of them is invalid, none is
  /// changed.
  ///
  /// - Returns: The resulting policy.
  @discardableResult
  public func setPolicy(
    _ set: [PolicyNumber] = [], reset: [String] = [], on device: DeviceID
  ) async throws -> [PolicySetting] {
    let request = try SetPolicyRequest(device: device, set: set, reset: reset)
    return try await connection.unary(AdminService.setPolicy, request, options: options.about(device)).settings
  }

  /// Reads a device's whole history until now: its origin, then every event in order. Iterate once.
  public func history(of device: DeviceID) -> DeviceRecords {
    DeviceRecords(connection, ExportDeviceRequest(device: device))
  }

  /// Reads a consistent backup of the server's data, in the format of `marqueed restore`. Iterate once.
  public func backup() -> BackupParts { BackupParts(connection) }

  /// Lists donations, newest first, with the intent combinations that each of them satisfies.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - app: The app, or `nil` for all apps.
  ///   - last: The latest date; later donations are omitted.
  ///   - skipCount: The number of donations to skip.
  ///   - count: The maximum number of donations.
  public func donations(
    on device: DeviceID, of app: AppID? = nil, until last: Instant? = nil, skipping skipCount: Int = 0,
    count: Int = ListDonationsRequest.countDefault
  ) async throws -> ListDonationsResponse {
    let request = ListDonationsRequest(device: device, app: app, until: last, skipping: skipCount, count: count)
    return try await connection.unary(AdminService.listDonations, request, options: options.about(device))
  }

  /// Returns the user's most probable actions of the next half hour, at most `count`.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - instant: A past instant for the prediction made at that time, a future one for the prediction if nothing
  ///     happens until then, or `nil` for now.
  ///   - count: The maximum number of actions.
  public func prediction(
    on device: DeviceID, at instant: Instant? = nil, count: Int = PredictRequest.countDefault
  ) async throws -> PredictResponse {
    let request = PredictRequest(device: device, at: instant, count: count)
    return try await connection.unary(AdminService.predict, request, options: options.about(device))
  }

  /// Deletes all donations of a device or, with `app`, of that app, with everything learned from them.
  ///
  /// - Returns: The number of deleted donations.
  @discardableResult
  public func deleteAllDonations(on device: DeviceID, of app: AppID? = nil) async throws -> Int {
    let request = DeleteAllDonationsRequest(device: device, app: app)
    return try await connection.unary(AdminService.deleteAllDonations, request, options: options.about(device)).count
  }

  /// Returns the limits in force and their usage.
  ///
  /// Without `device`, the usage of the server and of the loaded devices that use most; with it, the usage of that
  /// device.
  public func limits(of device: DeviceID? = nil) async throws -> [LimitStatus] {
    let options = device.map(options.about) ?? options
    return try await connection.unary(AdminService.getLimits, GetLimitsRequest(device: device), options: options).limits
  }

  /// Returns the open streams, oldest first.
  ///
  /// - Parameters:
  ///   - device: The device to return the streams of; `nil` for all.
  ///   - count: The maximum number of streams.
  public func streams(
    of device: DeviceID? = nil, count: Int = ListStreamsRequest.countDefault
  ) async throws -> ListStreamsResponse {
    try await connection.unary(
      AdminService.listStreams, ListStreamsRequest(device: device, count: count), options: options)
  }

  /// Creates a session, and returns it with its token and the addresses of the console.
  public func createSession(_ request: CreateSessionRequest) async throws -> CreateSessionResponse {
    try await connection.unary(AdminService.createSession, request, options: options)
  }

  /// Returns the sessions that have not expired, oldest first.
  public func sessions() async throws -> [AccessSession] {
    try await connection.unary(AdminService.listSessions, ListSessionsRequest(), options: options).sessions
  }

  /// Revokes a session.
  ///
  /// - Returns: Whether there was such a session.
  @discardableResult
  public func revokeSession(_ id: SessionID) async throws -> Bool {
    try await connection.unary(AdminService.revokeSession, RevokeSessionRequest(id: id), options: options).isRevoked
  }

  /// Returns the servers of the cluster, and how the devices are divided among them.
  ///
  /// - Throws: `RPCStatus` `FAILED_PRECONDITION` if the server belongs to no cluster.
  public func cluster() async throws -> GetClusterResponse {
    try await connection.unary(AdminService.getCluster, GetClusterRequest(), options: options)
  }

  /// Makes a server of the cluster give its shards to the others and receive none, until this is undone or the server
  /// restarts; and waits until they have moved.
  ///
  /// - Parameters:
  ///   - node: The name of the server.
  ///   - isUndo: Whether the server receives its part of the shards again.
  ///   - timeMax: The maximum time to wait, at most a minute.
  /// - Returns: The numbers of shards that have moved, and that have not moved in time.
  /// - Throws: `RPCStatus` `NOT_FOUND` if no server has the name; `FAILED_PRECONDITION` if the server belongs to no
  ///   cluster, the named one does not renew its lease, or no other would receive shards.
  @discardableResult
  public func drain(
    node: String, undo isUndo: Bool = false, timeMax: Duration = .seconds(60)
  ) async throws -> DrainNodeResponse {
    try await connection.unary(
      AdminService.drainNode, DrainNodeRequest(node: node, isUndo: isUndo), options: Self.options(waiting: timeMax))
  }

  /// Places a shard on a server of the cluster, or withdraws the placement; and waits until the shard has moved.
  ///
  /// - Parameters:
  ///   - shard: The number of the shard; `nil` to name it by a device.
  ///   - device: A device of the shard, which need not exist.
  ///   - node: The name of the server; `nil` to withdraw the placement.
  ///   - timeMax: The maximum time to wait, at most a minute.
  /// - Returns: The server of the shard, and the one that is to have it.
  /// - Throws: `RPCStatus` `NOT_FOUND` if no server has the name; `INVALID_ARGUMENT` if there is no such shard, or not
  ///   one of shard and device; `FAILED_PRECONDITION` if the server belongs to no cluster, or the named one does not
  ///   renew its lease or is draining.
  @discardableResult
  public func moveShard(
    _ shard: Int? = nil, of device: DeviceID? = nil, to node: String?, timeMax: Duration = .seconds(60)
  ) async throws -> MoveShardResponse {
    try await connection.unary(
      AdminService.moveShard,
      MoveShardRequest(shard: shard, device: device, node: node ?? "", isUndo: node == nil),
      options: Self.options(waiting: timeMax))
  }

  /// Returns the options of a call for which the server waits. It returns a second before the deadline.
  private static func options(waiting timeMax: Duration) -> CallOptions {
    CallOptions(timeout: timeMax + .seconds(1))
  }

  /// Returns the state of the server's clock.
  public func clock() async throws -> ClockStatus {
    try await connection.unary(AdminService.getClock, GetClockRequest(), options: options).clock
  }

  /// Advances a server's manual clock, and returns when everything due until then is decided, durable, and being sent.
  ///
  /// - Returns: The new state of the clock.
  /// - Throws: ``RPCStatus``; `FAILED_PRECONDITION` if the server has a system clock, `INVALID_ARGUMENT` if the time is
  ///   in the past.
  @discardableResult
  public func advanceClock(to instant: Instant) async throws -> ClockStatus {
    try await connection.unary(AdminService.advanceClock, AdvanceClockRequest(to: instant), options: options).clock
  }

  /// Lists a device's decisions, newest first.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - stack: The stack, or `nil` for all stacks.
  ///   - before: The number that the decisions' numbers must be below, or `nil`.
  ///   - count: The maximum number of decisions.
  public func decisions(
    on device: DeviceID, stack: StackID? = nil, before: UInt64? = nil,
    count: Int = ListDecisionsRequest.countDefault
  ) async throws -> ListDecisionsResponse {
    let request = ListDecisionsRequest(device: device, stack: stack, before: before, count: count)
    return try await connection.unary(AdminService.listDecisions, request, options: options.about(device))
  }

  /// Resets the time of a device that is ahead of the server's clock.
  ///
  /// - Returns: The device's time before and after.
  public func resetClock(of device: DeviceID) async throws -> ResetDeviceClockResponse {
    try await connection.unary(
      AdminService.resetDeviceClock, ResetDeviceClockRequest(device: device), options: options.about(device))
  }

  /// Removes a device with everything that the server keeps of it, and returns when all of it is erased from every
  /// file. Its displays and providers stop with `NOT_FOUND`. Retrying is safe.
  ///
  /// - Returns: Whether the device existed.
  @discardableResult
  public func removeDevice(_ device: DeviceID) async throws -> Bool {
    try await connection.unary(
      AdminService.removeDevice, RemoveDeviceRequest(device: device), options: options.about(device)
    ).isRemoved
  }

  /// Runs a scenario on the server in virtual time. Nothing is stored.
  ///
  /// - Parameters:
  ///   - scenario: The scenario in YAML, or the cases, calendar or table that is converted to one, of at most
  ///     ``SimulateRequest/textSizeMax`` bytes.
  ///   - set: The policy settings to override from the beginning of the scenario on, named in `snake_case`.
  ///   - until: The end, at most 31 days after the beginning; `nil` for the end of the local day of the last event.
  ///   - feed: How a calendar or table is read.
  /// - Throws: ``RPCStatus``; `INVALID_ARGUMENT` with the line of an error in the text.
  public func simulate(
    _ scenario: String, setting set: [PolicyNumber] = [], until: Instant? = nil, feed: FeedOptions? = nil
  ) async throws -> SimulateResponse {
    let request = try SimulateRequest(text: scenario, set: set, until: until, feed: feed)
    return try await connection.unary(AdminService.simulate, request, options: options)
  }

  /// Returns the findings about a scenario, a calendar, a table, or timelines and sets of shortcuts. Nothing is stored.
  ///
  /// - Parameters:
  ///   - text: The text, in YAML, or a calendar or table, of at most ``LintRequest/textSizeMax`` bytes.
  ///   - kind: The kind of the text.
  ///   - feed: How a calendar or table is read.
  /// - Throws: ``RPCStatus``; `INVALID_ARGUMENT` with the line of an error in the text.
  public func lint(
    _ text: String, as kind: LintReport.Kind = .detected, feed: FeedOptions? = nil
  ) async throws -> LintReport {
    let request = try LintRequest(text: text, kind: kind, feed: feed)
    return try await connection.unary(AdminService.lint, request, options: options).report
  }

  /// Sets developer mode, which lifts dwell, hold and budgets on a device.
  public func setDeveloperMode(_ isOn: Bool, on device: DeviceID) async throws {
    _ = try await connection.unary(
      AdminService.setDeveloperMode, SetDeveloperModeRequest(device: device, isEnabled: isOn),
      options: options.about(device))
  }
}
