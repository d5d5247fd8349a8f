import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire
import Synchronization

/// What displays ask of apps, and what answers it.
struct QuestionHandlers: Sendable {
  /// How long an answer about options or a form is waited for where the call has no deadline.
  private static let answerTimeMax = Duration.seconds(30)
  /// How long an intent may take where the call has no deadline.
  private static let runTimeMax = Duration.seconds(600)

  let runtime: Runtime
  let hub: QuestionHub

  func add(to router: inout ServiceRouter) {
    router.provider(ProviderService.answerQuestions) { messages, writer, stream in
      try await answer(messages, writer, stream)
    }
    router.asking(DisplayService.listParameterOptions, for: .display) { request, timeLeft in
      let (query, app) = (request.query, request.app)
      let answer = try await ask(.options(query), of: app, on: request.device, timeLeft)
      guard case .options(let options) = answer else { throw Self.mismatch }
      return ListParameterOptionsResponse(options: options.matching(query))
    }
    router.asking(DisplayService.getConfigurationForm, for: .display) { request, timeLeft in
      let form = try await form(request.query, of: request.app, on: request.device, timeLeft)
      return GetConfigurationFormResponse(form: form)
    }
    router.asking(DisplayService.configureWidget, for: .display) { request, timeLeft in
      try await configure(request, timeLeft)
    }
    router.display(DisplayService.performIntent) { messages, writer, stream, timeLeft in
      try await perform(messages, writer, stream, timeLeft)
    }
  }

  private static var mismatch: RPCStatus {
    RPCStatus(.internalError, "the provider's answer is of another kind than the question")
  }

  // MARK: Answers

  private func answer(
    _ messages: MessageStream<AnswerMessage>, _ writer: ResponseWriter<Question>, _ stream: OpenStream
  ) async throws {
    var iterator = messages.makeAsyncIterator()
    guard let first = try await iterator.next() else { return }
    guard case .attach(let device, let app) = first else {
      throw RPCStatus(.failedPrecondition, "the stream's first message must attach it")
    }
    try stream.hold(CallScope(device: device, app: app))
    try await runtime.read(device) { _ in }
    try await writer.send(.attached)
    let answerer = Answerer(writer, stream)
    hub.attach(answerer, app: app, on: device)
    defer { hub.detach(answerer, app: app, from: device) }
    while let message = try await iterator.next() {
      guard case .answer(let number, let answer) = message else {
        throw RPCStatus(.failedPrecondition, "the stream is attached already")
      }
      try answerer.take(answer, to: number)
    }
  }

  // MARK: Questions

  private func ask(
    _ subject: Question.Subject, of app: AppID, on device: DeviceID, _ timeLeft: Duration?
  ) async throws -> Answer {
    // That there is such a device is said first.
    try await runtime.read(device) { _ in }
    let question = try hub.ask(subject, of: app, on: device, timeLeft: timeLeft ?? Self.answerTimeMax)
    defer { question.close() }
    return try await Self.within(timeLeft == nil ? Self.answerTimeMax : nil) { try await question.answer() }
  }

  private func form(
    _ query: FormQuery, of app: AppID, on device: DeviceID, _ timeLeft: Duration?
  ) async throws -> ConfigurationForm {
    guard case .form(let form) = try await ask(.form(query), of: app, on: device, timeLeft) else {
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
      throw Refusal(.notFound, field: "widget", "it is not in the stack")
    }
    guard let old = widget.configuration else {
      throw Refusal(.failedPrecondition, field: "widget", "widgets of its kind are not configured")
    }
    guard old.type == request.configuration.type else {
      throw Refusal(.invalidArgument, field: "configuration.type", "another than that of the kind")
    }
    let query = FormQuery(kind: widget.kind.name, family: stack.family, configuration: request.configuration)
    let form = try await form(query, of: widget.kind.app, on: request.device, timeLeft)
    if form.problems.isEmpty {
      let configured = Widget(kind: widget.kind, configuration: form.configuration)
      try await runtime.submit(
        .stackEdited(request.stack, .replace(widget, with: configured)), to: request.device)
    }
    return ConfigureWidgetResponse(form: form, stack: try await self.stack(request.stack, on: request.device))
  }

  private func stack(_ id: StackID, on device: DeviceID) async throws -> Stack {
    guard let stack = try await runtime.read(device, { $0.stack(id) }) else {
      throw Refusal(.notFound, field: "stack", "no stack \(id)")
    }
    return stack
  }

