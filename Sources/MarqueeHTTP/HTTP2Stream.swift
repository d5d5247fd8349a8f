import MarqueeRPC

/// The state of one call on an HTTP/2 connection.
///
/// A class, because nghttp2's callbacks and the connection's methods change it in place. It is never shared between
/// connections. Accesses to the unchecked properties cannot overlap, as in ``HTTP2Connection``.
final class HTTP2Stream {
  let id: StreamID
  let form: HTTP2CallForm
  /// The relation of the request to the pages that may call the server.
  let relation: Origins.Relation
  /// The parts of a call in the Connect protocol; `nil` for a call in gRPC.
  @exclusivity(unchecked) var connect: ConnectExchange?
  /// The object that handles the call; passed along with the call's events.
  var owner: AnyObject?
  var deadline = MonotonicTime.distantFuture
  /// The time by which the request must begin, and by which its stream must end after the only request.
  var requestDeadline = MonotonicTime.distantFuture
  /// Whether the client waits for `100 Continue` before it sends the body.
  var expectsContinue = false
  /// Whether the call has exactly one request.
  var hasSingleRequest = false

  // Receiving.
  /// The maximum size of a request.
  var messageSizeMax: Int
  @exclusivity(unchecked) var deframer = MessageDeframer()
  /// The number of complete requests.
  var requestCount = 0
  /// The only request of a call, until the end of the stream proves that it is the only one.
  @exclusivity(unchecked) var heldRequest: HeldRequest?
  /// The number of delivered messages that have not been consumed, and their flow-control credit.
  var unconsumedCount = 0
  var unconsumedCredit = 0
  /// The credit used by the incomplete message, and the part of it that was granted again before it was complete.
  var assemblyCost = 0
  var assemblyGranted = 0
  var assemblyStartedAt = MonotonicTime.distantFuture
  var lastPieceAt = MonotonicTime.distantFuture
  /// Whether, since ``assemblyStartedAt``, an unconsumed earlier message kept credit from the incomplete one.
  var assemblyWasHeldUp = false
  /// The bytes of delivered, unconsumed messages that no credit covers.
  var unconsumedAssemblySize = 0
  /// Whether the peer has finished sending.
  var receiveClosed = false
  /// Whether the peer's messages are dropped, because the call has ended or its handler has finished.
  var dropsRequests = false

  // Sending.
  @exclusivity(unchecked) var backlog = FIFO<OutboundMessage>()
  /// The unsent bytes of messages, including prefixes.
  var backlogSize = 0
  /// The time since which the backlog has made no progress.
  var stalledSince: MonotonicTime?
  /// Whether the writer waits for capacity, and must be notified when there is room.
  var isFull = false
  /// Whether nghttp2 waits for `nghttp2_session_resume_data`.
  var isDeferred = false
  /// Whether the response's header list was passed to nghttp2.
  var headSent = false
  /// The status to send after the backlog.
  var finalStatus: RPCStatus?

  // End.
  /// Whether the call has ended for the peer and only its handler may still be running.
  var isOver = false
  /// Whether the handler has finished, or was never started.
  var isFinished = false
  /// Whether nghttp2 has closed the stream.
  var isClosed = false
  /// Whether the peer reset the stream.
  var wasReset = false
  /// The time at which the stream is reset because the peer is still sending after the whole response.
  var resetTime = MonotonicTime.distantFuture

  init(_ id: StreamID, _ form: HTTP2CallForm, _ relation: Origins.Relation = .own, messageSizeMax: Int) {
    self.id = id
    self.form = form
    self.relation = relation
    self.messageSizeMax = messageSizeMax
  }

  /// The number of stored bytes of an incomplete request.
  var storedSize: Int { connect?.body?.size ?? deframer.storedSize }

  /// Whether a part of a request has been received that is not complete.
  var isInsideRequest: Bool { connect.map { ($0.body?.size ?? 0) > 0 } ?? deframer.isInsideMessage }

  /// The variant of gRPC, for a call in gRPC.
  var variant: GRPCVariant {
    if case .grpc(let variant) = form { variant } else { .grpc }
  }

  /// Whether the status of the call is a message of the body, which cannot follow a part of another one.
  var endsWithMessage: Bool {
    switch form {
    case .grpc(.grpc), .http: false
    case .grpc(.web): true
    case .connect(let format): format.isStream
    }
  }

  /// Returns a message in the form of the call.
  func message(_ bytes: [UInt8]) -> OutboundMessage {
    if connect?.format.isText == true, let connect { return OutboundMessage(body: connect.envelope(bytes)) }
    return OutboundMessage(bytes)
  }

  /// Returns the message that ends a body with the status of the call.
  func lastMessage(_ status: RPCStatus) -> OutboundMessage {
    if connect?.format.isText == true, let connect { return OutboundMessage(body: connect.lastMessage(status)) }
    return OutboundMessage(ending: status, isGRPCWeb: variant == .web)
  }
}

/// The form of the messages and the status of a call on an HTTP/2 connection.
enum HTTP2CallForm: Hashable {
  case grpc(GRPCVariant)
  case connect(ConnectFormat)
  /// A response without a call.
  case http
}

/// A complete request that has not been delivered.
struct HeldRequest {
  var content: ReceivedMessage.Content
  let receipt: CreditReceipt
}
