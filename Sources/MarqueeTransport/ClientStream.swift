import MarqueeRPC
import NIOCore

/// A call on the client and the owner of its stream. Methods are called on the event loop.
///
/// `@unchecked Sendable`: subclasses access their mutable state only on the event loop.
@usableFromInline
class ClientStream: @unchecked Sendable {
  final let request: ClientStreamRequest
  /// The redirections of the call; `nil` before the first one. Allocated separately, because most calls have none.
  final var redirection: Redirection?

  init(_ request: ClientStreamRequest) {
    self.request = request
  }

  /// Whether the call has ended.
  var isOver: Bool { false }
  /// Whether the call has one request and one response.
  var isUnary: Bool { false }
  /// Whether nothing of a response was received, and all requests can be sent again.
  var canRestart: Bool { false }
  /// Called before the call, which another server has refused, is opened again.
  func willRestart() {}

  /// Called when the call is open: the first message may be sent.
  func opened(_ stream: StreamID, on session: ClientSession, at now: MonotonicTime) {}
  /// Called when the server's metadata was received.
  func header(_ metadata: Metadata) {}
  /// Called when a message was received.
  func message(_ bytes: UnsafeRawBufferPointer, _ receipt: CreditReceipt) {}
  /// Called when there is room to send.
  func becameWritable() {}
  /// Called once when the call has ended, whether it was opened or not.
  func ended(_ status: RPCStatus) {}
}

/// The redirections of a call. On the event loop, once the call is submitted.
final class Redirection {
  /// The endpoint that the call was redirected to; `nil` for that of the client.
  var target: RedirectTarget?
  /// The number of times that the call was redirected.
  var movedCount = 0
  /// The endpoint to which the client does not follow, so that its server is to pass the call on; ``anyEndpoint`` if
  /// it is to do so in any case.
  var rejectedEndpoint: String?

  /// The value of ``rejectedEndpoint`` for all endpoints.
  static let anyEndpoint = "*"

  init(to target: RedirectTarget? = nil, rejecting endpoint: String? = nil) {
    self.target = target
    rejectedEndpoint = endpoint
  }
}

/// The parameters of a call to be opened.
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

/// A unary call.
///
/// `@unchecked Sendable`: all state is accessed only on the event loop, except that ``response(in:)`` reads the result
/// after the call has ended.
@usableFromInline
final class UnaryClientStream<Request: Sendable, Response: Sendable>: ClientStream, @unchecked Sendable {
  private let message: Request
  private let requestSizeMax: Int
  // Copied from the method, whose generic type would need a metadata lookup on every call.
  private let encode: @Sendable (Request, inout EncodeBuffer) -> Void
  private let decode: @Sendable (UnsafeRawBufferPointer, DecodeArena) throws(RPCStatus) -> Response
  private var session: ClientSession?
  private var stream = StreamID.connection
  /// Allocated separately: an optional of a generic type would need a metadata lookup at each access.
  private var response: UnsafeMutablePointer<Response>?
  private var status: RPCStatus?
  /// Resumed exactly once, by the first end, which sets `status`. Unchecked for performance.
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

  /// Makes the call and waits for its end. Cancelling the task cancels the call. Call this once.
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

  override var isOver: Bool { status != nil }
  override var isUnary: Bool { true }
  override var canRestart: Bool { response == nil }

  override func willRestart() { session = nil }

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
        .resourceExhausted,
        "request of \(size) bytes exceeds message-size-max (\(requestSizeMax), or the server's limit)")
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

  /// Cancels the call, whether it is waiting or open.
  private func cancel() {
    guard status == nil else { return }
    let status = RPCStatus(.cancelled, "cancelled by the caller")
    if let session { session.cancel(stream, status) } else { ended(status) }
  }
}
