import Glibc
import Logging
import MarqueeHTTP
import MarqueeRPC
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server that listens on endpoints and handles calls with the handlers of a ``Router``.
public final class RPCServer: Sendable {
  private let router: Router
  private let configuration: ServerConfiguration
  private let logger: Logger
  let admission: ConnectionAdmission
  private let deniedCalls: DeniedCallLimiter
  private let counters = ServerStatistics()
  private let assemblies: PeerBudgets
  private let backlogs: PeerBudgets
  private let state = Mutex(State())

  private struct State {
    var listeners: [any Channel] = []
    var unixListeners: [UnixListener] = []
    /// The number of rejected connections that are being sent the reason.
    var rejectionCount = 0
    /// The division of the process' file descriptors, determined at the start.
    var shares = FileDescriptorLimit.Shares(free: 1 << 20)
    var resources: [ObjectIdentifier: LoopResources] = [:]
    /// The TLS context of new connections to TCP endpoints; `nil` for plain text.
    var tls: NIOSSLContext?
  }

  /// Creates a server that does not listen yet.
  public init(router: Router, configuration: ServerConfiguration = ServerConfiguration(), logger: Logger) {
    self.router = router
    self.configuration = configuration
    self.logger = logger
    assemblies = .assembly(configuration)
    backlogs = .backlog(configuration)
    admission = ConnectionAdmission(configuration.admissionLimits(within: configuration.connectionCountMax))
    deniedCalls = DeniedCallLimiter(configuration.addressDeniedCallRate)
  }

  /// The counters of the server.
  public var statistics: ServerCounts { counters.counts }

  /// The number of open connections, and the maximum per address.
  public var connectionCounts: (open: Int, ofOneAddress: Int) { admission.counts }

  /// The bytes of incomplete messages: the maximum per peer, and the total.
  public var assemblySizes: (ofOnePeer: Int, all: Int) { assemblies.sizes }

  /// The bytes of unsent messages: the maximum per peer, and the total.
  public var backlogSizes: (ofOnePeer: Int, all: Int) { backlogs.sizes }

