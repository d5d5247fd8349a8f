internal import CMarqueeProtos
public import MarqueeModel
public import MarqueeRPC

/// The service for providers, which represent one app: they register widget kinds and stream timelines
/// (`provider.proto`).
public enum ProviderService {
  /// The service's name on the wire and in health checks.
  public static let name = "marquee.v1.Provider"

  /// The maximum size of a message on a provider's stream, in bytes: the default message limit of the call protocol. A
  /// larger timeline is sent in parts.
  public static let partSizeMax = 4 << 20
  /// The maximum size of an app's widget kinds, in bytes.
  public static let kindsSizeMax = 65_536
  /// The maximum size of a registration of intent types with their texts, in bytes: any that the limit
  /// `intent-type-size-max` allows by default.
  public static let intentTypesSizeMax = 1_048_576
  /// The maximum size of a request to remove intent types, in bytes.
  public static let intentTypeRemovalSizeMax = 65_536
  /// The maximum size of a set of relevant shortcuts or intents, in bytes.
  public static let shortcutsSizeMax = 524_288
  /// The maximum size of a batch of donations, in bytes. A batch fits in one message of a device record.
  public static let donationsSizeMax = partSizeMax - 1_024
  /// The maximum size of a message on a donation stream, in bytes: larger than any valid donation.
  public static let donationSizeMax = 65_536
  /// The maximum size of a deletion request, in bytes: the maximum number of identifiers of maximum length fits.
  public static let deletionSizeMax = 2_097_152
  /// The maximum size of a response to a provider query, in bytes.
  public static let queryResponseSizeMax = 1_048_576
  /// The maximum size of a list of warnings, in bytes.
  public static let warningsSizeMax = 1_048_576

  /// Adds widget kinds of an app on a device, or replaces their descriptions.
  public static let registerKinds = RPCMethod<RegisterKindsRequest, RegisterKindsResponse>(
    path: "\(name)/RegisterKinds", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: 2 * kindsSizeMax, responseSizeMax: kindsSizeMax)

  /// Adds intent types of an app on a device, or replaces their descriptions.
  public static let registerIntentTypes = RPCMethod<RegisterIntentTypesRequest, RegisterIntentTypesResponse>(
    path: "\(name)/RegisterIntentTypes", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: intentTypesSizeMax, responseSizeMax: warningsSizeMax)

  /// Removes widget kinds of an app from a device (rule W6).
  public static let removeKinds = RPCMethod<RemoveKindsRequest, RemoveKindsResponse>(
    path: "\(name)/RemoveKinds", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: kindsSizeMax, responseSizeMax: 1_024)

  /// Removes intent types of an app from a device (rule W6).
  public static let removeIntentTypes = RPCMethod<RemoveIntentTypesRequest, RemoveIntentTypesResponse>(
    path: "\(name)/RemoveIntentTypes", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: intentTypeRemovalSizeMax, responseSizeMax: 1_024)

  /// Replaces all relevant shortcuts of an app on a device.
  public static let setRelevantShortcuts = RPCMethod<SetRelevantShortcutsRequest, SetRelevantShortcutsResponse>(
    path: "\(name)/SetRelevantShortcuts", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: shortcutsSizeMax, responseSizeMax: warningsSizeMax)

  /// Replaces all relevant intents of an app on a device.
  public static let setRelevantIntents = RPCMethod<SetRelevantIntentsRequest, SetRelevantIntentsResponse>(
    path: "\(name)/SetRelevantIntents", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: shortcutsSizeMax, responseSizeMax: warningsSizeMax)

  /// Replaces the upcoming media of an app on a device.
  public static let setUpcomingMedia = RPCMethod<SetUpcomingMediaRequest, SetUpcomingMediaResponse>(
    path: "\(name)/SetUpcomingMedia", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: shortcutsSizeMax, responseSizeMax: kindsSizeMax)

  /// Donates activities of an app.
  public static let donate = RPCMethod<DonateRequest, DonateResponse>(
    path: "\(name)/Donate", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: donationsSizeMax, responseSizeMax: warningsSizeMax)

  /// Streams donations to the server and acknowledgements back.
  public static let streamDonations = RPCMethod<DonationMessage, DonationEvent>(
    path: "\(name)/StreamDonations", kind: .bidirectional, request: .wire, response: .wire,
    requestSizeMax: donationSizeMax, responseSizeMax: warningsSizeMax)

