import MarqueeModel
import MarqueeRPC
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire
import Synchronization

/// The attached query streams of providers, by device and app.
///
/// Queries are not stored: a display waits for the response, and retries if there is none.
final class ProviderQueryRouter: Sendable {
  /// The streams whose queries apps respond to by unary calls.
  let keyedStreams = KeyedStreams<QueryStream>("stream")
  /// The intents whose prompts displays reply to by unary calls.
  let keyedRuns = KeyedStreams<PromptReplies>("run")
  /// The names of the apps.
  let appNames: AppNames
  private let queryStreams = Mutex<[DeviceID: [AppID: InsertionOrderedSet<QueryStream>]]>([:])

  init(appNames: AppNames = AppNames()) {
    self.appNames = appNames
  }

  /// Attaches a stream, and confirms it to the provider before the first query. The present states of the app's Focus
  /// filters follow.
  ///
  /// Called on the device's shard, so that no change of a filter is lost.
  func attach(_ queryStream: QueryStream, app: AppID, to device: Device) {
    queryStreams.withLock { all in
      // Under the lock, so that a query that is made after the confirmation has arrived finds the stream.
      queryStream.confirmAttachment()
      queryStream.focusFilters.add(device.initialFocusFilterStates(of: app))
      all[device.id]?[app]?.last?.focusFilters.setLatestStream(false)
      all[device.id, default: [:]][app, default: InsertionOrderedSet()].append(queryStream)
      queryStream.focusFilters.setLatestStream(true)
      let apps = Set(all[device.id, default: [:]].keys)
      appNames.note(queryStream.phrases.applicationName, of: app, on: device, serving: apps)
    }
  }

  /// Notes another name of an app that serves queries already. Called on the device's shard.
  func renameApp(_ app: AppID, to name: String, on device: Device) {
    let apps = queryStreams.withLock { Set($0[device.id, default: [:]].keys) }
    appNames.note(name, of: app, on: device, serving: apps)
  }

  /// Detaches a stream and fails its open queries. Its key is invalid before they fail.
  func detach(_ queryStream: QueryStream, app: AppID, from device: DeviceID) {
    if let key = queryStream.key { keyedStreams.remove(key) }
    queryStreams.withLock { all in
      all[device]?[app]?.remove(queryStream)
      all[device]?[app]?.last?.focusFilters.setLatestStream(true)
      if all[device]?[app]?.isEmpty == true { all[device]?[app] = nil }
      if all[device]?.isEmpty == true { all[device] = nil }
    }
    queryStream.end()
  }

  /// Sends a query to the most recently attached stream of an app.
  ///
  /// - Returns: The open query, which the caller must close.
  /// - Throws: `UNAVAILABLE` if no stream is attached, and `RESOURCE_EXHAUSTED` if too many queries are open, or the
  ///   provider does not read them.
  func send(
    _ subject: ProviderQuery.Subject, to app: AppID, on device: DeviceID, timeLeft: Duration
  ) throws(RPCStatus) -> OpenQuery {
    guard let queryStream = queryStreams.withLock({ $0[device]?[app]?.last }) else {
      throw RPCStatus(.unavailable, "no provider of \(app) serves queries on this device")
    }
    return try queryStream.open(subject, timeLeft: timeLeft)
  }

  /// Sends the changed Focus filters among `actions` to the apps that serve queries (rule S11).
  func broadcast(_ actions: [Action], of device: DeviceID) {
    for action in actions {
      guard case .performFocusFilter(let app, let state) = action.order else { continue }
      for stream in queryStreams.withLock({ $0[device]?[app]?.members ?? [] }) { stream.focusFilters.add([state]) }
    }
  }

  /// Returns the most recently attached stream of each app that serves queries on a device, in no particular order.
  func latestStreams(on device: DeviceID) -> [QueryStream] {
    queryStreams.withLock { $0[device]?.values.compactMap(\.last) ?? [] }
  }
}

/// A provider's stream that serves queries.
final class QueryStream: Sendable {
  /// The maximum number of unanswered queries on one stream.
  static let queryCountMax = 64

  private struct State {
    var lastNumber: UInt64 = 0
    var open: [UInt64: OpenQuery] = [:]
    var isClosed = false
    var phrases: PhraseMatcher
  }

  /// The Focus filters to be sent.
  let focusFilters = FocusFilterQueue()
  private let writer: ResponseWriter<ProviderQuery>
  private let stream: OpenStream
  /// The key with which the app responds by unary calls; `nil` if it responds on the stream.
  let key: StreamKey?
  private let state: Mutex<State>

  init(
    _ writer: ResponseWriter<ProviderQuery>, _ stream: OpenStream, phrases: PhraseMatcher, key: StreamKey? = nil
  ) {
    state = Mutex(State(phrases: phrases))
    self.writer = writer
    self.stream = stream
    self.key = key
  }

  /// The phrases of the app's App Shortcuts.
  var phrases: PhraseMatcher { state.withLock(\.phrases) }

  /// Replaces the phrases of the app's App Shortcuts, and confirms it to the provider.
  func replacePhrases(_ phrases: PhraseMatcher) {
    state.withLock { $0.phrases = phrases }
    confirmAttachment()
  }

  fileprivate func confirmAttachment() { send(.attached(key)) }

