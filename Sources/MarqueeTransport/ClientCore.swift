import Logging
import MarqueeRPC
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A client's connection, and the calls that wait for one.
///
/// `@unchecked Sendable`: all state but `published` is accessed only on the event loop.
@usableFromInline
final class ClientCore: @unchecked Sendable {
  let resources: LoopResources
  let endpoint: Endpoint
  let configuration: ClientConfiguration
  let logger: Logger
  /// The client's own connection if this is one to which it was redirected; `nil` otherwise.
  private let home: ClientCore?
  /// Whether the server may redirect calls.
  let acceptsMoved: Bool
  /// The connections to other servers of a cluster; `nil` until a call is redirected.
  private var redirector: CallRedirector?
  /// The connections to other servers that have not been closed yet; empty unless this one is being closed.
  private var closingTargets: [ClientCore] = []
  private let published = Mutex(Connectivity.idle)
  private(set) var state = Connectivity.idle { didSet { published.withLock { $0 = state } } }
  /// The connection for new calls; it may not be ready yet.
  private var session: ClientSession?
  /// Connections that only finish their open calls.
  private var closing: [ObjectIdentifier: ClientSession] = [:]
  private var waiting = CircularBuffer<ClientStream>() { didSet { hasNoWaitingCalls = waiting.isEmpty } }
  /// Cached, because each call checks it twice.
  private var hasNoWaitingCalls = true
  private(set) var failedAttempts = 0
  private var lastFailure = RPCStatus(.unavailable, "not connected")
  private var retry: Scheduled<Void>?
  /// The timer for the deadlines of waiting calls; it may fire too early.
  private var waitingTimer: (due: MonotonicTime, task: Scheduled<Void>)?
  private var closed: [LoopPromise<Void>] = []
  private var tls: NIOSSLContext?

  init(_ endpoint: Endpoint, _ configuration: ClientConfiguration, _ logger: Logger) {
    self.endpoint = endpoint
    self.configuration = configuration
    self.logger = logger
    home = nil
    acceptsMoved = configuration.followsRedirects && configuration.dialer == nil
    resources = LoopResources(configuration.eventLoopGroup.next())
  }

  /// Creates a connection for calls that were redirected, on the event loop of `home`.
  init(_ endpoint: Endpoint, _ configuration: ClientConfiguration, redirectedFrom home: ClientCore) {
    self.endpoint = endpoint
    self.configuration = configuration
    self.home = home
    logger = home.logger
    acceptsMoved = true
    resources = home.resources
  }

  /// The state of the connection. Thread-safe.
  var connectivity: Connectivity { published.withLock { $0 } }

  // MARK: Calls

  /// Returns the options with the calling task's trace context. Thread-safe.
  func traced(_ options: consuming CallOptions) -> CallOptions { options.traced(by: configuration.instrument) }

  /// Opens a call, now or as soon as the connection has room for it: this one, or the one to which the client was
  /// redirected for its device.
  func submit(_ call: ClientStream) {
    if let redirector { redirector.submit(call) } else { open(call) }
  }

  /// Opens a call on this connection, now or as soon as it has room for it.
  func open(_ call: ClientStream) {
    if let problem = call.request.options.metadata.problem {
      return call.ended(RPCStatus(.invalidArgument, problem))
    }
    switch state {
    case .shutDown:
      return call.ended(RPCStatus(.unavailable, "the client was closed"))
    case .transientFailure where !waitsForReady(call):
      return end(call, unreachable(lastFailure.code))
    case .ready where hasNoWaitingCalls:
      if let session, session.canOpen { return session.open(call) }
      if let session, session.isSpent { replace(session) }
    case .idle:
      connect()
    default:
      break
    }
    enqueue(call)
  }

  /// Whether a call waits while the server is unreachable. A redirected one does not: it can be made elsewhere.
  private func waitsForReady(_ call: ClientStream) -> Bool { home == nil && call.request.options.waitsForReady }

  /// Ends a call, unless it is made at another server.
  func end(_ call: ClientStream, _ status: RPCStatus) {
    if status.code == .unavailable, status.isRefusal, (home ?? self).redirect(call, status, from: self) { return }
    call.ended(status)
  }

