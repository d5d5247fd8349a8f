import Logging
import MarqueeRPC
import NIOCore
import NIOSSL

/// A client's connection on the server: its calls and their handlers.
///
/// `@unchecked Sendable`: all state is accessed only on the connection's event loop.
final class ServerSession: ConnectionSession, @unchecked Sendable {
  let router: Router
  let resources: LoopResources
  let streamBacklogSizeMax: Int
  private let statistics: ServerStatistics
  private let logger: Logger
  private var handler: ConnectionHandler?
  private(set) var peer = Peer(address: "unknown")
  private var interceptor: (any CallInterceptor)?
  private var lastRegistration: Router.Registration?
  private let assemblies: PeerBudgets
  private let backlogs: PeerBudgets
  private var assembly: ByteReservation?
  private var backlog: ByteReservation?
  /// The number of open calls by the name of the limit that counts them.
  private var limitedCounts: [String: Int] = [:]
  let origin: PeerOrigin?
  private let admission: ConnectionAdmission
  private let deniedCalls: DeniedCallLimiter
  private var isAuthenticated = false
  /// Whether any call was admitted.
  private var hasAdmittedCall = false
  let isTraced: Bool

  init(
    router: Router, limits: RPCLimits, resources: LoopResources, origin: PeerOrigin?, admission: ConnectionAdmission,
    deniedCalls: DeniedCallLimiter, assemblies: PeerBudgets, backlogs: PeerBudgets, statistics: ServerStatistics,
    logger: Logger
  ) {
    self.assemblies = assemblies
    self.backlogs = backlogs
    self.router = router
    self.origin = origin
    self.admission = admission
    self.deniedCalls = deniedCalls
    isTraced = router.tracer != nil
    self.resources = resources
    streamBacklogSizeMax = limits.streamBacklogSizeMax
    self.statistics = statistics
    self.logger = logger
    handler = ConnectionHandler(.server, limits: limits, resources: resources, session: self)
  }

  /// The session's channel handler, until the connection is closed.
  var channelHandler: ConnectionHandler? { handler }

  /// The number of open calls.
  var streamCount: Int { handler?.connection.streamCount ?? 0 }

  // MARK: From the connection

  func connected(_ channel: any Channel, certificate: NIOSSLCertificate?) {
    peer = Peer(of: channel, certificate: certificate)
    interceptor = router.interceptor?(peer)
    assembly = assemblies.reservation(for: peer)
    handler?.connection.assemblyAccount = assembly
    backlog = backlogs.reservation(for: peer)
    handler?.connection.backlogAccount = backlog
    if certificate != nil { authenticate() }
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
    case .halfClosed(_, let owner):
      guard let call = Self.call(owner) else { break }
      guard call.hasBegun else { return finishUnstarted(call, RPCStatus(.invalidArgument, "missing request")) }
      call.closeRequests()
    case .ended(_, let status, let owner):
      statistics.callAborted()
      guard let call = Self.call(owner) else { break }
      releaseSlots(call)
      guard call.hasBegun else { return finishUnstarted(call, status) }
      call.cancel(status)
    case .failed(let failure):
      statistics.connectionFailed(failure.reason)
      logger.debug("connection ended", metadata: ["reason": "\(failure.reason.rawValue)"])
    case .rejected:
      noteDeniedCall()
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
    let size = (assembly?.size ?? 0) + (backlog?.size ?? 0)
    assembly?.releaseAll()
    backlog?.releaseAll()
    // The handler, and with it its messages, is deallocated after this event.
    if size > 0 { resources.loop.execute { FreedMemory.returnToSystem(size) } }
    if !hasAdmittedCall { _ = deniedCalls.tryConsume(for: origin, at: resources.now) }
    let owners = handler.connection.owners
    if !owners.isEmpty { resources.cancel(owners.compactMap(Self.call)) }
  }

  private func open(_ opened: OpenedCall) {
    statistics.callOpened()
    var context = CallContext(opened, peer: peer)
    do throws(RPCStatus) {
      let registration = try registration(of: opened.method)
      if let interceptor {
        let principal = try interceptor.admit(context, at: resources.now)
        context = CallContext(principal == nil ? opened.withoutLargeMetadata : opened, peer: peer, principal: principal)
      }
      hasAdmittedCall = true
      if !isAuthenticated, interceptor == nil || context.principal != nil { authenticate() }
      let call = ServerCall(opened.stream, context, self, registration)
      try reserveSlots(call, isAnonymous: interceptor != nil && context.principal == nil)
      var now: MonotonicTime?
      if case .single = registration.route { now = resources.now }
      handler?.connection.accept(
        opened.stream, messageSizeMax: registration.requestSizeMax, owner: call, waitsForRequestSince: now)
      guard case .streaming(let begin) = registration.route else { return }
      call.begin()
      handlerWaits(of: call)
      _ = begin(call)
    } catch {
      statistics.callFinished(error.code)
      handler?.connection.reject(opened.stream, with: error, at: resources.now)
      noteDeniedCall()
    }
  }

