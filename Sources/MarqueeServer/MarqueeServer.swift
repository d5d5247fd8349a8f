import Foundation
import Logging
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

/// A whole server: store, runtime and the services on their sockets.
///
/// Run it as a service. A graceful shutdown turns health to NOT_SERVING, lets open calls end within the configured
/// grace, and then stops the runtime; everything acknowledged is on disk by then.
public final class MarqueeServer: Service {
  /// The services that are offered, by their full names.
  public static let serviceNames: Set<String> = [
    ProviderService.name, DisplayService.name, AdminService.name, HealthService.name,
  ]

  private let configuration: MarqueeConfiguration
  private let logger: Logger
  private let store: Store
  private let clock: any WallClock
  private let core: ServerCore
  private let connectionMetrics: ConnectionMetrics
  /// While it listens.
  private let front = Mutex<Front?>(nil)
  private let bound = AsyncStream<[Endpoint]>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// A server that has opened its data directory and does not run yet, with the clock that the configuration chooses
  /// or, if given, another one; and with the tracer of the process as of its running, or another one.
  ///
  /// - Throws: ``ConfigurationError``, or `StoreError` when the directory cannot be used.
  public init(
    configuration: MarqueeConfiguration, clock: (any WallClock)? = nil, logger: Logger,
    metrics: any MetricsFactory = MetricsSystem.factory, tracer: (any Tracer)? = nil
  ) throws {
    try configuration.check()
    self.configuration = configuration
    self.logger = logger
    connectionMetrics = ConnectionMetrics(metrics)
    store = try Store(directory: configuration.dataDirectory)
    self.clock = try clock ?? configuration.clock.clock(knowing: store)
    var settings = Runtime.Configuration(shardCount: ProcessInfo.processInfo.activeProcessorCount)
    settings.policy = configuration.policy
    settings.limits = configuration.limits
    settings.deviceCountMax = configuration.deviceCountMax
    settings.loadedDeviceCountMax = configuration.loadedDeviceCountMax
    settings.queuedEventCountMax = configuration.queuedEventCountMax
    settings.queuedContentSizeMax = configuration.queuedContentSizeMax
    core = ServerCore(
      settings, clock: self.clock, journal: store, logger: logger, metrics: metrics,
      slowCallTimeMin: configuration.slowCallTimeMin, tracer: tracer)
  }

  /// Lets this process open as many files as it may give itself, and with that accept as many connections: for whoever
  /// starts a process for a server.
  public static func raiseFileCountMax() { OpenFiles.raiseCountMax() }

  /// The endpoints as bound, with real ports, once the server listens; `nil` if it ended before. For one caller.
  public func listening() async -> [Endpoint]? {
    for await endpoints in bound.stream { return endpoints }
    return nil
  }

  /// Records the metrics of connections, which are looked up rather than counted, as they are now.
  public func recordConnectionMetrics() {
    if let front = front.withLock(\.self) { connectionMetrics.record(front.rpc.statistics) }
  }

  /// Runs until a graceful shutdown or cancellation; throws when the store or a socket fails, or ``ConfigurationError``
  /// when the access policy or a file of TLS cannot be used. It can run once.
  public func run() async throws {
    defer { bound.continuation.finish() }
    core.access.replace(with: try await configuration.readAccessPolicy())
    var services: [any Service] = [core.runtime, FrontService(server: self)]
    if let span = configuration.historySpan {
      services.insert(HistoryService(store: store, clock: clock, span: span, logger: logger), at: 0)
    }
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(services: services.map { .init(service: $0) }, logger: logger))
    try await withGracefulShutdownHandler {
      try await group.run()
    } onGracefulShutdown: {
      Task { await group.triggerGracefulShutdown() }
    }
    try store.close()
  }

  /// Reads the access policy with its keys, and the files of TLS, again: calls and connections to come go by them, and
  /// streams whose callers have no right to them any more end. When one cannot be used, all stay as they were, and the
  /// log tells why.
  public func reload() async {
    do {
      let policy = try await configuration.readAccessPolicy()
      let identity = try configuration.tls?.read()
      try front.withLock { try $0?.replaceTLS(with: identity) }
      core.access.replace(with: policy)
      core.streams.review()
      logger.notice("access policy and certificates read again")
    } catch {
      logger.error("access policy and certificates stay as they were", metadata: ["error": "\(error)"])
    }
  }

  private var router: Router {
    var services = core.services
    let backups = BackupHandler(store: store, directory: configuration.dataDirectory)
    backups.add(to: &services)
    LimitHandler(configuration, core.runtime, core.access, backups) { [weak self] in
      self?.front.withLock(\.self)?.rpc
    }.add(to: &services)
    return services.router(guardedBy: core.access)
  }

  /// The sockets: open while the service runs, drained when it is to stop.
  private struct FrontService: Service {
    let server: MarqueeServer

    func run() async throws {
      let rpc = RPCServer(
        router: server.router, configuration: server.configuration.transport, logger: server.logger)
      let identity = try server.configuration.tls?.read()
      let endpoints = try await rpc.start(
        server.configuration.endpoints, inherited: server.configuration.inheritedSockets,
        tls: identity?.configuration)
      server.front.withLock { $0 = Front(rpc: rpc, identity: identity) }
      if server.clock is ManualClock {
        server.logger.notice("the clock stands still until it is moved", metadata: ["now": "\(server.clock.now)"])
      }
      if server.configuration.accessPolicy == nil, endpoints.contains(where: \.isTCP) {
        server.logger.notice("without an access policy, nobody may do anything over TCP but check health")
      }
      server.logger.info("listening", metadata: ["endpoints": .array(endpoints.map { "\($0)" })])
      server.bound.continuation.yield(endpoints)
      try? await gracefulShutdown()  // Thrown when the task is cancelled, which ends the server the same way.
      server.logger.info("draining")
      server.core.stopServing()
      await rpc.shutDown(grace: server.configuration.shutdownGrace)
      server.logger.info("stopped")
    }
  }

  /// The sockets, and the certificates they were last given.
  private struct Front {
    let rpc: RPCServer
    var identity: TLSIdentity?

    /// Uses other certificates. Clients that came with one that those trusted before had signed have to come again.
    mutating func replaceTLS(with identity: TLSIdentity?) throws(ConfigurationError) {
      guard let identity else { return }
      do { try rpc.replaceTLS(with: identity.configuration) } catch {
        throw ConfigurationError("tls", "the private key is not that of the certificate")
      }
      if self.identity?.clientRoots != identity.clientRoots {
        let status = RPCStatus(.unavailable, "the certificates that are trusted have changed; connect again")
        rpc.close(status) { $0.certificateEnd != nil }
      }
      self.identity = identity
    }
  }
}
