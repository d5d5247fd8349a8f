public import MarqueeModel
import MarqueeRPC
public import MarqueeTransport
import MarqueeWire
import Synchronization

/// Speaks for one app on one device: registers its widget kinds, publishes timelines, and is asked for more.
///
/// ``run()`` does the work, or ``run(_:device:app:kinds:reconnection:_:)`` does it around a closure. While it runs,
/// the provider stays connected: when a connection is lost it makes another, registers and attaches again, and
/// publishes once more what was not acknowledged. That is safe, since a timeline replaces the one before it (rule
/// T1).
public final class ProviderClient: Sendable {
  /// Timelines that wait for their acknowledgement at once.
  public static let publicationCountMax = ProviderQueue.publicationCountMax

  /// Reload requests as they come (rule T8): the answer to each is a timeline for its widget.
  ///
  /// It ends when the provider stops or the task that reads it is cancelled. Of a widget asked for twice before the
  /// first request was read, the later request stays.
  public let reloadRequests = WidgetQueue<ReloadRequest>(\.widget)
  /// The app's widgets that are to be seen on the device, for who publishes timelines without being asked: whenever a
  /// stream is attached, all of them; later those on a stack that has changed.
  ///
  /// It ends as ``reloadRequests`` does. Of a widget that has several places, the one told last is known before it is
  /// read.
  public let placedWidgets = WidgetQueue<PlacedWidget>(\.widget)
  /// That a stream was attached; of several times before one was read, one stays. It ends when the provider stops.
  package let attachments: AsyncStream<Void>
  private let attached: AsyncStream<Void>.Continuation
  let connection: RPCClient
  let registration: RegisterKindsRequest
  private let typeRegistration: RegisterIntentTypesRequest
  let reconnection: Reconnection
  private let queue = ProviderQueue()
  /// What answers displays, if anything does.
  private let answering: (any QuestionAnswering)?
  /// Whether the server has had the kinds once, so that what refers to them can be understood.
  private let isRegistered = Mutex(false)
  /// How long a call may take whose answer the caller waits for.
  let callOptions: CallOptions

  /// A provider that does nothing until it runs; refuses a kind or an intent type that comes twice or is another
  /// app's. While it runs, what displays ask of the app goes to `answering`.
  public init(
    _ connection: RPCClient, device: DeviceID, app: AppID, kinds: [WidgetDescriptor],
    intentTypes: [IntentTypeDescriptor] = [], reconnection: Reconnection = Reconnection(),
    callTimeMax: Duration = .seconds(30), answering: (any QuestionAnswering)? = nil
  ) throws(Refusal) {
    self.connection = connection
    self.answering = answering
    callOptions = CallOptions(timeout: callTimeMax)
    self.reconnection = reconnection
    (attachments, attached) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    registration = try RegisterKindsRequest(device: device, app: app, kinds: kinds)
    typeRegistration = try RegisterIntentTypesRequest(device: device, app: app, intentTypes: intentTypes)
  }

  /// Runs a provider while `body` runs, and gives what `body` gives.
  ///
  /// When the server refuses the provider, `body` is cancelled and the server's ``RPCStatus`` thrown.
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

  /// Stays connected until the task is cancelled, then returns.
  ///
  /// Throws ``RPCStatus`` when the server refuses the kinds or the provider itself, so that trying again cannot help,
  /// and when the connection was closed on this side.
  /// To be called once: a provider that has stopped takes no more timelines.
  public func run() async throws {
    do {
      try await stayConnected()
      stop(RPCStatus(.cancelled, "the provider has stopped"))
    } catch {
      stop(error)
      throw error
    }
  }

  /// Replaces the widget's timeline, and returns once the new one is durable and in force, with what the server finds
  /// remarkable in it.
  ///
  /// It waits for as long as there is no server. A refused timeline changes nothing and is thrown as ``RPCStatus``;
  /// so is, with `RESOURCE_EXHAUSTED`, one more than ``publicationCountMax`` that wait, one with an entry too large
  /// for any message, and one over which three streams have ended so. When the task is cancelled, the timeline is
  /// withdrawn unless the server has it whole already.
  @discardableResult
  public func publish(
    _ entries: [TimelineEntry], policy: TimelineReloadPolicy = .atEnd, for widget: Widget
  ) async throws -> [LintWarning] {
    for (index, entry) in entries.enumerated() {
      let size = entry.content.bytes.count
      guard size <= TimelinePieces.contentSizeMax else {
        throw RPCStatus(
          .resourceExhausted,
          "entries[\(index)].content: content-size-max is \(TimelinePieces.contentSizeMax) here, this has \(size) bytes"
        )
      }
    }
    return try await queue.publish(TimelinePieces(widget: widget, policy: policy, entries: entries))
  }

  /// Describes intent types of the app's, or describes them anew; durable when it returns. Gives what the server finds
  /// remarkable in them.
  ///
  /// Like ``setRelevantShortcuts(_:)``, ``setRelevantIntents(_:)``: one call, with or without ``run()``, that throws
  /// ``RPCStatus`` when it is refused, and `UNAVAILABLE` at once when no server answers. Nothing of it is repeated on
  /// another connection.
  @discardableResult
  public func registerIntentTypes(_ intentTypes: [IntentTypeDescriptor]) async throws -> [LintWarning] {
    let request = try RegisterIntentTypesRequest(
      device: registration.device, app: registration.app, intentTypes: intentTypes)
    return try await connection.unary(ProviderService.registerIntentTypes, request, options: callOptions).warnings
  }