  /// Returns the maximum number of open calls on a connection.
  public func fullestStreamCount() async -> Int {
    let connections = admission.connections
    return await withTaskGroup { group in
      for ofLoop in Dictionary(grouping: connections, by: { ObjectIdentifier($0.resources) }).values {
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

  /// Starts listening.
  ///
  /// - Parameters:
  ///   - endpoints: The endpoints to listen on.
  ///   - inherited: Inherited sockets, which are used for the endpoints that they are bound to.
  ///   - tls: The TLS configuration of TCP endpoints; `nil` for plain text.
  /// - Returns: The endpoints as bound, with actual port numbers.
  /// - Throws: An ``EndpointError`` if any endpoint cannot be bound, or if an inherited socket matches no endpoint. The
  ///   server listens on none of them then.
  public func start(
    _ endpoints: [Endpoint], inherited: InheritedSockets = InheritedSockets(), tls: TLSConfiguration? = nil
  ) async throws -> [Endpoint] {
    if let tls { try replaceTLS(with: tls) }
    try shareFiles()
    var bound: [Endpoint] = []
    var inherited = inherited
    do {
      for endpoint in endpoints {
        if let socket = try inherited.removeDescriptor(for: endpoint) {
          try await listen(on: socket, isTCP: endpoint.isTCP)
          bound.append(endpoint)
        } else {
          bound.append(try await listening(on: endpoint))
        }
      }
      if let other = inherited.endpoints.first {
        throw EndpointError("inherited socket \(other) is not among the endpoints to listen on")
      }
    } catch {
      await stopListening()
      throw error
    }
    return bound
  }

  /// Limits the number of connections to the file descriptors that the rest of the process does not need.
  private func shareFiles() throws(EndpointError) {
    let free = FileDescriptorLimit.freeCount
    guard free >= FileDescriptorLimit.freeCountMin else {
      let least = FileDescriptorLimit.countMax - free + FileDescriptorLimit.freeCountMin
      throw EndpointError(
        "file descriptor limit too low (RLIMIT_NOFILE: \(FileDescriptorLimit.countMax), required: \(least))")
    }
    let shares = FileDescriptorLimit.Shares(free: free)
    state.withLock { $0.shares = shares }
    guard shares.connections < configuration.connectionCountMax else { return }
    admission.set(configuration.admissionLimits(within: shares.connections))
    logger.notice(
      "connection limit reduced by the file descriptor limit",
      metadata: ["files": "\(FileDescriptorLimit.countMax)", "connections": "\(shares.connections)"])
  }

  /// Replaces the TLS configuration of new connections; open connections keep theirs.
  public func replaceTLS(with configuration: TLSConfiguration) throws {
    // The first protocol that the client offers too is chosen. Browsers offer HTTP/2 and HTTP/1.1, in which they open
    // no more than six connections to a server.
    let all: [ConnectionProtocol] = [.native, .http2, .http1]
    let offered = all.filter { $0.isAccepted(with: self.configuration.protocols) }
    let context = try NIOSSLContext(configuration: configuration.offering(offered))
    state.withLock { $0.tls = context }
  }

  /// Ends the calls of all connections whose peer satisfies the predicate with `status`, and closes these connections.
  public func close(_ status: RPCStatus, where choice: @escaping @Sendable (Peer) -> Bool) {
    for connection in admission.connections {
      connection.resources.loop.execute {
        guard choice(connection.peer) else { return }
        connection.abort(status)
        connection.close()
      }
    }
  }

  /// Shuts down gracefully.
  ///
  /// The server stops listening and asks clients to reconnect elsewhere. Calls that have not ended within `grace` end
  /// with `DEADLINE_EXCEEDED`. The method returns when every connection is closed; a handler that ignores cancellation
  /// may still be running.
  public func shutDown(grace: Duration) async {
    let connections = admission.close()
    await stopListening()
    let retryAfter = configuration.retryAfter
    for connection in connections {
      connection.resources.loop.execute { connection.drain(retryAfter: retryAfter) }
    }
    let end = configuration.eventLoopGroup.any().scheduleTask(in: .nanoseconds(grace.nanoseconds)) { self.abortAll() }
    await admission.waitForEnd()
    end.cancel()
  }

  private func abortAll() {
    close(RPCStatus(.deadlineExceeded, "the server shut down before the call ended")) { _ in true }
  }

  private func stopListening() async {
    let (listeners, unixListeners) = state.withLock { state in
      defer { (state.listeners, state.unixListeners) = ([], []) }
      return (state.listeners, state.unixListeners)
    }
    for unixListener in unixListeners { unixListener.remove() }
    for listener in listeners {
      // A listener that is already closed needs no closing.
      try? await listener.close()
    }
  }

  // MARK: Listening

  /// Listens on an endpoint, which an error names.
  private func listening(on endpoint: Endpoint) async throws -> Endpoint {
    do {
      return try await listen(endpoint)
    } catch {
      let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
      throw EndpointError("cannot listen on \(endpoint): \(reason)")
    }
  }

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
        // For a bound socket, NIO calls `listen` with its own backlog; calling it again sets the configured one.
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

  /// Listens on an inherited socket, whose address remains the service manager's responsibility.
  private func listen(on socket: CInt, isTCP: Bool) async throws {
    let channel = try await bootstrap(isTCP: isTCP).withBoundSocket(socket).get()
    state.withLock { $0.listeners.append(channel) }
  }

  private func bootstrap(isTCP: Bool) -> ServerBootstrap {
    let loop = configuration.eventLoopGroup.next()
    let underWayMax = state.withLock(\.shares.underWay)
    let backpressure = AcceptBackpressure(on: loop, underWayMax: underWayMax)
    let bootstrap = ServerBootstrap(group: loop, childGroup: configuration.eventLoopGroup)
      .serverChannelOption(.backlog, value: CInt(configuration.acceptBacklog))
      .serverChannelOption(.maxMessagesPerRead, value: UInt(underWayMax))
      .serverChannelInitializer { $0.pipeline.addHandler(backpressure) }
      // One buffer of a connection for each event-loop tick: several buffers full of frames of one byte would delay the
      // loop's other connections.
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelInitializer { channel in
        defer { backpressure.connectionInitialized() }
        return channel.eventLoop.makeCompletedFuture { try self.accept(channel, isTCP: isTCP) }
      }
    guard isTCP else { return bootstrap }
    return Self.keepalive.reduce(bootstrap.serverChannelOption(.socketOption(.so_reuseaddr), value: 1)) {
      $0.childChannelOption($1.option, value: $1.value)
    }.childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.tcpOption(Self.unsentSizeOption), value: Self.unsentSizeMax)
  }

  /// The options with which the system detects a peer that is gone, because HTTP/1.1 has no pings: after a minute
  /// without input and three probes without an answer, or as long after output that is not acknowledged, during which
  /// it sends no probes. A peer that reads nothing for that time counts as gone, too.
  private static let keepalive: [(option: ChannelOptions.Types.SocketOption, value: Int)] = [
    (.socketOption(.so_keepalive), 1),
    (.tcpOption(NIOBSDSocket.Option(rawValue: TCP_KEEPIDLE)), 60),
    (.tcpOption(NIOBSDSocket.Option(rawValue: TCP_KEEPINTVL)), 10),
    (.tcpOption(NIOBSDSocket.Option(rawValue: TCP_KEEPCNT)), 3),
    (.tcpOption(NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT)), 90_000),
  ]
  /// The unsent bytes in the system's buffer of a socket above which it accepts no more: the system would buffer
  /// megabytes, and report progress only when a third of them has been sent.
  private static let unsentSizeMax = 131_072
  private static let unsentSizeOption = NIOBSDSocket.Option(rawValue: TCP_NOTSENT_LOWAT)

  private struct TooManyConnections: Error {}

  /// Serves a connection of a transport other than the server's sockets, such as one in memory.
  ///
  /// The connection counts toward the server's limits, and is not encrypted by the server.
  ///
  /// - Parameter channel: The server's end of the connection, before it becomes active. Its event loop is the one that
  ///   this is called on.
  /// - Throws: An error if the connection is rejected without a message.
  public func accept(_ channel: any Channel) throws { try accept(channel, isTCP: false) }

  private func accept(_ channel: any Channel, isTCP: Bool) throws {
    let (resources, origin) = (resources(of: channel.eventLoop), PeerOrigin(channel))
    if deniedCalls.isExhausted(origin, at: resources.now) {
      counters.connectionRejected()
      return try reject(channel, deniedCalls.status, isTCP: isTCP)
    }
    let connection = ServerConnection(
      router: router, limits: configuration.limits, resources: resources, origin: origin, admission: admission,
      deniedCalls: deniedCalls, assemblies: assemblies, backlogs: backlogs, statistics: counters, logger: logger)
    switch admission.admit(connection) {
    case .rejected(let status):
      counters.connectionRejected()
      return try reject(channel, status, isTCP: isTCP)
    case .admitted(let other?):
      counters.connectionRejected()
      other.resources.loop.execute { other.evict() }
    case .admitted(nil): break
    }
    counters.connectionOpened()
    channel.closeFuture.whenComplete { _ in self.admission.remove(connection) }
    let tls = isTCP ? state.withLock(\.tls) : nil
    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
    let detector = ProtocolDetector(connection, configuration, isEncrypted: tls != nil)
    try channel.pipeline.syncOperations.addHandler(detector)
  }

  /// Rejects a connection, sending it the reason.
  ///
  /// With TLS, where that would require a handshake, and when too many rejections are in progress, it is closed without
  /// a message.
  private func reject(_ channel: any Channel, _ status: RPCStatus, isTCP: Bool) throws {
    let isTold = state.withLock { state in
      guard !(isTCP && state.tls != nil), state.rejectionCount < state.shares.rejections else { return false }
      state.rejectionCount += 1
      return true
    }
    guard isTold else { throw TooManyConnections() }
    channel.closeFuture.whenComplete { _ in self.state.withLock { $0.rejectionCount -= 1 } }
    var reasons: [ConnectionProtocol: [UInt8]] = [:]
    for known in ConnectionProtocol.allCases where known.isAccepted(with: configuration.protocols) {
      reasons[known] =
        switch known {
        case .native: Connection.rejection(status, limits: configuration.limits)
        case .http2: HTTP2Connection.rejection(status)
        case .http1: HTTP1ResponseHead.rejection(status)
        }
    }
    try channel.pipeline.syncOperations.addHandler(ConnectionRejection(reasons))
  }

  private func resources(of loop: any EventLoop) -> LoopResources {
    state.withLock { state in
      if let resources = state.resources[ObjectIdentifier(loop)] { return resources }
      let resources = LoopResources(loop, dateClock: configuration.dateClock)
      state.resources[ObjectIdentifier(loop)] = resources
      return resources
    }
  }
}

extension TLSConfiguration {
  /// Returns the configuration with the ALPN names of protocols, unless it has other names, and with TLS 1.2 as the
  /// minimum version: earlier ones are deprecated (RFC 8996).
  func offering(_ protocols: [ConnectionProtocol]) -> TLSConfiguration {
    var configuration = self
    switch configuration.minimumTLSVersion {
    case .tlsv1, .tlsv11: configuration.minimumTLSVersion = .tlsv12
    case .tlsv12, .tlsv13: break
    }
    if configuration.applicationProtocols.isEmpty {
      configuration.applicationProtocols = protocols.map(\.applicationProtocol)
    }
    return configuration
  }
}
