/// The connection and time limits of the metrics endpoint.
///
/// A connection over a limit is accepted, and the connection that has been idle for longest is closed instead.
public struct MetricsLimits: Hashable, Sendable {
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
}
