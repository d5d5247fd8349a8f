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
  /// The single request of a server-streaming call, until it is sent.
  private var onlyRequest: Request?
  private let consumer: Consumer
  private var session: ClientSession? { didSet { consumer.session = session } }
  private var stream = StreamID.connection { didSet { consumer.stream = stream } }
  private var end: RPCStatus?
  private var writers: [LoopPromise<Void>] = []

  /// Returns the credit of messages that were read, once there is a connection.
  private final class Consumer {
    var session: ClientSession?
    var stream = StreamID.connection
  }

  init(
    _ method: RPCMethod<Request, Response>, only request: Request?, _ options: CallOptions, _ resources: LoopResources
  ) {
    self.method = method
    onlyRequest = request
    loop = resources.loop
    let consumer = Consumer()
    self.consumer = consumer
    responseQueue = InboundMessageQueue(
      resources, consume: { consumer.session?.consume($0) },
      readerCancelled: { consumer.session?.cancel(consumer.stream, RPCStatus(.cancelled, "cancelled by the caller")) })
    openedPromise = LoopPromise(on: loop)
    headerPromise = LoopPromise(on: loop)
    statusPromise = LoopPromise(on: loop)
    super.init(
      ClientStreamRequest(path: method.path, options: options, responseSizeMax: method.responseSizeMax, loop: loop))
  }

  override func opened(_ stream: StreamID, on session: ClientSession, at now: MonotonicTime) {
    self.session = session
    self.stream = stream
    if let onlyRequest {
      self.onlyRequest = nil
      _ = write(onlyRequest, endsStream: true)
    }
    openedPromise.complete(.success(()))
  }

  override func header(_ metadata: Metadata) {
    headerPromise.complete(.success(metadata))
  }

  override func message(_ bytes: UnsafeRawBufferPointer, _ receipt: CreditReceipt) {
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
    responseQueue.close(status.code == .ok ? .success(()) : .failure(status), discardingUnread: false)
    openedPromise.complete(.failure(status))
    headerPromise.complete(status.code == .ok ? .success(Metadata()) : .failure(status))
    statusPromise.complete(.success(status))
    becameWritable()
  }

  func finish() {
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
      guard try !write(request, endsStream: false).get() else { return }
      let promise = LoopPromise<Void>(on: loop)
      writers.append(promise)
      return try await promise.value()
    }
    let promise = LoopPromise<Void>(on: loop)
    loop.execute {
      switch self.write(request, endsStream: false) {
      case .success(true): promise.complete(.success(()))
      case .success(false): self.writers.append(promise)
      case .failure(let status): promise.complete(.failure(status))
      }
    }
    try await promise.value()
  }

  /// Sends a request. A request that is too large ends the call.
  ///
  /// - Returns: Whether there is room for more, or the reason why the request was not sent.
  private func write(_ request: Request, endsStream: Bool) -> Result<Bool, RPCStatus> {
    guard let session else { return .failure(end ?? RPCStatus(.cancelled, "the call has ended")) }
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
