import MarqueeHTTP
import MarqueeRPC
import NIOCore
import NIOPosix

/// The configuration of a server.
public struct ServerConfiguration: Sendable {
  /// The protocols of clients; at least one.
  public var protocols = Set(CallProtocol.allCases)
  /// The hosts that requests of Connect and gRPC-Web may name, and the origins of pages that may call the server.
  public var origins = Origins()
  /// The files for browsers, served over HTTP beside calls of the Connect protocol.
  public var files = StaticFiles()
  /// The limits and timeouts of each connection.
  public var limits = RPCLimits()
  /// The maximum number of open connections; fewer if the file descriptor limit requires it.
  public var connectionCountMax = 16_384
  /// The maximum number of open connections per address: loopback, 24 bits of IPv4, 64 bits of IPv6, or another user of
  /// this machine.
  public var connectionsPerAddressMax = 4_096
  /// The number of connections reserved for authenticated peers, half of them for the server's owner only; at most a
  /// quarter of all connections.
  public var reservedConnectionCount = 256
  /// The rate limit, per network, of denied calls and of connections that end without an admitted call.
  public var addressDeniedCallRate = TokenBucket.Rate(burst: 10_000, perSecond: 1_000)
  /// The maximum number of bytes of incomplete messages on all connections of one peer: a local user, a certificate, or
  /// a network.
  public var peerAssemblySizeMax = 64 << 20
  /// The maximum number of bytes of incomplete messages on all connections.
  public var serverAssemblySizeMax = 256 << 20
  /// The maximum number of unsent bytes on all connections of one peer; the call whose message exceeds it ends.
  public var peerBacklogSizeMax = 256 << 20
  /// The maximum number of unsent bytes on all connections; the call whose message exceeds it ends.
  public var serverBacklogSizeMax = 1 << 30
  /// The backlog of connections waiting to be accepted.
  public var acceptBacklog = 1_024
  /// The file mode of Unix sockets.
  public var unixSocketMode: UInt32 = 0o600
  /// The time after which clients may reconnect when the server drains. Clients add jitter.
  public var retryAfter = Duration.seconds(1)
  /// The event loops of the connections; the server never shuts them down.
  public var eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
  /// The clock of the field `date` of HTTP responses, in seconds since 1970.
  package var dateClock: @Sendable () -> Int = HTTPDate.systemClock

  /// Creates the default configuration.
  public init() {}

  /// Returns the limits for admission if at most `most` connections are possible.
  func admissionLimits(within most: Int) -> ConnectionAdmission.Limits {
    let count = max(1, min(connectionCountMax, most))
    return ConnectionAdmission.Limits(
      count: count, ofOneAddress: connectionsPerAddressMax, reserved: min(reservedConnectionCount, count / 4))
  }
}
