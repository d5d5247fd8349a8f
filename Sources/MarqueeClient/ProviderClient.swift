public import MarqueeModel
import MarqueeRPC
public import MarqueeTransport
import MarqueeWire
import Synchronization

/// The client of one app on one device: registers widget kinds, publishes timelines, and receives reload requests.
///
/// ``run()``, or ``run(_:device:app:kinds:reconnection:_:)`` with a closure, keeps the provider connected. After losing
/// its connection, it reconnects, registers and attaches again, and publishes unacknowledged timelines again. That is
/// safe, because a timeline replaces the previous one.
public final class ProviderClient: Sendable {
  /// The maximum number of unacknowledged timelines.
  public static let publicationCountMax = ProviderQueue.publicationCountMax

  /// Reload requests, to be answered by publishing a timeline for the widget in the family of the request.
  ///
  /// The sequence ends when the provider stops or the reading task is cancelled. If a widget has several unread
  /// requests in one family, only the latest is kept.
  public let reloadRequests = WidgetQueue<ReloadRequest> { WidgetInstance($0.widget, in: $0.family) }
  /// The app's widgets that are visible on the device, for publishing timelines without a request: all of them whenever
  /// a stream is attached, and later those of stacks that changed and those placed on the Home Screen outside stacks.
  ///
  /// The sequence ends like ``reloadRequests``. If a widget has several unread places in one family, only the latest is
  /// kept.
  public let placedWidgets = WidgetQueue<PlacedWidget> { WidgetInstance($0.widget, in: $0.family) }
  /// An element for each attached stream; unread ones coalesce. The sequence ends when the provider stops.
  package let attachments: AsyncStream<Void>
  private let attached: AsyncStream<Void>.Continuation
  /// The device's time zone after each change, also after one while no stream was attached; of several unread ones, the
  /// latest. The first zone is ``timeZone``. The sequence ends when the provider stops.
  public let timeZones: AsyncStream<TimeZoneID>
  let newTimeZone: AsyncStream<TimeZoneID>.Continuation
  /// The value of ``timeZone``.
  let knownTimeZone = Mutex<TimeZoneID?>(nil)
  let connection: RPCClient
  /// The registration in the language in which it was made last.
  let requests: Mutex<RegistrationRequests>
  /// `nil` if the registration is the same in all languages.
  let localized: LocalizedRegistration?
  let reconnection: Reconnection
  private let queue = ProviderQueue()
  private let queryHandler: (any QueryHandler)?
  private let widgetSizes = Mutex<[WidgetFamily: WidgetSize]>([:])
  private let focusFilters: FocusFilterPerformer?
  private let isAttachedForQueries = Mutex(false)
  /// Whether the server has received the kinds, so that calls can refer to them.
  let isRegistered = Mutex(false)
  /// The options of unary calls.
  let callOptions: CallOptions
  private let device: DeviceID
  /// The options of calls that wait while the server is unreachable.
  var waitingOptions: CallOptions { CallOptions(waitsForReady: true).about(device) }

  /// The kinds as registered last, with the device and the app.
  var registration: RegisterKindsRequest { requests.withLock(\.kinds) }

  /// Creates a provider, which does nothing until it runs.
  ///
  /// - Parameters:
  ///   - connection: The connection; it can be shared.
  ///   - device: The device.
  ///   - app: The app.
  ///   - kinds: The app's widget kinds.
  ///   - intentTypes: The app's intent types.
  ///   - reconnection: The delays between streams.
  ///   - callTimeMax: The timeout of unary calls.
  ///   - answering: The handler of displays' queries to the app while the provider runs.
  ///   - phrases: The app's App Shortcuts, whose intents the handler performs.
  /// - Throws: `RequestError` if a kind or intent type is duplicated or belongs to another app, or there are App
  ///   Shortcuts without a handler.
  public convenience init(
    _ connection: RPCClient, device: DeviceID, app: AppID, kinds: [WidgetDescriptor],
    intentTypes: [IntentTypeDescriptor] = [], reconnection: Reconnection = Reconnection(),
    callTimeMax: Duration = .seconds(30), answering: (any QueryHandler)? = nil,
    phrases: PhraseBook = .empty
  ) throws(RequestError) {
    let registration = ProviderRegistration(kinds: kinds, intentTypes: intentTypes, phrases: phrases)
    try self.init(
      connection, RegistrationRequests(registration, device: device, app: app), nil, reconnection, callTimeMax,
      answering)
  }

