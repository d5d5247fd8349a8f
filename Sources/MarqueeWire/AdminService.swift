public import MarqueeRPC

/// What operators look at: what the engine holds, what it decided, and why (`admin.proto`).
public enum AdminService {
  /// The service's name on the wire, as health checks ask for it.
  public static let name = "marquee.v1.Admin"

  /// Largest request, in bytes.
  public static let requestSizeMax = 65_536
  /// Largest response, in bytes.
  public static let responseSizeMax = DisplayService.stackSizeMax

  /// The devices, in the order of their names.
  public static let listDevices = method("ListDevices", ListDevicesRequest.self, ListDevicesResponse.self)
  /// A device's stacks.
  public static let listStacks = method("ListStacks", ListStacksRequest.self, ListStacksResponse.self)
  /// Kinds and widgets that a device knows.
  public static let listWidgets = method("ListWidgets", ListWidgetsRequest.self, ListWidgetsResponse.self)
  /// A stack, its members' relevance, and when anything can change next.
  public static let inspectStack = method("InspectStack", InspectStackRequest.self, InspectStackResponse.self)
  /// A widget's stored timeline.
  public static let getTimeline = method("GetTimeline", GetTimelineRequest.self, GetTimelineResponse.self)
  /// Every candidate of a stack at an instant, with its evidence and its gates (rule R10).
  public static let explain = method("Explain", ExplainRequest.self, ExplainResponse.self)
  /// A device's decisions, newest first.
  public static let listDecisions = method("ListDecisions", ListDecisionsRequest.self, ListDecisionsResponse.self)
  /// Lifts dwell, hold and budgets on a device, or puts them back (rule R7).
  public static let setDeveloperMode = method(
    "SetDeveloperMode", SetDeveloperModeRequest.self, SetDeveloperModeResponse.self)

  /// What keeps a widget from the front of a stack (rule R10).
  public static let whyNot = method("WhyNot", WhyNotRequest.self, WhyNotResponse.self)
  /// What apps hold relevant, and where its windows stand.
  public static let listShortcuts = method("ListShortcuts", ListShortcutsRequest.self, ListShortcutsResponse.self)
  /// The numbers of the rules that are in force on a device.
  public static let getPolicy = method("GetPolicy", GetPolicyRequest.self, GetPolicyResponse.self)
  /// Gives a device numbers of its own, or takes them back.
  public static let setPolicy = method("SetPolicy", SetPolicyRequest.self, SetPolicyResponse.self)
  /// What apps have donated, and which combinations each donation satisfies.
  public static let listDonations = method("ListDonations", ListDonationsRequest.self, ListDonationsResponse.self)
  /// What the person likely does within half an hour (rule P1).
  public static let predict = method("Predict", PredictRequest.self, PredictResponse.self)
  /// Forgets all donations of a device, or of one app on it.
  public static let forgetDonations = method(
    "ForgetDonations", ForgetDonationsRequest.self, ForgetDonationsResponse.self)
  /// The shortcuts of a device's watch face.
  public static let listWatchFace = method("ListWatchFace", ListWatchFaceRequest.self, ListWatchFaceResponse.self)
  /// A device's whole history.
  public static let recordDevice = RPCMethod<RecordDeviceRequest, DeviceRecord>(
    path: "\(name)/RecordDevice", kind: .serverStreaming, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: responseSizeMax)
  /// What the server's clock shows.
  public static let getClock = method("GetClock", GetClockRequest.self, GetClockResponse.self)
  /// Moves the time on, on a server whose clock stands still until it is moved.
  public static let advanceClock = method("AdvanceClock", AdvanceClockRequest.self, AdvanceClockResponse.self)

  /// The limits in force, and how much of them is used.
  public static let getLimits = method("GetLimits", GetLimitsRequest.self, GetLimitsResponse.self)
  /// All that the server has, as of one moment during the call.
  public static let backup = RPCMethod<BackupRequest, BackupPart>(
    path: "\(name)/Backup", kind: .serverStreaming, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: responseSizeMax)

  private static func method<Request: WireValue, Response: WireValue>(
    _ method: String, _: Request.Type, _: Response.Type
  ) -> RPCMethod<Request, Response> {
    RPCMethod(
      path: "\(name)/\(method)", kind: .unary, request: .wire, response: .wire,
      requestSizeMax: requestSizeMax, responseSizeMax: responseSizeMax)
  }
}
