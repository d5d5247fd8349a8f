public import Instrumentation
import MarqueeRPC
import NIOCore
import NIOPosix
import NIOSSL

/// The configuration of a client's connection.
public struct ClientConfiguration: Sendable {
  /// Exponential backoff with jitter between connection attempts.
  public struct Backoff: Hashable, Sendable {
    /// The delay before the second attempt.
    public var first = Duration.milliseconds(100)
    /// The maximum delay, before jitter.
    public var last = Duration.seconds(30)
    /// The growth factor from one delay to the next.
    public var factor = 1.6
    /// The jitter: a delay is multiplied by a random number between `1 - spread` and `1 + spread`.
    public var spread = 0.5

    /// Creates the default backoff.
    public init() {}

    /// Returns the delay before attempt `attempt + 1`, for a random number `chance` in 0..<1.
    package func pause(after attempt: Int, chance: Double) -> Duration {
      var pause = Double(first.nanoseconds)
      for _ in 1..<max(2, min(attempt, 100)) where attempt > 1 { pause = min(pause * factor, Double(last.nanoseconds)) }
      return .nanoseconds(Int64(exactly: (pause * (1 - spread + 2 * spread * chance)).rounded()) ?? last.nanoseconds)
    }
  }

  /// The limits and timeouts of the connection.
  public var limits = RPCLimits()
  /// The delays between connection attempts.
  public var backoff = Backoff()
  /// The timeout of a connection attempt.
  public var connectTimeMax = Duration.seconds(10)
  /// The maximum number of calls waiting for a connection or for a free stream on it.
  public var waitingCallCountMax = 10_000
  /// The TLS configuration of a TCP endpoint; `nil` for plain text.
  public var tls: TLSConfiguration?
  /// The name that the server's certificate must carry; `nil` for the endpoint's host. The certificate of a server that
  /// a call is redirected to must carry the host of that server's endpoint.
  public var tlsServerName: String?
  /// Returns the value of the metadata key `authorization`, such as `Bearer TOKEN`, or `nil` for none.
  ///
  /// Called on the event loop for every call whose own metadata does not contain the key.
  public var authorization: (@Sendable () -> String?)?
  /// Whether calls are made at the servers that a cluster redirects them to: see ``CallOptions/affinity``. Without it,
  /// and with a ``dialer``, the server passes the calls on itself.
  public var followsRedirects = true
  /// Injects the current trace context into the metadata of calls, as `traceparent` for W3C instruments. `nil` uses the
  /// process' bootstrapped instrument. Nothing is injected into calls made outside a trace.
  public var instrument: (any Instrument)?
  /// Returns a random number in 0..<1 for the jitter of the backoff.
  public var chance: @Sendable () -> Double = { Double.random(in: 0..<1) }
  /// The event loops of the connection; the client never shuts them down.
  public var eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
  /// Opens connections instead of the system's sockets; `nil` for sockets. TLS and ``connectTimeMax`` are for sockets
  /// only.
  public var dialer: (any Dialer)?

  /// Creates the default configuration.
  public init() {}
}

/// Opens connections by a transport other than the system's sockets, such as one in memory.
///
/// The other end of a channel is passed to ``RPCServer/accept(_:)``.
public protocol Dialer: Sendable {
  /// Returns a channel of a new connection.
  ///
  /// - Parameters:
  ///   - handler: The handler of the connection, to be added to the channel's pipeline before it becomes active.
  ///   - loop: The event loop of the channel, on which this is called.
  /// - Returns: The connected channel. An error fails the connection attempt.
  func dial(_ handler: any ChannelHandler & Sendable, on loop: any EventLoop) -> EventLoopFuture<any Channel>
}

/// The options of a call.
public struct CallOptions: Sendable {
  /// The timeout of the whole call, including the wait for a connection; `nil` for none.
  public var timeout: Duration?
  /// The request metadata. If it has a `Metadata.problem`, the call fails with `INVALID_ARGUMENT`.
  public var metadata = Metadata()
  /// Whether the call waits while the server is unreachable instead of failing with `UNAVAILABLE`.
  public var waitsForReady = false
  /// The name of the device that the call is about; `nil` for none.
  ///
  /// The client remembers to which server of a cluster it was redirected for the device, and makes the next call there
  /// at once.
  public var affinity: String?

  /// Creates options; by default without a timeout or metadata, failing if the server is unreachable.
  public init(
    timeout: Duration? = nil, metadata: Metadata = Metadata(), waitsForReady: Bool = false, affinity: String? = nil
  ) {
    self.timeout = timeout
    self.metadata = metadata
    self.waitsForReady = waitsForReady
    self.affinity = affinity
  }
}

/// The state of a client's connection.
public enum Connectivity: Hashable, Sendable {
  /// Not connected; the next call connects.
  case idle
  case connecting
  case ready
  /// The last connection attempt failed; the next one follows after a delay.
  case transientFailure
  /// The client was closed.
  case shutDown
}
