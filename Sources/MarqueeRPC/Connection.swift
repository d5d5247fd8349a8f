/// One end of a connection of the call protocol, as a value: bytes and time go in, events and bytes come out.
///
/// A connection has no socket and no clock. Pass received bytes to ``receive(_:from:at:)`` until it returns `nil`, keep
/// the unconsumed bytes, write the output of ``drainOutput(at:_:)``, and call ``wakeUp(at:)`` at ``wakeUpTime``. It is
/// not `Sendable`: it shares the decode arena of its event loop.
public struct Connection {
  /// The side of the connection.
  public enum Role: Hashable, Sendable {
    /// The side that opens calls.
    case client
    /// The side that handles calls.
    case server
  }

  enum Phase: Hashable {
    case preface
    case settings
    case open
    case closed
  }

  /// The side that this end is on.
  public let role: Role
  /// The limits that this end enforces.
  public let limits: RPCLimits
  /// Whether this end, a client, follows ``Moved``.
  let acceptsMoved: Bool
  /// The settings that the peer announced; the protocol's defaults until ``ConnectionEvent/ready(_:)``.
  public internal(set) var peer = PeerSettings()
  /// The calls and messages rejected before any handler saw them.
  public internal(set) var counts = RejectionCounts()

  let arena: DecodeArena
  var phase = Phase.preface
  var streams = StreamTable()
  var lastStream = StreamID.connection
  var lastOpen = LastOpen()
  var goAwaySent = false
  var goAwayReceived = false

  @usableFromInline var output: EncodeBuffer
  /// The bytes of MESSAGE frames in ``output``.
  var outputMessageSize = 0
  /// The number of MESSAGE frames in ``output``.
  @usableFromInline var outputMessageCount = 0
  var outputBlockedSince: MonotonicTime?
  var pongIsQueued = false

  /// The connection-level credit left for sending, and the credit left to the peer.
  var sendCredit = 0
  var receiveCredit: Int
  /// Credit of consumed messages that has not been granted to the peer yet.
  var owedCredit = 0
  /// The bytes of incomplete messages on all streams, and of complete ones buffered beyond credit.
  var assemblySize = 0
  /// The budget, shared with other connections, from which the bytes of incomplete messages are reserved.
  public var assemblyAccount: (any ByteAccount)?
  /// The unsent bytes of messages on all streams.
  var backlogSize = 0
  /// The budget, shared with other connections, from which the unsent bytes are reserved in whole blocks.
  public var backlogAccount: (any ByteAccount)? {
    get { backlogReservation.account }
    set { backlogReservation.account = newValue }
  }
  var backlogReservation = BlockReservation()

  /// The streams with unsent messages, each once, in the order in which they may send a frame.
  var sendQueue = FIFO<StreamID>()
  var writable: [StreamID] = []
  var events = FIFO<ConnectionEvent>()

  let deadlineSpanMax: Int64
  let startedAt: MonotonicTime
  var lastReceivedAt: MonotonicTime
  /// The time at which bytes of a message were moved to the output.
  var lastSentAt: MonotonicTime
  var frameStartedAt: MonotonicTime?
  /// The bytes still to be skipped of an unwanted frame.
  var discardSize = 0
  var pingSentAt: MonotonicTime?
  /// The earliest time at which any stream may time out; it may be too early.
  var streamTimer = MonotonicTime.distantFuture
  var buckets: FloodBuckets

  /// Creates a connection. A client's preface and settings are in the output at once.
  ///
  /// - Parameters:
  ///   - role: The side of the connection.
  ///   - limits: The limits to enforce.
  ///   - acceptsMoved: Whether a client follows ``Moved``.
  ///   - arena: The memory for decoding, shared by connections of one event loop.
  ///   - scratch: The memory for encoding, shared likewise.
  ///   - now: The current time.
  public init(
    _ role: Role, limits: RPCLimits = RPCLimits(), acceptsMoved: Bool = false, arena: DecodeArena,
    scratch: EncodeScratch, at now: MonotonicTime
  ) {
    limits.check()
    self.role = role
    self.acceptsMoved = acceptsMoved
    self.limits = limits
    self.arena = arena
    output = EncodeBuffer(scratch: scratch)
    receiveCredit = limits.connectionCredit
    deadlineSpanMax = limits.deadlineMax.nanoseconds
    startedAt = now
    lastReceivedAt = now
    lastSentAt = now
    buckets = FloodBuckets(limits, at: now)
    if role == .client { appendPrefaceAndSettings() }
  }

