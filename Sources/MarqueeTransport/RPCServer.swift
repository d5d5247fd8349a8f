import Glibc
import Logging
import MarqueeRPC
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// Listens on endpoints and answers calls with a router's handlers.
public final class RPCServer: Sendable {
  private let router: Router
  private let configuration: ServerConfiguration
  private let logger: Logger
  /// As many connections as configured, unless the process may not open as many files.
  private let connectionCountMax: Int
  private let counters = ServerStatistics()
  private let state = Mutex(State())

  private struct State {
    var listeners: [any Channel] = []
    var unixListeners: [UnixListener] = []
    var sessions: [ObjectIdentifier: ServerSession] = [:]
    var addresses: [String: Int] = [:]
    var connectionCount = 0
    /// Connections that are being told that they are refused.
    var refusalCount = 0
    var resources: [ObjectIdentifier: LoopResources] = [:]
    /// What connections to TCP endpoints that are still to come use; `nil` for no TLS.
    var tls: NIOSSLContext?
    var isShuttingDown = false
    var waitingForEnd: [CheckedContinuation<Void, Never>] = []
  }

  /// A server that does not listen yet.
  public init(router: Router, configuration: ServerConfiguration = ServerConfiguration(), logger: Logger) {
    self.router = router
    self.configuration = configuration
    self.logger = logger
    connectionCountMax = max(1, min(configuration.connectionCountMax, OpenFiles.countMax - OpenFiles.reserve))
  }

  /// What the server has seen so far.
  public var statistics: ServerCounts { counters.counts }

  /// How many connections are open, and how many the TCP address has that has most.
  public var connectionCounts: (open: Int, ofOneAddress: Int) {
    state.withLock { ($0.connectionCount, $0.addresses.values.max() ?? 0) }
  }

  /// How many calls are open on the connection that has most; each loop is asked of its connections.
  public func fullestStreamCount() async -> Int {
    let sessions = state.withLock { Array($0.sessions.values) }
    return await withTaskGroup { group in
      for ofLoop in Dictionary(grouping: sessions, by: { ObjectIdentifier($0.resources) }).values {
        group.addTask {
          await withCheckedContinuation { continuation in
            ofLoop[0].resources.loop.execute {
              continuation.resume(returning: ofLoop.reduce(0) { max($0, $1.streamCount) })
            }
          }
        }
      }
      return await group.reduce(0, max)
    }
  }

  /// Listens on the endpoints, TCP ones with TLS when `tls` is given, and returns them as bound: with real ports. Of
  /// the sockets inherited, each must be at one of the endpoints, and is listened on there.
  /// When one cannot be bound, none is kept and the error is thrown (an ``EndpointError`` for Unix sockets).
  public func start(
    _ endpoints: [Endpoint], inherited: InheritedSockets = InheritedSockets(), tls: TLSConfiguration? = nil
  ) async throws -> [Endpoint] {
    if let tls { try replaceTLS(with: tls) }
    if connectionCountMax < configuration.connectionCountMax {
      logger.notice(
        "few files may be open, and so few connections",
        metadata: ["files": "\(OpenFiles.countMax)", "connections": "\(connectionCountMax)"])
    }
    var bound: [Endpoint] = []
    var inherited = inherited
    do {
      for endpoint in endpoints {
        if let socket = try inherited.take(endpoint) {
          try await listen(on: socket, isTCP: endpoint.isTCP)
          bound.append(endpoint)
        } else {
          bound.append(try await listen(endpoint))
        }
      }
      if let other = inherited.endpoints.first {
        throw EndpointError("a socket was handed over for \(other), which is not among the endpoints to listen on")
      }
    } catch {
      await stopListening()
      throw error
    }
    return bound
  }

  /// Uses that configuration for the TLS of all connections to come; those that are open go on as they are.
  public func replaceTLS(with configuration: TLSConfiguration) throws {
    let context = try NIOSSLContext(configuration: configuration.offeringMarquee)
    state.withLock { $0.tls = context }
  }

  /// Ends the calls of the connections whose peers `choice` chooses with `status`, and closes these.
  public func close(_ status: RPCStatus, where choice: @escaping @Sendable (Peer) -> Bool) {
    for session in state.withLock({ Array($0.sessions.values) }) {
      session.resources.loop.execute {
        guard choice(session.peer) else { return }
        session.abort(status)
        session.close()
      }
    }
  }

