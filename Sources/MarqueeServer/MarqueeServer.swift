import Foundation
import Logging
import MarqueeCluster
import MarqueeConsole
import MarqueeFiles
import MarqueeJournal
import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeStore
import MarqueeTransport
import MarqueeWire
import Metrics
import ServiceLifecycle
import Synchronization
public import Tracing

/// A complete server: store, runtime, and the services on their sockets.
///
/// Run it as a `Service`. A graceful shutdown sets health to NOT_SERVING, gives the devices of a node to other nodes
/// and then lets open calls complete, each within ``MarqueeConfiguration/shutdownGrace``, and finally stops the
/// runtime, with every acknowledged event on disk.
public final class MarqueeServer: Service {
  /// The full names of the offered services.
  public static let serviceNames: Set<String> = [
    ProviderService.name, DisplayService.name, AdminService.name, HealthService.name, ReflectionService.name,
    ReflectionService.alphaName,
  ]

  private let configuration: MarqueeConfiguration
  private let logger: Logger
  private let store: ServerStore
  private let clock: any WallClock
  private let core: ServerCore
  /// The state of a node of a cluster.
  private let node: NodeState?
  private let nodeService: NodeService?
  private let connectionMetrics: ConnectionMetrics
  private let nodeMetrics: NodeMetrics?
  private let reloads: (applied: Counter, rejected: Counter)
  /// The open sockets, while the server is listening.
  private let front = Mutex<Front?>(nil)
  private let bound = AsyncStream<[Endpoint]>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// Creates a server and opens its store, which is SQLite in the data directory, or the configured database.
  ///
  /// - Parameters:
  ///   - configuration: The settings, which are checked first.
  ///   - logger: The logger of the server.
  ///   - metrics: The factory of the server's metrics.
  /// - Throws: ``ConfigurationError``, or `JournalError` if the store cannot be opened.
  public static func open(
    configuration: MarqueeConfiguration, logger: Logger, metrics: any MetricsFactory = MetricsSystem.factory
  ) async throws -> MarqueeServer {
    try configuration.check()
    let store = try await ServerStore.open(configuration, loopCount: loopCount)
    let last = configuration.clock.isManual ? try await store.lastInstant() : nil
    return try MarqueeServer(
      configuration, store, clock: configuration.clock.clock(after: last), logger: logger, metrics: metrics,
      tracer: nil)
  }

  /// Creates a server and opens its data directory. For another database, use ``open(configuration:logger:metrics:)``.
  ///
  /// - Parameters:
  ///   - configuration: The settings, which are checked first.
  ///   - clock: The clock to use instead of the configured one.
  ///   - logger: The logger of the server.
  ///   - metrics: The factory of the server's metrics.
  ///   - tracer: The tracer of calls; `nil` for the process's tracer at the time ``run()`` is called.
  /// - Throws: ``ConfigurationError``, or `JournalError` if the data directory cannot be opened.
  public convenience init(
    configuration: MarqueeConfiguration, clock: (any WallClock)? = nil, logger: Logger,
    metrics: any MetricsFactory = MetricsSystem.factory, tracer: (any Tracer)? = nil
  ) throws {
    try configuration.check()
    guard configuration.postgres == nil else {
      throw ConfigurationError("store", "the database is opened asynchronously")
    }
    let store = try Store(directory: configuration.dataDirectory)
    let last = configuration.clock.isManual ? try store.lastInstant() : nil
    try self.init(
      configuration, .directory(store), clock: clock ?? configuration.clock.clock(after: last), logger: logger,
      metrics: metrics, tracer: tracer)
  }

  /// The number of event loops.
  private static var loopCount: Int { ProcessInfo.processInfo.activeProcessorCount }

