import MarqueeHTTP
import MarqueeRPC
import NIOCore

/// A request on a connection of HTTP/1.1, and its response. Used only on the event loop.
final class HTTP1Exchange {
  let stream: StreamID
  let head: HTTPHead
  let traits: HeadTraits
  let startedAt: MonotonicTime
  /// The call that the request is; `nil` for any other request, and for a call that was rejected by its head.
  var request: ConnectRequest?
  /// The parts of the call. The form is that of the response. Exclusivity is unchecked, as in ``HTTP1Session``.
  @exclusivity(unchecked) var connect: ConnectExchange
  /// The call of a handler, once accepted.
  var call: ServerCall?
  var deadline = MonotonicTime.distantFuture
  /// The time at which the call ends because the client sends nothing more.
  var disconnectionTime = MonotonicTime.distantFuture

  // The request's body.
  /// The number of body bytes that were received and dropped.
  var droppedSize = 0
  /// The time at which a part of the body was received.
  var lastPartAt: MonotonicTime
  /// The bytes reserved for the body.
  var reservedSize = 0
  /// Whether the whole request has been received.
  var isReceived = false

  // The response.
  var headIsSent = false
  /// Whether the whole response is in the output, so that the call is over for the client.
  var isAnswered = false
  /// Whether the handler has finished, or there is none.
  var isFinished = false
  /// Whether the writer waits for capacity.
  var isFull = false
  /// Whether the connection is closed after the response.
  var isLast = false
  /// Whether the response can be a stream.
  var acceptsChunks = true
  /// The status with which the call ends at the next flush.
  var pendingEnd: RPCStatus?

  init(
    _ stream: StreamID, _ head: HTTPHead, _ traits: HeadTraits, _ connect: ConnectExchange, at now: MonotonicTime
  ) {
    self.stream = stream
    self.head = head
    self.traits = traits
    self.connect = connect
    startedAt = now
    lastPartAt = now
  }

  /// Properties of a head that are the same for consecutive calls, whatever the size of the body.
  struct HeadTraits {
    /// Whether the client sends no other request, or one in another protocol that it offers, which no one reads.
    let endsConnection: Bool
    /// Whether the client waits for `100 Continue` before it sends the body.
    let expectsContinue: Bool

    init(_ head: HTTPHead) {
      let tokens = head.values(of: "connection").flatMap { $0.lowercased().split(separator: ",") }
      endsConnection =
        head.has("upgrade") || head.method == "CONNECT"
        || tokens.contains { $0.trimmingPrefix { $0 == " " || $0 == "\t" }.hasPrefix("close") }
      expectsContinue = head.has("expect")
    }
  }

  /// Whether another request may be processed.
  var isOver: Bool { isReceived && isAnswered && isFinished }
}
