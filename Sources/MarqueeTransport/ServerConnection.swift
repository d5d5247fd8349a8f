import Logging
import MarqueeHTTP
import MarqueeRPC
import NIOCore
import NIOSSL

/// A client's connection on the server, in any protocol: its peer, and the dispatch of its calls to their handlers.
///
/// The connection counts toward the server's limits from its acceptance. Its ``carrier`` is set when the protocol is
/// known.
///
/// `@unchecked Sendable`: all state is accessed only on the connection's event loop.
final class ServerConnection: @unchecked Sendable {
  let router: Router
  let limits: RPCLimits
  let resources: LoopResources
  let statistics: ServerStatistics
  let origin: PeerOrigin?
  let isTraced: Bool
  /// The time of acceptance, from which on the peer must complete its handshake.
  let acceptedAt: MonotonicTime
  let logger: Logger
  private let admission: ConnectionAdmission
  private let deniedCalls: DeniedCallLimiter
  private let assemblies: PeerBudgets
  private let backlogs: PeerBudgets
  /// The connection's calls; `nil` until the protocol is known, and after the connection is closed.
  private(set) var carrier: (any CallCarrier)?
  private(set) var connectionProtocol = ConnectionProtocol.native
  /// Closes the connection for a reason while it has no carrier: because its protocol is not known, or because it has
  /// ended, and its client is given time to read the last output.
  var closeWithoutCarrier: ((ConnectionFailure.Reason?) -> Void)?
  private(set) var peer = Peer(address: "unknown")
  private(set) var assembly: ByteReservation?
  private(set) var backlog: ByteReservation?
  private var interceptor: (any CallInterceptor)?
  private var lastRegistration: Router.Registration?
  /// The number of open calls without credentials.
  private var anonymousCount = 0
  private var isAuthenticated = false
  /// Whether any call was admitted.
  private var hasAdmittedCall = false
  private(set) var isClosed = false

  init(
    router: Router, limits: RPCLimits, resources: LoopResources, origin: PeerOrigin?, admission: ConnectionAdmission,
    deniedCalls: DeniedCallLimiter, assemblies: PeerBudgets, backlogs: PeerBudgets, statistics: ServerStatistics,
    logger: Logger
  ) {
    self.assemblies = assemblies
    self.backlogs = backlogs
    self.router = router
    self.limits = limits
    self.origin = origin
    self.admission = admission
    self.deniedCalls = deniedCalls
    isTraced = router.tracer != nil
    acceptedAt = resources.now
    self.resources = resources
    self.statistics = statistics
    self.logger = logger
  }

  /// The number of open calls.
  var streamCount: Int { carrier?.streamCount ?? 0 }

  // MARK: The connection

  /// Determines the peer, once the socket is open and, with TLS, the peer's certificate is known.
  func identifyPeer(_ channel: any Channel, certificate: NIOSSLCertificate?) {
    peer = Peer(of: channel, certificate: certificate)
    interceptor = router.interceptor?(peer)
    assembly = assemblies.reservation(for: peer)
    backlog = backlogs.reservation(for: peer)
    if certificate != nil { authenticate() }
  }

  /// Sets the protocol of the connection and the carrier of its calls.
  func begin(_ known: ConnectionProtocol, on carrier: any CallCarrier) {
    connectionProtocol = known
    self.carrier = carrier
    closeWithoutCarrier = nil
    statistics.connectionDetected(known)
  }

  func failed(_ reason: ConnectionFailure.Reason, _ status: RPCStatus? = nil) {
    statistics.connectionFailed(reason)
    var metadata: Logger.Metadata = ["reason": "\(reason.rawValue)", "peer": "\(peer.address)"]
    if let status { metadata["message"] = "\(status.message)" }
    logger.debug("connection ended", metadata: metadata)
  }