  /// Creates a provider that registers its texts in the device's language, and again when the language changes.
  ///
  /// - Parameters:
  ///   - connection: The connection; it can be shared.
  ///   - device: The device.
  ///   - app: The app.
  ///   - reconnection: The delays between streams.
  ///   - callTimeMax: The timeout of unary calls.
  ///   - answering: The handler of displays' queries to the app while the provider runs.
  ///   - learned: Called with the device's language, before the registration in that language.
  ///   - registration: Returns the registration in a language; the first time in English, whatever the device's
  ///     language. An error of a later time ends ``run()``.
  /// - Throws: The error of `registration`; `RequestError` for an invalid registration, as above.
  public convenience init(
    _ connection: RPCClient, device: DeviceID, app: AppID, reconnection: Reconnection = Reconnection(),
    callTimeMax: Duration = .seconds(30), answering: (any QueryHandler)? = nil,
    learned: @escaping @Sendable (LanguageTag) -> Void = { _ in },
    registering registration: @escaping @Sendable (LanguageTag) throws -> ProviderRegistration
  ) throws {
    try self.init(
      connection, RegistrationRequests(registration(.english), device: device, app: app),
      LocalizedRegistration(registration: registration, learned: learned), reconnection, callTimeMax, answering)
  }

  private init(
    _ connection: RPCClient, _ requests: RegistrationRequests, _ localized: LocalizedRegistration?,
    _ reconnection: Reconnection, _ callTimeMax: Duration, _ queryHandler: (any QueryHandler)?
  ) throws(RequestError) {
    guard queryHandler != nil || requests.phrases.shortcuts.isEmpty else {
      throw RequestError(.invalidArgument, field: "phrases", "App Shortcuts require a handler of queries")
    }
    self.connection = connection
    self.requests = Mutex(requests)
    self.localized = localized
    self.queryHandler = queryHandler
    focusFilters = queryHandler.map { FocusFilterPerformer($0) }
    device = requests.kinds.device
    callOptions = CallOptions(timeout: callTimeMax).about(device)
    self.reconnection = reconnection
    (attachments, attached) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    (timeZones, newTimeZone) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Runs a provider while `body` runs, and returns the result of `body`.
  ///
  /// If the server rejects the provider, `body` is cancelled and the server's ``RPCStatus`` is thrown.
  public static func run<Result: Sendable>(
    _ connection: RPCClient, device: DeviceID, app: AppID, kinds: [WidgetDescriptor],
    reconnection: Reconnection = Reconnection(),
    _ body: @escaping @Sendable (ProviderClient) async throws -> Result
  ) async throws -> Result {
    let provider = try ProviderClient(
      connection, device: device, app: app, kinds: kinds, reconnection: reconnection)
    return try await withThrowingTaskGroup(of: Result?.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        try await provider.run()
        return nil
      }
      group.addTask { try await body(provider) }
      while let end = try await group.next() {
        if let result = end { return result }
      }
      throw CancellationError()
    }
  }

  /// Keeps the provider connected until the task is cancelled, then returns. Call it once: a stopped provider accepts
  /// no timelines.
  ///
  /// A server that is overloaded or whose disk is full is tried again after a delay, like one that is unreachable.
  ///
  /// - Throws: ``RPCStatus`` if the server rejects the kinds or the provider, so that a retry cannot succeed, such as
  ///   `RESOURCE_EXHAUSTED` for too many kinds, or if this client was closed. `NOT_FOUND` if the app was removed from
  ///   the device, or the device from the server: the provider does not register the app again.
  public func run() async throws {
    do {
      try await stayConnected()
      stop(RPCStatus(.cancelled, "the provider has stopped"))
    } catch {
      stop(error)
      throw error
    }
  }

  /// Replaces the widget's timeline in a family, or in every family, and returns when the new one is durable and in
  /// force.
  ///
  /// It waits while the server is unreachable. If the task is cancelled, the timeline is withdrawn unless the server
  /// has received all of it.
  ///
  /// - Parameters:
  ///   - entries: The entries, in any order.
  ///   - policy: When the server requests the next timeline.
  ///   - widget: The widget.
  ///   - family: The family that the content is made for; `nil` for every family of the kind (rule W1).
  ///   - fallback: The content that replaces that of an expired entry, on every screen; `nil` to mark the entry as
  ///     stale instead (rule W4).
  ///   - group: The group that the widget is in while it has the timeline; `nil` for none (rule R15).
  /// - Returns: The server's warnings about the timeline.
  /// - Throws: ``RPCStatus``: the server's reason for rejecting the timeline, which changes nothing; or
  ///   `RESOURCE_EXHAUSTED` if a limit is exceeded, the server is overloaded or its disk full, ``publicationCountMax``
  ///   timelines are unacknowledged, an entry is too large for a message, or three streams have run out of resources
  ///   while sending the timeline.
  @discardableResult
  public func publish(
    _ entries: [TimelineEntry], policy: TimelineReloadPolicy = .atEnd, for widget: Widget,
    in family: WidgetFamily? = nil, fallback: EntryContent? = nil, group: GroupName? = nil
  ) async throws -> [LintWarning] {
    for (index, entry) in entries.enumerated() { try Self.check(entry.contentSize, of: "entries[\(index)].content") }
    if let fallback { try Self.check(fallback.bytes.count, of: "fallback") }
    return try await queue.publish(
      TimelinePieces(
        widget: widget, family: family, policy: policy, entries: entries, fallback: fallback, group: group))
  }

