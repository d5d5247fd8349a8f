import MarqueeRPC
import NIOCore
import Synchronization

/// A call on the server, between its handler's task and its connection.
///
/// `@unchecked Sendable`: all state but `offers` is accessed only on the loop, where tasks hop to.
final class ServerCall: @unchecked Sendable {
  let stream: StreamID
  let context: CallContext
  let registration: Router.Registration
  let connection: ServerConnection
  let carrier: any CallCarrier
  /// Whether the messages are JSON for the client.
  let isJSON: Bool
  /// The responses that wait for the conversion of a large one to JSON; `nil` without any.
  var conversions: JSONResponses?
  /// Metadata about the request that is sent before the first response.
  var hint: Metadata?
  private var span: (any CallSpan)?
  private var startedAt = MonotonicTime.distantFuture
  private var finishedAt = MonotonicTime.distantFuture
  /// Whether the handler has been started; calls with a single request wait for it first.
  private(set) var hasBegun = false
  /// Whether the call is counted as running in the statistics.
  var isCounted = false
  /// Whether the limit of calls without credentials counts the call.
  var isCountedAsAnonymous = false
  private var task: Task<Void, Never>?
  private var requestQueue: InboundMessageQueue?
  /// The reason why the call ended before its handler.
  private var end: RPCStatus?
  private(set) var isFinished = false
  /// Unchecked for performance: accesses cannot overlap, because they are only replaced and appended to.
  @exclusivity(unchecked) private var writers: [LoopPromise<Void>] = []
  /// The state with which ``offer(encoded:sizeMax:)`` decides without hopping to the loop.
  private let offers = Mutex(Offers())

  private struct Offers {
    var isOver = false
    /// The bytes on their way to the loop.
    var underWay = 0
    /// The unsent bytes of the connection when the loop last updated it.
    var backlog = 0
    /// The bytes queued since nothing was unsent, without those of the initial state.
    var laterSize = 0

    /// The unsent bytes that count against the budget. Messages are sent in order, so the initial state is sent before
    /// the others, and unsent bytes beyond `laterSize` belong to it.
    var countedSize: Int { min(underWay + backlog, laterSize) }
  }

  init(
    _ stream: StreamID, _ context: CallContext, _ connection: ServerConnection, _ carrier: any CallCarrier,
    _ registration: Router.Registration, isJSON: Bool
  ) {
    self.isJSON = isJSON
    self.stream = stream
    self.context = context
    self.connection = connection
    self.carrier = carrier
    self.registration = registration
  }

  var resources: LoopResources { connection.resources }

  /// The maximum number of unsent bytes of messages that are queued without waiting.
  var backlogSizeMax: Int { connection.limits.streamBacklogSizeMax }

  // MARK: On the loop

  /// Called before the handler is started: starts the span and the clock.
  func begin() {
    hasBegun = true
    if connection.isTraced { span = connection.router.tracer?.span(of: context) }
    if registration.isObserved { startedAt = resources.now }
  }

  /// Runs the handler synchronously until its first suspension, and ends the call when it ends.
  func run(_ body: @escaping @Sendable () async throws -> Void) {
    let task = Task.immediate(executorPreference: resources.executor) {
      let status: RPCStatus
      do {
        if let span = self.span { try await span.run(body) } else { try await body() }
        status = .ok
      } catch {
        status = self.connection.router.status(error)
      }
      self.resources.loop.run { self.finish(status) }
    }
    if !isFinished {
      self.task = task
      if end != nil { task.cancel() }
    }
  }

  /// Creates the queue of requests.
  func openRequestQueue() -> InboundMessageQueue {
    let carrier = carrier
    let queue = InboundMessageQueue(resources) { carrier.consume($0) }
    requestQueue = queue
    return queue
  }

  func deliver(_ bytes: UnsafeRawBufferPointer, _ receipt: CreditReceipt, isLast: Bool) {
    requestQueue?.append(bytes, receipt)
    if isLast { requestQueue?.close(.success(()), discardingUnread: false) }
  }

  func closeRequests() {
    requestQueue?.close(.success(()), discardingUnread: false)
  }

  /// Ends the call because of the peer, a deadline or a limit, and cancels the handler.
  func cancel(_ status: RPCStatus) {
    if isFinished, conversions != nil { conversions?.end = status }
    guard hasBegun, end == nil, !isFinished else { return }
    end = status
    offers.withLock { $0.isOver = true }
    requestQueue?.close(.failure(status), discardingUnread: true)
    wakeWriters()
    task?.cancel()
  }

