/// What one end of a connection accepts and how long it waits. Sizes are in bytes.
public struct RPCLimits: Hashable, Sendable {
  /// Longest method path.
  public static let methodSizeMax = 256
  /// Largest payload of a control frame (OPEN, HEADER, STATUS), and of a frame type that may be skipped.
  public static let controlSizeMax = 16_384
  /// Smallest value that a peer may announce for any size or credit.
  static let announcedSizeMin = 16_384
  /// Most credit that an account may hold.
  static let creditMax = 0x7FFF_FFFF

  /// Largest payload of one MESSAGE frame. Announced.
  public var frameSizeMax = 65_536
  /// Calls open at once, those whose handler still runs included. Announced.
  public var streamCountMax = 256
  /// Bytes of MESSAGE frames that a call may have under way. Announced.
  public var streamCredit = 262_144
  /// Bytes of MESSAGE frames that all calls together may have under way. Announced.
  public var connectionCredit = 4 << 20
  /// Largest message. Announced.
  public var messageSizeMax = 4 << 20
  /// Bytes of messages of which only a part has come, over all calls.
  public var assemblySizeMax = 16 << 20
  /// Bytes that a call may have waiting to be sent before its writer waits.
  public var streamBacklogSizeMax = 262_144
  /// Bytes that all calls together may have waiting to be sent; a server ends a call whose message passes it.
  public var backlogSizeMax = 32 << 20
  /// Bytes of MESSAGE frames handed to the socket ahead of what it takes.
  public var outputSizeMax = 262_144
  /// Bytes of all frames waiting for the socket; over it, nothing more is read from the peer.
  public var outputStopSizeMax = 1 << 20

  /// From connecting to the end of the settings.
  public var handshakeTimeMax = Duration.seconds(5)
  /// From the first to the last byte of one frame.
  public var frameTimeMax = Duration.seconds(10)
  /// Silence of the peer after which it is pinged while calls are open.
  public var silenceBusyMax = Duration.seconds(30)
  /// Silence of the peer after which it is pinged while no call is open.
  public var silenceIdleMax = Duration.seconds(60)
  /// From a ping to anything from the peer.
  public var pingTimeMax = Duration.seconds(10)
  /// How long a call's messages, or the whole output, may wait without any progress.
  public var stallTimeMax = Duration.seconds(30)
  /// Longest deadline; a longer one is taken for this.
  public var deadlineMax = Duration.seconds(30 * 86_400)

  /// OPEN frames that are refused or turned down before any handler sees them.
  public var refusalRate = TokenBucket.Rate(burst: 20_000, perSecond: 1_000)
  /// CANCEL frames.
  public var cancelRate = TokenBucket.Rate(burst: 1_000, perSecond: 200)
  /// PING frames that are no answer.
  public var pingRate = TokenBucket.Rate(burst: 100, perSecond: 10)
  /// CREDIT frames.
  public var creditRate = TokenBucket.Rate(burst: 10_000, perSecond: 100_000)
  /// Frames that carry nothing: empty pieces, and types that are skipped.
  public var emptyFrameRate = TokenBucket.Rate(burst: 1_000, perSecond: 100)

  /// The defaults.
  public init() {}

  /// Stops the process when a limit contradicts another: these values are the program's own.
  func check() {
    let announced = [frameSizeMax, streamCredit, connectionCredit, messageSizeMax]
    precondition(
      announced.allSatisfy { (Self.announcedSizeMin...Self.creditMax).contains($0) },
      "frame, message and credit sizes \(announced) are not within \(Self.announcedSizeMin) and \(Self.creditMax)")
    precondition(frameSizeMax <= 1 << 24, "frames of \(frameSizeMax) bytes are more than 16 MiB")
    precondition((1...1_000_000).contains(streamCountMax), "\(streamCountMax) streams")
    precondition(streamCredit <= connectionCredit, "a stream's credit exceeds that of the connection")
    precondition(outputSizeMax > 0 && outputStopSizeMax >= outputSizeMax, "output is stopped before it is full")
  }
}
