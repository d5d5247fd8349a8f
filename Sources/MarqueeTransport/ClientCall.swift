import MarqueeRPC
import NIOCore

/// A streaming call in progress.
///
/// The call is cancelled when neither it nor its ``responses`` are referenced any more.
public final class ClientCall<Request: Sendable, Response: Sendable>: Sendable {
  private let stream: StreamingClientStream<Request, Response>

  init(_ stream: StreamingClientStream<Request, Response>) {
    self.stream = stream
  }

  deinit {
    let stream = stream
    stream.loop.run { stream.cancel() }
  }

  /// The responses as they arrive; iterate once.
  ///
  /// The sequence ends when the server ends the call with OK, and throws the ``RPCStatus`` otherwise. Cancelling the
  /// reading task cancels the call.
  public var responses: MessageStream<Response> {
    MessageStream(stream.method.response, queue: stream.responseQueue, owner: self)
  }

  public func send(_ request: Request) async throws {
    try await stream.send(request)
  }

  /// Half-closes the call: no more requests follow.
  public func finish() {
    stream.loop.run { self.stream.finish() }
  }

  /// Cancels the call; its status becomes `CANCELLED`.
  public func cancel() {
    stream.loop.run { self.stream.cancel() }
  }

  /// Returns the server's metadata; empty if the first message or the status arrived without it.
  public func header() async throws -> Metadata {
    try await stream.headerPromise.value()
  }

  /// Waits for the end of the call and returns its status.
  ///
  /// Unless ``responses`` are read meanwhile, back-pressure may keep the server from ending the call.
  public func status() async throws -> RPCStatus {
    try await stream.statusPromise.value()
  }

  /// Half-closes the call and returns the single response of a client-streaming call. Cancelling the task cancels the
  /// call.
  public func response() async throws -> Response {
    finish()
    return try await withTaskCancellationHandler {
      var iterator = responses.makeAsyncIterator()
      do {
        guard let response = try await iterator.next() else {
          throw RPCStatus(.internalError, "the server sent no response")
        }
        guard try await iterator.next() == nil else {
          cancel()
          throw RPCStatus(.internalError, "the server sent a second response")
        }
        return response
      } catch is CancellationError {
        throw RPCStatus(.cancelled, "cancelled by the caller")
      }
    } onCancel: {
      cancel()
    }
  }
}

/// A streaming call, as its connection sees it.
///
/// `@unchecked Sendable`: all state is accessed only on the event loop.
final class StreamingClientStream<Request: Sendable, Response: Sendable>: ClientStream, @unchecked Sendable {
  let loop: any EventLoop
  let responseQueue: InboundMessageQueue
  let openedPromise: LoopPromise<Void>
  let headerPromise: LoopPromise<Metadata>
  let statusPromise: LoopPromise<RPCStatus>
  let method: RPCMethod<Request, Response>
  /// Whether the call has a single request.
  private let hasOneRequest: Bool
  /// The requests until the first response, which are sent again if the call is made at another server; `nil` from then
  /// on, if there are too many, and of a call that is not made again.
  private var unanswered: [Request]?
  /// The maximum number of requests that are kept.
  private static var unansweredCountMax: Int { 4 }
  private var isHalfClosed = false
  private var isRestarting = false
  private let consumer: Consumer
  private var session: ClientSession? { didSet { consumer.session = session } }
  private var stream = StreamID.connection { didSet { consumer.stream = stream } }
  private var end: RPCStatus?
  private var writers: [LoopPromise<Void>] = []

  /// Returns the credit of messages that were read, once there is a connection, and cancels the call if it is not read.
  private final class Consumer {
    weak var call: StreamingClientStream?
    var session: ClientSession?
    var stream = StreamID.connection
  }

  init(
    _ method: RPCMethod<Request, Response>, only request: Request?, _ options: CallOptions, _ resources: LoopResources
  ) {
    self.method = method
    hasOneRequest = request != nil
    unanswered = request.map { [$0] } ?? (options.affinity == nil ? nil : [])
    loop = resources.loop
    let consumer = Consumer()
    self.consumer = consumer
    responseQueue = InboundMessageQueue(
      resources, consume: { consumer.session?.consume($0) },
      readerCancelled: { consumer.call?.cancel() })
    openedPromise = LoopPromise(on: loop)
    headerPromise = LoopPromise(on: loop)
    statusPromise = LoopPromise(on: loop)
    super.init(
      ClientStreamRequest(path: method.path, options: options, responseSizeMax: method.responseSizeMax, loop: loop))
    consumer.call = self
  }

