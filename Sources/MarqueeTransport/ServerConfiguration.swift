import MarqueeRPC
import NIOCore
import NIOPosix

/// How a server listens and what it accepts.
public struct ServerConfiguration: Sendable {
  /// Sizes, counts, rates and waiting times of each connection.
  public var limits = RPCLimits()
  /// Connections open at once; fewer where the process may not open as many files and some for itself.
  public var connectionCountMax = 16_384
  /// Connections open at once from one TCP address.
  public var connectionsPerAddressMax = 4_096
  /// Connections that wait to be accepted.
  public var acceptBacklog = 1_024
  /// Permissions of Unix sockets.
  public var unixSocketMode: UInt32 = 0o600
  /// How long clients are asked to stay away when the server drains. They add jitter of their own.
  public var retryAfter = Duration.seconds(1)
  /// Runs the connections; never shut down by the server.
  public var eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton

  /// The defaults.
  public init() {}
}
