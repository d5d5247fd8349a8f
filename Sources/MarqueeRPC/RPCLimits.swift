/// The limits and timeouts that one end of a connection enforces. Sizes are in bytes.
public struct RPCLimits: Hashable, Sendable {
  /// The maximum length of a method path.
  public static let methodSizeMax = 256
  /// The maximum payload of a control frame (OPEN, HEADER, STATUS) and of a skipped optional frame.
  public static let controlSizeMax = 16_384
  /// The minimum that a peer may announce for any size or credit.
  static let announcedSizeMin = 16_384
  /// The maximum credit of a stream or connection.
  static let creditMax = 0x7FFF_FFFF

  /// The maximum payload of a MESSAGE frame. Announced to the peer.
  public var frameSizeMax = 65_536
  /// The maximum number of concurrent calls, including those whose handler is still running. Announced to the peer.
  public var streamCountMax = 256
  /// The initial credit of each call: the bytes of MESSAGE frames in flight. Announced to the peer.
  public var streamCredit = 262_144
  /// The initial credit of the connection: the bytes of MESSAGE frames in flight on all calls. Announced to the peer.
  public var connectionCredit = 4 << 20
  /// The maximum size of a message. Announced to the peer.
  public var messageSizeMax = 4 << 20
  /// The maximum number of bytes of incomplete messages, and of fragmented ones buffered beyond credit, over all calls.
  public var assemblySizeMax = 16 << 20
  /// The unsent bytes of a call from which on its writer waits.
  public var streamBacklogSizeMax = 262_144
  /// The maximum number of unsent bytes over all calls; a server ends the call whose message exceeds it.
  public var backlogSizeMax = 32 << 20
  /// The maximum number of bytes of MESSAGE frames in the output buffer.
  public var outputSizeMax = 262_144
  /// The output size from which on no more input is read from the peer.
  public var outputStopSizeMax = 1 << 20

  /// The maximum time from connecting to the end of the peer's SETTINGS.
  public var handshakeTimeMax = Duration.seconds(5)
  /// The maximum time from the first to the last byte of a frame.
  public var frameTimeMax = Duration.seconds(10)
  /// The maximum time from OPEN to the start of the request, for calls with a single request (server).
  public var requestTimeMax = Duration.seconds(10)
  /// The maximum time from a message's first to its last frame, in addition to the time that its bytes take at
  /// ``messageRateMin`` (server).
  ///
  /// Time during which the peer has no credit does not count.
  public var messageTimeMax = Duration.seconds(30)
  /// The minimum rate of a fragmented message, in bytes per second.
  public var messageRateMin = 4_096
  /// The time without input after which the peer is pinged while calls are open.
  public var silenceBusyMax = Duration.seconds(30)
  /// The time without input after which the peer is pinged while no call is open.
  public var silenceIdleMax = Duration.seconds(60)
  /// The maximum time from a ping to any input from the peer.
  public var pingTimeMax = Duration.seconds(10)
  /// The maximum time that a call's messages, or the whole output, may make no progress.
  public var stallTimeMax = Duration.seconds(30)
  /// The maximum deadline; a longer one is shortened to it.
  public var deadlineMax = Duration.seconds(30 * 86_400)

  /// The rate limit of OPEN frames that are rejected before any handler sees them.
  public var rejectedOpenRate = TokenBucket.Rate(burst: 20_000, perSecond: 1_000)
  /// The rate limit of calls that may not begin: unknown method, unauthenticated, permission denied, or over a rate
  /// limit. In HTTP/2, those beyond it count toward ``rejectedOpenRate`` while another call is open.
  public var deniedCallRate = TokenBucket.Rate(burst: 500, perSecond: 50)
  /// The rate limit of CANCEL frames.
  public var cancelRate = TokenBucket.Rate(burst: 1_000, perSecond: 200)
  /// The rate limit of PING frames without ACK.
  public var pingRate = TokenBucket.Rate(burst: 100, perSecond: 10)
  /// The rate limit of CREDIT frames.
  public var creditRate = TokenBucket.Rate(burst: 10_000, perSecond: 100_000)
  /// The rate limit of frames without content: empty MORE frames, and skipped optional frames.
  public var emptyFrameRate = TokenBucket.Rate(burst: 1_000, perSecond: 100)
  /// The rate limit of MESSAGE frames of calls that have ended (server). The burst exceeds the number of frames that a
  /// client can have in flight when its calls end.
  public var ignoredFrameRate = TokenBucket.Rate(burst: 100_000, perSecond: 10_000)

  /// Creates the default limits.
  public init() {}

  /// Returns the time by which the next part of an incomplete message must arrive.
  ///
  /// Parts that arrived faster than required do not extend the time that the peer may be silent.
  ///
  /// - Parameters:
  ///   - size: The number of received bytes.
  ///   - start: The time of the first part.
  ///   - last: The time of the last part.
  package func partEnd(size: Int, since start: MonotonicTime, last: MonotonicTime) -> MonotonicTime {
    let transfer = Int64(size) * 1_000_000_000 / Int64(messageRateMin)
    return min(
      start.advanced(by: messageTimeMax).advanced(byNanoseconds: transfer), last.advanced(by: messageTimeMax))
  }

  /// Validates that the limits are consistent. A violation is a programming error.
  package func check() {
    let announced = [frameSizeMax, streamCredit, connectionCredit, messageSizeMax]
    precondition(
      announced.allSatisfy { (Self.announcedSizeMin...Self.creditMax).contains($0) },
      "frame, message and credit sizes \(announced) are not in \(Self.announcedSizeMin)...\(Self.creditMax)")
    precondition(frameSizeMax <= 1 << 24, "frameSizeMax of \(frameSizeMax) bytes exceeds 16 MiB")
    precondition((1...1_000_000).contains(streamCountMax), "streamCountMax of \(streamCountMax) is not in 1...1000000")
    precondition(streamCredit <= connectionCredit, "streamCredit exceeds connectionCredit")
    precondition(messageRateMin > 0, "messageRateMin is not positive")
    precondition(
      outputSizeMax > 0 && outputStopSizeMax >= outputSizeMax, "outputSizeMax is not in 1...outputStopSizeMax")
  }
}