  /// Deletes donations of an app.
  public static let deleteDonations = RPCMethod<DeleteDonationsRequest, DeleteDonationsResponse>(
    path: "\(name)/DeleteDonations", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: deletionSizeMax, responseSizeMax: 1_024)

  /// Lists an app's visible widgets on a device.
  public static let listPlacedWidgets = RPCMethod<ListPlacedWidgetsRequest, ListPlacedWidgetsResponse>(
    path: "\(name)/ListPlacedWidgets", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: 1_024, responseSizeMax: partSizeMax)

  /// Returns the statistics of an app's widgets on a device (rule R17).
  public static let getStatistics = RPCMethod<GetStatisticsRequest, GetStatisticsResponse>(
    path: "\(name)/GetStatistics", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: 1_024, responseSizeMax: partSizeMax)

  /// Requests a reload of an app's timelines.
  public static let requestReload = RPCMethod<RequestReloadRequest, RequestReloadResponse>(
    path: "\(name)/RequestReload", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: 1_024, responseSizeMax: 1_024)

  /// Streams timelines to the server, and acknowledgements and reload requests back.
  public static let provide = RPCMethod<ProviderMessage, ProviderEvent>(
    path: "\(name)/Provide", kind: .bidirectional, request: .wire, response: .wire,
    requestSizeMax: partSizeMax, responseSizeMax: warningsSizeMax)

  /// Publishes a widget's timeline.
  public static let publishTimeline = RPCMethod<PublishTimelineRequest, PublishTimelineResponse>(
    path: "\(name)/PublishTimeline", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: partSizeMax, responseSizeMax: warningsSizeMax)

  /// Streams reload requests, and everything else that a provider receives except for the responses to timelines.
  public static let watchReloads = RPCMethod<WatchReloadsRequest, ProviderEvent>(
    path: "\(name)/WatchReloads", kind: .serverStreaming, request: .wire, response: .wire,
    requestSizeMax: 1_024, responseSizeMax: warningsSizeMax)

  /// Streams queries of displays to the provider, and responses back.
  public static let serveQueries = RPCMethod<ServeQueriesRequest, ProviderQuery>(
    path: "\(name)/ServeQueries", kind: .bidirectional, request: .wire, response: .wire,
    requestSizeMax: queryResponseSizeMax, responseSizeMax: DisplayService.querySizeMax)

  /// Streams queries of displays to a provider that responds by unary calls.
  public static let watchQueries = RPCMethod<WatchQueriesRequest, ProviderQuery>(
    path: "\(name)/WatchQueries", kind: .serverStreaming, request: .wire, response: .wire,
    requestSizeMax: queryResponseSizeMax, responseSizeMax: DisplayService.querySizeMax)

  /// Responds to a query of a stream of ``watchQueries``.
  public static let respondToQuery = RPCMethod<RespondToQueryRequest, RespondToQueryResponse>(
    path: "\(name)/RespondToQuery", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: queryResponseSizeMax, responseSizeMax: 1_024)

  /// Streams the events of an app's widgets on a device (rule W7).
  public static let watchWidgetEvents = RPCMethod<WatchWidgetEventsRequest, WatchWidgetEventsResponse>(
    path: "\(name)/WatchWidgetEvents", kind: .serverStreaming, request: .wire, response: .wire,
    requestSizeMax: kindsSizeMax, responseSizeMax: warningsSizeMax)
}

/// A request to register widget kinds of an app on a device.
public struct RegisterKindsRequest: Hashable, Sendable {
  /// The device.
  public let device: DeviceID
  /// The app.
  public let app: AppID
  /// The distinct kinds, all of ``app``.
  public let kinds: [WidgetDescriptor]

  /// Creates a request.
  ///
  /// - Throws: ``RequestError`` if a kind is duplicated or belongs to another app.
  public init(device: DeviceID, app: AppID, kinds: [WidgetDescriptor]) throws(RequestError) {
    if let index = kinds.firstIndex(where: { $0.kind.app != app }) {
      throw RequestError(.invalidArgument, field: "kinds[\(index)]", "belongs to another app")
    }
    try Field.unique(kinds, "kinds", by: \.kind.name)
    self.device = device
    self.app = app
    self.kinds = kinds
  }
}

extension RegisterKindsRequest: WireValue {
  init(_ message: Marquee__V1__RegisterKindsRequest) throws(RequestError) {
    let app: AppID = try Field.identifier(message.app, "app")
    try self.init(
      device: Field.identifier(message.device, "device"), app: app,
      kinds: Field.array(message.n_kinds, message.kinds, "kinds") { (kind) throws(RequestError) in
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
