import MarqueeRPC
import MarqueeSchema
import MarqueeTransport
import NIOCore

/// Translates the native protocol of a client to the Connect protocol: the server's end of the client's connection,
/// with a ``ConnectExchange`` for each call.
///
/// `@unchecked Sendable`: all state is accessed only on the channel's event loop.
final class ConnectBridge: ChannelInboundHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  let endpoint: Endpoint
  let codec: ConnectDialer.Codec
  let loop: any EventLoop
  private var connection: Connection
  private var unread: [UInt8] = []
  private var context: ChannelHandlerContext?
  private var calls: [StreamID: ConnectExchange] = [:]

  private static let methods = Dictionary(
    uniqueKeysWithValues: Schema.marquee.services.flatMap(\.methods).map { ($0.path, $0) })

  init(_ endpoint: Endpoint, _ codec: ConnectDialer.Codec, on loop: any EventLoop) {
    self.endpoint = endpoint
    self.codec = codec
    self.loop = loop
    connection = Connection(.server, arena: DecodeArena(), scratch: EncodeScratch(), at: loop.time)
  }

  // MARK: Channel events

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelInactive(context: ChannelHandlerContext) {
    for call in calls.values { call.cancel() }
    calls = [:]
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    unread += unwrapInboundIn(data).readableBytesView
    var offset = 0
    let bytes = unread
    bytes.withUnsafeBytes { bytes in
      while let event = connection.receive(bytes, from: &offset, at: loop.time) { handle(event, bytes) }
    }
    unread.removeFirst(offset)
    write()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func write() {
    guard let context else { return }
    while connection.hasOutput {
      connection.drainOutput(at: loop.time) { context.write(wrapOutboundOut(ByteBuffer(bytes: $0)), promise: nil) }
    }
    context.flush()
    if connection.isDrained { context.close(promise: nil) }
  }

  // MARK: Calls

  private func handle(_ event: ConnectionEvent, _ bytes: UnsafeRawBufferPointer) {
    switch event {
    case .opened(let opened):
      // An unknown method is called like a unary one.
      let method = Self.methods[opened.method]
      guard method?.isClientStreaming != true else {
        return connection.finish(opened.stream, with: RPCStatus(.unimplemented, "not a call of HTTP/1.1"))
      }
      calls[opened.stream] = ConnectExchange(opened, method, self)
    case .message(let message):
      connection.consume(message.receipt)
      switch message.content {
      case .inPlace(let range): calls[message.stream]?.begin(Array(bytes[range]))
      case .assembled(let bytes): calls[message.stream]?.begin(bytes)
      }
    case .ended(let id, let status, _):
      connection.finish(id, with: status)
      calls.removeValue(forKey: id)?.cancel()
    case .failed:
      context?.close(promise: nil)
    case .ready, .halfClosed, .header, .goAway, .rejected:
      break
    }
  }

  /// Passes the header of a call's response to the client.
  func header(_ metadata: Metadata, of call: ConnectExchange) {
    guard calls[call.id] === call, metadata.problem == nil else { return }
    _ = connection.sendHeader(metadata, on: call.id)
    write()
  }

  /// Passes a message of a call's response to the client.
  func message(_ bytes: [UInt8], of call: ConnectExchange) {
    guard calls[call.id] === call else { return }
    _ = connection.send(encoded: bytes, on: call.id, sizeMax: .max, at: loop.time)
    write()
  }

  /// Ends a call for the client, once.
  func finish(_ call: ConnectExchange, _ status: RPCStatus) {
    guard calls[call.id] === call else { return }
    calls[call.id] = nil
    connection.finish(call.id, with: status)
    write()
  }
}

extension EventLoop {
  /// The current time on the loop's clock.
  var time: MonotonicTime { MonotonicTime(nanoseconds: Int64(clamping: now.uptimeNanoseconds)) }
}
