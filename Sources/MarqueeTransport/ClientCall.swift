import MarqueeRPC
import NIOCore

/// A call under way that streams in one direction or both.
///
/// When nobody holds it or its ``responses`` any more, it is cancelled.
public final class ClientCall<Request: Sendable, Response: Sendable>: Sendable {
  private let stream: StreamingClientStream<Request, Response>

  init(_ stream: StreamingClientStream<Request, Response>) {
    self.stream = stream
  }

  deinit {
    let stream = stream
    stream.loop.run { stream.cancel() }
  }

  /// The responses as they arrive; to be read once. It ends when the server ends the call with OK, and throws the
  /// ``RPCStatus`` otherwise. When the task that reads is cancelled, so is the call.
  public var responses: MessageStream<Response> {
    MessageStream(stream.method.response, inbox: stream.inbox, owner: self)
  }

  /// Sends a request, and waits while the server takes no more. Throws the call's ``RPCStatus`` when it is over.
  public func send(_ request: Request) async throws {
    try await stream.send(request)
  }

  /// Says that no more requests follow.
  public func finish() {
    stream.loop.run { self.stream.finish() }
  }

  /// Gives the call up; its status becomes `CANCELLED`.
  public func cancel() {
    stream.loop.run { self.stream.cancel() }
  }

  /// The server's metadata; empty when its first message or the end came without.
  public func header() async throws -> Metadata {
    try await stream.headerPromise.value()
  }

  /// How the call ended; waits for its end. It needs ``responses`` to be read, or the server may never come to it.
  public func status() async throws -> RPCStatus {
    try await stream.statusPromise.value()
  }

  /// Finishes sending and waits for the one response of a client-streaming call. A cancelled task cancels the call.
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

/// A call of any number of messages, as its connection sees it.
///
/// `@unchecked Sendable`: all state is touched on the loop alone.
final class StreamingClientStream<Request: Sendable, Response: Sendable>: ClientStream, @unchecked Sendable {
  let loop: any EventLoop
  let inbox: Inbox
  let openedPromise: LoopPromise<Void>
  let headerPromise: LoopPromise<Metadata>
  let statusPromise: LoopPromise<RPCStatus>
  let method: RPCMethod<Request, Response>
  /// The one request of a server-streaming call, until it is sent.
  private var onlyRequest: Request?
  private let consumer: Consumer
  private var session: ClientSession? { didSet { consumer.session = session } }
  private var stream = StreamID.connection { didSet { consumer.stream = stream } }
  private var end: RPCStatus?
  private var writers: [LoopPromise<Void>] = []

  /// Where read messages give their credit back, once there is a connection.
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
    inbox = Inbox(
      resources, consume: { consumer.session?.consume($0) },
      readerGaveUp: { consumer.session?.cancel(consumer.stream, RPCStatus(.cancelled, "cancelled by the caller")) })
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
    inbox.deliver(bytes, receipt)
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
    inbox.close(status.code == .ok ? .success(()) : .failure(status), discardingUnread: false)
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

  /// Whether there is room for more, or why the request was not sent. One that is too large ends the call.
  private func write(_ request: Request, endsStream: Bool) -> Result<Bool, RPCStatus> {
    guard let session else { return .failure(end ?? RPCStatus(.cancelled, "the call is over")) }
    let now = session.resources.now
    let outcome = session.send(stream, sizeMax: method.requestSizeMax, endsStream: endsStream, at: now) { buffer in
      method.request.encode(request, &buffer)
    }
    switch outcome {
    case .accepted: return .success(true)
    case .full: return .success(false)
    case .over: return .failure(end ?? RPCStatus(.failedPrecondition, "no more requests can be sent"))
    case .tooLarge(let size):
      let status = RPCStatus(
        .resourceExhausted,
        "message-size-max is \(method.requestSizeMax) or the server's, this request has \(size) bytes")
      session.cancel(stream, status)
      return .failure(status)
    }
  }
}
