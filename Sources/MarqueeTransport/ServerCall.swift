import MarqueeRPC
import NIOCore
import Synchronization

/// One call on the server, between its handler's task and its connection.
///
/// `@unchecked Sendable`: all state but `offers` is touched on the loop alone; tasks hop there.
final class ServerCall: @unchecked Sendable {
  let stream: StreamID
  let context: CallContext
  let registration: Router.Registration
  private let session: ServerSession
  private var span: (any CallSpan)?
  private var startedAt = MonotonicTime.distantFuture
  /// Whether its handler has been called: a call of one request waits for that first.
  private(set) var hasBegun = false
  /// Whether it is among the calls whose handler runs, in the statistics.
  var isCounted = false
  private var task: Task<Void, Never>?
  private var inbox: Inbox?
  /// Why the call is over before its handler has ended.
  private var end: RPCStatus?
  private(set) var isFinished = false
  private var writers: [LoopPromise<Void>] = []
  /// What ``offer(size:_:)`` may count on without being on the loop.
  private let offers = Mutex(Offers())

  private struct Offers {
    var isOver = false
    /// Bytes on their way to the loop.
    var underWay = 0
    /// Bytes that waited in the connection when the loop last looked.
    var backlog = 0
  }

  init(_ stream: StreamID, _ context: CallContext, _ session: ServerSession, _ registration: Router.Registration) {
    self.stream = stream
    self.context = context
    self.session = session
    self.registration = registration
  }

  var resources: LoopResources { session.resources }

  // MARK: On the loop

  /// Its handler is about to be called: from now on its time counts.
  func begin() {
    hasBegun = true
    if session.isTraced { span = session.router.tracer?.span(of: context) }
    if registration.isObserved { startedAt = resources.now }
  }

  /// Runs the handler until its first wait at once, and ends the call when it ends.
  func run(_ body: @escaping @Sendable () async throws -> Void) {
    let task = Task.immediate(executorPreference: resources.executor) {
      let status: RPCStatus
      do {
        if let span = self.span { try await span.run(body) } else { try await body() }
        status = .ok
      } catch {
        status = self.session.router.status(error)
      }
      self.resources.loop.run { self.finish(status) }
    }
    if !isFinished {
      self.task = task
      if end != nil { task.cancel() }
    }
  }

  /// Makes where requests go.
  func openInbox() -> Inbox {
    let session = session
    let inbox = Inbox(resources) { session.consume($0) }
    self.inbox = inbox
    return inbox
  }

  func deliver(_ bytes: UnsafeRawBufferPointer, _ receipt: CreditReceipt, isLast: Bool) {
    inbox?.deliver(bytes, receipt)
    if isLast { inbox?.close(.success(()), discardingUnread: false) }
  }

  func closeRequests() {
    inbox?.close(.success(()), discardingUnread: false)
  }

  /// The peer, time or a limit ended the call: the handler is told.
  func abandon(_ status: RPCStatus) {
    guard hasBegun, end == nil, !isFinished else { return }
    end = status
    offers.withLock { $0.isOver = true }
    inbox?.close(.failure(status), discardingUnread: true)
    wakeWriters()
    task?.cancel()
  }

  func finish(_ status: RPCStatus) {
    guard !isFinished else { return }
    isFinished = true
    task = nil
    offers.withLock { $0.isOver = true }
    inbox?.close(
      .failure(RPCStatus(.failedPrecondition, "the handler has ended")), discardingUnread: true)
    if !writers.isEmpty { wakeWriters() }
    if registration.isObserved || session.isTraced { tell((end ?? status).code) }
    session.finish(self, status)
  }

  /// Tells those who see calls end.
  private func tell(_ code: StatusCode) {
    registration.observer?.ended(code, after: startedAt.duration(to: resources.now), in: span?.parent)
    span?.end(code)
  }

  /// Sends the one response and ends the call, with the reason if the response is too large.
  func finish(answering sizeMax: Int, _ encode: (inout EncodeBuffer) -> Void) {
    switch write(sizeMax: sizeMax, encode) {
    case .success: finish(.ok)
    case .failure(let status): finish(status)
    }
  }

