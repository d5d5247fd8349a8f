public import MarqueeModel
import MarqueeRPC
public import MarqueeTransport
public import MarqueeWire

/// The client of a display: shows stacks and reports the user's actions. It covers the service `marquee.v1.Display`.
///
/// All calls but ``watch(_:stacks:on:)`` and ``surfaceUpdates(on:of:count:)`` fail with `UNAVAILABLE` at once if the
/// server is unreachable.
public struct DisplayClient: Sendable {
  let connection: RPCClient
  private let reconnection: Reconnection
  let options: CallOptions

  /// Creates a client on a connection.
  ///
  /// - Parameters:
  ///   - connection: The connection; it can be shared.
  ///   - reconnection: The delays between watch streams.
  ///   - callTimeMax: The timeout of every call but ``watch(_:stacks:on:)`` and ``surfaceUpdates(on:of:count:)``.
  public init(
    _ connection: RPCClient, reconnection: Reconnection = Reconnection(), callTimeMax: Duration = .seconds(30)
  ) {
    self.connection = connection
    self.reconnection = reconnection
    options = CallOptions(timeout: callTimeMax)
  }

  /// Creates a device, or changes its time zone and its language.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - timeZone: The device's time zone.
  ///   - language: The language of the device's user, in which apps register their texts; `nil` for the present one,
  ///     which is English for a new device.
  /// - Returns: Whether the device was created.
  @discardableResult
  public func registerDevice(
    _ device: DeviceID, timeZone: TimeZoneID, language: LanguageTag? = nil
  ) async throws -> Bool {
    let request = RegisterDeviceRequest(device: device, timeZone: timeZone, language: language)
    return try await connection.unary(DisplayService.registerDevice, request, options: options.about(device)).isCreated
  }

  /// Returns the device's current time, time zone and language. Providers of any app on the device may call it, too.
  public func time(of device: DeviceID) async throws -> GetDeviceTimeResponse {
    try await connection.unary(
      DisplayService.getDeviceTime, GetDeviceTimeRequest(device: device), options: options.about(device))
  }

  /// Watches the specified stacks or, if there are none, all stacks of the device and its widgets on the Home Screen
  /// outside stacks (rule W3): first a snapshot, then every change. The label of a widget precedes the update that
  /// shows it, and is sent again when it changes (rule X1); ``DisplayLabels`` collects them.
  ///
  /// The sequence survives the loss of its connection: after reconnecting, it continues with a new snapshot. It ends
  /// when the reading task is cancelled, and throws ``RPCStatus`` if the server rejects the request, the device was
  /// removed (`NOT_FOUND`), or this client was closed.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - stacks: The stacks; none for all.
  ///   - screen: The state of the screen. If others can read it, private entries arrive redacted (rule W5). When the
  ///     state changes, stop reading this sequence and read another one for the new state, which starts with a
  ///     snapshot; when the screen is locked, also discard the private entries that the display has received.
  public func watch(
    _ device: DeviceID, stacks: [StackID] = [], on screen: ScreenState = .unlocked
  ) throws(RequestError) -> DisplayUpdates {
    let request = try WatchRequest(device: device, stacks: stacks, screen: screen)
    return DisplayUpdates(connection, DisplayService.watch, request, about: device, reconnection)
  }

  /// Reports an action of the user. The report is durable when the call returns.
  public func report(_ report: UserReport, on device: DeviceID) async throws {
    _ = try await connection.unary(
      DisplayService.report, ReportRequest(device: device, report: report), options: options.about(device))
  }

  /// Returns the suggestions for a surface, the most confident first.
  ///
  /// The number is limited to `count` and ``ListSuggestionsRequest/countMax``. Report the user's reaction with
  /// ``report(_:on:)``.
  public func suggestions(
    on surface: SuggestionSurface, of device: DeviceID, count: Int = ListSuggestionsRequest.countDefault
  ) async throws -> ListSuggestionsResponse {
    let request = ListSuggestionsRequest(device: device, surface: surface, count: count)
    return try await connection.unary(DisplayService.listSuggestions, request, options: options.about(device))
  }

