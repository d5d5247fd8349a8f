import Logging
import MarqueeRPC
import NIOCore
import NIOSSL

/// One client's connection on the server: its calls and their handlers.
///
/// `@unchecked Sendable`: all state is touched on the connection's event loop alone.
final class ServerSession: ConnectionSession, @unchecked Sendable {
  let router: Router
  let resources: LoopResources
  let streamBacklogSizeMax: Int
  private let statistics: ServerStatistics
  private let logger: Logger
  private var handler: ConnectionHandler?
  private(set) var peer = Peer(address: "unknown")
  private var gate: (any CallGate)?
  private var lastRegistration: Router.Registration?
  /// Whether calls may have spans.
  let isTraced: Bool

  init(
    router: Router, limits: RPCLimits, resources: LoopResources, statistics: ServerStatistics, logger: Logger
  ) {
    self.router = router
    isTraced = router.tracer != nil
    self.resources = resources
    streamBacklogSizeMax = limits.streamBacklogSizeMax
    self.statistics = statistics
    self.logger = logger
    handler = ConnectionHandler(.server, limits: limits, resources: resources, session: self)
  }

  /// The channel handler of this session, until it is closed.
  var channelHandler: ConnectionHandler? { handler }

  /// Calls that are open.
  var streamCount: Int { handler?.connection.streamCount ?? 0 }

  // MARK: From the connection

  func connected(_ channel: any Channel, certificate: NIOSSLCertificate?) {
    peer = Peer(of: channel, certificate: certificate)
    gate = router.gate?(peer)
  }

  func handle(_ event: ConnectionEvent, _ bytes: UnsafeRawBufferPointer) {
    switch event {
    case .opened(let opened):
      open(opened)
    case .message(let message):
      switch message.content {
      case .inPlace(let range): deliver(message, UnsafeRawBufferPointer(rebasing: bytes[range]))
      case .assembled(let bytes): bytes.withUnsafeBytes { deliver(message, $0) }
      }
    case .halfClosed(let stream, let owner):
      guard let call = Self.call(owner) else { break }
      guard call.hasBegun else { return forget(stream, RPCStatus(.invalidArgument, "the call has no request")) }
      call.closeRequests()
    case .ended(let stream, let status, let owner):
      statistics.callAborted()
      guard let call = Self.call(owner) else { break }
      guard call.hasBegun else { return forget(stream, status) }
      call.abandon(status)
    case .failed(let failure):
      statistics.connectionFailed(failure.reason)
      logger.debug("connection ended", metadata: ["reason": "\(failure.reason.rawValue)"])
    case .ready, .goAway, .header:
      break
    }
  }

  func becameWritable(_ stream: StreamID) {
    Self.call(handler?.connection.owner(of: stream))?.wakeWriters()
  }

  func disconnected(_ failure: ConnectionFailure?) {
    guard let handler else { return }
    statistics.connectionClosed(handler.connection.counts)
    self.handler = nil
    let status = RPCStatus(.cancelled, "the client is gone")
    for owner in handler.connection.owners { Self.call(owner)?.abandon(status) }
  }

  private func open(_ opened: OpenedCall) {
    statistics.callOpened()
    var context = CallContext(opened, peer: peer)
    do throws(RPCStatus) {
      let registration = try registration(of: opened.method)
      if let gate {
        context = CallContext(opened, peer: peer, caller: try gate.admit(context, at: resources.now))
      }
      let call = ServerCall(opened.stream, context, self, registration)
      handler?.connection.accept(opened.stream, messageSizeMax: registration.requestSizeMax, owner: call)
      guard case .streaming(let begin) = registration.route else { return }
      call.begin()
      handlerWaits(of: call)
      _ = begin(call)
    } catch {
      statistics.callFinished(error.code)
      handler?.connection.finish(opened.stream, with: error)
    }
  }

  /// What answers a method; as a rule it is the one that was called last.
  private func registration(of method: String) throws(RPCStatus) -> Router.Registration {
    if let lastRegistration, lastRegistration.path == method { return lastRegistration }
    guard let registration = router.routes[method] else {
      throw RPCStatus(.unimplemented, "there is no method of that name")
    }
    lastRegistration = registration
    return registration
  }

  private func deliver(_ message: ReceivedMessage, _ bytes: UnsafeRawBufferPointer) {
    let call = Self.call(message.owner)
    if let call, call.hasBegun { return call.deliver(bytes, message.receipt, isLast: message.isLast) }
    handler?.connection.consume(message.receipt)
    guard let call, case .single(let begin) = call.registration.route else { return }
    guard message.isLast else {
      let status = RPCStatus(.invalidArgument, "the request does not end the client's side of the call")
      return forget(message.stream, status)
    }
    call.begin()
    do {
      try begin(call, bytes)
      if !call.isFinished { handlerWaits(of: call) }
    } catch {
      call.finish(router.status(error))
    }
  }

  /// Ends a call that no handler has seen.
  private func forget(_ stream: StreamID, _ status: RPCStatus) {
    handler?.connection.finish(stream, with: status)
  }

  private func handlerWaits(of call: ServerCall) {
    call.isCounted = true
    statistics.handlerWaits(1)
  }

  /// The call of an owner: those that this end gives are no others.
  private static func call(_ owner: AnyObject?) -> ServerCall? {
    owner.map { unsafeDowncast($0, to: ServerCall.self) }
  }

  // MARK: From calls

  func send(
    _ stream: StreamID, sizeMax: Int, _ encode: (inout EncodeBuffer) -> Void
  ) -> Connection.SendOutcome {
    guard let handler else { return .over }
    defer { handler.settleSoon() }
    return handler.connection.send(on: stream, sizeMax: sizeMax, at: handler.now, encode)
  }

  func send(_ stream: StreamID, encoded bytes: [UInt8], sizeMax: Int) -> Connection.SendOutcome {
    guard let handler else { return .over }
    defer { handler.settleSoon() }
    return handler.connection.send(encoded: bytes, on: stream, sizeMax: sizeMax, at: resources.now)
  }

  func sendHeader(_ metadata: Metadata, on stream: StreamID) -> Bool {
    guard let handler else { return false }
    defer { handler.settleSoon() }
    return handler.connection.sendHeader(metadata, on: stream)
  }

  func backlogSize(of stream: StreamID) -> Int {
    handler?.backlogSize(of: stream) ?? 0
  }

  func consume(_ receipt: CreditReceipt) {
    handler?.connection.consume(receipt)
    handler?.settleSoon()
  }

  func finish(_ call: ServerCall, _ status: RPCStatus) {
    if call.isCounted { statistics.handlerWaits(-1) }
    statistics.callFinished(status.code)
    guard let handler else { return }
    handler.connection.finish(call.stream, with: status)
    handler.settleSoon()
  }

  // MARK: From the server

  /// Takes no further calls; the connection closes when those under way are over.
  func drain(retryAfter: Duration) {
    handler?.connection.drain(retryAfter: retryAfter, message: "the server shuts down")
    handler?.settleSoon()
  }

  /// Ends all calls with `status` and closes.
  func abort(_ status: RPCStatus) {
    handler?.connection.endAll(status)
    handler?.settleSoon()
  }

  /// Ends one call that its handler has not ended, and tells the handler.
  func fail(_ call: ServerCall, _ status: RPCStatus) {
    handler?.connection.end(call.stream, with: status)
    handler?.settleSoon()
  }

  /// Closes at once.
  func close() {
    handler?.close()
  }
}
