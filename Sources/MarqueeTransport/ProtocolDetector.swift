import MarqueeHTTP
import MarqueeRPC
import NIOCore
import NIOSSL
import NIOTLS

/// Determines the protocol of an accepted connection, and replaces itself by the handler of that protocol.
///
/// With TLS, the protocol negotiated by ALPN decides, if any. Otherwise, the first bytes do. A peer that sends no
/// protocol of the server's within `RPCLimits.handshakeTimeMax` is disconnected.
///
/// `@unchecked Sendable`: all state is accessed only on the channel's event loop.
final class ProtocolDetector: ChannelInboundHandler, RemovableChannelHandler, TimedHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let server: ServerConnection
  private let protocols: Set<CallProtocol>
  private let origins: Origins
  private let files: StaticFiles
  private let isEncrypted: Bool
  private var context: ChannelHandlerContext?
  /// The bytes received so far, too few to detect the protocol.
  private var received: ByteBuffer?
  private var isOver = false
  var timerTime = MonotonicTime.distantFuture
  var timerPlace: Int?

  /// - Parameters:
  ///   - server: The connection.
  ///   - configuration: The server's protocols, its hosts and origins, and the files for browsers.
  ///   - isEncrypted: Whether the detector follows a TLS handler.
  init(_ server: ServerConnection, _ configuration: ServerConfiguration, isEncrypted: Bool) {
    self.server = server
    protocols = configuration.protocols
    origins = configuration.origins
    files = configuration.files
    self.isEncrypted = isEncrypted
    server.closeWithoutCarrier = { [weak self] in self?.fail($0) }
  }

  // MARK: Channel events

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { start(context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    end()
    self.context = nil
  }

  func channelActive(context: ChannelHandlerContext) {
    start(context)
    context.fireChannelActive()
  }

  private func start(_ context: ChannelHandlerContext) {
    server.resources.timers.set(server.acceptedAt.advanced(by: server.limits.handshakeTimeMax), for: self)
    if !isEncrypted { server.identifyPeer(context.channel, certificate: nil) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent else {
      return context.fireUserInboundEventTriggered(event)
    }
    guard !isOver else { return }
    let tls = try? context.pipeline.syncOperations.handler(type: NIOSSLHandler.self)  // present: it sent this event
    server.identifyPeer(context.channel, certificate: tls?.peerCertificate)
    let accepted = ConnectionProtocol.allCases.filter { $0.isAccepted(with: protocols) }
    guard let known = accepted.first(where: { $0.applicationProtocol == negotiated }) else { return }
    begin(known, context)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    var buffer = unwrapInboundIn(data)
    if var kept = received {
      kept.writeBuffer(&buffer)
      buffer = kept
    }
    received = buffer
    switch FirstBytes(buffer.readableBytesView) {
    case .incomplete: break
    case .begin(let known) where known.isAccepted(with: protocols): begin(known, context)
    case .begin(.http1) where protocols.contains(.grpc): rejectHTTP1(context)
    case .begin, .garbage: fail(.garbage)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  func wakeUp(at now: MonotonicTime) {
    fail(.handshakeTimeout)
  }

  // MARK: Outcomes

  /// Replaces this handler by that of a protocol, which receives the bytes received so far.
  private func begin(_ known: ConnectionProtocol, _ context: ChannelHandlerContext) {
    isOver = true
    server.resources.timers.remove(self)
    let check = OriginCheck(
      origins, boundTo: context.channel.localAddress?.ipAddress, isEncrypted: isEncrypted)
    let handlers: [any ChannelHandler]
    switch known {
    case .native:
      let session = NativeSession(server)
      server.begin(known, on: session)
      guard let first = session.channelHandler else { return context.close(promise: nil) }
      handlers = [first]
    case .http2:
      var served = HTTP2Protocols()
      (served.servesGRPC, served.servesConnect) = (protocols.contains(.grpc), protocols.contains(.connect))
      (served.kinds, served.servesJSON) = (server.router.kinds, server.router.transcoder != nil)
      (served.check, served.files) = (check, files)
      let session = HTTP2Session(server, served)
      server.begin(known, on: session)
      handlers = [session]
    case .http1:
      var forms = CallForms(
        server.router.kinds, servesJSON: server.router.transcoder != nil, servesGRPCWeb: protocols.contains(.grpc))
      forms.files = files
      let session = HTTP1Session(server, check, forms, files: files)
      server.begin(known, on: session)
      handlers = [HTTP1InputObserver(session), HTTP1Session.decoder(), session]
    }
    let pipeline = context.pipeline.syncOperations
    do {
      try pipeline.addHandlers(handlers, position: .after(self))
    } catch {
      return context.close(promise: nil)
    }
    if let received { context.fireChannelRead(wrapInboundOut(received)) }
    received = nil
    pipeline.removeHandler(context: context, promise: nil)
  }

  /// Closes the connection, and counts the reason if there is one.
  private func fail(_ reason: ConnectionFailure.Reason?) {
    guard !isOver else { return }
    isOver = true
    server.resources.timers.remove(self)
    if let reason { server.failed(reason) }
    context?.close(promise: nil)
  }

  private func rejectHTTP1(_ context: ChannelHandlerContext) {
    let response = context.channel.allocator.buffer(string: http1Response)
    context.writeAndFlush(wrapOutboundOut(response), promise: nil)
    fail(.garbage)
  }

  private var http1Response: String {
    let native = protocols.contains(.native) ? ", and the protocol of Marquee's own clients" : ""
    let body = "This port serves gRPC over HTTP/2\(native).\n"
    return """
      HTTP/1.1 505 HTTP Version Not Supported\r
      Content-Type: text/plain\r
      Content-Length: \(body.utf8.count)\r
      Connection: close\r
      \r
      \(body)
      """
  }

  /// Releases the connection's resources unless its protocol was detected.
  private func end() {
    server.resources.timers.remove(self)
    received = nil
    if server.carrier == nil { server.disconnected(RejectionCounts()) }
  }
}

/// The conclusion from the first bytes of a connection.
enum FirstBytes: Equatable {
  /// More bytes are needed.
  case incomplete
  /// Only this protocol begins so. HTTP/1.1 begins with an upper-case letter other than the beginning of HTTP/2.
  case begin(ConnectionProtocol)
  case garbage

  /// The first word of HTTP/2's connection preface, with the space after it; no method of HTTP/1 is called so.
  private static let wordOfHTTP2 = Array("PRI ".utf8)

  init(_ bytes: some Collection<UInt8>) {
    guard let first = bytes.first else {
      self = .incomplete
      return
    }
    let matchCount = zip(bytes, Self.wordOfHTTP2).prefix { $0 == $1 }.count
    self =
      switch first {
      case Connection.firstByte: .begin(.native)
      case _ where matchCount == Self.wordOfHTTP2.count: .begin(.http2)
      case _ where matchCount == bytes.count: .incomplete
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): .begin(.http1)
      default: .garbage
      }
  }
}
