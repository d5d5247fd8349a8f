import MarqueeRPC
import NIOCore
import NIOHTTP1

/// A connection of an ``HTTP1Bridge`` to the server, with one call at a time.
///
/// `@unchecked Sendable`: all state is accessed only on the event loop.
final class HTTP1BridgeConnection: ChannelInboundHandler, @unchecked Sendable {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  private let bridge: HTTP1Bridge
  private var context: ChannelHandlerContext?
  private var call: ConnectBridgeCall?
  private var request: [UInt8]?
  /// The client's stream of the call; `nil` if the call has ended for the client.
  private(set) var id: StreamID?
  private var isLast = false
  private var isClosed = false

  init(_ bridge: HTTP1Bridge) {
    self.bridge = bridge
    isLast = !bridge.keepsConnections
  }

  func addHandlers(to channel: any Channel) throws {
    try channel.pipeline.syncOperations.addHTTPClientHandlers()
    try channel.pipeline.syncOperations.addHandler(self)
  }

  /// Whether another call can begin.
  var isIdle: Bool { call == nil && !isLast && !isClosed && context?.channel.isActive == true }

  /// Begins a call, as soon as the connection is open.
  func begin(_ call: ConnectBridgeCall, _ id: StreamID, _ body: [UInt8]) {
    (self.call, self.id, request) = (call, id, body)
    if let context { send(context) }
  }

  func close() {
    isClosed = true
    id = nil
    context?.close(promise: nil)
  }

  private func send(_ context: ChannelHandlerContext) {
    guard let call, let request else { return }
    self.request = nil
    let fields = [("host", "localhost"), ("content-length", "\(request.count)")]
    let headers = HTTPHeaders(fields + call.requestFields(at: bridge.loop.time).map { ($0.name, $0.value) })
    let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: call.path, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: request)))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }

  // MARK: Channel events

  func channelActive(context: ChannelHandlerContext) {
    guard !isClosed else { return context.close(promise: nil) }
    self.context = context
    send(context)
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isClosed else { return }
    guard call != nil else {
      bridge.report("a response without a request")
      return close()
    }
    switch unwrapInboundIn(data) {
    case .head(let head):
      if !head.isKeepAlive { isLast = true }
      apply(call?.receive(status: Int(head.status.code), head.headers.map { ($0.name, $0.value) }))
    case .body(let buffer):
      apply(call?.receive(buffer.readableBytesView))
    case .end:
      apply(call?.receiveEnd())
      call = nil
      if isLast { context.close(promise: nil) }
    }
  }

  private func apply(_ events: [ConnectBridgeCall.Event]?) {
    for event in events ?? [] {
      switch event {
      case .header, .message: break
      case .ended, .violated:
        guard let id else { continue }
        self.id = nil
        bridge.apply(event, to: id)
      }
      if let id { bridge.apply(event, to: id) }
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    isClosed = true
    self.context = nil
    bridge.remove(self)
    if let id { bridge.finish(id, RPCStatus(.unavailable, "the connection was closed")) }
    id = nil
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A response may be cut off by the end of the connection.
    if error is HTTPParserError, context.channel.isActive { bridge.report("HTTP/1.1: \(error)") }
    context.close(promise: nil)
  }
}
