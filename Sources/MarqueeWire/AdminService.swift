public import MarqueeRPC

/// The service for operators: the engine's state, decisions, and explanations (`admin.proto`).
public enum AdminService {
  /// The service's name on the wire and in health checks.
  public static let name = "marquee.v1.Admin"

  /// The maximum size of a request, in bytes.
  public static let requestSizeMax = 65_536
  /// The maximum size of a response, in bytes.
  public static let responseSizeMax = DisplayService.stackSizeMax

  /// Lists devices, ordered by identifier.
  public static let listDevices = method("ListDevices", ListDevicesRequest.self, ListDevicesResponse.self)
  /// Lists a device's stacks.
  public static let listStacks = method("ListStacks", ListStacksRequest.self, ListStacksResponse.self)
  /// Lists a device's widget kinds and widgets.
  public static let listWidgets = method("ListWidgets", ListWidgetsRequest.self, ListWidgetsResponse.self)
  /// Returns a stack, its members' relevance, and the time of the next possible change.
  public static let inspectStack = method("InspectStack", InspectStackRequest.self, InspectStackResponse.self)
  /// Returns a widget's stored timeline at an instant.
  public static let getTimeline = method("GetTimeline", GetTimelineRequest.self, GetTimelineResponse.self)
  /// Returns every candidate of a stack at an instant, with its evidence and gates (rule R10).
  public static let explain = method("Explain", ExplainRequest.self, ExplainResponse.self)
  /// Lists a device's decisions, newest first.
  public static let listDecisions = method("ListDecisions", ListDecisionsRequest.self, ListDecisionsResponse.self)
  /// Returns the decisions that a device makes if no event occurs until then.
  public static let foresee = method("Foresee", ForeseeRequest.self, ForeseeResponse.self)
  /// Streams the changes of devices as they occur.
  public static let watchActivity = RPCMethod<WatchActivityRequest, WatchActivityResponse>(
    path: "\(name)/WatchActivity", kind: .serverStreaming, request: .wire, response: .wire,
    requestSizeMax: WatchActivityRequest.sizeMax, responseSizeMax: responseSizeMax)
  /// Turns developer mode on or off for a device; it lifts dwell, hold and budgets (rule R7).
  public static let setDeveloperMode = method(
    "SetDeveloperMode", SetDeveloperModeRequest.self, SetDeveloperModeResponse.self)

  /// Returns the obstacles that keep a widget from the front of a stack (rule R10).
  public static let whyNot = method("WhyNot", WhyNotRequest.self, WhyNotResponse.self)
  /// Lists the apps' relevant shortcuts and intents, with the states of their windows.
  public static let listShortcuts = method("ListShortcuts", ListShortcutsRequest.self, ListShortcutsResponse.self)
  /// Returns the policy in force on a device.
  public static let getPolicy = method("GetPolicy", GetPolicyRequest.self, GetPolicyResponse.self)
  /// Sets or resets a device's policy overrides.
  public static let setPolicy = method("SetPolicy", SetPolicyRequest.self, SetPolicyResponse.self)
  /// Lists donations, with the combinations that each satisfies.
  public static let listDonations = method("ListDonations", ListDonationsRequest.self, ListDonationsResponse.self)
  /// Predicts the user's actions within the next half hour (rule P1).
  public static let predict = method("Predict", PredictRequest.self, PredictResponse.self)
  /// Lists the statistics of a device's widgets (rule R17).
  public static let listStatistics = method("ListStatistics", ListStatisticsRequest.self, ListStatisticsResponse.self)
  /// Deletes all donations of a device, or of one app on it.
  public static let deleteAllDonations = method(
    "DeleteAllDonations", DeleteAllDonationsRequest.self, DeleteAllDonationsResponse.self)
  /// Lists the shortcuts of a device's watch face.
  public static let listWatchFace = method("ListWatchFace", ListWatchFaceRequest.self, ListWatchFaceResponse.self)
  /// Streams a device's complete history.
  public static let exportDevice = RPCMethod<ExportDeviceRequest, DeviceRecord>(
    path: "\(name)/ExportDevice", kind: .serverStreaming, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: responseSizeMax)
  /// Lists the open streams, oldest first.
  public static let listStreams = method("ListStreams", ListStreamsRequest.self, ListStreamsResponse.self)
  /// Returns the server's clock.
  public static let getClock = method("GetClock", GetClockRequest.self, GetClockResponse.self)
  /// Advances the clock of a server with a manual clock.
  public static let advanceClock = method("AdvanceClock", AdvanceClockRequest.self, AdvanceClockResponse.self)
  /// Resets the time of a device whose clock is ahead of the server's.
  public static let resetDeviceClock = method(
    "ResetDeviceClock", ResetDeviceClockRequest.self, ResetDeviceClockResponse.self)
  /// Removes a device (rule W6).
  public static let removeDevice = method("RemoveDevice", RemoveDeviceRequest.self, RemoveDeviceResponse.self)

  /// Returns the servers of the cluster, and how the devices are divided among them.
  public static let getCluster = method("GetCluster", GetClusterRequest.self, GetClusterResponse.self)
  /// Makes a server of the cluster give its shards to the others.
  public static let drainNode = method("DrainNode", DrainNodeRequest.self, DrainNodeResponse.self)
  /// Places a shard on a server of the cluster.
  public static let moveShard = method("MoveShard", MoveShardRequest.self, MoveShardResponse.self)
  /// Returns the limits in force and their use.
  public static let getLimits = method("GetLimits", GetLimitsRequest.self, GetLimitsResponse.self)
  /// Creates a session: a bearer token for pages in browsers.
  public static let createSession = method("CreateSession", CreateSessionRequest.self, CreateSessionResponse.self)
  /// Lists the sessions that have not expired.
  public static let listSessions = method("ListSessions", ListSessionsRequest.self, ListSessionsResponse.self)
  /// Revokes a session.
  public static let revokeSession = method("RevokeSession", RevokeSessionRequest.self, RevokeSessionResponse.self)
  /// Streams a consistent backup of all data.
  public static let backup = RPCMethod<BackupRequest, BackupPart>(
    path: "\(name)/Backup", kind: .serverStreaming, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: responseSizeMax)

  /// Returns the decisions of a scenario's device.
  public static let simulate = RPCMethod<SimulateRequest, SimulateResponse>(
    path: "\(name)/Simulate", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: SimulateRequest.sizeMax, responseSizeMax: responseSizeMax)
  /// Returns the findings about a scenario, or about timelines and sets of shortcuts.
  public static let lint = RPCMethod<LintRequest, LintResponse>(
    path: "\(name)/Lint", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: LintRequest.sizeMax, responseSizeMax: responseSizeMax)

  private static func method<Request: WireValue, Response: WireValue>(
    _ method: String, _: Request.Type, _: Response.Type
  ) -> RPCMethod<Request, Response> {
    RPCMethod(
      path: "\(name)/\(method)", kind: .unary, request: .wire, response: .wire,
      requestSizeMax: requestSizeMax, responseSizeMax: responseSizeMax)
  }
}
