internal import CMarqueeProtos
public import MarqueeModel
public import MarqueeRPC

/// What speaks for one app: it describes its widget kinds and streams their timelines (`provider.proto`).
public enum ProviderService {
  /// The service's name on the wire, as health checks ask for it.
  public static let name = "marquee.v1.Provider"

  /// Largest message of a provider's stream, in bytes: as large as the call protocol's messages are by default. A
  /// larger timeline comes in pieces.
  public static let partSizeMax = 4 << 20
  /// Largest description of an app's kinds, in bytes.
  public static let kindsSizeMax = 65_536
  /// Largest description of an app's intent types, in bytes.
  public static let intentTypesSizeMax = 65_536
  /// Largest set of relevant shortcuts or intents, in bytes.
  public static let shortcutsSizeMax = 524_288
  /// Largest batch of donations, in bytes: with what a record puts around it, it goes into one message.
  public static let donationsSizeMax = partSizeMax - 1_024
  /// Largest message of a stream of donations, in bytes: more than one donation may have.
  public static let donationSizeMax = 65_536
  /// Largest choice of donations to delete, in bytes: as many names as there may be, each of the greatest length.
  public static let deletionSizeMax = 2_097_152
  /// Largest answer to a question, in bytes.
  public static let answerSizeMax = 1_048_576
  /// Largest list of warnings, in bytes.
  public static let warningsSizeMax = 1_048_576

  /// Adds the app's widget kinds on one device, or replaces their descriptions.
  public static let registerKinds = RPCMethod<RegisterKindsRequest, RegisterKindsResponse>(
    path: "\(name)/RegisterKinds", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: kindsSizeMax, responseSizeMax: kindsSizeMax)

  /// Adds the app's intent types on one device, or replaces their descriptions.
  public static let registerIntentTypes = RPCMethod<RegisterIntentTypesRequest, RegisterIntentTypesResponse>(
    path: "\(name)/RegisterIntentTypes", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: intentTypesSizeMax, responseSizeMax: warningsSizeMax)

  /// Replaces all relevant shortcuts of the app on one device.
  public static let setRelevantShortcuts = RPCMethod<SetRelevantShortcutsRequest, SetRelevantShortcutsResponse>(
    path: "\(name)/SetRelevantShortcuts", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: shortcutsSizeMax, responseSizeMax: warningsSizeMax)

  /// Replaces all relevant intents of the app on one device.
  public static let setRelevantIntents = RPCMethod<SetRelevantIntentsRequest, SetRelevantIntentsResponse>(
    path: "\(name)/SetRelevantIntents", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: shortcutsSizeMax, responseSizeMax: warningsSizeMax)

  /// Replaces what the app has for the person to play next on one device.
  public static let setUpcomingMedia = RPCMethod<SetUpcomingMediaRequest, SetUpcomingMediaResponse>(
    path: "\(name)/SetUpcomingMedia", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: shortcutsSizeMax, responseSizeMax: kindsSizeMax)

  /// Takes in what the person did in the app.
  public static let donate = RPCMethod<DonateRequest, DonateResponse>(
    path: "\(name)/Donate", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: donationsSizeMax, responseSizeMax: warningsSizeMax)

  /// Streams donations up; acknowledgements come down.
  public static let streamDonations = RPCMethod<DonationMessage, DonationEvent>(
    path: "\(name)/StreamDonations", kind: .bidirectional, request: .wire, response: .wire,
    requestSizeMax: donationSizeMax, responseSizeMax: warningsSizeMax)

  /// Forgets donations of the app.
  public static let deleteDonations = RPCMethod<DeleteDonationsRequest, DeleteDonationsResponse>(
    path: "\(name)/DeleteDonations", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: deletionSizeMax, responseSizeMax: 1_024)

  /// The app's widgets that are to be seen on one device.
  public static let listPlacedWidgets = RPCMethod<ListPlacedWidgetsRequest, ListPlacedWidgetsResponse>(
    path: "\(name)/ListPlacedWidgets", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: 1_024, responseSizeMax: partSizeMax)

  /// Asks for requests for new timelines.
  public static let requestReload = RPCMethod<RequestReloadRequest, RequestReloadResponse>(
    path: "\(name)/RequestReload", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: 1_024, responseSizeMax: 1_024)

  /// Streams timelines up; acknowledgements and reload requests come down.
  public static let provide = RPCMethod<ProviderMessage, ProviderEvent>(
    path: "\(name)/Provide", kind: .bidirectional, request: .wire, response: .wire,
    requestSizeMax: partSizeMax, responseSizeMax: warningsSizeMax)

  /// Streams answers up; what displays ask of the app comes down.
  public static let answerQuestions = RPCMethod<AnswerMessage, Question>(
    path: "\(name)/AnswerQuestions", kind: .bidirectional, request: .wire, response: .wire,
    requestSizeMax: answerSizeMax, responseSizeMax: DisplayService.questionSizeMax)
}

/// The widget kinds that an app has on a device.
public struct RegisterKindsRequest: Hashable, Sendable {
  /// The device.
  public let device: DeviceID
  /// The app.
  public let app: AppID
  /// The kinds, all of ``app``, none twice.
  public let kinds: [WidgetDescriptor]

  /// A request, or a refusal of a kind that comes twice or is of another app.
  public init(device: DeviceID, app: AppID, kinds: [WidgetDescriptor]) throws(Refusal) {
    if let index = kinds.firstIndex(where: { $0.kind.app != app }) {
      throw Refusal(.invalidArgument, field: "kinds[\(index)]", "of another app")
    }
    try Field.unique(kinds, "kinds", by: \.kind.name)
    self.device = device
    self.app = app
    self.kinds = kinds
  }
}

/// The kinds are durable.
public struct RegisterKindsResponse: Hashable, Sendable {
  /// The response.
  public init() {}
}

extension RegisterKindsRequest: WireValue {
  init(_ message: Marquee__V1__RegisterKindsRequest) throws(Refusal) {
    let app: AppID = try Field.identifier(message.app, "app")
    try self.init(
      device: Field.identifier(message.device, "device"), app: app,
      kinds: Field.array(message.n_kinds, message.kinds, "kinds") { (kind) throws(Refusal) in
        guard let kind else { throw Field.absent("") }
        return try WidgetDescriptor(kind.pointee, app: app)
      })
  }

  func fill(_ message: inout Marquee__V1__RegisterKindsRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.app = scratch.text(app)
    (message.n_kinds, message.kinds) = scratch.elements(kinds) { kind in
      scratch.build { kind.fill(&$0, scratch) }
    }
  }
}

extension RegisterKindsResponse: WireValue {
  init(_ message: Marquee__V1__RegisterKindsResponse) {}

  func fill(_ message: inout Marquee__V1__RegisterKindsResponse, _ scratch: EncodeScratch) {}
}
