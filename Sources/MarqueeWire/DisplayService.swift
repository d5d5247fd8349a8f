public import MarqueeRPC

/// The service for displays, which show stacks and report user interactions (`display.proto`).
public enum DisplayService {
  /// The service's name on the wire and in health checks.
  public static let name = "marquee.v1.Display"

  /// The maximum size of a request, in bytes.
  public static let requestSizeMax = 65_536
  /// The maximum size of a query forwarded to an app, in bytes. The largest user activity that an app can set fits: it
  /// is part of a request with donations or relevant shortcuts.
  public static let querySizeMax = max(ProviderService.donationsSizeMax, ProviderService.shortcutsSizeMax) + 1_024
  /// The maximum size of a response about one stack, in bytes: the default message limit of the call protocol.
  public static let stackSizeMax = 4 << 20
  /// The maximum size of a list of suggestions, people, blocks or Focus filters, in bytes. Any list within the limits
  /// fits.
  public static let suggestionsSizeMax = stackSizeMax
  /// The maximum size of a list of phrase matches, in bytes.
  public static let phraseMatchesSizeMax = stackSizeMax
  /// The maximum size of an update, in bytes. Entries of a larger state follow in later updates.
  public static let updateSizeMax = stackSizeMax

  /// Creates a device, or changes its time zone.
  public static let registerDevice = RPCMethod<RegisterDeviceRequest, RegisterDeviceResponse>(
    path: "\(name)/RegisterDevice", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: requestSizeMax)

  /// Returns a device's current time and time zone.
  public static let getDeviceTime = RPCMethod<GetDeviceTimeRequest, GetDeviceTimeResponse>(
    path: "\(name)/GetDeviceTime", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: requestSizeMax)

  /// Streams the device's stacks and current entries: first the complete state, then every change.
  public static let watch = RPCMethod<WatchRequest, DisplayUpdate>(
    path: "\(name)/Watch", kind: .serverStreaming, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: updateSizeMax)

  /// Reports a user interaction.
  public static let report = RPCMethod<ReportRequest, ReportResponse>(
    path: "\(name)/Report", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: requestSizeMax)

  /// Lists the suggestions for a surface.
  public static let listSuggestions = RPCMethod<ListSuggestionsRequest, ListSuggestionsResponse>(
    path: "\(name)/ListSuggestions", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: suggestionsSizeMax)

  /// Streams the suggestions for a surface: first the present list, then the list after every change of it (rule S9).
  public static let watchSurface = RPCMethod<WatchSurfaceRequest, WatchSurfaceResponse>(
    path: "\(name)/WatchSurface", kind: .serverStreaming, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: suggestionsSizeMax)

  /// Lists the people to allow through in a Focus.
  public static let listPeople = RPCMethod<ListPeopleRequest, ListPeopleResponse>(
    path: "\(name)/ListPeople", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: suggestionsSizeMax)

  /// Lists the widgets and apps whose suggestions the user has blocked or snoozed (rule R14).
  public static let listBlockedSuggestions = RPCMethod<ListBlockedSuggestionsRequest, ListBlockedSuggestionsResponse>(
    path: "\(name)/ListBlockedSuggestions", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: suggestionsSizeMax)

  /// Removes an app from a device (rule W6).
  public static let removeApp = RPCMethod<RemoveAppRequest, RemoveAppResponse>(
    path: "\(name)/RemoveApp", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: requestSizeMax)

  /// Applies a user's edit to a stack.
  public static let editStack = RPCMethod<EditStackRequest, EditStackResponse>(
    path: "\(name)/EditStack", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: stackSizeMax)

  /// Queries an app for the options of a parameter.
  public static let listParameterOptions = RPCMethod<ListParameterOptionsRequest, ListParameterOptionsResponse>(
    path: "\(name)/ListParameterOptions", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: ProviderService.queryResponseSizeMax)

  /// Queries an app for a configuration form.
  public static let getConfigurationForm = RPCMethod<GetConfigurationFormRequest, GetConfigurationFormResponse>(
    path: "\(name)/GetConfigurationForm", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: ProviderService.queryResponseSizeMax)

  /// Changes the configuration of a widget on a stack.
  public static let configureWidget = RPCMethod<ConfigureWidgetRequest, ConfigureWidgetResponse>(
    path: "\(name)/ConfigureWidget", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: stackSizeMax)

  /// Has an app continue a suggestion that the user acted on, or a widget that they tapped (rule S8).
  public static let continueInApp = RPCMethod<ContinueInAppRequest, ContinueInAppResponse>(
    path: "\(name)/ContinueInApp", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: requestSizeMax)

  /// Lists the intents that a spoken text means.
  public static let matchPhrase = RPCMethod<MatchPhraseRequest, MatchPhraseResponse>(
    path: "\(name)/MatchPhrase", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: phraseMatchesSizeMax)

  /// Asks an app to perform an intent.
  public static let performIntent = RPCMethod<PerformIntentRequest, PerformIntentUpdate>(
    path: "\(name)/PerformIntent", kind: .bidirectional, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: ProviderService.queryResponseSizeMax)

  /// Asks an app to perform an intent, whose prompts are replied to by unary calls.
  public static let runIntent = RPCMethod<RunIntentRequest, PerformIntentUpdate>(
    path: "\(name)/RunIntent", kind: .serverStreaming, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: ProviderService.queryResponseSizeMax)

  /// Replies to a prompt of an intent of ``runIntent``.
  public static let replyToPrompt = RPCMethod<ReplyToPromptRequest, ReplyToPromptResponse>(
    path: "\(name)/ReplyToPrompt", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: requestSizeMax)

  /// Sets an app's Focus filter for a Focus (rule S11).
  public static let setFocusFilter = RPCMethod<SetFocusFilterRequest, SetFocusFilterResponse>(
    path: "\(name)/SetFocusFilter", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: requestSizeMax)

  /// Lists the Focus filters of a device.
  public static let listFocusFilters = RPCMethod<ListFocusFiltersRequest, ListFocusFiltersResponse>(
    path: "\(name)/ListFocusFilters", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: suggestionsSizeMax)

  /// Removes an app's Focus filter for a Focus.
  public static let removeFocusFilter = RPCMethod<RemoveFocusFilterRequest, RemoveFocusFilterResponse>(
    path: "\(name)/RemoveFocusFilter", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: requestSizeMax, responseSizeMax: requestSizeMax)
}