  private init(
    _ configuration: MarqueeConfiguration, _ store: ServerStore, clock: any WallClock, logger: Logger,
    metrics: any MetricsFactory, tracer: (any Tracer)?
  ) throws {
    self.configuration = configuration
    self.logger = logger
    connectionMetrics = ConnectionMetrics(metrics)
    func reloads(_ outcome: String) -> Counter {
      Counter(label: "marquee_reloads_total", dimensions: [("outcome", outcome)], factory: metrics)
    }
    self.reloads = (reloads("applied"), reloads("rejected"))
    self.store = store
    for warning in store.warnings { logger.warning("\(warning)") }
    self.clock = clock
    let journals = store.journals
    let loopCount = journals.count == 1 ? Self.loopCount : journals.count
    var settings = Runtime.Configuration(shardCount: loopCount, configuration)
    node = store.node.map { NodeState(shardCount: $0.cluster.shardCount) }
    nodeMetrics = node.map { _ in NodeMetrics(metrics) }
    settings.node = node
    if let store = store.node, let node {
      settings.shards = ShardSet([], of: node.shardCount)
      node.leaseEnd = store.end(of: store.lease)
    }
    core = ServerCore(
      settings, clock: self.clock, journals: (0..<loopCount).map { journals[$0 % journals.count] },
      logger: logger, metrics: metrics,
      slowCallThreshold: configuration.slowCallThreshold, tracer: tracer,
      timelines: TimelineBudgets(configuration.timelineSizes),
      sessions: try store.node?.sessions ?? SessionTable(SessionFile(directory: configuration.dataDirectory)),
      connections: try store.node.map { NodeConnections(try $0.cluster.peerConfiguration(configuration.tls)) })
    let (core, node) = (core, node)
    nodeService = store.node.flatMap { store in node.map { NodeService(store, $0, core, logger) } }
  }

  /// Raises the process's soft limit of file descriptors (`RLIMIT_NOFILE`) to the hard limit, which also bounds the
  /// number of connections. Call it at process start.
  public static func raiseFileDescriptorLimit() { FileDescriptorLimit.raise() }

  /// Waits until the server is listening and returns the bound endpoints with their actual ports.
  ///
  /// Only one task may call it.
  ///
  /// - Returns: The endpoints, or `nil` if the server stopped before it was listening.
  public func listening() async -> [Endpoint]? {
    for await endpoints in bound.stream { return endpoints }
    return nil
  }

  /// Records the current values of the metrics of connections and of a node, and makes the event loops read the clock.
  /// Call it before metrics are read.
  public func recordConnectionMetrics() {
    core.runtime.checkClock()
    if let front = front.withLock(\.self) { connectionMetrics.record(front.rpc.statistics) }
    if let node { nodeMetrics?.record(node) }
  }

  /// Runs the server until a graceful shutdown or cancellation. It can be called once.
  ///
  /// - Throws: ``ConfigurationError`` if the access policy or a TLS file is invalid, or an error of the store or a
  ///   socket.
  public func run() async throws {
    defer { bound.continuation.finish() }
    do {
      try await runServices()
    } catch {
      // The error that ended the services is of more use than one of closing.
      try? await store.close()
      throw error
    }
    try await store.close()
  }

