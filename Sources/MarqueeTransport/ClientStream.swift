import MarqueeRPC
import NIOCore

/// One call on the client, as its connection sees it. On the loop.
protocol ClientStream: AnyObject {
  /// What the call asks for.
  var request: ClientStreamRequest { get }
  /// The call is open: the first message may go out.
  func opened(_ stream: StreamID, on session: ClientSession)
  /// The server's metadata came.
  func header(_ metadata: Metadata)
  /// A message came.
  func message(_ bytes: UnsafeRawBufferPointer, _ receipt: CreditReceipt)
  /// There is room to send.
  func becameWritable()
  /// The call is over, opened or not; nothing follows.
  func ended(_ status: RPCStatus)
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
/// `@unchecked Sendable`: all state is touched on the loop alone.
final class UnaryClientStream<Request: Sendable, Response: Sendable>: ClientStream, @unchecked Sendable {
  let request: ClientStreamRequest
  let response: LoopPromise<Response>
  private let method: RPCMethod<Request, Response>
  private let message: Request
  private var session: ClientSession?
  private var stream = StreamID.connection
  private var result: Response?
  private var isOver = false

  init(_ method: RPCMethod<Request, Response>, _ message: Request, _ options: CallOptions, _ loop: any EventLoop) {
    self.method = method
    self.message = message
    request = ClientStreamRequest(
      path: method.path, options: options, responseSizeMax: method.responseSizeMax, loop: loop)
    response = LoopPromise(on: loop)
  }

  func opened(_ stream: StreamID, on session: ClientSession) {
    self.session = session
    self.stream = stream
    let outcome = session.send(stream, sizeMax: method.requestSizeMax, endsStream: true) { buffer in
      method.request.encode(message, &buffer)
    }
    if case .tooLarge(let size) = outcome {
      let status = RPCStatus(
        .resourceExhausted,
        "message-size-max is \(method.requestSizeMax) or the server's, this request has \(size) bytes")
      session.cancel(stream, status)
    }
  }

  func header(_ metadata: Metadata) {}

  func message(_ bytes: UnsafeRawBufferPointer, _ receipt: CreditReceipt) {
    guard let session else { return }
    session.consume(receipt)
    do {
      guard result == nil else { throw RPCStatus(.internalError, "the server sent a second response") }
      result = try method.response.decode(bytes, session.resources.arena)
    } catch let status as RPCStatus {
      session.cancel(stream, status)
    } catch {
      session.cancel(stream, RPCStatus(.internalError, "the response cannot be read"))
    }
  }

  func becameWritable() {}

  func ended(_ status: RPCStatus) {
    guard !isOver else { return }
    isOver = true
    session = nil
    if status.code != .ok {
      response.complete(.failure(status))
    } else if let result {
      response.complete(.success(result))
    } else {
      response.complete(.failure(RPCStatus(.internalError, "the server sent no response")))
    }
  }

  /// Gives the call up, wherever it stands.
  func cancel() {
    guard !isOver else { return }
    let status = RPCStatus(.cancelled, "cancelled by the caller")
    if let session { session.cancel(stream, status) } else { ended(status) }
  }
}
