import MarqueeRPC
import NIOCore

/// Translates the native protocol of a client to the Connect protocol over HTTP/1.1: the server's end of the client's
/// connection, with an ``HTTP1BridgeConnection`` for each concurrent call.
///
/// `@unchecked Sendable`: all state is accessed only on the channel's event loop.
package final class HTTP1Bridge: ChannelInboundHandler, @unchecked Sendable {
  package typealias InboundIn = ByteBuffer
  package typealias OutboundOut = ByteBuffer
  /// Opens a connection to the server, and adds handlers with a closure.
  package typealias Connector = (_ fill: @escaping @Sendable (any Channel) throws -> Void) ->
    EventLoopFuture<any Channel>

  let loop: any EventLoop
  /// Whether connections are used again for later calls.
  let keepsConnections: Bool
  /// Called with each violation of HTTP or Connect by the server.
  let report: (String) -> Void
  private let codec: ConnectBridgeCall.Codec
  private let connect: Connector
  private var connection: Connection
  private var unread: [UInt8] = []
  private var context: ChannelHandlerContext?
  /// The calls whose request has not been received.
  private var calls: [StreamID: ConnectBridgeCall] = [:]
  private var connections: [HTTP1BridgeConnection] = []

  package init(
    _ codec: ConnectBridgeCall.Codec, keepsConnections: Bool, on loop: any EventLoop,
    reporting report: @escaping (String) -> Void, connectingWith connect: @escaping Connector
  ) {
    self.codec = codec
    self.keepsConnections = keepsConnections
    self.loop = loop
    self.report = report
    self.connect = connect
    connection = Connection(.server, arena: DecodeArena(), scratch: EncodeScratch(), at: loop.time)
  }

  // MARK: Channel events

  package func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  package func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  package func channelInactive(context: ChannelHandlerContext) {
    for connection in connections { connection.close() }
    calls = [:]
    context.fireChannelInactive()
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    unread += unwrapInboundIn(data).readableBytesView
    var offset = 0
    let bytes = unread
    bytes.withUnsafeBytes { bytes in
      while let event = connection.receive(bytes, from: &offset, at: loop.time) { handle(event, bytes) }
    }
    unread.removeFirst(offset)
    write()
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

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
      let call = ConnectBridgeCall(opened, codec)
      if let rejection = call.rejection { return connection.finish(opened.stream, with: rejection) }
      calls[opened.stream] = call
    case .message(let message):
      connection.consume(message.receipt)
      switch message.content {
      case .inPlace(let range): begin(message.stream, Array(bytes[range]))
      case .assembled(let bytes): begin(message.stream, bytes)
      }
    case .ended(let id, let status, _):
      connection.finish(id, with: status)
      calls[id] = nil
      // Closing the connection is how a client of HTTP/1.1 cancels a call.
      connections.first { $0.id == id }?.close()
    case .failed:
      context?.close(promise: nil)
    case .ready, .halfClosed, .header, .goAway, .rejected:
      break
    }
  }

  /// Sends a call with its only request.
  private func begin(_ id: StreamID, _ message: [UInt8]) {
    guard let call = calls.removeValue(forKey: id) else { return }
    do throws(RPCStatus) {
      let body = try call.requestBody(message)
      if let idle = connections.first(where: \.isIdle) { return idle.begin(call, id, body) }
      let connection = HTTP1BridgeConnection(self)
      connections.append(connection)
      connection.begin(call, id, body)
      connect { try connection.addHandlers(to: $0) }.assumeIsolated().whenFailure { _ in
        self.remove(connection)
        guard connection.id == id else { return }
        self.finish(id, RPCStatus(.unavailable, "cannot connect to the server"))
      }
    } catch {
      connection.finish(id, with: error)
    }
  }

  func remove(_ connection: HTTP1BridgeConnection) { connections.removeAll { $0 === connection } }

  /// Passes an event of a call's response to the client.
  func apply(_ event: ConnectBridgeCall.Event, to id: StreamID) {
    switch event {
    case .header(let metadata):
      if metadata.problem == nil { _ = connection.sendHeader(metadata, on: id) }
    case .message(let bytes):
      _ = connection.send(encoded: bytes, on: id, sizeMax: .max, at: loop.time)
    case .ended(let status):
      connection.finish(id, with: status)
    case .violated(let violation):
      report(violation)
      connection.finish(id, with: RPCStatus(.internalError, violation))
    }
    write()
  }

  /// Ends a call for the client.
  func finish(_ id: StreamID, _ status: RPCStatus) { apply(.ended(status), to: id) }
}

extension EventLoop {
  /// The current time on the loop's clock.
  var time: MonotonicTime { MonotonicTime(nanoseconds: Int64(clamping: now.uptimeNanoseconds)) }
}
