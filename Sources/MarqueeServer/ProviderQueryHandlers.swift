import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire

/// Handlers of the methods that relay queries from displays to providers, and the responses back.
struct ProviderQueryHandlers: Sendable {
  /// The time limit of responses with options or a form, or to a continuation, for calls without a deadline.
  static let responseTimeMax = Duration.seconds(30)
  /// The time limit of an intent for calls without a deadline.
  static let runTimeMax = Duration.seconds(600)

  let runtime: Runtime
  let hub: ProviderQueryRouter
  let displays: DisplayHub
  let widgetEvents: WidgetEventHub
  let heartbeats: Heartbeats
  /// Sleeps in real time.
  let sleep: @Sendable (Duration) async throws -> Void

  func add(to router: inout ServiceRouter) {
    router.provider(ProviderService.serveQueries) { first, messages, writer, stream in
      try await serveQueries(first, messages, writer, stream)
    }
    router.serverStreaming(ProviderService.watchQueries, for: .provider) { request, writer, stream in
      try await heartbeats.run(every: request.heartbeat, on: writer, { _ in .heartbeat }) { writer in
        try await watchQueries(request, writer, stream)
      }
    }
    router.unary(ProviderService.respondToQuery, for: .provider) { request, principal in
      try respond(request, principal.identity)
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
    addIntents(to: &router)
  }

  static var mismatch: RPCStatus {
    RPCStatus(.failedPrecondition, "the type of the provider's response does not match the query")
  }

  // MARK: Responses

  private func serveQueries(
    _ first: FirstMessage<ServeQueriesRequest>, _ messages: MessageStream<ServeQueriesRequest>,
    _ writer: ResponseWriter<ProviderQuery>, _ stream: OpenStream
  ) async throws {
    guard case .attach(let device, let app, let book) = first.value else {
      throw RPCStatus(.failedPrecondition, "the first message must be attach")
    }
    let queryStream = QueryStream(writer, stream, phrases: PhraseMatcher(book, of: app))
    try await attach(queryStream, of: app, to: device) {
      try await withThrowingTaskGroup { group in
        defer { group.cancelAll() }
        group.addTask { try await queryStream.focusFilters.send(on: writer) }
        group.addTask { try await receive(messages, on: queryStream, of: app, on: device) }
        try await group.next()
      }
    }
  }

  private func watchQueries(
    _ request: WatchQueriesRequest, _ writer: ResponseWriter<ProviderQuery>, _ stream: OpenStream
  ) async throws {
    let scope = CallScope(device: request.device, app: request.app)
    let key = StreamKey.random()
    let phrases = PhraseMatcher(request.book, of: request.app)
    let queryStream = QueryStream(writer, stream, phrases: phrases, key: key)
    hub.keyedStreams.add(queryStream, key, of: stream.identity, scope)
    try await attach(queryStream, of: request.app, to: request.device) {
      try await queryStream.focusFilters.send(on: writer)
    }
  }

  /// Attaches a stream to a device while `body` runs.
  private func attach(
    _ queryStream: QueryStream, of app: AppID, to device: DeviceID, _ body: () async throws -> Void
  ) async throws {
    // Also if there is no such device: the key is removed.
    defer { hub.detach(queryStream, app: app, from: device) }
    try await runtime.read(device) { hub.attach(queryStream, app: app, to: $0) }
    displays.scheduleLabels(.app(app), of: device)
    await hub.appNames.store(queryStream.phrases.applicationName, of: app, on: device, runtime)
    try await body()
  }

  private func respond(
    _ request: RespondToQueryRequest, _ principal: Principal.Identity
  ) throws -> RespondToQueryResponse {
    let scope = CallScope(device: request.device, app: request.app)
    let queryStream = try hub.keyedStreams.stream(request.stream, of: principal, scope)
    guard try queryStream.receive(request.response, to: request.number) else {
      throw RequestError(
        .failedPrecondition, field: "response.number", "query \(request.number) was answered or cancelled")
    }
    return RespondToQueryResponse()
  }

  /// Receives responses, and App Shortcuts that replace the present ones, until the provider closes its side of the
  /// stream.
  private func receive(
    _ messages: MessageStream<ServeQueriesRequest>, on queryStream: QueryStream, of app: AppID, on device: DeviceID
  ) async throws {
    for try await message in messages {
      switch message {
      case .response(let number, let response): try queryStream.receive(response, to: number)
      case .attach(device, app, let book):
        let name = book.applicationName
        // A device that was removed meanwhile ends the stream.
        try await runtime.read(device) { hub.renameApp(app, to: name, on: $0) }
        queryStream.replacePhrases(PhraseMatcher(book, of: app))
        displays.scheduleLabels(.app(app), of: device)
        await hub.appNames.store(name, of: app, on: device, runtime)
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
    return try await within(timeLeft == nil ? Self.responseTimeMax : nil) { try await query.response() }
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
    let (configuration, app) = (request.configuration, widget.kind.app)
    let isRegistered = try await runtime.read(request.device) { device in
      try device.checkValues(of: configuration, for: app, except: old.parameters, field: "configuration")
      return device.intentTypes(of: app).contains { $0.type == configuration.type }
    }
    let query = FormQuery(kind: widget.kind.name, family: stack.family, configuration: configuration, previous: old)
    let form = try await form(query, of: app, on: request.device, timeLeft)
    guard form.problems.isEmpty else {
      return ConfigureWidgetResponse(form: form, stack: try await self.stack(request.stack, on: request.device))
    }
    if isRegistered {
      var hidden = form.hiddenParameters(configuration, changedFrom: old)
      if !hidden.isEmpty {
        // The form can show other parameters for other values.
        let query = FormQuery(kind: widget.kind.name, family: stack.family, configuration: old)
        let present = try await self.form(query, of: app, on: request.device, timeLeft)
        hidden.removeAll { name in present.fields.contains { $0.name == name } }
      }
      guard hidden.isEmpty else {
        throw RequestError(
          .invalidArgument, field: "configuration.parameters.\(hidden[0])", "not a field of the form")
      }
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
  func within<Result: Sendable>(
    _ limit: Duration?, _ work: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    guard let limit else { return try await work() }
    return try await withThrowingTaskGroup { [sleep] group in
      defer { group.cancelAll() }
      group.addTask { try await work() }
      group.addTask {
        try await sleep(limit)
        throw RPCStatus(.deadlineExceeded, "no response from the provider within \(limit.components.seconds) s")
      }
      guard let result = try await group.next() else { throw CancellationError() }
      return result
    }
  }
}

extension ConfigurationForm {
  /// Returns the changed parameters that are not fields of the form.
  fileprivate func hiddenParameters(_ new: Intent, changedFrom old: Intent) -> [IntentParameter.Name] {
    new.parameters.filter { !old.parameters.contains($0) }.map(\.name)
      .filter { name in !fields.contains { $0.name == name } }
  }
}