  /// Releases the connection's resources, once, and cancels the handlers of its open calls.
  func disconnected(_ rejections: RejectionCounts, owners: [AnyObject] = []) {
    guard !isClosed else { return }
    isClosed = true
    statistics.connectionClosed(rejections, carrier == nil ? nil : connectionProtocol)
    carrier = nil
    closeWithoutCarrier = nil
    let size = (assembly?.size ?? 0) + (backlog?.size ?? 0)
    assembly?.releaseAll()
    backlog?.releaseAll()
    // The handler, and with it its messages, is deallocated after this event.
    if size > 0 { resources.loop.execute { FreedMemory.returnToSystem(size) } }
    if !hasAdmittedCall { _ = deniedCalls.tryConsume(for: origin, at: resources.now) }
    if !owners.isEmpty { resources.cancel(owners.compactMap(Self.call)) }
  }

  // MARK: Calls

  /// Dispatches an event of the carrier's connection. Ranges are offsets into `bytes`.
  ///
  /// Events after the end of the connection have no effect: nothing would end their calls.
  func handle(_ event: ConnectionEvent, _ bytes: UnsafeRawBufferPointer, on carrier: some CallCarrier) {
    guard !isClosed else { return }
    switch event {
    case .opened(let opened):
      open(opened, on: carrier)
    case .message(let message):
      if let call = Self.call(message.owner), call.isJSON { return deliverJSON(message, to: call, on: carrier) }
      switch message.content {
      case .inPlace(let range): deliver(message, UnsafeRawBufferPointer(rebasing: bytes[range]), on: carrier)
      case .assembled(let bytes): bytes.withUnsafeBytes { deliver(message, $0, on: carrier) }
      }
    case .halfClosed(_, let owner):
      guard let call = Self.call(owner) else { break }
      guard call.hasBegun else { return finishUnstarted(call, RPCStatus(.invalidArgument, "missing request")) }
      call.closeRequests()
    case .ended(_, let status, let owner):
      ended(Self.call(owner), status)
    case .failed(let failure):
      failed(failure.reason, failure.status)
    case .rejected:
      noteDeniedCall()
    case .ready, .goAway, .header:
      break
    }
  }

