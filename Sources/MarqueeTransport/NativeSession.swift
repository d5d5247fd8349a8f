import MarqueeRPC
import NIOCore
import NIOSSL

/// The calls of a client's connection in Marquee's own protocol.
///
/// `@unchecked Sendable`: all state is accessed only on the connection's event loop.
final class NativeSession: ConnectionSession, CallCarrier, @unchecked Sendable {
  let server: ServerConnection
  private let resources: LoopResources
  private var handler: ConnectionHandler?

  /// Creates the session of a connection whose peer is known.
  init(_ server: ServerConnection) {
    self.server = server
    resources = server.resources
    let handler = ConnectionHandler(
      .server, limits: server.limits, resources: resources, startedAt: server.acceptedAt, session: self)
    handler.connection.assemblyAccount = server.assembly
    handler.connection.backlogAccount = server.backlog
    self.handler = handler
  }

  /// The session's channel handler, until the connection is closed.
  var channelHandler: ConnectionHandler? { handler }

  // MARK: From the connection

  func connected(_ channel: any Channel, certificate: NIOSSLCertificate?) {}

  func handle(_ event: ConnectionEvent, _ bytes: UnsafeRawBufferPointer) {
    server.handle(event, bytes, on: self)
  }

  func becameWritable(_ stream: StreamID) {
    ServerConnection.call(handler?.connection.owner(of: stream))?.wakeWriters()
  }

  func disconnected(_ failure: ConnectionFailure?) {
    guard let handler else { return }
    self.handler = nil
    server.disconnected(handler.connection.counts, owners: handler.connection.owners)
  }

  // MARK: From calls

  var streamCount: Int { handler?.connection.streamCount ?? 0 }

  func send(
    _ stream: StreamID, sizeMax: Int, _ encode: (inout EncodeBuffer) -> Void
  ) -> Connection.SendOutcome {
    guard let handler else { return .over }
    defer { handler.scheduleFlush() }
    return handler.connection.send(on: stream, sizeMax: sizeMax, at: handler.now, encode)
  }

  func send(_ stream: StreamID, encoded bytes: [UInt8], sizeMax: Int) -> Connection.SendOutcome {
    guard let handler else { return .over }
    defer { handler.scheduleFlush() }
    return handler.connection.send(encoded: bytes, on: stream, sizeMax: sizeMax, at: resources.now)
  }

  func sendHeader(_ metadata: Metadata, on stream: StreamID) -> Bool {
    guard let handler else { return false }
    defer { handler.scheduleFlush() }
    return handler.connection.sendHeader(metadata, on: stream)
  }

  func backlogSize(of stream: StreamID) -> Int {
    handler?.backlogSize(of: stream) ?? 0
  }

  func consume(_ receipt: CreditReceipt) {
    handler?.connection.consume(receipt)
    handler?.scheduleFlush()
  }

  func fail(_ stream: StreamID, with status: RPCStatus) {
    handler?.connection.end(stream, with: status)
    handler?.scheduleFlush()
  }

  // MARK: From the server

  func callProtocol(of stream: StreamID) -> CallProtocol { .native }

  func accept(_ stream: StreamID, _ call: ServerCall) {
    var now: MonotonicTime?
    if case .single = call.registration.route { now = resources.now }
    handler?.connection.accept(
      stream, messageSizeMax: call.registration.requestSizeMax, owner: call, waitsForRequestSince: now)
  }

  func reject(_ stream: StreamID, with status: RPCStatus) {
    handler?.connection.reject(stream, with: status, at: resources.now)
  }

  func finish(_ stream: StreamID, with status: RPCStatus) {
    guard let handler else { return }
    handler.connection.finish(stream, with: status)
    handler.scheduleFlush()
  }

  func drain(retryAfter: Duration) {
    handler?.connection.drain(retryAfter: retryAfter, message: "the server is shutting down")
    handler?.scheduleFlush()
  }

  func abort(_ status: RPCStatus) {
    handler?.connection.endAll(status)
    handler?.scheduleFlush()
  }

  func end(_ reason: ConnectionFailure.Reason, _ status: RPCStatus) {
    handler?.connection.end(reason, status)
    handler?.scheduleFlush()
  }

  func close() {
    handler?.closeAfterOutput()
  }
}