  /// What `work` gives, or `DEADLINE_EXCEEDED` when it takes longer than `limit`.
  private static func within<Result: Sendable>(
    _ limit: Duration?, _ work: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    guard let limit else { return try await work() }
    return try await withThrowingTaskGroup { group in
      defer { group.cancelAll() }
      group.addTask { try await work() }
      group.addTask {
        try await Task.sleep(for: limit)
        throw RPCStatus(.deadlineExceeded, "the provider has not answered within \(limit.components.seconds) s")
      }
      guard let result = try await group.next() else { throw CancellationError() }
      return result
    }
  }
}

// MARK: Intents

extension QuestionHandlers {
  private func perform(
    _ messages: MessageStream<PerformIntentRequest>, _ writer: ResponseWriter<PerformIntentUpdate>,
    _ stream: OpenStream, _ timeLeft: Duration?
  ) async throws {
    var iterator = messages.makeAsyncIterator()
    guard let first = try await iterator.next() else { return }
    guard case .begin(let device, let app, let run) = first else {
      throw RPCStatus(.failedPrecondition, "the first message must say which intent to perform")
    }
    try stream.hold(CallScope(device: device))
    guard run.widget?.kind.app ?? app == app else {
      throw Refusal(.invalidArgument, field: "begin.run.widget.kind.app", "not the app that is to perform the intent")
    }
    try await runtime.read(device) { _ in }
    let question = try hub.ask(.run(run), of: app, on: device, timeLeft: timeLeft ?? Self.runTimeMax)
    defer { question.close() }
    let replies = Replies(question)
    let outcome = try await Self.within(timeLeft == nil ? Self.runTimeMax : nil) {
      try await withThrowingTaskGroup(of: IntentOutcome?.self) { group in
        defer { group.cancelAll() }
        group.addTask {
          try await replies.pass(messages)
          return nil
        }
        group.addTask { try await Self.follow(question, replies, writer) }
        while let end = try await group.next() {
          if let outcome = end { return outcome }
        }
        throw CancellationError()
      }
    }
    try await reload(run.widget, on: device)
    try await writer.send(.outcome(outcome))
  }

  /// Hands steps on until the intent is done.
  private static func follow(
    _ question: OpenQuestion, _ replies: Replies, _ writer: ResponseWriter<PerformIntentUpdate>
  ) async throws -> IntentOutcome {
    let last = try await question.answer { step in
      switch step {
      case .progress(let progress): try await writer.send(.progress(progress))
      case .prompt(let prompt):
        replies.expect()
        try await writer.send(.prompt(prompt))
      default: break
      }
    }
    guard case .outcome(let outcome) = last else { throw mismatch }
    return outcome
  }

  /// What the person did with a widget shows in it: a new timeline is asked for, at no cost, like one that the person
  /// asks for.
  private func reload(_ widget: Widget?, on device: DeviceID) async throws {
    guard let widget else { return }
    do {
      try await runtime.submit(.reported(.reload(widget)), to: device)
    } catch is Refusal {
      // The widget has gone meanwhile.
    }
  }
}

/// The person's replies to prompts, each of which is replied to once.
private final class Replies: Sendable {
  private struct State {
    var isAsked = false
    var isOver = false
  }

  private let question: OpenQuestion
  private let state = Mutex(State())

  init(_ question: OpenQuestion) { self.question = question }

  /// A prompt goes out. Where the display has said that it sends nothing more, nobody agrees.
  func expect() {
    let isOver = state.withLock { state in
      state.isAsked = !state.isOver
      return state.isOver
    }
    if isOver { question.reply(isAgreed: false) }
  }

  /// Passes the display's replies on, until it sends no more.
  func pass(_ messages: MessageStream<PerformIntentRequest>) async throws {
    for try await message in messages {
      guard case .reply(let isAgreed) = message else {
        throw RPCStatus(.failedPrecondition, "the intent has begun already")
      }
      guard state.withLock({ $0.isAsked.take() }) else {
        throw RPCStatus(.failedPrecondition, "reply: nothing was asked")
      }
      question.reply(isAgreed: isAgreed)
    }
    let isAsked = state.withLock { state in
      state.isOver = true
      return state.isAsked.take()
    }
    if isAsked { question.reply(isAgreed: false) }
  }
}

extension Bool {
  /// The value, which is `false` afterwards.
  fileprivate mutating func take() -> Bool {
    defer { self = false }
    return self
  }
}