  private func runServices() async throws {
    let policy = try await configuration.readAccessPolicy()
    core.access.replace(with: policy)
    warnAboutNamespace(policy)
    if let key = configuration.tls?.privateKey, let mode = CheckedFile.openPermissions(of: key) {
      logger.warning(
        "the TLS private key is readable by other users", metadata: ["mode": "\(String(mode, radix: 8))"])
    }
    var services: [any Service] = [core, FrontService(server: self)]
    if let retention = configuration.retention {
      let history = HistoryService(
        journals: store.journals, node: node, clock: clock, retention: retention, logger: logger)
      services.insert(history, at: 0)
    }
    // The first to start is the last to stop.
    if let nodeService { services.insert(nodeService, at: 0) }
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(services: services.map { .init(service: $0) }, logger: logger))
    try await withGracefulShutdownHandler {
      try await group.run()
    } onGracefulShutdown: {
      Task { await group.triggerGracefulShutdown() }
    }
  }

  /// Reloads the access policy with its key sets, and the TLS files.
  ///
  /// They apply to new calls and connections, and streams that are no longer authorized are ended. If one of the files
  /// is invalid, none is replaced, and the error is logged.
  public func reload() async {
    do {
      let policy = try await configuration.readAccessPolicy()
      let identity = try configuration.tls?.read()
      try front.withLock { try $0?.replaceTLS(with: identity) }
      core.access.replace(with: policy)
      warnAboutNamespace(policy)
      core.streams.revalidate()
      reloads.applied.increment()
      logger.notice("access policy and certificates reloaded")
    } catch {
      reloads.rejected.increment()
      logger.error("access policy and certificates not reloaded", metadata: ["error": "\(error)"])
    }
  }

  /// Warns that rules cannot match users and groups that the user namespace does not map.
  private func warnAboutNamespace(_ policy: AccessPolicy) {
    guard policy.hasLocalSubjects, !UserNamespace.users.isComplete || !UserNamespace.groups.isComplete else { return }
    logger.warning("rules for users and groups match only those that the server's user namespace maps")
  }

  private var router: Router {
    var services = core.services
    let backups = BackupHandler(store: store.ofDirectory, directory: configuration.dataDirectory)
    backups.add(to: &services)
    ClusterHandlers(store: store.node, state: node, logger: logger).add(to: &services)
    StreamHandlers(streams: core.streams, node: store.node?.cluster.name ?? "").add(to: &services)
    SessionHandlers(access: core.access, streams: core.streams) { [weak self] in self?.consoleURLs ?? [] }
      .add(to: &services)
    LimitHandler(configuration, core.runtime, core.access, backups, core.timelines, core.quotas) { [weak self] in
      self?.front.withLock(\.self)?.rpc
    }.add(to: &services)
    var router = services.router(authorizedBy: core.access)
    router.transcoder = SchemaTranscoder(logger: logger)
    return router
  }

  /// The addresses of the console in the order of the endpoints, each with the configured hosts first; empty if none is
  /// served over TCP.
  private var consoleURLs: [String] {
    guard configuration.servesConsole, configuration.transport.protocols.contains(.connect) else { return [] }
    let scheme = configuration.tls == nil ? "http" : "https"
    let endpoints = front.withLock { $0?.endpoints ?? [] }
    return endpoints.flatMap { endpoint -> [String] in
      guard case .tcp(let host, let port) = endpoint else { return [] }
      let hosts = configuration.hosts + [["0.0.0.0", "::"].contains(host) ? "localhost" : host]
      return hosts.map { "\(scheme)://\($0.contains(":") && !$0.hasPrefix("[") ? "[\($0)]" : $0):\(port)" }
    }
  }

  /// A service that opens the sockets, and drains them on shutdown.
  private struct FrontService: Service {
    let server: MarqueeServer

    func run() async throws {
      var transport = server.configuration.transport
      transport.origins = server.configuration.allowedOrigins
      if server.configuration.servesConsole { transport.files = ConsoleFiles.all }
      let rpc = RPCServer(router: server.router, configuration: transport, logger: server.logger)
      let identity = try server.configuration.tls?.read()
      let endpoints = try await rpc.start(
        server.configuration.endpoints, inherited: server.configuration.inheritedSockets,
        tls: identity?.configuration)
      server.front.withLock { $0 = Front(rpc: rpc, endpoints: endpoints, identity: identity) }
      if server.clock is ManualClock {
        server.logger.notice("manual clock: advances only on request", metadata: ["now": "\(server.clock.now)"])
      }
      if server.configuration.accessPolicy == nil, endpoints.contains(where: \.isTCP) {
        server.logger.notice(
          "no access policy configured: TCP clients can only call grpc.health.v1.Health and server reflection")
      }
      server.logger.info(
        "listening",
        metadata: ["endpoints": .array(endpoints.map { "\($0)" }), "version": "\(MarqueeVersion.current)"])
      server.bound.continuation.yield(endpoints)
      try? await gracefulShutdown()  // Cancellation throws, and stops the server like a graceful shutdown.
      server.logger.info("draining")
      server.core.health.stopServing()
      await server.nodeService?.giveAway(within: server.configuration.shutdownGrace)
      server.core.stopServing()
      await rpc.shutDown(grace: server.configuration.shutdownGrace)
      server.logger.info("stopped")
    }
  }

  /// The RPC server and its current TLS identity.
  private struct Front {
    let rpc: RPCServer
    let endpoints: [Endpoint]
    var identity: TLSIdentity?

    /// Replaces the TLS identity. If the client roots change, connections with client certificates are closed, so that
    /// clients authenticate again.
    mutating func replaceTLS(with identity: TLSIdentity?) throws(ConfigurationError) {
      guard let identity else { return }
      do { try rpc.replaceTLS(with: identity.configuration) } catch {
        throw ConfigurationError("tls", "the private key does not match the certificate")
      }
      if self.identity?.clientRoots != identity.clientRoots {
        let status = RPCStatus(.unavailable, "the trusted client roots have changed; reconnect")
        rpc.close(status) { $0.certificateEnd != nil }
      }
      self.identity = identity
    }
  }
}

extension Runtime.Configuration {
  /// Creates the configuration of a server's runtime.
  fileprivate init(shardCount: Int, _ configuration: MarqueeConfiguration) {
    self.init(shardCount: shardCount)
    policy = configuration.policy
    limits = configuration.limits
    deviceCountMax = configuration.deviceCountMax
    cachedDeviceCountMax = configuration.cachedDeviceCountMax
    relearnedDonationRateMax = configuration.relearnedDonationRateMax
    queuedEventCountMax = configuration.queuedEventCountMax
    queuedContentSizeMax = configuration.queuedContentSizeMax
    appWriteSizeBurst = configuration.appWriteSizeBurst
    appWriteSizeHourly = configuration.appWriteSizeHourly
  }
}