  /// The number of open calls, including those that have ended for the peer while their handler is still running.
  public var streamCount: Int { streams.count }

  /// Whether settings have been exchanged and the connection has not failed.
  public var isOpen: Bool { phase == .open }

  /// Whether a client may open another call now.
  public var canOpen: Bool {
    phase == .open && !goAwayReceived && !goAwaySent && streams.count < peer.streamCountMax && lastStream < .max
  }

  /// Whether the connection can never open another call.
  public var isSpent: Bool { phase == .closed || goAwayReceived || goAwaySent || lastStream >= .max }

  /// Whether a GOAWAY was sent or received, all calls have ended, and all output has been written, so that the socket
  /// can be closed.
  public var isDrained: Bool {
    (goAwaySent || goAwayReceived) && streams.isEmpty && output.isEmpty && phase != .closed
  }

  /// Whether so much output is pending that no more input should be read from the peer.
  public var isInputPaused: Bool { output.count > limits.outputStopSizeMax }

  mutating func appendPrefaceAndSettings() {
    output.append(Preface.bytes)
    output.appendFrame(.settings) { ControlPayload.append(settings: limits, acceptsMoved: acceptsMoved, to: &$0) }
  }

  /// The first byte that a peer sends, which begins no other known protocol.
  public static let firstByte = Preface.magic[0]

  /// Returns the bytes with which a server rejects a connection: the preface, SETTINGS, and a GOAWAY with `status`.
  public static func rejection(_ status: RPCStatus, limits: RPCLimits) -> [UInt8] {
    var output = EncodeBuffer()
    output.append(Preface.bytes)
    output.appendFrame(.settings) { ControlPayload.append(settings: limits, to: &$0) }
    let goAway = GoAway(lastStream: .connection, status: status, retryAfter: .zero)
    output.appendFrame(.goAway) { ControlPayload.append(goAway, to: &$0) }
    return output.bytes
  }

  /// Closes the connection and returns the event. A peer whose preface was accepted, or has another version, gets a
  /// GOAWAY with the error.
  mutating func fail(_ reason: ConnectionFailure.Reason, _ code: StatusCode, _ message: String) -> ConnectionEvent {
    let status = RPCStatus(code, message)
    if phase != .preface || reason == .version {
      let goAway = GoAway(lastStream: lastStream, status: status, retryAfter: .zero)
      output.appendFrame(.goAway) { ControlPayload.append(goAway, to: &$0) }
    }
    phase = .closed
    return .failed(ConnectionFailure(reason: reason, status: status))
  }

  mutating func protocolError(_ message: String) -> ConnectionEvent {
    fail(.protocolError, .internalError, "protocol error: \(message)")
  }
}

/// The numbers of calls and messages that a connection rejected before any handler saw them.
public struct RejectionCounts: Hashable, Sendable {
  /// Calls over the limit of concurrent calls.
  public package(set) var overStreamLimit = 0
  /// Calls with a malformed OPEN or invalid metadata.
  public package(set) var malformed = 0
  /// Calls whose deadline had passed on arrival.
  public package(set) var late = 0
  /// Calls ended with `RESOURCE_EXHAUSTED` after they were opened.
  public package(set) var resourceExhausted = 0

  /// Creates counts of zero.
  public init() {}

  /// Adds the counts of another connection.
  public static func += (left: inout RejectionCounts, right: RejectionCounts) {
    left.overStreamLimit += right.overStreamLimit
    left.malformed += right.malformed
    left.late += right.late
    left.resourceExhausted += right.resourceExhausted
  }
}

/// Rate limiters for frames that are cheap to send.
struct FloodBuckets {
  var rejectedOpen: TokenBucket
  var deniedCall: TokenBucket
  var cancel: TokenBucket
  var ping: TokenBucket
  var credit: TokenBucket
  var emptyFrame: TokenBucket
  var ignoredFrame: TokenBucket

  init(_ limits: RPCLimits, at now: MonotonicTime) {
    rejectedOpen = TokenBucket(limits.rejectedOpenRate, at: now)
    deniedCall = TokenBucket(limits.deniedCallRate, at: now)
    cancel = TokenBucket(limits.cancelRate, at: now)
    ping = TokenBucket(limits.pingRate, at: now)
    credit = TokenBucket(limits.creditRate, at: now)
    emptyFrame = TokenBucket(limits.emptyFrameRate, at: now)
    ignoredFrame = TokenBucket(limits.ignoredFrameRate, at: now)
  }
}
