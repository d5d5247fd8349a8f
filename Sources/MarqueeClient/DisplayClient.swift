public import MarqueeModel
import MarqueeRPC
public import MarqueeTransport
public import MarqueeWire

/// Shows stacks to a person and tells what the person does: every call of the service `marquee.v1.Display`.
///
/// Each call but ``watch(_:stacks:)`` fails with `UNAVAILABLE` at once when no server answers.
public struct DisplayClient: Sendable {
  private let connection: RPCClient
  private let reconnection: Reconnection
  private let options: CallOptions

  /// A client on that connection, whose calls other than watching take `callTimeMax` at most.
  public init(
    _ connection: RPCClient, reconnection: Reconnection = Reconnection(), callTimeMax: Duration = .seconds(30)
  ) {
    self.connection = connection
    self.reconnection = reconnection
    options = CallOptions(timeout: callTimeMax)
  }

  /// Creates a device, or changes its time zone. Says whether it was created.
  @discardableResult
  public func registerDevice(_ device: DeviceID, timeZone: TimeZoneID) async throws -> Bool {
    let request = RegisterDeviceRequest(device: device, timeZone: timeZone)
    return try await connection.unary(DisplayService.registerDevice, request, options: options).isCreated
  }

  /// What these stacks show, or all of the device's when there are none: first everything, then every change.
  ///
  /// The sequence outlives its connection: after another has been made, it goes on with everything once more (rule
  /// U3). It ends when the task that reads it is cancelled, and throws ``RPCStatus`` when the server refuses it or the
  /// connection was closed on this side.
  public func watch(_ device: DeviceID, stacks: [StackID] = []) throws(Refusal) -> DisplayUpdates {
    DisplayUpdates(connection, try WatchRequest(device: device, stacks: stacks), reconnection)
  }

  /// Tells what the person did; durable when it returns.
  public func report(_ report: PersonReport, on device: DeviceID) async throws {
    _ = try await connection.unary(
      DisplayService.report, ReportRequest(device: device, report: report), options: options)
  }

  /// What a surface may show now, the most confident first: `count` at most, and no more than
  /// ``ListSuggestionsRequest/countMax`` (rule P6). What becomes of one, ``report(_:on:)`` tells.
  public func suggestions(
    on surface: SuggestionSurface, of device: DeviceID, count: Int = ListSuggestionsRequest.countStandard
  ) async throws -> ListSuggestionsResponse {
    let request = ListSuggestionsRequest(device: device, surface: surface, count: count)
    return try await connection.unary(DisplayService.listSuggestions, request, options: options)
  }

  /// Whom messages went to while the focus was on, often enough to let them through in it (rule D8).
  public func people(allowedIn focus: FocusID, on device: DeviceID) async throws -> [AssociatedPerson] {
    let request = ListPeopleRequest(device: device, focus: focus)
    return try await connection.unary(DisplayService.listPeople, request, options: options).people
  }

  /// Changes a stack by the person's hand; durable when it returns. Gives the stack as it then stands, or `nil` when
  /// it was removed.
  @discardableResult
  public func edit(_ stack: StackID, on device: DeviceID, _ edit: StackEdit) async throws -> Stack? {
    let request = EditStackRequest(device: device, stack: stack, edit: edit)
    return try await connection.unary(DisplayService.editStack, request, options: options).stack
  }
}

// MARK: What apps answer

extension DisplayClient {
  /// What a parameter of an app's intent can be set to. Throws `UNAVAILABLE` where no provider answers for the app.
  public func options(_ query: OptionsQuery, of app: AppID, on device: DeviceID) async throws -> ParameterOptions {
    let request = ListParameterOptionsRequest(device: device, app: app, query: query)
    return try await connection.unary(DisplayService.listParameterOptions, request, options: options).options
  }

  /// How widgets of an app's kind are configured in a family, given what is set so far. Throws `UNAVAILABLE` where no
  /// provider answers for the app.
  public func form(_ query: FormQuery, of app: AppID, on device: DeviceID) async throws -> ConfigurationForm {
    let request = GetConfigurationFormRequest(device: device, app: app, query: query)
    return try await connection.unary(DisplayService.getConfigurationForm, request, options: options).form
  }