  /// Makes a call that the server of a connection has refused at another one.
  ///
  /// - Returns: Whether it is made there; `false` if it ends with the status.
  private func redirect(_ call: ClientStream, _ status: RPCStatus, from core: ClientCore) -> Bool {
    guard acceptsMoved, state != .shutDown, call.canRestart else { return false }
    if redirector == nil {
      guard status.moved != nil else { return false }
      redirector = CallRedirector(self)
    }
    return redirector?.redirect(call, status, from: core) ?? false
  }

  /// Returns the call's metadata with the client's authorization.
  func metadata(of call: ClientStream) -> Metadata {
    guard let endpoint = call.redirection?.rejectedEndpoint else { return authorized(call.request.options.metadata) }
    var metadata = call.request.options.metadata
    metadata.append(CallContext.forwardKey, bytes: Array(endpoint.utf8))
    return authorized(metadata)
  }

  private func authorized(_ metadata: Metadata) -> Metadata {
    guard let authorization = configuration.authorization, metadata.bytes(for: "authorization") == nil,
      let value = authorization()
    else { return metadata }
    var metadata = metadata
    metadata.append("authorization", value)
    return metadata
  }

  private func enqueue(_ call: ClientStream) {
    guard waiting.count < configuration.waitingCallCountMax else {
      let countMax = configuration.waitingCallCountMax
      let message = "too many calls waiting for a stream (the client's waiting-call-count-max: \(countMax))"
      return call.ended(RPCStatus(.resourceExhausted, message))
    }
    waiting.append(call)
    if let due = call.request.deadline { setWaitingTimer(due) }
  }

  /// Removes a waiting call from the queue; the caller ends it.
  func withdraw(_ call: ClientStream) {
    waiting.removeAll { $0 === call }
  }

  /// Opens waiting calls while the connection has room.
  func openWaitingCalls() {
    if hasNoWaitingCalls { return }
    if let session, state == .ready, session.isSpent { replace(session) }
    while let session, state == .ready, session.canOpen, let call = waiting.popFirst() { session.open(call) }
  }

  /// Schedules a check of the waiting calls' deadlines at `due` or earlier. The timer is not cancelled when its call
  /// leaves the queue, so that removal is cheap.
  private func setWaitingTimer(_ due: MonotonicTime) {
    if let waitingTimer, waitingTimer.due <= due { return }
    waitingTimer?.task.cancel()
    let task = resources.loop.assumeIsolated().scheduleTask(deadline: due.nioDeadline) { self.endLateWaiting() }
    waitingTimer = (due, task)
  }

  private func endLateWaiting() {
    waitingTimer = nil
    let now = resources.now
    let late = waiting.filter { ($0.request.deadline ?? .distantFuture) <= now }
    waiting.removeAll { ($0.request.deadline ?? .distantFuture) <= now }
    for call in late { call.ended(.deadlinePassed) }
    if let due = waiting.compactMap(\.request.deadline).min() { setWaitingTimer(due) }
  }

  /// Fails waiting calls: all of them, or those that do not wait for an unreachable server.
  private func failWaiting(_ status: RPCStatus, all: Bool) {
    let failing = waiting.filter { all || !waitsForReady($0) }
    waiting.removeAll { all || !waitsForReady($0) }
    for call in failing { end(call, status) }
  }

  /// Returns the status of a call that was not sent, because there is no connection.
  private func unreachable(_ code: StatusCode) -> RPCStatus {
    RPCStatus(code, lastFailure.message, details: lastFailure.details, isRefusal: true)
  }

  // MARK: Connecting

  /// Drains a connection that can open no more calls, and connects again.
  private func replace(_ session: ClientSession) {
    closing[ObjectIdentifier(session)] = session
    self.session = nil
    session.drain()
    connect()
  }

  private func connect() {
    state = .connecting
    retry = nil
    let session = ClientSession(
      limits: configuration.limits, acceptsMoved: acceptsMoved, resources: resources, core: self)
    self.session = session
    let future: EventLoopFuture<any Channel>
    do {
      future = try dial(session)
    } catch {
      return sessionIsClosed(session, RPCStatus(.unavailable, "invalid TLS configuration"))
    }
    future.assumeIsolated().whenFailure { _ in
      self.sessionIsClosed(session, RPCStatus(.unavailable, "cannot connect to the server"))
    }
  }

