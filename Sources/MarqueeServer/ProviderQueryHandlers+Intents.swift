import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire

extension ProviderQueryHandlers {
  /// Adds the methods with which displays have intents performed.
  func addIntents(to router: inout ServiceRouter) {
    router.display(DisplayService.performIntent) { first, messages, writer, _, timeLeft in
      try await perform(first, messages, writer, timeLeft)
    }
    router.serverStreaming(DisplayService.runIntent, for: .display) { request, writer, stream, timeLeft in
      try await run(request, writer, stream, timeLeft)
    }
    router.unary(DisplayService.replyToPrompt, for: .display) { request, principal in
      let replies = try hub.keyedRuns.stream(request.run, of: principal.identity, CallScope(device: request.device))
      try replies.reply(isAgreed: request.isAgreed, to: request.prompt)
      return ReplyToPromptResponse()
    }
  }

  private func perform(
    _ first: FirstMessage<PerformIntentRequest>, _ messages: MessageStream<PerformIntentRequest>,
    _ writer: ResponseWriter<PerformIntentUpdate>, _ timeLeft: Duration?
  ) async throws {
    guard case .begin(let device, let app, let run) = first.value else {
      throw RPCStatus(.failedPrecondition, "the first message must be begin")
    }
    let query: OpenQuery
    do { query = try await begin(run, of: app, on: device, timeLeft) } catch let error as RequestError {
      throw error.within("begin")
    }
    defer { query.close() }
    let replies = PromptReplies(query)
    let outcome = try await forwardUpdates(of: query, replies, writer, timeLeft) { try await replies.forward(messages) }
    try await reload(run.widget, on: device)
    try await writer.send(.outcome(outcome))
  }

  private func run(
    _ request: RunIntentRequest, _ writer: ResponseWriter<PerformIntentUpdate>, _ stream: OpenStream,
    _ timeLeft: Duration?
  ) async throws {
    let (run, device) = (request.invocation, request.device)
    let query = try await begin(run, of: request.app, on: device, timeLeft)
    defer { query.close() }
    let (key, replies) = (StreamKey.random(), PromptReplies(query))
    hub.keyedRuns.add(replies, key, of: stream.identity, CallScope(device: device))
    defer { hub.keyedRuns.remove(key) }
    // The outcome is the last update, so that no heartbeat follows it.
    let outcome = try await heartbeats.run(every: request.heartbeat, on: writer, { _ in .heartbeat }) { writer in
      try await writer.send(.begun(key))
      return try await forwardUpdates(of: query, replies, writer, timeLeft) {}
    }
    try await reload(run.widget, on: device)
    try await writer.send(.outcome(outcome))
  }

  private static func validate(_ run: IntentInvocation, _ app: AppID) throws(RequestError) {
    guard run.widget?.kind.app ?? app == app else {
      throw RequestError(.invalidArgument, field: "run.widget.kind.app", "must be the app that performs the intent")
    }
  }

  /// Sends an intent to its app.
  ///
  /// - Returns: The open query, which the caller must close.
  private func begin(
    _ run: IntentInvocation, of app: AppID, on device: DeviceID, _ timeLeft: Duration?
  ) async throws -> OpenQuery {
    try Self.validate(run, app)
    // An unknown device is reported first.
    try await runtime.read(device) { try $0.checkValues(of: run.intent, for: app, field: "run.intent") }
    return try hub.send(.run(run), to: app, on: device, timeLeft: timeLeft ?? Self.runTimeMax)
  }

  /// Forwards the steps of an intent to the display while `receive` receives the replies, and returns the outcome.
  private func forwardUpdates(
    of query: OpenQuery, _ replies: PromptReplies, _ writer: ResponseWriter<PerformIntentUpdate>,
    _ timeLeft: Duration?, _ receive: @escaping @Sendable () async throws -> Void
  ) async throws -> IntentOutcome {
    try await within(timeLeft == nil ? Self.runTimeMax : nil) {
      try await withThrowingTaskGroup(of: IntentOutcome?.self) { group in
        defer { group.cancelAll() }
        group.addTask {
          try await receive()
          return nil
        }
        group.addTask { try await Self.forwardSteps(of: query, replies, writer) }
        while let end = try await group.next() {
          if let outcome = end { return outcome }
        }
        throw CancellationError()
      }
    }
  }

  /// Forwards the steps of an intent to the display and returns the outcome.
  private static func forwardSteps(
    of query: OpenQuery, _ replies: PromptReplies, _ writer: ResponseWriter<PerformIntentUpdate>
  ) async throws -> IntentOutcome {
    let last = try await query.response { step in
      switch step {
      case .progress(let progress): try await writer.send(.progress(progress))
      case .prompt(let prompt): try await writer.send(.prompt(prompt, number: replies.promptSent()))
      default: break
      }
    }
    guard case .outcome(let outcome) = last else { throw mismatch }
    return outcome
  }

  /// Requests a new timeline for the widget that performed an intent, without charging the reload budget, like a reload
  /// requested by the user.
  private func reload(_ widget: Widget?, on device: DeviceID) async throws {
    guard let widget else { return }
    do {
      try await runtime.submit(.reported(.reload(widget)), to: device)
    } catch is RequestError {
      // The widget was removed meanwhile.
    }
  }
}