  /// Configures a widget of a stack in another way; durable when it returns. Where the app finds a problem, which the
  /// form names, nothing has changed. Throws `UNAVAILABLE` where no provider answers for the app.
  public func configure(
    _ widget: Widget, in stack: StackID, on device: DeviceID, as configuration: Intent
  ) async throws -> ConfigureWidgetResponse {
    let request = ConfigureWidgetRequest(device: device, stack: stack, widget: widget, configuration: configuration)
    return try await connection.unary(DisplayService.configureWidget, request, options: options)
  }

  /// Has an app perform an intent, and gives what comes of it. A task that is cancelled cancels the intent.
  ///
  /// - Parameters:
  ///   - timeMax: How long it may take; 10 minutes if not given.
  ///   - progress: Told how far it is, from time to time.
  ///   - agree: What the person replies when the intent asks for the foreground, or for confirmation.
  /// - Throws: ``RPCStatus``: what the app refuses with, `UNAVAILABLE` where no provider answers for it, or
  ///   `DEADLINE_EXCEEDED`.
  public func perform(
    _ run: IntentRun, of app: AppID, on device: DeviceID, timeMax: Duration? = nil,
    progress: (IntentProgress) async throws -> Void = { _ in },
    agree: (IntentPrompt) async throws -> Bool = { _ in false }
  ) async throws -> IntentOutcome {
    let call = try await connection.bidirectional(
      DisplayService.performIntent, options: CallOptions(timeout: timeMax))
    defer { call.cancel() }
    do {
      try await call.send(.begin(device, app, run))
    } catch is RPCStatus {
      // A call that was refused at once: its status tells more.
    }
    for try await update in call.responses {
      switch update {
      case .progress(let reading): try await progress(reading)
      case .prompt(let prompt): try await call.send(.reply(isAgreed: try await agree(prompt)))
      case .outcome(let outcome): return outcome
      }
    }
    throw RPCStatus(.internalError, "the server ended the call without an outcome")
  }
}

/// What a display shows, update by update, across connections. See ``DisplayClient/watch(_:stacks:)``.
public struct DisplayUpdates: AsyncSequence, Sendable {
  private let connection: RPCClient
  private let request: WatchRequest
  private let reconnection: Reconnection

  init(_ connection: RPCClient, _ request: WatchRequest, _ reconnection: Reconnection) {
    self.connection = connection
    self.request = request
    self.reconnection = reconnection
  }

  /// Begins to watch at the first ``AsyncIterator/next()``.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(connection: connection, request: request, reconnection: reconnection)
  }

  /// Reads updates, and watches anew when a stream has ended.
  ///
  /// Nothing is read ahead: what a slow reader leaves waits at the server, which starts it over when it is too much.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let connection: RPCClient
    let request: WatchRequest
    let reconnection: Reconnection
    private var updates: MessageStream<DisplayUpdate>.AsyncIterator?
    private var failedAttempts = 0
    private var isOver = false

    init(connection: RPCClient, request: WatchRequest, reconnection: Reconnection) {
      self.connection = connection
      self.request = request
      self.reconnection = reconnection
    }

    /// The next update; `nil` once the task is cancelled.
    public mutating func next() async throws -> DisplayUpdate? {
      while !isOver, !Task.isCancelled {
        do {
          if let update = try await received() {
            failedAttempts = 0
            return update
          }
        } catch let status as RPCStatus where connection.mayReopen(after: status) {
          // Watched anew below: the next stream begins with everything.
        } catch {
          isOver = true
          if Task.isCancelled { return nil }
          throw error
        }
        updates = nil
        failedAttempts += 1
        // Only cancellation ends a pause early, and the loop's condition sees that.
        try? await reconnection.pause(after: failedAttempts)
      }
      isOver = true
      return nil
    }

    private mutating func received() async throws -> DisplayUpdate? {
      if updates == nil {
        let options = CallOptions(waitsForReady: true)
        updates = try await connection.serverStreaming(DisplayService.watch, request, options: options)
          .responses.makeAsyncIterator()
      }
      return try await updates?.next()
    }
  }
}