  private func dial(_ session: ClientSession) throws -> EventLoopFuture<any Channel> {
    if let dialer = configuration.dialer, let handler = session.channelHandler {
      return dialer.dial(handler, on: resources.loop)
    }
    let bootstrap = try bootstrap(session)
    return switch endpoint {
    case .tcp(let host, let port): bootstrap.connect(host: host, port: port)
    case .unix(let path): bootstrap.connect(unixDomainSocketPath: path)
    }
  }

  private func bootstrap(_ session: ClientSession) throws -> ClientBootstrap {
    var name: String?
    if case .tcp(let host, _) = endpoint {
      if tls == nil { tls = try configuration.tls.map { try NIOSSLContext(configuration: $0.offering([.native])) } }
      name = configuration.tlsServerName ?? (host.isAddress ? nil : host)
    }
    let tls = tls
    let serverName = name
    return ClientBootstrap(group: resources.loop)
      .connectTimeout(.nanoseconds(configuration.connectTimeMax.nanoseconds))
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          if let tls { try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: serverName)) }
          if let handler = session.channelHandler { try pipeline.addHandler(handler) }
        }
      }
  }

  // MARK: From sessions

  func sessionIsReady(_ session: ClientSession) {
    guard session === self.session else { return }
    failedAttempts = 0
    state = .ready
    openWaitingCalls()
  }

  func session(_ session: ClientSession, goesAway goAway: GoAway) {
    guard session === self.session else { return }
    closing[ObjectIdentifier(session)] = session
    self.session = nil
    lastFailure = goAway.status
    pauseThenConnect(atLeast: goAway.retryAfter)
  }

  func sessionIsClosed(_ session: ClientSession, _ status: RPCStatus) {
    if closing.removeValue(forKey: ObjectIdentifier(session)) != nil {
      return completeClosing()
    }
    guard session === self.session else { return }
    self.session = nil
    guard state != .shutDown else { return completeClosing() }
    let wasReady = state == .ready
    lastFailure = status
    if wasReady, waiting.isEmpty {
      state = .idle
    } else {
      pauseThenConnect(atLeast: .zero)
    }
  }

  /// Delays the next connection attempt, and fails the calls that do not wait for an unreachable server.
  private func pauseThenConnect(atLeast least: Duration) {
    failedAttempts += 1
    state = .transientFailure
    logger.debug("no connection", metadata: ["attempts": "\(failedAttempts)", "code": "\(lastFailure.code)"])
    failWaiting(unreachable(.unavailable), all: false)
    let pause = configuration.backoff.pause(after: failedAttempts, chance: configuration.chance())
    retry = resources.loop.assumeIsolated().scheduleTask(in: .nanoseconds((least + pause).nanoseconds)) {
      if self.waiting.isEmpty {
        self.state = .idle
      } else {
        self.connect()
      }
    }
  }

  // MARK: Closing

  /// Stops accepting calls and waits until the open ones have ended.
  func close() async {
    let promise = LoopPromise<Void>(on: resources.loop)
    resources.loop.run {
      self.closed.append(promise)
      self.beginClosing()
    }
    do {
      try await promise.value()
    } catch {
      // The waiting task was cancelled: abort the open calls.
      resources.loop.run { self.abortCalls() }
    }
  }

  /// Stops accepting calls; connections close when their open calls have ended.
  func beginClosing() {
    if state != .shutDown {
      state = .shutDown
      retry?.cancel()
      waitingTimer?.task.cancel()
      failWaiting(RPCStatus(.unavailable, "the client was closed"), all: true)
      session?.drain()
      for session in closing.values { session.drain() }
      closingTargets = redirector?.targets.map(\.core) ?? []
      redirector = nil
      for target in closingTargets { target.beginClosing() }
    }
    completeClosing()
  }

  private func abortCalls() {
    session?.close()
    for session in closing.values { session.close() }
    for target in closingTargets { target.abortCalls() }
  }

  private func completeClosing() {
    guard state == .shutDown, session == nil, closing.isEmpty, closingTargets.isEmpty else { return }
    let promises = closed
    closed = []
    for promise in promises { promise.complete(.success(())) }
    home?.targetIsClosed(self)
  }

  private func targetIsClosed(_ target: ClientCore) {
    closingTargets.removeAll { $0 === target }
    completeClosing()
  }
}

extension String {
  /// Whether the string is a numeric address, which TLS does not accept as a server name.
  fileprivate var isAddress: Bool {
    // A failure only means that the string is a host name.
    (try? SocketAddress(ipAddress: self, port: 0)) != nil
  }
}