  /// Validates that content fits in a message.
  private static func check(_ size: Int, of field: String) throws(RPCStatus) {
    guard size <= TimelinePieces.contentSizeMax else {
      throw RPCStatus(
        .resourceExhausted, "\(field): \(size) bytes exceeds content-size-max (\(TimelinePieces.contentSizeMax))")
    }
  }

  /// Registers or updates intent types of the app. They are durable when the call returns.
  ///
  /// This call, ``setRelevantShortcuts(_:)`` and ``setRelevantIntents(_:)`` do not require ``run()``. They throw
  /// ``RPCStatus``, `UNAVAILABLE` at once if the server is unreachable, and are not retried.
  ///
  /// - Parameters:
  ///   - intentTypes: The types.
  ///   - language: The language of the texts if the process does not have them in the device's language: if the device
  ///     has another one, types that are registered and differ in nothing but texts keep theirs.
  /// - Returns: The server's warnings.
  @discardableResult
  public func registerIntentTypes(
    _ intentTypes: [IntentTypeDescriptor], in language: LanguageTag? = nil
  ) async throws -> [LintWarning] {
    let request = try RegisterIntentTypesRequest(
      device: registration.device, app: registration.app, intentTypes: intentTypes, language: language)
    return try await connection.unary(ProviderService.registerIntentTypes, request, options: callOptions).warnings
  }

  /// Replaces the relevant shortcuts of the app, and returns when they are durable and in force. Omitted shortcuts end
  /// at once. If the call fails, the previous ones remain.
  ///
  /// - Returns: The server's warnings.
  @discardableResult
  public func setRelevantShortcuts(_ shortcuts: [RelevantShortcut]) async throws -> [LintWarning] {
    try await registerOnce()
    let request = SetRelevantShortcutsRequest(
      device: registration.device, app: registration.app, shortcuts: shortcuts)
    return try await connection.unary(ProviderService.setRelevantShortcuts, request, options: callOptions).warnings
  }

  /// Replaces the relevant intents of the app, like ``setRelevantShortcuts(_:)``. The two sets are independent.
  ///
  /// - Returns: The server's warnings.
  @discardableResult
  public func setRelevantIntents(_ intents: [RelevantIntent]) async throws -> [LintWarning] {
    try await registerOnce()
    let request = SetRelevantIntentsRequest(device: registration.device, app: registration.app, intents: intents)
    return try await connection.unary(ProviderService.setRelevantIntents, request, options: callOptions).warnings
  }

  /// Replaces the app's list of upcoming media, and returns when it is durable and in force. If the call fails, the
  /// previous list remains.
  ///
  /// Report playback by donating it.
  public func setUpcomingMedia(_ media: UpcomingMedia) async throws {
    let request = SetUpcomingMediaRequest(device: registration.device, app: registration.app, media: media)
    _ = try await connection.unary(ProviderService.setUpcomingMedia, request, options: callOptions)
  }

  /// Returns the places of the app's widgets on the device: those in stacks, stack by stack, then those on the Home
  /// Screen.
  public func listPlacedWidgets() async throws -> [PlacedWidget] {
    let request = ListPlacedWidgetsRequest(device: registration.device, app: registration.app)
    return try await connection.unary(ProviderService.listPlacedWidgets, request, options: callOptions).widgets
  }

  /// Requests new timelines for a kind, or for all kinds of the app, because there is new data. The running provider
  /// receives reload requests as the budget allows. The request is durable when the call returns.
  public func requestReload(_ kind: KindName? = nil) async throws {
    let request = RequestReloadRequest(device: registration.device, app: registration.app, kind: kind)
    _ = try await connection.unary(ProviderService.requestReload, request, options: callOptions)
  }

  /// Whether queries of displays reach the handler.
  package var isServingQueries: Bool { isAttachedForQueries.withLock(\.self) }

  /// Registers the kinds unless ``run()`` or an earlier call has done so.
  private func registerOnce() async throws {
    guard !isRegistered.withLock(\.self) else { return }
    try localize(in: localized == nil ? nil : try await deviceLanguage())
    try await registerKinds(callOptions)
  }

  private func stop(_ error: any Error) {
    queue.stop(error)
    reloadRequests.finish()
    placedWidgets.finish()
    attached.finish()
    newTimeZone.finish()
    focusFilters?.stop()
  }

