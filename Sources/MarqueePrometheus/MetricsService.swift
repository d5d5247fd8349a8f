import Logging
import NIOCore
import NIOPosix
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
  /// - Throws: A ``MetricsBindError`` if the address cannot be bound.
  public func run() async throws {
    let connections = MetricsConnections(limits)
    let listener: any Channel
    do {
      listener = try await bootstrap(connections).bind(host: host, port: port).get()
    } catch {
      throw MetricsBindError(host: host, port: port, error)
    }
    logger.debug("metrics endpoint bound")
    bound(listener.localAddress?.port ?? 0)
    try await withTaskCancellationHandler {
      try await withGracefulShutdownHandler {
        try await listener.closeFuture.get()
      } onGracefulShutdown: {
        listener.close(promise: nil)
      }
    } onCancel: {
      listener.close(promise: nil)
    }
    await connections.end()
  }

  /// Returns a bootstrap that adds the handlers of each connection to its pipeline.
  private func bootstrap(_ connections: MetricsConnections) -> ServerBootstrap {
    let (registry, refresh, hosts) = (registry, refresh, MetricsHosts(host, others: hosts))
    return ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelOption(.backlog, value: 256)
      // A client may close its direction after its request.
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try connections.add(channel)
          try MetricsRequestHandler(connections, hosts) {
            refresh()
            return registry.text
          }.add(to: channel)
        }
      }
  }
}

/// An address at which metrics cannot be served.
public struct MetricsBindError: Error, CustomStringConvertible {
  public let description: String

  init(host: String, port: Int, _ error: any Error) {
    description = "cannot serve metrics at \(host):\(port): \(error)"
  }
}
