import MarqueeRPC

/// The limits that only HTTP/2 has, in addition to ``RPCLimits``.
public struct HTTP2Limits: Hashable, Sendable {
  /// The maximum payload of a received frame: the protocol's default, which is not announced.
  static let frameSizeMax = 16_384
  /// The maximum size of the debug data of a sent GOAWAY frame.
  static let debugDataSizeMax = 512
  /// The maximum ratio of a received header list's size and ``headerListSizeMax``. A larger list ends the connection: a
  /// header block of a few bytes can be megabytes of fields, each of which costs the time of its validation.
  static let headerListExcessMax = 16

  /// The maximum size of a request's header list as RFC 9113 defines it: the bytes of names and values, and 32 bytes
  /// for each field. Announced to the peer.
  public var headerListSizeMax = 16_384
  /// The rate limit of SETTINGS frames, and of acknowledgements.
  public var settingsRate = TokenBucket.Rate(burst: 100, perSecond: 10)
  /// The rate limit of streams that this end resets because of the peer's frames: stream errors, and requests that
  /// violate HTTP.
  public var streamErrorRate = TokenBucket.Rate(burst: 1_000, perSecond: 200)
  /// The number of queued frames that are not DATA from which on no more input is read from the peer.
  public var controlQueueCountMax = 1_024

  /// Creates the default limits.
  public init() {}

  /// Validates that the limits are consistent. A violation is a programming error.
  func check() {
    precondition(
      (1_024...1 << 20).contains(headerListSizeMax),
      "headerListSizeMax of \(headerListSizeMax) is not in 1024...1048576")
    precondition(controlQueueCountMax > 0, "controlQueueCountMax is not positive")
  }
}

/// Rate limiters for frames that are cheap to send.
struct HTTP2FloodBuckets {
  var rejectedOpen: TokenBucket
  var deniedCall: TokenBucket
  var cancel: TokenBucket
  var ping: TokenBucket
  var credit: TokenBucket
  var emptyFrame: TokenBucket
  var ignoredFrame: TokenBucket
  var settings: TokenBucket
  var streamError: TokenBucket

  init(_ limits: RPCLimits, _ http2: HTTP2Limits, at now: MonotonicTime) {
    rejectedOpen = TokenBucket(limits.rejectedOpenRate, at: now)
    deniedCall = TokenBucket(limits.deniedCallRate, at: now)
    cancel = TokenBucket(limits.cancelRate, at: now)
    ping = TokenBucket(limits.pingRate, at: now)
    credit = TokenBucket(limits.creditRate, at: now)
    emptyFrame = TokenBucket(limits.emptyFrameRate, at: now)
    ignoredFrame = TokenBucket(limits.ignoredFrameRate, at: now)
    settings = TokenBucket(http2.settingsRate, at: now)
    streamError = TokenBucket(http2.streamErrorRate, at: now)
  }
}