  func wakeWriters() {
    let waiting = writers
    writers = []
    noteBacklog()
    for writer in waiting { writer.complete(end.map { .failure($0) } ?? .success(())) }
  }

  /// Sends a message: `true` when there is room for more, `false` when its writer is to wait for ``room()``; or says
  /// why it was not sent.
  func write(sizeMax: Int, _ encode: (inout EncodeBuffer) -> Void) -> Result<Bool, RPCStatus> {
    if let end { return .failure(end) }
    if isFinished { return .failure(RPCStatus(.failedPrecondition, "the handler has ended")) }
    return result(session.send(stream, sizeMax: sizeMax, encode), sizeMax)
  }

  func write(encoded bytes: [UInt8], sizeMax: Int) -> Result<Bool, RPCStatus> {
    if let end { return .failure(end) }
    if isFinished { return .failure(RPCStatus(.failedPrecondition, "the handler has ended")) }
    return result(session.send(stream, encoded: bytes, sizeMax: sizeMax), sizeMax)
  }

  /// Whether there is room for more, or why nothing was sent.
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
          .resourceExhausted, "message-size-max is \(sizeMax) or the client's, this response has \(size) bytes"))
    case .over:
      return .failure(RPCStatus(.cancelled, "the call is over"))
    }
  }

  private func noteBacklog() {
    let backlog = session.backlogSize(of: stream)
    offers.withLock { $0.backlog = backlog }
  }

  /// Waits until there is room for more, after a write that left none.
  func room() async throws {
    let promise = LoopPromise<Void>(on: resources.loop)
    writers.append(promise)
    try await promise.value()
  }

  // MARK: From anywhere

  /// Sends the one response of a call whose handler is about to end.
  func answer<Q, S>(_ response: S, _ method: RPCMethod<Q, S>) {
    resources.loop.run {
      let encode = { (buffer: inout EncodeBuffer) in method.response.encode(response, &buffer) }
      if case .failure(let status) = self.write(sizeMax: method.responseSizeMax, encode) { self.finish(status) }
    }
  }

  /// Sends a message and waits until there is room for the next. Not on the loop.
  func send(sizeMax: Int, _ encode: @escaping @Sendable (inout EncodeBuffer) -> Void) async throws {
    try await send { self.write(sizeMax: sizeMax, encode) }
  }

  /// Sends a message that is encoded already and waits until there is room for the next. Not on the loop.
  func send(encoded bytes: [UInt8], sizeMax: Int) async throws {
    try await send { self.write(encoded: bytes, sizeMax: sizeMax) }
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

  /// Hands a message over unless too much waits already; never waits.
  func offer(encoded bytes: [UInt8], sizeMax: Int) -> Bool {
    let budget = session.streamBacklogSizeMax
    let isTaken = offers.withLock { offers in
      let waiting = offers.underWay + offers.backlog
      guard !offers.isOver, waiting == 0 || waiting + bytes.count <= budget else { return false }
      offers.underWay += bytes.count
      return true
    }
    guard isTaken else { return false }
    resources.loop.run {
      let result = self.write(encoded: bytes, sizeMax: sizeMax)
      let backlog = self.session.backlogSize(of: self.stream)
      self.offers.withLock { offers in
        offers.underWay -= bytes.count
        offers.backlog = backlog
      }
      // A message over its limit ends the call with the reason; a call that is over needs no answer.
      if case .failure(let status) = result, self.end == nil, !self.isFinished { self.session.fail(self, status) }
    }
    return true
  }

  /// Sends metadata ahead of the first response; `false` when it is too late.
  func sendHeader(_ metadata: Metadata) async -> Bool {
    if resources.loop.inEventLoop { return session.sendHeader(metadata, on: stream) }
    return await withCheckedContinuation { continuation in
      resources.loop.execute { continuation.resume(returning: self.session.sendHeader(metadata, on: self.stream)) }
    }
  }
}