  /// Marks a call as ended whose handler will not be started.
  func abandon() { isFinished = true }

  func finish(_ status: RPCStatus) {
    guard !isFinished else { return }
    isFinished = true
    task = nil
    offers.withLock { $0.isOver = true }
    requestQueue?.close(
      .failure(RPCStatus(.failedPrecondition, "the handler has finished")), discardingUnread: true)
    if !writers.isEmpty { wakeWriters() }
    if registration.isObserved { finishedAt = resources.now }
    connection.handlerFinished(self)
    if isJSON { completeJSON(status) } else { complete(status) }
  }

  /// Ends a call whose handler has finished and whose responses have been sent or are dropped.
  func complete(_ status: RPCStatus) {
    if registration.isObserved || connection.isTraced { reportCompletion((end ?? status).code) }
    connection.finish(self, status)
  }

  private func reportCompletion(_ code: StatusCode) {
    registration.observer?.ended(
      code, after: startedAt.duration(to: finishedAt), over: context.callProtocol, in: span?.parent)
    span?.end(code)
  }

  /// Sends the single response and ends the call, with an error if the response is too large.
  func finish(answering sizeMax: Int, _ encode: (inout EncodeBuffer) -> Void) {
    switch write(sizeMax: sizeMax, encode) {
    case .success: finish(.ok)
    case .failure(let status): finish(status)
    }
  }

  func wakeWriters() {
    // The responses that are being converted are unsent, though the connection does not have them yet.
    guard conversions == nil || end != nil || isFinished else { return }
    let waiting = writers
    writers = []
    noteBacklog()
    for writer in waiting { writer.complete(end.map { .failure($0) } ?? .success(())) }
  }

  /// Sends a message.
  ///
  /// - Returns: `true` if there is room for more, `false` if the writer must wait for ``waitForCapacity()``; or the
  ///   reason why the message was not sent.
  func write(sizeMax: Int, _ encode: (inout EncodeBuffer) -> Void) -> Result<Bool, RPCStatus> {
    if let end { return .failure(end) }
    if isFinished { return .failure(RPCStatus(.failedPrecondition, "the handler has finished")) }
    guard isJSON else { return result(carrier.send(stream, sizeMax: sizeMax, encode), sizeMax) }
    var buffer = EncodeBuffer(scratch: resources.scratch)
    encode(&buffer)
    return result(sendJSON(buffer.bytes, sizeMax: sizeMax, isShared: false), sizeMax)
  }

  func write(encoded bytes: [UInt8], sizeMax: Int) -> Result<Bool, RPCStatus> {
    if let end { return .failure(end) }
    if isFinished { return .failure(RPCStatus(.failedPrecondition, "the handler has finished")) }
    guard isJSON else { return result(carrier.send(stream, encoded: bytes, sizeMax: sizeMax), sizeMax) }
    return result(sendJSON(bytes, sizeMax: sizeMax, isShared: true), sizeMax)
  }

  /// Whether there is room for more, or the reason why nothing was sent.
  private func result(_ outcome: Connection.SendOutcome, _ sizeMax: Int) -> Result<Bool, RPCStatus> {
    switch outcome {
    case .accepted:
      return .success(true)
    case .full:
      noteBacklog()
      return .success(false)
    case .tooLarge(let size):
      return .failure(
        RPCStatus(
          .resourceExhausted,
          "response of \(size) bytes exceeds message-size-max (\(sizeMax), or the client's limit)"))
    case .over:
      return .failure(end ?? RPCStatus(.cancelled, "the call has ended"))
    }
  }

  /// The number of unsent bytes of the call's messages.
  private var backlogSize: Int { carrier.backlogSize(of: stream) + (conversions?.size ?? 0) }

  private func noteBacklog() {
    let backlog = backlogSize
    offers.withLock { $0.backlog = backlog }
  }

  /// Waits until there is room for another message, after a write that returned `false`.
  func waitForCapacity() async throws {
    let promise = LoopPromise<Void>(on: resources.loop)
    writers.append(promise)
    try await promise.value()
  }

  // MARK: From anywhere

