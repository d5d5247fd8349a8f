import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire

/// A process of an app that serves queries and performs Focus filters, on streams of either form (rules S8, S11).
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class SimulatedQueryApp: SimulatedClient, @unchecked Sendable {
  /// An intent that the app is performing.
  private struct Run {
    let number: Int
    var replies: [Bool] = []
    var isPrompted = false
  }

  /// A query stream.
  ///
  /// `@unchecked Sendable`: accessed only on the world's thread.
  private final class QueryStream: @unchecked Sendable {
    let respond: (StreamKey?, UInt64, QueryResponse) async throws -> Void
    let isKeyed: Bool
    var key: StreamKey?
    var isAttached = false
    var isOver = false
    var lastNumber: UInt64 = 0
    var runs: [UInt64: Run] = [:]

    init(isKeyed: Bool, _ respond: @escaping (StreamKey?, UInt64, QueryResponse) async throws -> Void) {
      self.isKeyed = isKeyed
      self.respond = respond
    }
  }

  let app: AppID
  /// Whether a stream is attached.
  private(set) var isAttached = false
  /// The states of the Focus filters that the app has performed last.
  private var filters: [IntentType: FocusFilterState] = [:]

  init(_ context: SimulationContext, _ device: DeviceID, _ app: AppID) {
    self.app = app
    super.init(context, device)
  }

  /// Serves queries until its task is cancelled.
  func serve() async {
    while !Task.isCancelled {
      if callProtocol.isDuplex, world.once(in: 2) {
        await attempt("serve queries") { try await serveOnStream() }
      } else {
        await attempt("watch queries") { try await serveOnCalls() }
      }
      isAttached = false
      await pause(1...5)
    }
  }

  private func serveOnStream() async throws {
    let call = try await connection.bidirectional(ProviderService.serveQueries)
    defer { call.cancel() }
    try await call.send(.attach(device, app))
    let stream = QueryStream(isKeyed: false) { _, number, response in
      try await call.send(.response(number, response))
    }
    try await receive(call, on: stream)
  }

  private func serveOnCalls() async throws {
    let request = WatchQueriesRequest(device: device, app: app)
    let call = try await connection.serverStreaming(ProviderService.watchQueries, request)
    defer { call.cancel() }
    let stream = QueryStream(isKeyed: true) { [self] key, number, response in
      guard let key else { return find("a query before the stream's key") }
      let request = RespondToQueryRequest(device: device, app: app, stream: key, number: number, response: response)
      _ = try await connection.unary(ProviderService.respondToQuery, request)
    }
    try await receive(call, on: stream)
  }

  private func find(_ violation: String) { context.find("\(app) on \(device): \(violation)") }

  // MARK: Queries

  private func receive<Request>(_ call: ClientCall<Request, ProviderQuery>, on stream: QueryStream) async throws {
    defer { stream.isOver = true }
    for try await query in call.responses {
      switch query {
      case .attached(let key):
        if stream.isAttached || (key != nil) != stream.isKeyed { find("attached repeatedly or in another form") }
        (stream.key, stream.isAttached, isAttached) = (key, true, true)
      case _ where !stream.isAttached: find("\(query) before the attachment")
      case .asked(let number, let subject, _):
        if number <= stream.lastNumber { find("query \(number) after \(stream.lastNumber)") }
        stream.lastNumber = number
        begin(subject, number, on: stream) { call.cancel() }
      case .reply(let number, let isAgreed):
        guard reply(isAgreed, to: number, on: stream) else { break }
        world.start { await self.perform(number, on: stream) { call.cancel() } }
      case .cancelled(let number): stream.runs[number] = nil
      case .focusFilter(let state): performFilter(state)
      case .heartbeat: find("a heartbeat that was not requested")
      }
    }
  }

  private func begin(
    _ subject: ProviderQuery.Subject, _ number: UInt64, on stream: QueryStream, _ end: @escaping @Sendable () -> Void
  ) {
    switch subject {
    case .run(let invocation):
      guard let run = context.begin(invocation, for: app, on: device) else { return }
      stream.runs[number] = Run(number: run)
      world.start { await self.perform(number, on: stream, end) }
    case .continuation:
      let outcome = world.once(in: 2) ? ContinuationOutcome.handled : .notHandled
      world.start { await self.respond(.continued(outcome), to: number, on: stream, end) }
    case .options, .form: find("\(subject) without a question")
    }
  }

  /// Performs the next steps of an intent, up to a prompt or its end.
  private func perform(_ number: UInt64, on stream: QueryStream, _ end: @escaping @Sendable () -> Void) async {
    await pause(0...3)
    guard let run = stream.runs[number], !stream.isOver else { return }
    switch world.number(0...3) {
    case 0:
      let progress = IntentProgress(completedUnitCount: Int64(run.replies.count), totalUnitCount: 10)
      await respond(.progress(progress), to: number, on: stream, end)
      await perform(number, on: stream, end)
    case 1, 2:
      stream.runs[number]?.isPrompted = true
      await respond(.prompt(IntentPrompt(.confirmation)), to: number, on: stream, end)
    default:
      stream.runs[number] = nil
      let dialog = SimulatedIntent.dialog(of: run.number, run.replies)
      await respond(.outcome(IntentOutcome(dialog: dialog)), to: number, on: stream, end)
    }
  }

  /// Sends a response. If it cannot be sent, the app ends the stream, and with it its queries.
  private func respond(
    _ response: QueryResponse, to number: UInt64, on stream: QueryStream, _ end: @Sendable () -> Void
  ) async {
    guard !stream.isOver else { return }
    let isSent = await attempt("respond to a query") { try await stream.respond(stream.key, number, response) }
    if !isSent { end() }
  }

  /// Applies the user's reply to a prompt.
  ///
  /// - Returns: Whether the intent is performed further.
  private func reply(_ isAgreed: Bool, to number: UInt64, on stream: QueryStream) -> Bool {
    // A reply can arrive after the response that ended the intent was sent, but only to a prompt.
    guard let run = stream.runs[number] else { return false }
    let prompt = run.replies.count + 1
    if !run.isPrompted { find("a reply to intent \(run.number) without a prompt") }
    if isAgreed != SimulatedIntent.agrees(run.number, prompt) {
      find("the reply \(isAgreed) to prompt \(prompt) of intent \(run.number)")
    }
    stream.runs[number]?.replies.append(isAgreed)
    stream.runs[number]?.isPrompted = false
    return true
  }

  // MARK: Focus filters

  private func performFilter(_ state: FocusFilterState) {
    filters[state.intentType] = state
    guard let intent = state.intent else { return }
    guard case .single(.integer(let number))? = intent.parameters.first?.value,
      context.ledger.sent[device]?.contains(.focusFilter(Int(number))) == true
    else { return find("a Focus filter that was never set: \(intent)") }
  }

  /// Returns how the performed Focus filters differ from those of the device, if they do.
  func flaw(_ states: [FocusFilterState]) -> String? {
    let flaws = states.filter { $0.intent != filters[$0.intentType]?.intent }
    return flaws.isEmpty ? nil : "\(app) on \(device) has performed \(filters), not \(flaws)"
  }
}
