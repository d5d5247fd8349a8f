import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// A service that serves the metrics of a registry at `GET /metrics` for Prometheus.
///
/// Requests must have an allowed `Host`. A connection over a limit is accepted, and the connection that has been idle
/// for longest is closed instead; connections that exceed a time limit are closed.
public struct MetricsService: Service {
  /// The connection and time limits of the service.
  public struct Limits: Sendable {
    /// The maximum number of open connections.
    public var connectionCountMax = 64
    /// The maximum number of open connections from one address.
    public var addressConnectionCountMax = 32
    /// The maximum seconds from connecting, or from the first byte of a request, to the end of the request's header.
    public var headerTimeMax = 5
    /// The maximum seconds that a connection is idle after a response, or takes to read a response.
    public var idleTimeMax = 10

    /// Creates limits with the defaults.
    public init() {}

    var headerTime: TimeAmount { .seconds(Int64(headerTimeMax)) }
    var idleTime: TimeAmount { .seconds(Int64(idleTimeMax)) }
  }

  private let registry: MetricsRegistry
  private let host: String
  private let port: Int
  private let hosts: [String]
  private let limits: Limits
  private let logger: Logger
  private let refresh: @Sendable () -> Void
  private let bound: @Sendable (Int) -> Void

  /// Creates a service. It uses neither TLS nor authentication, so the address should be a loopback address.
  ///
  /// - Parameters:
  ///   - registry: The metrics to serve.
  ///   - host: The address to listen on.
  ///   - port: The port to listen on; 0 for a port chosen by the system.
  ///   - hosts: Further allowed values of `Host`, in addition to `host` and the loopback names. A port other than the
  ///     listening one must be included.
  ///   - limits: The connection and time limits.
  ///   - logger: The logger of the HTTP server.
  ///   - refresh: Called before each response to record metrics that are polled.
  ///   - bound: Called once with the bound port.
  public init(
    _ registry: MetricsRegistry, host: String, port: Int, hosts: [String] = [], limits: Limits = Limits(),
    logger: Logger,
    refresh: @escaping @Sendable () -> Void = {}, bound: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    self.registry = registry
    (self.host, self.port, self.hosts) = (host, port, hosts)
    self.limits = limits
    self.logger = logger
    self.refresh = refresh
    self.bound = bound
  }

  /// Runs the service until a graceful shutdown or cancellation.
  ///
  /// - Throws: An error if the address cannot be bound.
  public func run() async throws {
    let (registry, refresh, bound) = (registry, refresh, bound)
    let router = Router(context: MetricsContext.self)
    let hosts = MetricsHosts(host, others: hosts)
    router.add(middleware: hosts)
    router.get("metrics") { _, _ in
      refresh()
      return Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: registry.text)))
    }
    var logger = logger
    // Hummingbird's notices duplicate the server's own.
    logger.logLevel = max(logger.logLevel, .warning)
    let connections = MetricsConnections(limits)
    let application = Application(
      router: router, server: HTTPServerBuilder { MetricsChannel(connections, hosts, responder: $0) },
      configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
      onServerRunning: { channel in bound(channel.localAddress?.port ?? 0) }, logger: logger)
    let group = ServiceGroup(configuration: .init(services: [application], logger: logger))
    // Cancelling Hummingbird's server traps in SwiftNIO if an accepted connection is not handled yet, so cancellation
    // becomes a graceful shutdown, which handles every connection.
    let task = Task { try await group.run() }
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      Task { await group.triggerGracefulShutdown() }
    }
  }
}