  private func stayConnected() async throws {
    var failedAttempts = 0
    // Before the first stream, nothing is interrupted.
    var (isAttached, isInterrupted) = (false, false)
    while !Task.isCancelled {
      var (isRegistered, failure) = (false, nil as RPCStatus?)
      do {
        let options = waitingOptions
        let language = localized == nil ? nil : try await deviceLanguage(options)
        try localize(in: language)
        try await registerAll(options)
        isRegistered = true
        try await serve(registered: language) {
          failedAttempts = 0
          if isInterrupted { reconnection.changed(false, nil) }
          (isAttached, isInterrupted) = (true, false)
        }
      } catch let status as RPCStatus
        where isRegistered ? connection.mayReopen(after: status) : connection.mayRetry(status)
      {
        // Retried below.
        if isRegistered, status.code == .resourceExhausted, !status.isOverload { queue.streamIsExhausted(status) }
        failure = status
      } catch is CancellationError {
        return
      }
      failedAttempts += 1
      if isAttached, !Task.isCancelled {
        reconnection.changed(true, failure)
        (isAttached, isInterrupted) = (false, true)
      }
      if let failure, !Task.isCancelled { reconnection.failed(failure) }
      // Only cancellation ends the delay early, and the loop's condition checks for it.
      try? await reconnection.pause(after: failedAttempts, failure)
    }
  }

  /// Runs one stream, from attaching to its end.
  private func serve(registered language: LanguageTag?, attached: () -> Void) async throws {
    let call = try await connection.bidirectional(ProviderService.provide, options: waitingOptions)
    try await call.send(.attach(registration.device, registration.app))
    var events = call.responses.makeAsyncIterator()
    guard case .attached(let first)? = try await events.next() else {
      throw RPCStatus(.internalError, "unexpected first event from the server (expected: attached)")
    }
    attached()
    // The stream has every change from now on.
    note(try await deviceTimeZone(CallOptions(waitsForReady: true)))
    self.attached.yield()
    queue.restart()
    let (languages, changes) = AsyncStream.makeStream(of: LanguageTag.self, bufferingPolicy: .bufferingNewest(1))
    let (books, replacements) = AsyncStream.makeStream(of: PhraseBook.self, bufferingPolicy: .bufferingNewest(1))
    changes.yield(first)
    replacements.yield(requests.withLock(\.phrases))
    try await withThrowingTaskGroup { group in
      defer { group.cancelAll() }
      group.addTask { try await self.send(on: call) }
      group.addTask { try await self.receive(call.responses, changes) }
      if localized != nil {
        group.addTask { try await self.follow(languages, registered: language, replacements) }
      }
      if let queryHandler, let focusFilters {
        group.addTask { try await self.answerQueries(with: queryHandler, focusFilters, books) }
      }
      try await group.next()
    }
  }

  private func answerQueries(
    with handler: any QueryHandler, _ focusFilters: FocusFilterPerformer, _ books: AsyncStream<PhraseBook>
  ) async throws {
    defer { isAttachedForQueries.withLock { $0 = false } }
    let responder = QueryResponder(handler, focusFilters)
    try await responder.answer(on: connection, registration.device, registration.app, books) {
      self.isAttachedForQueries.withLock { $0 = true }
    }
  }

  private func send(on call: ClientCall<ProviderMessage, ProviderEvent>) async throws {
    while let (id, pieces) = await queue.nextWork() {
      for part in pieces.parts(id) {
        guard queue.isWanted(id) else {
          try await call.send(.abandon(id))
          break
        }
        try await call.send(.timeline(part))
      }
    }
  }

  /// Returns the size at which the display shows the widgets of a family, as far as the server has sent it.
  public func widgetSize(of family: WidgetFamily) -> WidgetSize? { widgetSizes.withLock { $0[family] } }

  private func note(_ size: WidgetSize?, of family: WidgetFamily) {
    guard let size else { return }
    widgetSizes.withLock { $0[family] = size }
  }

  private func receive(
    _ events: MessageStream<ProviderEvent>, _ languages: AsyncStream<LanguageTag>.Continuation
  ) async throws {
    for try await event in events {
      switch event {
      // The heartbeat is not requested.
      case .attached, .heartbeat: break
      case .accepted(let id, let warnings): queue.answered(id, .success(warnings))
      case .rejected(let id, let code, let message, let delay):
        let status = RPCStatus(code, message)
        queue.answered(id, .failure(delay.map { status.retryable(after: .milliseconds($0.milliseconds)) } ?? status))
      case .reload(let request):
        note(request.size, of: request.family)
        reloadRequests.deliver(request)
      case .placed(let widgets):
        for widget in widgets {
          note(widget.size, of: widget.family)
          placedWidgets.deliver(widget)
        }
      case .language(let language): languages.yield(language)
      case .timeZone(let zone): note(zone)
      }
    }
  }
}