  /// Sends a query on this stream, like ``ProviderQueryRouter/send(_:to:on:timeLeft:)``.
  func open(_ subject: ProviderQuery.Subject, timeLeft: Duration) throws(RPCStatus) -> OpenQuery {
    let query = try state.withLock { (state) throws(RPCStatus) in
      guard !state.isClosed else { throw Self.detached }
      guard state.open.count < Self.queryCountMax else {
        throw RPCStatus(
          .resourceExhausted, "too many unanswered queries (query-count-max: \(Self.queryCountMax))")
      }
      state.lastNumber += 1
      let query = OpenQuery(state.lastNumber, self)
      state.open[query.number] = query
      return query
    }
    // Only this query fails, because a large one does not fit while small ones still do.
    guard writer.offer(.asked(query.number, subject, timeLeft: TimeSpan(timeLeft))) else {
      state.withLock { _ = $0.open.removeValue(forKey: query.number) }
      throw RPCStatus(
        .resourceExhausted, "too many unsent bytes (stream-backlog-size-max): the provider does not read its queries")
    }
    return query
  }

  /// Delivers a response to its query, or drops it if the query is closed; throws if no query has that number.
  ///
  /// - Returns: Whether the query was open.
  @discardableResult
  func receive(_ response: QueryResponse, to number: UInt64) throws(RPCStatus) -> Bool {
    let query = try state.withLock { (state) throws(RPCStatus) -> OpenQuery? in
      guard (1...max(1, state.lastNumber)).contains(number), state.lastNumber > 0 else {
        throw RPCStatus(.invalidArgument, field: "response.number", "no query \(number)")
      }
      return response.isStep ? state.open[number] : state.open.removeValue(forKey: number)
    }
    query?.deliver(response)
    return query != nil
  }

  /// Sends a reply to the prompt of a query.
  ///
  /// - Returns: Whether the query was open.
  fileprivate func reply(to number: UInt64, isAgreed: Bool) -> Bool {
    guard state.withLock({ $0.open[number] != nil }) else { return false }
    send(.reply(number, isAgreed: isAgreed))
    return true
  }

  /// Closes a query; if it is unanswered, the provider is notified of the cancellation.
  fileprivate func close(_ number: UInt64) {
    guard state.withLock({ $0.open.removeValue(forKey: number) }) != nil else { return }
    send(.cancelled(number))
  }

  /// Fails every open query, since the stream has ended.
  fileprivate func end() {
    let open = state.withLock { state in
      state.isClosed = true
      defer { state.open = [:] }
      return state.open
    }
    for query in open.values { query.deliver(.rejected(Self.detached.code, message: Self.detached.message)) }
  }

  private func send(_ query: ProviderQuery) {
    guard !writer.offer(query) else { return }
    stream.end(
      RPCStatus(
        .resourceExhausted,
        "too many unsent bytes (stream-backlog-size-max): the provider does not keep up; attach again"))
  }

  private static var detached: RPCStatus { RPCStatus(.unavailable, "the provider disconnected before responding") }
}

/// A query that is neither answered nor closed.
final class OpenQuery: Sendable {
  private struct Pending {
    /// The latest progress, which supersedes earlier ones.
    var progress: IntentProgress?
    var prompt: IntentPrompt?
    var response: QueryResponse?

    mutating func next() -> QueryResponse? {
      if let progress = progress.take() { return .progress(progress) }
      if let prompt = prompt.take() { return .prompt(prompt) }
      return response.take()
    }
  }

  let number: UInt64
  private let queryStream: QueryStream
  private let pending = Mutex(Pending())
  private let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  fileprivate init(_ number: UInt64, _ queryStream: QueryStream) {
    self.number = number
    self.queryStream = queryStream
    (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  fileprivate func deliver(_ response: QueryResponse) {
    pending.withLock { pending in
      switch response {
      case .progress(let progress): pending.progress = progress
      case .prompt(let prompt): pending.prompt = prompt
      default: pending.response = response
      }
    }
    signal.yield()
  }

  /// Waits for the final response, passing intermediate steps to `step`. It can be called once.
  ///
  /// - Throws: The provider's status if it rejects the query, and `CancellationError` if the task is cancelled.
  func response(_ step: (QueryResponse) async throws -> Void = { _ in }) async throws -> QueryResponse {
    for await _ in signals {
      while let response = pending.withLock({ $0.next() }) {
        if case .rejected(let code, let message) = response { throw RPCStatus(code, message) }
        guard response.isStep else { return response }
        try await step(response)
      }
    }
    throw CancellationError()
  }

  /// Sends the user's reply to a prompt to the provider, unless it has answered the query.
  ///
  /// - Returns: Whether the reply was sent.
  @discardableResult
  func reply(isAgreed: Bool) -> Bool { queryStream.reply(to: number, isAgreed: isAgreed) }

  /// Closes the query; a later response is dropped.
  func close() { queryStream.close(number) }
}

extension QueryResponse {
  /// Whether the response is an intermediate step.
  fileprivate var isStep: Bool {
    switch self {
    case .progress, .prompt: true
    case .options, .form, .outcome, .continued, .rejected: false
    }
  }
}

extension TimeSpan {
  /// Creates a span rounded down to milliseconds; negative durations become zero.
  fileprivate init(_ duration: Duration) {
    self.init(milliseconds: max(0, duration.nanoseconds / 1_000_000))
  }
}