  override func opened(_ stream: StreamID, on session: ClientSession, at now: MonotonicTime) {
    self.session = session
    self.stream = stream
    isRestarting = false
    // A request that is not accepted ends the call.
    for request in unanswered ?? [] { _ = send(request, endsStream: hasOneRequest, on: session) }
    if isHalfClosed { session.closeSending(stream) }
    openedPromise.complete(.success(()))
    if !writers.isEmpty { becameWritable() }
  }

  override var isOver: Bool { end != nil }
  override var canRestart: Bool { unanswered != nil && end == nil }

  override func willRestart() {
    session = nil
    isRestarting = true
  }

  override func header(_ metadata: Metadata) {
    unanswered = nil
    headerPromise.complete(.success(metadata))
  }

  override func message(_ bytes: UnsafeRawBufferPointer, _ receipt: CreditReceipt) {
    if unanswered != nil { unanswered = nil }
    headerPromise.complete(.success(Metadata()))
    responseQueue.append(bytes, receipt)
  }

  override func becameWritable() {
    let waiting = writers
    writers = []
    for writer in waiting { writer.complete(end.map { .failure($0) } ?? .success(())) }
  }

  override func ended(_ status: RPCStatus) {
    guard end == nil else { return }
    end = status
    session = nil
    unanswered = nil
    responseQueue.close(status.code == .ok ? .success(()) : .failure(status), discardingUnread: false)
    openedPromise.complete(.failure(status))
    headerPromise.complete(status.code == .ok ? .success(Metadata()) : .failure(status))
    statusPromise.complete(.success(status))
    becameWritable()
  }

  func finish() {
    guard !hasOneRequest else { return }
    isHalfClosed = true
    session?.closeSending(stream)
  }

  func cancel() {
    guard end == nil else { return }
    let status = RPCStatus(.cancelled, "cancelled by the caller")
    if let session { session.cancel(stream, status) } else { ended(status) }
  }

  /// Sends a request from any task; on the loop, at once.
  func send(_ request: Request) async throws {
    if loop.inEventLoop {
      guard try !write(request).get() else { return }
      let promise = LoopPromise<Void>(on: loop)
      writers.append(promise)
      return try await promise.value()
    }
    let promise = LoopPromise<Void>(on: loop)
    loop.execute {
      switch self.write(request) {
      case .success(true): promise.complete(.success(()))
      case .success(false): self.writers.append(promise)
      case .failure(let status): promise.complete(.failure(status))
      }
    }
    try await promise.value()
  }

  /// Sends a request, now or when the call has been opened at another server.
  ///
  /// - Returns: Whether there is room for more, or the reason why the request was not sent.
  private func write(_ request: Request) -> Result<Bool, RPCStatus> {
    guard let session else {
      guard isRestarting, end == nil else { return .failure(end ?? RPCStatus(.cancelled, "the call has ended")) }
      unanswered?.append(request)
      return .success(false)
    }
    if let count = unanswered?.count {
      if count < Self.unansweredCountMax { unanswered?.append(request) } else { unanswered = nil }
    }
    return send(request, endsStream: false, on: session)
  }

  /// Sends a request on the connection. A request that is too large ends the call.
  private func send(_ request: Request, endsStream: Bool, on session: ClientSession) -> Result<Bool, RPCStatus> {
    let now = session.resources.now
    let outcome = session.send(stream, sizeMax: method.requestSizeMax, endsStream: endsStream, at: now) { buffer in
      method.request.encode(request, &buffer)
    }
    switch outcome {
    case .accepted: return .success(true)
    case .full: return .success(false)
    case .over: return .failure(end ?? RPCStatus(.failedPrecondition, "the request stream is closed"))
    case .tooLarge(let size):
      let status = RPCStatus(
        .resourceExhausted,
        "request of \(size) bytes exceeds message-size-max (\(method.requestSizeMax), or the server's limit)")
      session.cancel(stream, status)
      return .failure(status)
    }
  }
}