  func deliver(_ message: ReceivedMessage, _ bytes: UnsafeRawBufferPointer, on carrier: some CallCarrier) {
    let call = Self.call(message.owner)
    if let call, call.hasBegun { return call.deliver(bytes, message.receipt, isLast: message.isLast) }
    carrier.consume(message.receipt)
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

  /// Cancels the handler of a call that has ended for its peer.
  private func ended(_ call: ServerCall?, _ status: RPCStatus) {
    statistics.callAborted()
    guard let call else { return }
    uncountAnonymous(call)
    guard call.hasBegun else { return finishUnstarted(call, status) }
    call.cancel(status)
  }

  /// Starts the handler of an opened call that streams requests, and accepts any other call that may begin.
  private func open(_ opened: OpenedCall, on carrier: any CallCarrier) {
    statistics.callOpened()
    let callProtocol = carrier.callProtocol(of: opened.stream)
    var context = CallContext(opened, peer: peer, callProtocol: callProtocol)
    do throws(RPCStatus) {
      let registration = try registration(of: opened.method)
      if let interceptor {
        let principal = try interceptor.admit(context, at: resources.now)
        context = CallContext(
          principal == nil ? opened.withoutLargeMetadata : opened, peer: peer, callProtocol: callProtocol,
          principal: principal)
      }
      hasAdmittedCall = true
      if !isAuthenticated, interceptor == nil || context.principal != nil { authenticate() }
      let isJSON = callProtocol == .connect && carrier.isJSON(opened.stream)
      let call = ServerCall(opened.stream, context, self, carrier, registration, isJSON: isJSON)
      if interceptor != nil, context.principal == nil { try countAnonymous(call) }
      carrier.accept(opened.stream, call)
      guard case .streaming(let begin) = registration.route else { return }
      call.begin()
      handlerWaits(of: call)
      _ = begin(call)
    } catch {
      statistics.callFinished(error.code)
      carrier.reject(opened.stream, with: error)
      noteDeniedCall()
    }
  }

  /// Ends a call whose handler was not started.
  private func finishUnstarted(_ call: ServerCall, _ status: RPCStatus) {
    call.abandon()
    uncountAnonymous(call)
    carrier?.finish(call.stream, with: status)
  }

  /// Stops counting a call whose handler has finished as running.
  func handlerFinished(_ call: ServerCall) {
    if call.isCounted { statistics.handlerWaits(-1) }
    uncountAnonymous(call)
  }

  /// Ends a call after its responses.
  func finish(_ call: ServerCall, _ status: RPCStatus) {
    statistics.callFinished(status.code)
    carrier?.finish(call.stream, with: status)
  }

  /// Returns an empty reservation for a request that is being converted. It outlasts the connection.
  func assemblyReservation() -> ByteReservation { assemblies.reservation(for: peer) }

  /// Returns an empty reservation for responses that are being converted. It outlasts the connection.
  func backlogReservation() -> ByteReservation { backlogs.reservation(for: peer) }

  /// Counts a denied call for the address, unless the peer is authenticated: an authenticated peer with few
  /// permissions must not get others of its address rejected.
  private func noteDeniedCall() {
    guard !isAuthenticated, let carrier, !deniedCalls.tryConsume(for: origin, at: resources.now) else { return }
    carrier.end(.flood, deniedCalls.status)
  }

  /// Counts a call without credentials.
  ///
  /// - Throws: The status with which the call is rejected if the limit is reached.
  private func countAnonymous(_ call: ServerCall) throws(RPCStatus) {
    guard let limit = router.anonymousCallLimit else { return }
    guard anonymousCount < limit.countMax else {
      throw RPCStatus(
        .resourceExhausted, "too many \(limit.content) on one connection (\(limit.name): \(limit.countMax))")
    }
    anonymousCount += 1
    call.isCountedAsAnonymous = true
  }

  /// Stops counting a call that has ended for its peer. Idempotent.
  private func uncountAnonymous(_ call: ServerCall) {
    guard call.isCountedAsAnonymous else { return }
    anonymousCount -= 1
    call.isCountedAsAnonymous = false
  }

  /// Marks the peer as authenticated, so that the connection is never evicted.
  private func authenticate() {
    isAuthenticated = true
    admission.authenticate(self)
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
      throw .unknownMethod(method.utf8)
    }
    lastRegistration = registration
    return registration
  }

  /// Returns the call of an owner; carriers set no other owners.
  static func call(_ owner: AnyObject?) -> ServerCall? {
    owner.map { unsafeDowncast($0, to: ServerCall.self) }
  }

  private func handlerWaits(of call: ServerCall) {
    call.isCounted = true
    statistics.handlerWaits(1)
  }

  // MARK: From the server

  /// Stops accepting calls; the connection closes when the open ones have ended.
  func drain(retryAfter: Duration) {
    if let carrier {
      carrier.drain(retryAfter: retryAfter)
    } else if !isClosed {
      closeWithoutCarrier?(nil)
    }
  }

  /// Ends all calls with `status`, cancelling their handlers.
  func abort(_ status: RPCStatus) {
    carrier?.abort(status)
  }

  /// Closes the connection in favor of another one.
  func evict() {
    guard let carrier else {
      closeWithoutCarrier?(.evicted)
      return
    }
    let limits = "connection-count-max or address-connection-count-max"
    let message = "unauthenticated connection evicted in favor of a new one (\(limits))"
    carrier.end(.evicted, RPCStatus(.resourceExhausted, message))
  }

  /// Closes the connection soon, even if its client has not read all output.
  func close() {
    if let carrier { carrier.close() } else { closeWithoutCarrier?(nil) }
  }
}