  /// Sends the single response of a call whose handler is about to finish.
  ///
  /// - Parameters:
  ///   - header: Metadata before the response.
  ///   - trailer: Metadata with the status.
  func answer<Q, S>(
    _ response: S, _ method: RPCMethod<Q, S>, header: Metadata = Metadata(), trailer: Metadata = Metadata()
  ) {
    resources.loop.run {
      if !header.isEmpty { _ = self.sendHeaderOnLoop(header) }
      let encode = { (buffer: inout EncodeBuffer) in method.response.encode(response, &buffer) }
      if case .failure(let status) = self.write(sizeMax: method.responseSizeMax, encode) {
        self.finish(status)
      } else if !trailer.isEmpty {
        self.finish(RPCStatus(.ok, "", details: [], metadata: trailer))
      }
    }
  }

  /// Sends a message and waits until there is room for the next one. Not on the loop.
  func send(sizeMax: Int, _ encode: @escaping @Sendable (inout EncodeBuffer) -> Void) async throws {
    try await send { self.write(sizeMax: sizeMax, encode) }
  }

  /// Sends an already encoded message and waits until there is room for the next one. Not on the loop.
  func send(encoded bytes: [UInt8], sizeMax: Int) async throws {
    try await send { self.write(encoded: bytes, sizeMax: sizeMax) }
  }

  /// Waits until all queued messages have been sent.
  func drain() async throws {
    while true {
      let isDrained = LoopPromise<Bool>(on: resources.loop)
      resources.loop.execute { isDrained.complete(self.drained.mapError { $0 }) }
      if try await isDrained.value() { return }
      // Writers are also resumed earlier, when there is room again.
      try await send { self.drained }
    }
  }

  /// Whether all messages have been sent, or the reason why they will not be. On the loop.
  private var drained: Result<Bool, RPCStatus> {
    if let end { return .failure(end) }
    if isFinished { return .failure(RPCStatus(.failedPrecondition, "the handler has finished")) }
    return .success(backlogSize == 0)
  }

  private func send(_ write: @escaping @Sendable () -> Result<Bool, RPCStatus>) async throws {
    let promise = LoopPromise<Void>(on: resources.loop)
    resources.loop.execute {
      switch write() {
      case .success(true): promise.complete(.success(()))
      case .success(false): self.writers.append(promise)
      case .failure(let status): promise.complete(.failure(status))
      }
    }
    try await promise.value()
  }

  /// Queues a message unless too much is unsent. Never waits.
  ///
  /// A message of the initial state is always queued and does not count: it has limits of its own, and even a client
  /// that keeps up with later messages needs time to read it.
  func offer(encoded bytes: [UInt8], sizeMax: Int, isInitial: Bool) -> Bool {
    let budget = backlogSizeMax
    let isTaken = offers.withLock { offers in
      if offers.underWay + offers.backlog == 0 { offers.laterSize = 0 }
      let counted = offers.countedSize
      guard !offers.isOver, isInitial || counted == 0 || counted + bytes.count <= budget else { return false }
      offers.underWay += bytes.count
      if !isInitial { offers.laterSize += bytes.count }
      return true
    }
    guard isTaken else { return false }
    resources.loop.run {
      let result = self.write(encoded: bytes, sizeMax: sizeMax)
      let backlog = self.backlogSize
      self.offers.withLock { offers in
        offers.underWay -= bytes.count
        offers.backlog = backlog
      }
      // A message over its limit ends the call with an error; a call that has ended needs none.
      guard case .failure(let status) = result, self.end == nil, !self.isFinished else { return }
      self.carrier.fail(self.stream, with: status)
    }
    return true
  }

  /// Sends metadata before the first response; returns `false` if it is too late.
  func sendHeader(_ metadata: Metadata) async -> Bool {
    if resources.loop.inEventLoop { return sendHeaderOnLoop(metadata) }
    return await withCheckedContinuation { continuation in
      resources.loop.execute { continuation.resume(returning: self.sendHeaderOnLoop(metadata)) }
    }
  }

  private func sendHeaderOnLoop(_ metadata: Metadata) -> Bool {
    guard let hint else { return carrier.sendHeader(metadata, on: stream) }
    self.hint = nil
    var merged = metadata
    for pair in hint.pairs { merged.append(pair.key, bytes: pair.value) }
    return carrier.sendHeader(merged.problem == nil ? merged : metadata, on: stream)
  }
}