  /// Watches the suggestions for a surface: first the present list, then the list after every change of it or of
  /// ``WatchSurfaceResponse/nextChange`` (rule S9).
  ///
  /// The suggestions, their order, reasons and ends, their confidence in whole percent, and the time zone are compared.
  /// A slow reader receives the latest list instead of every one. The number of suggestions is limited as for
  /// ``suggestions(on:of:count:)``. <doc:MarqueeClient> has an example.
  ///
  /// The sequence survives the loss of its connection: after reconnecting, it continues with the present list, changed
  /// or not. It ends and throws as that of ``watch(_:stacks:on:)`` does.
  public func surfaceUpdates(
    on surface: SuggestionSurface, of device: DeviceID, count: Int = WatchSurfaceRequest.countDefault
  ) -> SurfaceUpdates {
    let request = WatchSurfaceRequest(device: device, surface: surface, count: count)
    return SurfaceUpdates(connection, DisplayService.watchSurface, request, about: device, reconnection)
  }

  /// Returns the people whom the user messaged during the focus, often enough to be allowed to interrupt it.
  public func people(allowedIn focus: FocusID, on device: DeviceID) async throws -> [AssociatedPerson] {
    let request = ListPeopleRequest(device: device, focus: focus)
    return try await connection.unary(DisplayService.listPeople, request, options: options.about(device)).people
  }

  /// Returns the widgets and apps whose suggestions the user has blocked or snoozed (rule R14).
  ///
  /// To lift a block or a snooze, report `widgetSuggestionBlocked` or `appSuggestionBlocked` with `false`.
  public func blockedSuggestions(on device: DeviceID) async throws -> ListBlockedSuggestionsResponse {
    let request = ListBlockedSuggestionsRequest(device: device)
    return try await connection.unary(DisplayService.listBlockedSuggestions, request, options: options.about(device))
  }

  /// Removes an app from a device, with its widgets and everything else that the device keeps of it, including the
  /// user's blocks of it. Returns when all of it is erased from every file. Retrying is safe.
  ///
  /// The app's providers on the device stop with `NOT_FOUND`. One that is started again registers the app again.
  ///
  /// - Returns: Whether there was anything of the app.
  @discardableResult
  public func removeApp(_ app: AppID, from device: DeviceID) async throws -> Bool {
    let request = RemoveAppRequest(device: device, app: app)
    return try await connection.unary(DisplayService.removeApp, request, options: options.about(device)).isRemoved
  }

  /// Edits a stack on behalf of the user. The edit is durable when the call returns.
  ///
  /// - Returns: The edited stack, or `nil` if it was removed.
  @discardableResult
  public func edit(_ stack: StackID, on device: DeviceID, _ edit: StackEdit) async throws -> Stack? {
    let request = EditStackRequest(device: device, stack: stack, edit: edit)
    return try await connection.unary(DisplayService.editStack, request, options: options.about(device)).stack
  }
}

// MARK: Queries to apps

extension DisplayClient {
  /// Returns the options of an intent parameter, provided by the app.
  ///
  /// - Throws: ``RPCStatus``; `UNAVAILABLE` if no provider of the app handles queries.
  public func options(_ query: OptionsQuery, of app: AppID, on device: DeviceID) async throws -> ParameterOptions {
    let request = ListParameterOptionsRequest(device: device, app: app, query: query)
    return try await connection.unary(DisplayService.listParameterOptions, request, options: options.about(device))
      .options
  }

  /// Returns the configuration form of the app's widgets, for the given family and current values.
  ///
  /// - Throws: ``RPCStatus``; `UNAVAILABLE` if no provider of the app handles queries.
  public func form(_ query: FormQuery, of app: AppID, on device: DeviceID) async throws -> ConfigurationForm {
    let request = GetConfigurationFormRequest(device: device, app: app, query: query)
    return try await connection.unary(DisplayService.getConfigurationForm, request, options: options.about(device)).form
  }

  /// Changes the configuration of a widget in a stack. The change is durable when the call returns.
  ///
  /// - Returns: The response, with the stack or with a form that contains the app's objection; nothing has changed in
  ///   the latter case.
  /// - Throws: ``RPCStatus``; `UNAVAILABLE` if no provider of the app handles queries.
  public func configure(
    _ widget: Widget, in stack: StackID, on device: DeviceID, as configuration: Intent
  ) async throws -> ConfigureWidgetResponse {
    let request = ConfigureWidgetRequest(device: device, stack: stack, widget: widget, configuration: configuration)
    return try await connection.unary(DisplayService.configureWidget, request, options: options.about(device))
  }

