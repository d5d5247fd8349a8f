import NIOCore
import NIOHTTP1

/// The last channel handler of a metrics connection: responds to one request at a time.
///
/// The handlers before it decode requests, and hold back those that a client sends before the response to an earlier
/// one.
final class MetricsRequestHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  /// The maximum size of the body of a request, which is dropped, in bytes.
  private static let bodySizeMax = 65_536

  private let connections: MetricsConnections
  private let hosts: MetricsHosts
  private let text: @Sendable () -> String
  /// The head of the request that is being received.
  private var head: HTTPRequestHead?
  private var bodySize = 0
  private var isResponding = false
  /// Whether the response has no body, whatever its header says.
  private var isHead = false
  private var inputIsClosed = false
  private var isOver = false

  init(_ connections: MetricsConnections, _ hosts: MetricsHosts, text: @escaping @Sendable () -> String) {
    self.connections = connections
    self.hosts = hosts
    self.text = text
  }

  /// Adds the handlers of a connection to its pipeline.
  func add(to channel: any Channel) throws {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = 8_192
    limits.maxHeaderListSize = 16_384
    limits.maxHeaderFieldCount = 64
    let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
    try channel.pipeline.syncOperations.addHandlers([
      HTTPResponseEncoder(), ByteToMessageHandler(decoder), HTTPServerPipelineHandler(),
      HTTPServerProtocolErrorHandler(), self,
    ])
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      connections.requestBegan(on: context.channel)
      self.head = head
      bodySize = 0
    case .body(let part):
      bodySize += part.readableBytes
      if bodySize > Self.bodySizeMax {
        isOver = true
        respond(MetricsResponse(.payloadTooLarge, "the body of the request is too large\n"), context)
      }
    case .end:
      guard let head else { return }
      self.head = nil
      respond(to: head, context)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case .inputClosed? = event as? ChannelEvent else { return context.fireUserInboundEventTriggered(event) }
    inputIsClosed = true
    if !isResponding { context.close(promise: nil) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  // MARK: Responses

  private func respond(to head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    if !head.isKeepAlive || head.version != .http1_1 { isOver = true }
    isHead = head.method == .HEAD
    let port = context.channel.localAddress?.port
    if let response = hosts.rejection(of: head, port: port) ?? MetricsResponse.rejection(of: head) {
      return respond(response, context)
    }
    // A page of many series takes longer than an event loop may be blocked.
    isResponding = true
    let response = context.eventLoop.makeFutureWithTask { [text] in MetricsResponse.metrics(text()) }
    response.assumeIsolated().whenComplete { result in
      guard context.channel.isActive, case .success(let response) = result else { return }
      self.respond(response, context)
    }
  }

  private func respond(_ response: MetricsResponse, _ context: ChannelHandlerContext) {
    let closes = isOver || inputIsClosed || connections.isEnding
    isOver = closes
    isResponding = true
    context.write(wrapOutboundOut(.head(response.head(closes: closes))), promise: nil)
    if !isHead, !response.body.isEmpty {
      let body = context.channel.allocator.buffer(string: response.body)
      context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    }
    let written = context.eventLoop.makePromise(of: Void.self)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    written.futureResult.assumeIsolated().whenComplete { _ in
      self.isResponding = false
      self.connections.requestEnded(on: context.channel)
      if closes || self.inputIsClosed || self.connections.isEnding { context.close(promise: nil) }
    }
  }
}
