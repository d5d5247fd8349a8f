public import Instrumentation
import MarqueeRPC
import NIOCore
import NIOPosix
import NIOSSL

/// How a client connects and what it accepts.
public struct ClientConfiguration: Sendable {
  /// Time between attempts to connect: it grows by a factor, and is spread so that clients do not come all at once.
  public struct Backoff: Hashable, Sendable {
    /// Before the second attempt.
    public var first = Duration.milliseconds(100)
    /// Never longer than this, before the spread.
    public var last = Duration.seconds(30)
    /// Each is so many times the one before.
    public var factor = 1.6
    /// Each is spread evenly between `1 - spread` and `1 + spread` times itself.
    public var spread = 0.5

    /// The defaults.
    public init() {}

    /// The time before attempt `attempt + 1`, where `chance` is from 0 up to 1.
    package func pause(after attempt: Int, chance: Double) -> Duration {
      var pause = Double(first.nanoseconds)
      for _ in 1..<max(2, min(attempt, 100)) where attempt > 1 { pause = min(pause * factor, Double(last.nanoseconds)) }
      return .nanoseconds(Int64(pause * (1 - spread + 2 * spread * chance)))
    }
  }

  /// Sizes, counts, rates and waiting times of the connection.
  public var limits = RPCLimits()
  /// Time between attempts to connect.
  public var backoff = Backoff()
  /// How long one attempt to connect may take.
  public var connectTimeMax = Duration.seconds(10)
  /// Calls that wait for a connection or for a free place on it.
  public var waitingCallCountMax = 10_000
  /// TLS for a TCP endpoint; `nil` for plain text.
  public var tls: TLSConfiguration?
  /// The name that the server's certificate must carry; the endpoint's host when `nil`.
  public var tlsServerName: String?
  /// Gives the value of the metadata `authorization` for each call, such as `Bearer TOKEN`; `nil` for none. Asked on
  /// the event loop, for every call that does not bring a value of its own.
  public var authorization: (@Sendable () -> String?)?
  /// Puts the current trace beside calls, as `traceparent` where it is one of W3C's; the one that the process has
  /// chosen when `nil`. Nothing is sent of calls that are made outside of traces.
  public var instrument: (any Instrument)?
  /// Chance, from 0 up to 1, for spreading attempts.
  public var chance: @Sendable () -> Double = { Double.random(in: 0..<1) }
  /// Runs the connection; never shut down by the client.
  public var eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
  /// Connects instead of the system's sockets; `nil` for these.
  package var dialer: (any Dialer)?

  /// The defaults.
  public init() {}
}

/// Another way to a server than through the system's sockets.
package protocol Dialer: Sendable {
  /// A connected channel on `loop`, on which `handler` was put before it became active. On the loop.
  func dial(_ handler: any ChannelHandler & Sendable, on loop: any EventLoop) -> EventLoopFuture<any Channel>
}

/// What one call asks for beside its request.
public struct CallOptions: Sendable {
  /// Time for the whole call, waiting for a connection included; `nil` for no limit.
  public var timeout: Duration?
  /// Sent beside the messages; it must have no `Metadata.problem`, or the call fails with `INVALID_ARGUMENT`.
  public var metadata = Metadata()
  /// Whether the call waits while the server cannot be reached, instead of failing with `UNAVAILABLE`.
  public var waitsForReady = false

  /// No time limit, no metadata, and no waiting for an unreachable server.
  public init(timeout: Duration? = nil, metadata: Metadata = Metadata(), waitsForReady: Bool = false) {
    self.timeout = timeout
    self.metadata = metadata
    self.waitsForReady = waitsForReady
  }
}

/// How a client stands with its server.
public enum Connectivity: Hashable, Sendable {
  /// Not connected; the next call connects.
  case idle
  /// Connecting.
  case connecting
  /// Connected.
  case ready
  /// The last attempt failed; the next follows after a pause.
  case transientFailure
  /// Closed for good.
  case shutDown
}
