import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire
import Synchronization

/// Handlers of the methods that relay queries from displays to providers, and the responses back.
struct ProviderQueryHandlers: Sendable {
  /// The time limit of responses with options or a form, or to a continuation, for calls without a deadline.
  static let responseTimeMax = Duration.seconds(30)
  /// The time limit of an intent for calls without a deadline.
  private static let runTimeMax = Duration.seconds(600)

  let runtime: Runtime
  let hub: ProviderQueryRouter
  let widgetEvents: WidgetEventHub

  func add(to router: inout ServiceRouter) {
    router.provider(ProviderService.serveQueries) { messages, writer, stream in
      try await serveQueries(messages, writer, stream)
    }
    router.unaryWithDeadline(DisplayService.listParameterOptions, for: .display) { request, timeLeft in
      let (query, app) = (request.query, request.app)
      let response = try await send(.options(query), to: app, on: request.device, timeLeft)
      guard case .options(let options) = response else { throw Self.mismatch }
      return ListParameterOptionsResponse(options: options.matching(query))
    }
    router.unaryWithDeadline(DisplayService.getConfigurationForm, for: .display) { request, timeLeft in
      let form = try await form(request.query, of: request.app, on: request.device, timeLeft)
      return GetConfigurationFormResponse(form: form)
    }
    router.unaryWithDeadline(DisplayService.configureWidget, for: .display) { request, timeLeft in
      try await configure(request, timeLeft)
    }
    router.unaryWithDeadline(DisplayService.continueInApp, for: .display) { request, timeLeft in
      try await continueInApp(request, timeLeft)
    }
    router.display(DisplayService.performIntent) { messages, writer, stream, timeLeft in
      try await perform(messages, writer, stream, timeLeft)
    }
  }

  static var mismatch: RPCStatus {
    RPCStatus(.failedPrecondition, "the type of the provider's response does not match the query")
  }

  // MARK: Responses

  private func serveQueries(
    _ messages: MessageStream<ServeQueriesRequest>, _ writer: ResponseWriter<ProviderQuery>, _ stream: OpenStream
  ) async throws {
    var iterator = messages.makeAsyncIterator()
    guard let first = try await iterator.next() else { return }
    guard case .attach(let device, let app, let book) = first else {
      throw RPCStatus(.failedPrecondition, "the first message must be attach")
    }
    try stream.authorize(CallScope(device: device, app: app))
    let queryStream = QueryStream(writer, stream, phrases: PhraseMatcher(book, of: app))
    try await runtime.read(device) { hub.attach(queryStream, app: app, to: $0) }
    defer { hub.detach(queryStream, app: app, from: device) }
    try await withThrowingTaskGroup { group in
      defer { group.cancelAll() }
      group.addTask { try await queryStream.focusFilters.send(on: writer) }
      group.addTask { try await Self.receive(messages, on: queryStream, of: app, on: device) }
      try await group.next()
    }
  }

  /// Receives responses, and App Shortcuts that replace the present ones, until the provider closes its side of the
  /// stream.
  private static func receive(
    _ messages: MessageStream<ServeQueriesRequest>, on queryStream: QueryStream, of app: AppID, on device: DeviceID
  ) async throws {
    for try await message in messages {
      switch message {
      case .response(let number, let response): try queryStream.receive(response, to: number)
      case .attach(device, app, let book): queryStream.replacePhrases(PhraseMatcher(book, of: app))
      case .attach: throw RPCStatus(.failedPrecondition, "the stream is already attached to another app")
      }
    }
  }

  // MARK: Queries

  func send(
    _ subject: ProviderQuery.Subject, to app: AppID, on device: DeviceID, _ timeLeft: Duration?
  ) async throws -> QueryResponse {
    // An unknown device is reported first.
    try await runtime.requireDevice(device)
    let query = try hub.send(subject, to: app, on: device, timeLeft: timeLeft ?? Self.responseTimeMax)
    defer { query.close() }
    return try await Self.within(timeLeft == nil ? Self.responseTimeMax : nil) { try await query.response() }
  }

  private func form(
    _ query: FormQuery, of app: AppID, on device: DeviceID, _ timeLeft: Duration?
  ) async throws -> ConfigurationForm {
    guard case .form(let form) = try await send(.form(query), to: app, on: device, timeLeft) else {
      throw Self.mismatch
    }
    return form
  }

  private func configure(
    _ request: ConfigureWidgetRequest, _ timeLeft: Duration?
  ) async throws -> ConfigureWidgetResponse {
    let widget = request.widget
    let stack = try await stack(request.stack, on: request.device)
    guard stack.members.contains(widget) else {
      throw RequestError(.notFound, field: "widget", "no such widget in the stack")
    }
    guard let old = widget.configuration else {
      throw RequestError(.failedPrecondition, field: "widget", "the widget's kind is not configurable")
    }
    guard old.type == request.configuration.type else {
      throw RequestError(.invalidArgument, field: "configuration.type", "must be the intent type of the widget's kind")
    }
    let query = FormQuery(
      kind: widget.kind.name, family: stack.family, configuration: request.configuration, previous: old)
    let form = try await form(query, of: widget.kind.app, on: request.device, timeLeft)
    guard form.problems.isEmpty else {
      return ConfigureWidgetResponse(form: form, stack: try await self.stack(request.stack, on: request.device))
    }
    let configured = Widget(kind: widget.kind, configuration: form.configuration)
    let event = Event.stackEdited(request.stack, .replace(widget, with: configured))
    let replaced = try await runtime.submitAndRead(event, to: request.device) { $0.stack(request.stack) }
    return ConfigureWidgetResponse(form: form, stack: try Self.required(replaced, request.stack))
  }