  /// Has an app continue, in the foreground, a suggestion that the user acted on or a widget that they tapped (rule
  /// S8).
  ///
  /// The app performs no intent: if the outcome is ``ContinuationOutcome/performIntent``, have the intent of the
  /// response performed with ``perform(_:of:on:timeMax:progress:agree:)``, which can prompt the user.
  ///
  /// The call also records the interaction; do not report it. It is recorded before the app is queried, or, for an
  /// errand of a reservation, once the app has handled it. A repeated call does not record it again, but the app may
  /// receive it more than once. Still report `appOpened` when the app comes to the foreground.
  ///
  /// - Parameters:
  ///   - item: The suggestion or widget.
  ///   - device: The device.
  ///   - isRepeat: Whether an earlier call was made for the same interaction, for example before the app was running.
  /// - Returns: The outcome with the app. If the app does not handle it, the display can open the app without a
  ///   context.
  /// - Throws: ``RPCStatus``: the app's error; `NOT_FOUND` if there is no such suggestion or widget; `UNAVAILABLE` if
  ///   the app is not running, so start it and repeat the call; `DEADLINE_EXCEEDED` if it does not respond;
  ///   `RESOURCE_EXHAUSTED` if it does not keep up with queries; or `FAILED_PRECONDITION` if its response is invalid.
  public func continueInApp(
    _ item: TappedItem, on device: DeviceID, isRepeat: Bool = false
  ) async throws -> ContinueInAppResponse {
    let request = ContinueInAppRequest(device: device, item: item, isRepeat: isRepeat)
    return try await connection.unary(DisplayService.continueInApp, request, options: options.about(device))
  }

  /// Returns the intents that a spoken text means, according to the App Shortcuts of the apps that handle queries on
  /// the device; the best match first. ``perform(_:of:on:timeMax:progress:agree:)`` performs one.
  ///
  /// Case, diacritics, punctuation and the amount of white space are not compared. An app that does not respond within
  /// three quarters of the call's timeout, at most 4 seconds, is left out.
  ///
  /// - Throws: `RequestError` if the text is empty, longer than `SpokenText.sizeMax`, or consists of punctuation and
  ///   white space; otherwise ``RPCStatus``.
  public func matchPhrase(_ text: String, on device: DeviceID) async throws -> [PhraseMatch] {
    let request = try MatchPhraseRequest(device: device, text: text)
    return try await connection.unary(DisplayService.matchPhrase, request, options: options.about(device)).matches
  }

  /// Performs an intent of an app. Cancelling the task cancels the intent.
  ///
  /// - Parameters:
  ///   - invocation: The intent and how it was invoked.
  ///   - app: The app.
  ///   - device: The device.
  ///   - timeMax: The timeout; 10 minutes by default.
  ///   - progress: Called with the intent's progress from time to time.
  ///   - agree: Returns whether the user agrees when the intent asks to continue in the foreground, or for
  ///     confirmation.
  /// - Returns: The outcome of the intent.
  /// - Throws: ``RPCStatus``: the app's error, `UNAVAILABLE` if no provider of the app handles queries, or
  ///   `DEADLINE_EXCEEDED`.
  public func perform(
    _ invocation: IntentInvocation, of app: AppID, on device: DeviceID, timeMax: Duration? = nil,
    progress: (IntentProgress) async throws -> Void = { _ in },
    agree: (IntentPrompt) async throws -> Bool = { _ in false }
  ) async throws -> IntentOutcome {
    let call = try await connection.bidirectional(
      DisplayService.performIntent, options: CallOptions(timeout: timeMax).about(device))
    defer { call.cancel() }
    do {
      try await call.send(.begin(device, app, invocation))
    } catch is RPCStatus {
      // If the call was rejected at once, its status is thrown below.
    }
    for try await update in call.responses {
      switch update {
      case .progress(let reading): try await progress(reading)
      case .prompt(let prompt, _): try await call.send(.reply(isAgreed: try await agree(prompt)))
      case .outcome(let outcome): return outcome
      // Not requested.
      case .begun, .heartbeat: break
      }
    }
    throw RPCStatus(.internalError, "the server ended the call without an outcome")
  }
}