  /// Stops listening, tells clients to go elsewhere, lets calls under way end within `grace`, then ends the others
  /// with `DEADLINE_EXCEEDED` and closes. Returns when every connection is closed; a handler that ignores its
  /// cancellation may still run then.
  public func shutDown(grace: Duration) async {
    let sessions = state.withLock { state in
      state.isShuttingDown = true
      return Array(state.sessions.values)
    }
    await stopListening()
    let retryAfter = configuration.retryAfter
    for session in sessions { session.resources.loop.execute { session.drain(retryAfter: retryAfter) } }
    let end = configuration.eventLoopGroup.any().scheduleTask(in: .nanoseconds(grace.nanoseconds)) { self.abortAll() }
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.connectionCount > 0 { state.waitingForEnd.append(continuation) }
        return state.connectionCount == 0
      }
      if isOver { continuation.resume() }
    }
    end.cancel()
  }

  private func abortAll() {
    close(RPCStatus(.deadlineExceeded, "the server has shut down")) { _ in true }
  }

  private func stopListening() async {
    let (listeners, unixListeners) = state.withLock { state in
      defer { (state.listeners, state.unixListeners) = ([], []) }
      return (state.listeners, state.unixListeners)
    }
    for unixListener in unixListeners { unixListener.remove() }
    for listener in listeners {
      // A listener that is closed already cannot be closed again, which is as good.
      try? await listener.close()
    }
  }

  // MARK: Listening

  private func listen(_ endpoint: Endpoint) async throws -> Endpoint {
    switch endpoint {
    case .tcp(let host, let port):
      let channel = try await bootstrap(isTCP: true).bind(host: host, port: port).get()
      state.withLock { $0.listeners.append(channel) }
      return .tcp(host: host, port: channel.localAddress?.port ?? port)
    case .unix(let path):
      let unixListener = try UnixListener(path: path, mode: configuration.unixSocketMode)
      do {
        let channel = try await bootstrap(isTCP: false).withBoundSocket(unixListener.socket).get()
        // A socket that is bound already listens with a backlog of NIO's choice until it is told again.
        Glibc.listen(unixListener.socket, CInt(configuration.acceptBacklog))
        state.withLock {
          $0.listeners.append(channel)
          $0.unixListeners.append(unixListener)
        }
      } catch {
        unixListener.remove()
        throw error
      }
      return endpoint
    }
  }

  /// Listens on a socket that others have bound, and leaves what it is bound to to them.
  private func listen(on socket: CInt, isTCP: Bool) async throws {
    let channel = try await bootstrap(isTCP: isTCP).withBoundSocket(socket).get()
    state.withLock { $0.listeners.append(channel) }
  }

  private func bootstrap(isTCP: Bool) -> ServerBootstrap {
    let loop = configuration.eventLoopGroup.next()
    let gate = AcceptGate(on: loop)
    let bootstrap = ServerBootstrap(group: loop, childGroup: configuration.eventLoopGroup)
      .serverChannelOption(.backlog, value: CInt(configuration.acceptBacklog))
      .serverChannelInitializer { $0.pipeline.addHandler(gate) }
      .childChannelInitializer { channel in
        defer { gate.settled() }
        return channel.eventLoop.makeCompletedFuture { try self.accept(channel, isTCP: isTCP) }
      }
    guard isTCP else { return bootstrap }
    return bootstrap.serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
  }

  private struct TooManyConnections: Error {}

  /// Connections that are told at a time why they are refused, at most; beyond it, they are closed at once.
  private static let refusalCountMax = 64

  /// Takes a connection over, before it becomes active; throws when there are too many. On its loop.
  package func accept(_ channel: any Channel) throws { try accept(channel, isTCP: false) }

  private func accept(_ channel: any Channel, isTCP: Bool) throws {
    let address = channel.remoteAddress?.ipAddress
    if let status = state.withLock({ admit(address, &$0) }) {
      counters.connectionRefused()
      return try refuse(channel, status, isTCP: isTCP)
    }
    counters.connectionOpened()
    let session = ServerSession(
      router: router, limits: configuration.limits, resources: resources(of: channel.eventLoop),
      statistics: counters, logger: logger)
    channel.closeFuture.whenComplete { _ in self.remove(session, address) }
    let tls = state.withLock { state in
      state.sessions[ObjectIdentifier(session)] = session
      return isTCP ? state.tls : nil
    }
    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
    if let handler = session.channelHandler { try channel.pipeline.syncOperations.addHandler(handler) }
  }

  /// Counts a connection in, or says why not.
  private func admit(_ address: String?, _ state: inout State) -> RPCStatus? {
    let (most, mostOfOne) = (connectionCountMax, configuration.connectionsPerAddressMax)
    if state.isShuttingDown { return RPCStatus(.unavailable, "the server shuts down") }
    guard state.connectionCount < most else {
      return RPCStatus(.resourceExhausted, "connection-count-max is \(most), and as many are open")
    }
    if let address {
      guard state.addresses[address, default: 0] < mostOfOne else {
        let limit = "address-connection-count-max is \(mostOfOne)"
        return RPCStatus(.resourceExhausted, "\(limit), and your address has as many")
      }
      state.addresses[address, default: 0] += 1
    }
    state.connectionCount += 1
    return nil
  }

  /// Says why a connection is not taken; with TLS, which would take a handshake, or when many are being told, it is
  /// closed without a word.
  private func refuse(_ channel: any Channel, _ status: RPCStatus, isTCP: Bool) throws {
    let isTold = state.withLock { state in
      guard !(isTCP && state.tls != nil), state.refusalCount < Self.refusalCountMax else { return false }
      state.refusalCount += 1
      return true
    }
    guard isTold else { throw TooManyConnections() }
    channel.closeFuture.whenComplete { _ in self.state.withLock { $0.refusalCount -= 1 } }
    let words = Connection.refusal(status, limits: configuration.limits)
    try channel.pipeline.syncOperations.addHandler(ConnectionRefusal(words))
  }

  private func remove(_ session: ServerSession, _ address: String?) {
    let waiting = state.withLock { state in
      state.sessions[ObjectIdentifier(session)] = nil
      state.connectionCount -= 1
      if let address {
        let count = state.addresses[address, default: 1] - 1
        state.addresses[address] = count == 0 ? nil : count
      }
      guard state.connectionCount == 0 else { return [CheckedContinuation<Void, Never>]() }
      defer { state.waitingForEnd = [] }
      return state.waitingForEnd
    }
    for continuation in waiting { continuation.resume() }
  }

  private func resources(of loop: any EventLoop) -> LoopResources {
    state.withLock { state in
      if let resources = state.resources[ObjectIdentifier(loop)] { return resources }
      let resources = LoopResources(loop)
      state.resources[ObjectIdentifier(loop)] = resources
      return resources
    }
  }
}

extension TLSConfiguration {
  /// The same configuration, which names this protocol to the peer unless it names others.
  var offeringMarquee: TLSConfiguration {
    var configuration = self
    if configuration.applicationProtocols.isEmpty { configuration.applicationProtocols = ["marquee/1"] }
    return configuration
  }
}