  private func stack(_ id: StackID, on device: DeviceID) async throws -> Stack {
    try Self.required(try await runtime.read(device) { $0.stack(id) }, id)
  }

  private static func required(_ stack: Stack?, _ id: StackID) throws(RequestError) -> Stack {
    guard let stack else { throw RequestError(.notFound, field: "stack", "no stack \(id)") }
    return stack
  }

  /// Returns the result of `work`; throws `DEADLINE_EXCEEDED` if it takes longer than `limit`.
  static func within<Result: Sendable>(
    _ limit: Duration?, _ work: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    guard let limit else { return try await work() }
    return try await withThrowingTaskGroup { group in
      defer { group.cancelAll() }
      group.addTask { try await work() }
      group.addTask {
        try await Task.sleep(for: limit)
        throw RPCStatus(.deadlineExceeded, "no response from the provider within \(limit.components.seconds) s")
      }
      guard let result = try await group.next() else { throw CancellationError() }
      return result
    }
  }
}

// MARK: Intents

extension ProviderQueryHandlers {
  private func perform(
    _ messages: MessageStream<PerformIntentRequest>, _ writer: ResponseWriter<PerformIntentUpdate>,
    _ stream: OpenStream, _ timeLeft: Duration?
  ) async throws {
    var iterator = messages.makeAsyncIterator()
    guard let first = try await iterator.next() else { return }
    guard case .begin(let device, let app, let run) = first else {
      throw RPCStatus(.failedPrecondition, "the first message must be begin")
    }
    try stream.authorize(CallScope(device: device))
    guard run.widget?.kind.app ?? app == app else {
      throw RequestError(
        .invalidArgument, field: "begin.run.widget.kind.app", "must be the app that performs the intent")
    }
    try await runtime.requireDevice(device)
    let query = try hub.send(.run(run), to: app, on: device, timeLeft: timeLeft ?? Self.runTimeMax)
    defer { query.close() }
    let replies = PromptReplies(query)
    let outcome = try await Self.within(timeLeft == nil ? Self.runTimeMax : nil) {
      try await withThrowingTaskGroup(of: IntentOutcome?.self) { group in
        defer { group.cancelAll() }
        group.addTask {
          try await replies.forward(messages)
          return nil
        }
        group.addTask { try await Self.forwardSteps(of: query, replies, writer) }
        while let end = try await group.next() {
          if let outcome = end { return outcome }
        }
        throw CancellationError()
      }
    }
    try await reload(run.widget, on: device)
    try await writer.send(.outcome(outcome))
  }

  /// Forwards the steps of an intent to the display and returns the outcome.
  private static func forwardSteps(
    of query: OpenQuery, _ replies: PromptReplies, _ writer: ResponseWriter<PerformIntentUpdate>
  ) async throws -> IntentOutcome {
    let last = try await query.response { step in
      switch step {
      case .progress(let progress): try await writer.send(.progress(progress))
      case .prompt(let prompt):
        replies.promptSent()
        try await writer.send(.prompt(prompt))
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

/// Forwards the user's replies to prompts, one per prompt.
private final class PromptReplies: Sendable {
  private struct State {
    var isPrompted = false
    var isClosed = false
  }

  private let query: OpenQuery
  private let state = Mutex(State())

  init(_ query: OpenQuery) { self.query = query }

  /// Expects a reply to a prompt. If the display has closed its side of the stream, the prompt is declined.
  func promptSent() {
    let isClosed = state.withLock { state in
      state.isPrompted = !state.isClosed
      return state.isClosed
    }
    if isClosed { query.reply(isAgreed: false) }
  }

  /// Forwards the display's replies until it closes its side of the stream.
  func forward(_ messages: MessageStream<PerformIntentRequest>) async throws {
    for try await message in messages {
      guard case .reply(let isAgreed) = message else {
        throw RPCStatus(.failedPrecondition, "the intent has already begun")
      }
      guard state.withLock({ $0.isPrompted.consume() }) else {
        throw RPCStatus(.failedPrecondition, "reply: no prompt is open")
      }
      query.reply(isAgreed: isAgreed)
    }
    let isPrompted = state.withLock { state in
      state.isClosed = true
      return state.isPrompted.consume()
    }
    if isPrompted { query.reply(isAgreed: false) }
  }
}

extension Bool {
  /// Returns the value and sets it to `false`.
  fileprivate mutating func consume() -> Bool {
    defer { self = false }
    return self
  }
}
