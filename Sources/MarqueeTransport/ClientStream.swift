import MarqueeRPC
import NIOCore

/// One call on the client, as its connection sees it, whose owner it is. On the loop.
///
/// `@unchecked Sendable`: what subclasses have beside constants is touched on the loop alone.
@usableFromInline
class ClientStream: @unchecked Sendable {
  /// What the call asks for.
  final let request: ClientStreamRequest

  init(_ request: ClientStreamRequest) {
    self.request = request
  }

  /// The call is open: the first message may go out.
  func opened(_ stream: StreamID, on session: ClientSession, at now: MonotonicTime) {}
  /// The server's metadata came.
  func header(_ metadata: Metadata) {}
  /// A message came.
  func message(_ bytes: UnsafeRawBufferPointer, _ receipt: CreditReceipt) {}
  /// There is room to send.
  func becameWritable() {}
  /// The call is over, opened or not; nothing follows.
  func ended(_ status: RPCStatus) {}
}

/// What a call asks of the connection.
struct ClientStreamRequest: Sendable {
  let path: String
  let options: CallOptions
  let deadline: MonotonicTime?
  let responseSizeMax: Int

  init(path: String, options: CallOptions, responseSizeMax: Int, loop: any EventLoop) {
    self.path = path
    self.options = options
    self.responseSizeMax = responseSizeMax
    deadline = options.timeout.map { loop.monotonicTime.advanced(by: $0) }
  }
}

/// A call of one request and one response.
///
/// `@unchecked Sendable`: all state is touched on the loop alone, but for what ``response(in:)`` reads once the call is
/// over.
@usableFromInline
final class UnaryClientStream<Request: Sendable, Response: Sendable>: ClientStream, @unchecked Sendable {
  private let message: Request
  private let requestSizeMax: Int
  // Of the method, whose generic type would be looked up with every call.
  private let encode: @Sendable (Request, inout EncodeBuffer) -> Void
  private let decode: @Sendable (UnsafeRawBufferPointer, DecodeArena) throws(RPCStatus) -> Response
  private var session: ClientSession?
  private var stream = StreamID.connection
  /// In memory of its own: the type of an optional response would be looked up at each access.
  private var response: UnsafeMutablePointer<Response>?
  private var status: RPCStatus?
  /// Resumed exactly once: by the end, which sets `status` first and takes only the first one. Unchecked, since every
  /// call passes here.
  private var waiter: UnsafeContinuation<Void, Never>?

  @usableFromInline
  init(
    _ method: borrowing RPCMethod<Request, Response>, _ message: Request, _ options: CallOptions, for core: ClientCore
  ) {
    self.message = message
    requestSizeMax = method.requestSizeMax
    encode = method.request.encode
    decode = method.response.decode
    super.init(
      ClientStreamRequest(
        path: method.path, options: core.traced(options), responseSizeMax: method.responseSizeMax,
        loop: core.resources.loop))
  }

  deinit {
    response?.deinitialize(count: 1)
    response?.deallocate()
  }

  /// Makes the call and waits for its end. A cancelled task cancels the call. Once.
  @usableFromInline
  nonisolated(nonsending) func response(in core: ClientCore) async throws(RPCStatus) -> Response {
    let loop = core.resources.loop
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        if loop.inEventLoop {
          submit(to: core, continuation)
        } else {
          loop.execute { self.submit(to: core, continuation) }
        }
      }
    } onCancel: {
      loop.run {
        core.withdraw(self)
        self.cancel()
      }
    }
    if let status, status.code != .ok { throw status }
    guard let response else { throw RPCStatus(.internalError, "the server sent no response") }
    self.response = nil
    defer { response.deallocate() }
    return response.move()
  }

  private func submit(to core: ClientCore, _ continuation: UnsafeContinuation<Void, Never>) {
    guard status == nil else { return continuation.resume() }
    waiter = continuation
    core.submit(self)
  }

  override func opened(_ stream: StreamID, on session: ClientSession, at now: MonotonicTime) {
    self.session = session
    self.stream = stream
    let outcome = session.send(stream, sizeMax: requestSizeMax, endsStream: true, at: now) { encode(message, &$0) }
    if case .tooLarge(let size) = outcome {
      let status = RPCStatus(
        .resourceExhausted, "message-size-max is \(requestSizeMax) or the server's, this request has \(size) bytes")
      session.cancel(stream, status)
    }
  }

  override func message(_ bytes: UnsafeRawBufferPointer, _ receipt: CreditReceipt) {
    guard let session else { return }
    session.consume(receipt)
    do throws(RPCStatus) {
      guard response == nil else { throw RPCStatus(.internalError, "the server sent a second response") }
      let message = try decode(bytes, session.resources.arena)
      let response = UnsafeMutablePointer<Response>.allocate(capacity: 1)
      response.initialize(to: message)
      self.response = response
    } catch {
      session.cancel(stream, error)
    }
  }

  override func ended(_ status: RPCStatus) {
    guard self.status == nil else { return }
    self.status = status
    session = nil
    waiter?.resume()
    waiter = nil
  }

  /// Gives the call up, wherever it stands.
  private func cancel() {
    guard status == nil else { return }
    let status = RPCStatus(.cancelled, "cancelled by the caller")
    if let session { session.cancel(stream, status) } else { ended(status) }
  }
}