  /// Counts a call against the limits that apply to it.
  ///
  /// - Throws: The status with which the call is rejected if a limit is reached.
  private func reserveSlots(_ call: ServerCall, isAnonymous: Bool) throws(RPCStatus) {
    let limits = [isAnonymous ? router.anonymousCallLimit : nil, call.registration.countLimit].compactMap(\.self)
    for limit in limits where limitedCounts[limit.name, default: 0] >= limit.countMax {
      throw RPCStatus(
        .resourceExhausted, "too many \(limit.content) on one connection (\(limit.name): \(limit.countMax))")
    }
    for limit in limits { limitedCounts[limit.name, default: 0] += 1 }
    call.countLimits = limits
  }

  /// Stops counting a call that has ended for its peer. Idempotent.
  private func releaseSlots(_ call: ServerCall) {
    for limit in call.countLimits { limitedCounts[limit.name, default: 1] -= 1 }
    call.countLimits = []
  }

  /// Marks the peer as authenticated, so that the connection is never evicted.
  private func authenticate() {
    isAuthenticated = true
    admission.authenticate(self)
  }

  /// Counts a denied call for the address, unless the peer is authenticated: an authenticated peer with few
  /// permissions must not get others of its address rejected.
  private func noteDeniedCall() {
    guard !isAuthenticated, let handler, !deniedCalls.tryConsume(for: origin, at: handler.now) else { return }
    handler.connection.end(.flood, deniedCalls.status)
  }

  /// Returns the handler of a method, usually the one that was called last.
  ///
  /// `String` equality is canonical equivalence. Paths are ASCII, and only longer strings are canonically equivalent to
  /// ASCII strings, so equal length implies equal bytes.
  private func registration(of method: String) throws(RPCStatus) -> Router.Registration {
    let size = method.utf8.count
    if let lastRegistration, lastRegistration.path == method, lastRegistration.path.utf8.count == size {
      return lastRegistration
    }
    guard let registration = router.routes[method], registration.path.utf8.count == size else {
      throw RPCStatus(.unimplemented, "unknown method")
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
      let status = RPCStatus(.invalidArgument, "the request of a unary or server-streaming call must carry END_STREAM")
      return finishUnstarted(call, status)
    }
    call.begin()
    do {
      try begin(call, bytes)
      if !call.isFinished { handlerWaits(of: call) }
    } catch {
      call.finish(router.status(error))
    }
  }

  /// Ends a call whose handler was not started.
  private func finishUnstarted(_ call: ServerCall, _ status: RPCStatus) {
    releaseSlots(call)
    handler?.connection.finish(call.stream, with: status)
  }

  private func handlerWaits(of call: ServerCall) {
    call.isCounted = true
    statistics.handlerWaits(1)
  }

  /// Returns the call of an owner; this end sets no other owners.
  private static func call(_ owner: AnyObject?) -> ServerCall? {
    owner.map { unsafeDowncast($0, to: ServerCall.self) }
  }

  // MARK: From calls

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

  func finish(_ call: ServerCall, _ status: RPCStatus) {
    if call.isCounted { statistics.handlerWaits(-1) }
    releaseSlots(call)
    statistics.callFinished(status.code)
    guard let handler else { return }
    handler.connection.finish(call.stream, with: status)
    handler.scheduleFlush()
  }

  // MARK: From the server

  /// Stops accepting calls; the connection closes when the open ones have ended.
  func drain(retryAfter: Duration) {
    handler?.connection.drain(retryAfter: retryAfter, message: "the server is shutting down")
    handler?.scheduleFlush()
  }

  /// Ends all calls with `status`, cancelling their handlers.
  func abort(_ status: RPCStatus) {
    handler?.connection.endAll(status)
    handler?.scheduleFlush()
  }

  /// Ends one call with `status`, cancelling its handler.
  func fail(_ call: ServerCall, _ status: RPCStatus) {
    handler?.connection.end(call.stream, with: status)
    handler?.scheduleFlush()
  }

  /// Closes the connection in favor of another one.
  func evict() {
    let limits = "connection-count-max or address-connection-count-max"
    let message = "unauthenticated connection evicted in favor of a new one (\(limits))"
    handler?.connection.end(.evicted, RPCStatus(.resourceExhausted, message))
    handler?.scheduleFlush()
  }

  /// Closes the connection now.
  func close() {
    handler?.close()
  }
}
