internal import CMarqueeProtos
public import MarqueeModel
public import MarqueeRPC

/// What shows stacks to a person, and tells what the person does (`display.proto`).
public enum DisplayService {
  /// The service's name on the wire, as health checks ask for it.
  public static let name = "marquee.v1.Display"

  /// Largest request, in bytes.
  public static let requestSizeMax = 65_536
  /// Largest question to an app, in bytes: what a request asks, with a number.
  public static let questionSizeMax = requestSizeMax + 1_024
  /// Largest answer about one stack, in bytes: as large as the call protocol's messages are by default.
  public static let stackSizeMax = 4 << 20
  /// Largest list of suggestions or people, in bytes: as many of either as one answer may have go into it.
  public static let suggestionsSizeMax = stackSizeMax
  /// Largest update, in bytes. A state with more content than fits leaves entries to the updates after it.
  public static let updateSizeMax = stackSizeMax

  /// Creates a device, or changes its time zone.
  public static let registerDevice = RPCMethod<RegisterDeviceRequest, RegisterDeviceResponse>(
    path: "\(name)/RegisterDevice", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: requestSizeMax)

  /// The device's stacks and current entries, first whole, then every change.
  public static let watch = RPCMethod<WatchRequest, DisplayUpdate>(
    path: "\(name)/Watch", kind: .serverStreaming, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: updateSizeMax)

  /// Tells what the person did.
  public static let report = RPCMethod<ReportRequest, ReportResponse>(
    path: "\(name)/Report", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: requestSizeMax)

  /// What a surface may show now.
  public static let listSuggestions = RPCMethod<ListSuggestionsRequest, ListSuggestionsResponse>(
    path: "\(name)/ListSuggestions", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: suggestionsSizeMax)

  /// Whom messages went to while a focus was on.
  public static let listPeople = RPCMethod<ListPeopleRequest, ListPeopleResponse>(
    path: "\(name)/ListPeople", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: suggestionsSizeMax)

  /// Changes a stack by the person's hand.
  public static let editStack = RPCMethod<EditStackRequest, EditStackResponse>(
    path: "\(name)/EditStack", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: stackSizeMax)

  /// Asks an app what a parameter can be set to.
  public static let listParameterOptions = RPCMethod<ListParameterOptionsRequest, ListParameterOptionsResponse>(
    path: "\(name)/ListParameterOptions", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: ProviderService.answerSizeMax)

  /// Asks an app how widgets of a kind are configured.
  public static let getConfigurationForm = RPCMethod<GetConfigurationFormRequest, GetConfigurationFormResponse>(
    path: "\(name)/GetConfigurationForm", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: ProviderService.answerSizeMax)

  /// Configures a widget of a stack in another way.
  public static let configureWidget = RPCMethod<ConfigureWidgetRequest, ConfigureWidgetResponse>(
    path: "\(name)/ConfigureWidget", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: stackSizeMax)

  /// Has an app perform an intent.
  public static let performIntent = RPCMethod<PerformIntentRequest, PerformIntentUpdate>(
    path: "\(name)/PerformIntent", kind: .bidirectional, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: ProviderService.answerSizeMax)
}

/// A device and its time zone.
public struct RegisterDeviceRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// Where it is.
  public var timeZone: TimeZoneID

  /// A request.
  public init(device: DeviceID, timeZone: TimeZoneID) {
    self.device = device
    self.timeZone = timeZone
  }
}

/// The device is durable.
public struct RegisterDeviceResponse: Hashable, Sendable {
  /// Whether there was no such device before.
  public var isCreated: Bool

  /// A response.
  public init(isCreated: Bool) {
    self.isCreated = isCreated
  }
}

extension RegisterDeviceRequest: WireValue {
  init(_ message: Marquee__V1__RegisterDeviceRequest) throws(Refusal) {
    self.init(
      device: try Field.identifier(message.device, "device"),
      timeZone: try Field.identifier(message.time_zone, "time_zone"))
  }

  func fill(_ message: inout Marquee__V1__RegisterDeviceRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.time_zone = scratch.text(timeZone)
  }
}

extension RegisterDeviceResponse: WireValue {
  init(_ message: Marquee__V1__RegisterDeviceResponse) {
    self.init(isCreated: message.created != 0)
  }

  func fill(_ message: inout Marquee__V1__RegisterDeviceResponse, _ scratch: EncodeScratch) {
    message.created = isCreated ? 1 : 0
  }
}
