import Logging
import MarqueeRPC
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A client's connection and the calls that wait for one.
///
/// `@unchecked Sendable`: all state but `published` is touched on the loop alone.
@usableFromInline
final class ClientCore: @unchecked Sendable {
  let resources: LoopResources
  private let endpoint: Endpoint
  private let configuration: ClientConfiguration
  private let logger: Logger
  private let published = Mutex(Connectivity.idle)
  private var state = Connectivity.idle { didSet { published.withLock { $0 = state } } }
  /// The connection for new calls; it may not be ready yet.
  private var session: ClientSession?
  /// Connections whose last calls are under way.
  private var closing: [ObjectIdentifier: ClientSession] = [:]
  private var waiting = CircularBuffer<ClientStream>() { didSet { nobodyWaits = waiting.isEmpty } }
  /// Known without looking, since each call asks twice.
  private var nobodyWaits = true
  private var failedAttempts = 0
  private var lastFailure = RPCStatus(.unavailable, "not connected")
  private var retry: Scheduled<Void>?
  /// Fires no later than the first of the waiting calls' deadlines.
  private var waitingTimer: (due: MonotonicTime, task: Scheduled<Void>)?
  private var closed: [LoopPromise<Void>] = []
  private var tls: NIOSSLContext?

  init(_ endpoint: Endpoint, _ configuration: ClientConfiguration, _ logger: Logger) {
    self.endpoint = endpoint
    self.configuration = configuration
    self.logger = logger
    resources = LoopResources(configuration.eventLoopGroup.next())
  }

  /// How the client stands, from any thread.
  var connectivity: Connectivity { published.withLock { $0 } }

  // MARK: Calls

  /// The options with the trace of the task that calls. From anywhere.
  func traced(_ options: CallOptions) -> CallOptions { options.traced(by: configuration.instrument) }

  /// Opens a call now or when there is a place for it.
  func submit(_ call: ClientStream) {
    if let problem = call.request.options.metadata.problem {
      return call.ended(RPCStatus(.invalidArgument, problem))
    }
    switch state {
    case .shutDown:
      return call.ended(RPCStatus(.unavailable, "the client is closed"))
    case .transientFailure where !call.request.options.waitsForReady:
      return call.ended(lastFailure)
    case .ready where nobodyWaits:
      if let session, session.canOpen { return session.open(call) }
      if let session, session.isSpent { replace(session) }
    case .idle:
      connect()
    default:
      break
    }
    wait(call)
  }

  /// What goes beside a call's messages: its own metadata, and who calls.
  func metadata(of options: CallOptions) -> Metadata {
    guard let authorization = configuration.authorization, options.metadata.bytes(for: "authorization") == nil,
      let value = authorization()
    else { return options.metadata }
    var metadata = options.metadata
    metadata.append("authorization", value)
    return metadata
  }

  private func wait(_ call: ClientStream) {
    guard waiting.count < configuration.waitingCallCountMax else {
      let message = "waiting-call-count-max is \(configuration.waitingCallCountMax), and as many calls wait for a place"
      return call.ended(RPCStatus(.resourceExhausted, message))
    }
    waiting.append(call)
    if let due = call.request.deadline { setWaitingTimer(due) }
  }

  /// Takes a call back that waits; it has ended otherwise.
  func withdraw(_ call: ClientStream) {
    waiting.removeAll { $0 === call }
  }

  func placeIsFree() {
    if nobodyWaits { return }
    if let session, state == .ready, session.isSpent { replace(session) }
    while let session, state == .ready, session.canOpen, let call = waiting.popFirst() { session.open(call) }
  }

  /// Has those looked at that wait, at `due` or before. A timer stays when the call that it was set for waits no
  /// longer, so that each costs nothing however many wait.
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
    for call in late { call.ended(RPCStatus(.deadlineExceeded, "the call's time is over")) }
    if let due = waiting.compactMap(\.request.deadline).min() { setWaitingTimer(due) }
  }

  /// Ends waiting calls: all, or those that do not wait for a server out of reach.
  private func failWaiting(_ status: RPCStatus, all: Bool) {
    let failing = waiting.filter { all || !$0.request.options.waitsForReady }
    waiting.removeAll { all || !$0.request.options.waitsForReady }
    for call in failing { call.ended(status) }
  }

  // MARK: Connecting

  /// Lets a connection that has no stream numbers left end its calls, and makes another.
  private func replace(_ session: ClientSession) {
    closing[ObjectIdentifier(session)] = session
    self.session = nil
    session.drain()
    connect()
  }

  private func connect() {
    state = .connecting
    retry = nil
    let session = ClientSession(limits: configuration.limits, resources: resources, core: self)
    self.session = session
    let future: EventLoopFuture<any Channel>
    do {
      future = try dial(session)
    } catch {
      return sessionIsClosed(session, RPCStatus(.unavailable, "the TLS configuration cannot be used"))
    }
    future.assumeIsolated().whenFailure { _ in
      self.sessionIsClosed(session, RPCStatus(.unavailable, "the server cannot be reached"))
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
      if tls == nil { tls = try configuration.tls.map { try NIOSSLContext(configuration: $0.offeringMarquee) } }
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
    placeIsFree()
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

  /// Waits before the next attempt; calls that do not wait for an unreachable server fail.
  private func pauseThenConnect(atLeast least: Duration) {
    failedAttempts += 1
    state = .transientFailure
    logger.debug("no connection", metadata: ["attempts": "\(failedAttempts)", "code": "\(lastFailure.code)"])
    failWaiting(RPCStatus(.unavailable, lastFailure.message), all: false)
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

  /// Takes no further calls; waits until calls under way are over.
  func close() async {
    let promise = LoopPromise<Void>(on: resources.loop)
    resources.loop.run {
      self.closed.append(promise)
      self.beginClosing()
    }
    do {
      try await promise.value()
    } catch {
      // The waiting task was cancelled: calls under way are cut short.
      resources.loop.run { self.cutShort() }
    }
  }

  /// Takes no further calls; connections close when those under way are over.
  func beginClosing() {
    if state != .shutDown {
      state = .shutDown
      retry?.cancel()
      waitingTimer?.task.cancel()
      failWaiting(RPCStatus(.unavailable, "the client is closed"), all: true)
      session?.drain()
      for session in closing.values { session.drain() }
    }
    completeClosing()
  }

  private func cutShort() {
    session?.close()
    for session in closing.values { session.close() }
  }

  private func completeClosing() {
    guard state == .shutDown, session == nil, closing.isEmpty else { return }
    let promises = closed
    closed = []
    for promise in promises { promise.complete(.success(())) }
  }
}

extension String {
  /// Whether it is a numeric address, which TLS does not take for a server's name.
  fileprivate var isAddress: Bool {
    // What is no address is a name, so the error carries nothing that is needed.
    (try? SocketAddress(ipAddress: self, port: 0)) != nil
  }
}