  /// Replaces all relevant shortcuts of the app, and returns once they are durable and in force; one that is left out
  /// ends at once (rule S1). A refusal leaves the old ones.
  @discardableResult
  public func setRelevantShortcuts(_ shortcuts: [RelevantShortcut]) async throws -> [LintWarning] {
    try await registerOnce()
    let request = SetRelevantShortcutsRequest(
      device: registration.device, app: registration.app, shortcuts: shortcuts)
    return try await connection.unary(ProviderService.setRelevantShortcuts, request, options: callOptions).warnings
  }

  /// Replaces all relevant intents of the app, as ``setRelevantShortcuts(_:)`` does shortcuts; the two sets are
  /// separate (rule S7).
  @discardableResult
  public func setRelevantIntents(_ intents: [RelevantIntent]) async throws -> [LintWarning] {
    try await registerOnce()
    let request = SetRelevantIntentsRequest(device: registration.device, app: registration.app, intents: intents)
    return try await connection.unary(ProviderService.setRelevantIntents, request, options: callOptions).warnings
  }

  /// Replaces what the app has for the person to play next, and returns once that is durable and in force (rule D7). A
  /// refusal leaves the old list. What is played is told by donating it.
  public func setUpcomingMedia(_ media: UpcomingMedia) async throws {
    let request = SetUpcomingMediaRequest(device: registration.device, app: registration.app, media: media)
    _ = try await connection.unary(ProviderService.setUpcomingMedia, request, options: callOptions)
  }

  /// Where the app's widgets are to be seen on the device: stack by stack, then on the Home Screen outside stacks.
  public func listPlacedWidgets() async throws -> [PlacedWidget] {
    let request = ListPlacedWidgetsRequest(device: registration.device, app: registration.app)
    return try await connection.unary(ProviderService.listPlacedWidgets, request, options: callOptions).widgets
  }

  /// Tells the server that there is new data for a kind, or for all of the app's kinds: the provider that runs is
  /// asked for timelines, as the budget allows (rule T9). Durable when it returns.
  public func requestReload(_ kind: KindName? = nil) async throws {
    let request = RequestReloadRequest(device: registration.device, app: registration.app, kind: kind)
    _ = try await connection.unary(ProviderService.requestReload, request, options: callOptions)
  }

  /// Registers the kinds unless that has been done, by ``run()`` or here.
  private func registerOnce() async throws {
    guard !isRegistered.withLock(\.self) else { return }
    _ = try await connection.unary(ProviderService.registerKinds, registration, options: callOptions)
    isRegistered.withLock { $0 = true }
  }

  private func stop(_ error: any Error) {
    queue.stop(error)
    reloadRequests.finish()
    placedWidgets.finish()
    attached.finish()
  }

  private func stayConnected() async throws {
    var failedAttempts = 0
    while !Task.isCancelled {
      var isRegistered = false
      do {
        _ = try await connection.unary(
          ProviderService.registerKinds, registration, options: CallOptions(waitsForReady: true))
        if !typeRegistration.intentTypes.isEmpty {
          _ = try await connection.unary(
            ProviderService.registerIntentTypes, typeRegistration, options: CallOptions(waitsForReady: true))
        }
        isRegistered = true
        self.isRegistered.withLock { $0 = true }
        try await serve { failedAttempts = 0 }
      } catch let status as RPCStatus
        where isRegistered ? connection.mayReopen(after: status) : connection.mayRetry(status)
      {
        // Connected anew below.
        if isRegistered, status.code == .resourceExhausted { queue.streamIsExhausted(status) }
      } catch is CancellationError {
        return
      }
      failedAttempts += 1
      // Only cancellation ends a pause early, and the loop's condition sees that.
      try? await reconnection.pause(after: failedAttempts)
    }
  }

  /// One stream, from attaching to its end.
  private func serve(attached: () -> Void) async throws {
    let call = try await connection.bidirectional(ProviderService.provide, options: CallOptions(waitsForReady: true))
    try await call.send(.attach(registration.device, registration.app))
    var events = call.responses.makeAsyncIterator()
    guard try await events.next() == .attached else {
      throw RPCStatus(.internalError, "the server's first event is not that the stream is attached")
    }
    attached()
    self.attached.yield()
    queue.restart()
    try await withThrowingTaskGroup { group in
      defer { group.cancelAll() }
      group.addTask { try await self.send(on: call) }
      group.addTask { try await self.receive(call.responses) }
      if let answering {
        group.addTask {
          let desk = QuestionDesk(answering)
          try await desk.answer(on: self.connection, self.registration.device, self.registration.app)
        }
      }
      try await group.next()
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

  private func receive(_ events: MessageStream<ProviderEvent>) async throws {
    for try await event in events {
      switch event {
      case .attached: break
      case .accepted(let id, let warnings): queue.answered(id, .success(warnings))
      case .refused(let id, let code, let message): queue.answered(id, .failure(RPCStatus(code, message)))
      case .reload(let request): reloadRequests.deliver(request)
      case .placed(let widgets): for widget in widgets { placedWidgets.deliver(widget) }
      }
    }
  }
}
