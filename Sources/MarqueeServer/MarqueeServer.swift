import Foundation
import Logging
import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeStore
import MarqueeTransport
import MarqueeWire
import Metrics
import NIOSSL
import ServiceLifecycle
import Synchronization

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
  private let front = Mutex<RPCServer?>(nil)
  private let bound = AsyncStream<[Endpoint]>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// A server that has opened its data directory and does not run yet, with the clock that the configuration chooses
  /// or, if given, another one.
  ///
  /// - Throws: ``ConfigurationError``, or `StoreError` when the directory cannot be used.
  public init(
    configuration: MarqueeConfiguration, clock: (any WallClock)? = nil, logger: Logger,
    metrics: any MetricsFactory = MetricsSystem.factory
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
    core = ServerCore(
      settings, clock: self.clock, journal: store, logger: logger, metrics: metrics,
      slowCallTimeMin: configuration.slowCallTimeMin)
  }

  /// The endpoints as bound, with real ports, once the server listens; `nil` if it ended before. For one caller.
  public func listening() async -> [Endpoint]? {
    for await endpoints in bound.stream { return endpoints }
    return nil
  }

  /// Records the metrics of connections, which are looked up rather than counted, as they are now.
  public func recordConnectionMetrics() {
    if let server = front.withLock(\.self) { connectionMetrics.record(server.statistics) }
  }

  /// Runs until a graceful shutdown or cancellation; throws when the store or a socket fails. It can run once.
  public func run() async throws {
    defer { bound.continuation.finish() }
    let front = FrontService(server: self)
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [.init(service: core.runtime), .init(service: front)], logger: logger))
    try await withGracefulShutdownHandler {
      try await group.run()
    } onGracefulShutdown: {
      Task { await group.triggerGracefulShutdown() }
    }
    try store.close()
  }

  private var router: Router {
    var router = core.router
    BackupHandler(store: store, directory: configuration.dataDirectory).add(to: &router)
    return router
  }

  /// The sockets: open while the service runs, drained when it is to stop.
  private struct FrontService: Service {
    let server: MarqueeServer

    func run() async throws {
      let rpc = RPCServer(
        router: server.router, configuration: server.configuration.transport, logger: server.logger)
      server.front.withLock { $0 = rpc }
      let endpoints = try await rpc.start(server.configuration.endpoints, tls: try server.tlsConfiguration())
      if server.clock is ManualClock {
        server.logger.notice("the clock stands still until it is moved", metadata: ["now": "\(server.clock.now)"])
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

  private func tlsConfiguration() throws -> TLSConfiguration? {
    guard let files = configuration.tls else { return nil }
    do {
      let chain = try NIOSSLCertificate.fromPEMFile(files.certificateChain)
      let key = try NIOSSLPrivateKey(file: files.privateKey, format: .pem)
      return TLSConfiguration.makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    } catch {
      throw ConfigurationError("tls", "the certificate chain or private key cannot be read as PEM")
    }
  }
}
