import Hummingbird
import Logging
import ServiceLifecycle

/// Answers `GET /metrics` with what a registry holds, for Prometheus.
///
/// Some 64 connections are served at a time, and one that is silent for 10 seconds is closed; who comes besides waits.
public struct MetricsService: Service {
  private static let connectionCountMax = 64

  private let registry: MetricsRegistry
  private let host: String
  private let port: Int
  private let logger: Logger
  private let refresh: @Sendable () -> Void
  private let bound: @Sendable (Int) -> Void

  /// A service that will listen on that address, in the clear: give it loopback.
  ///
  /// - Parameters:
  ///   - refresh: Called before each answer, to record what is looked up rather than counted.
  ///   - bound: Called once with the port, which the system chooses when `port` is 0.
  public init(
    _ registry: MetricsRegistry, host: String, port: Int, logger: Logger,
    refresh: @escaping @Sendable () -> Void = {}, bound: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    self.registry = registry
    (self.host, self.port) = (host, port)
    self.logger = logger
    self.refresh = refresh
    self.bound = bound
  }

  /// Runs until a graceful shutdown; throws when it cannot listen.
  public func run() async throws {
    let (registry, refresh, bound) = (registry, refresh, bound)
    let router = Router()
    router.get("metrics") { _, _ in
      refresh()
      return Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: registry.text)))
    }
    var logger = logger
    // Hummingbird's own notices say what ours do.
    logger.logLevel = max(logger.logLevel, .warning)
    let application = Application(
      router: router, server: .http1(configuration: .init(idleTimeout: .seconds(10))),
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port),
        availableConnectionsDelegate: .maximum(Self.connectionCountMax, logger: logger)),
      onServerRunning: { channel in bound(channel.localAddress?.port ?? 0) }, logger: logger)
    try await application.run()
  }
}
