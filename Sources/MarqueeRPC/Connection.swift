/// One end of a connection of the call protocol, as a value: bytes and time in, events and bytes out.
///
/// It has no socket and no clock. Feed what arrives to ``receive(_:from:at:)`` until it returns `nil`, keep the bytes
/// that it has not consumed, write what ``takeOutput(_:)`` gives, and call ``wakeUp(at:)`` at ``wakeUpTime``.
/// It is not `Sendable`: it shares the decode arena of its event loop.
public struct Connection {
  /// Which end.
  public enum Role: Hashable, Sendable {
    /// Opens calls.
    case client
    /// Answers calls.
    case server
  }

  /// How far the connection has come.
  enum Phase: Hashable {
    case preface
    case settings
    case open
    case closed
  }

  /// Which end this is.
  public let role: Role
  /// What this end accepts.
  public let limits: RPCLimits
  /// What the other end accepts; the protocol's defaults until ``ConnectionEvent/ready(_:)``.
  public internal(set) var peer = PeerSettings()
  /// What was refused or turned down before any handler saw it.
  public internal(set) var counts = RefusalCounts()

  let arena: DecodeArena
  var phase = Phase.preface
  var streams = StreamTable()
  /// The highest stream number used so far.
  var lastStream = StreamID.connection
  var lastOpen = LastOpen()
  var goAwaySent = false
  var goAwayReceived = false

  @usableFromInline var output: EncodeBuffer
  /// How much of ``output`` is MESSAGE frames.
  var outputMessageSize = 0
  /// How many they are.
  @usableFromInline var outputMessageCount = 0
  var outputBlockedSince: MonotonicTime?
  var pongIsQueued = false

  /// What we may still send, and what the peer may still send, on all streams together.
  var sendCredit = 0
  var receiveCredit: Int
  /// Credit consumed and not yet granted again.
  var owedCredit = 0
  /// Bytes of incomplete messages over all streams.
  var assemblySize = 0
  /// Bytes of messages that wait for credit or room over all streams.
  var backlogSize = 0

  /// Streams with messages waiting for room, each once, in the order of their turns.
  var turns = FIFO<StreamID>()
  var writable: [StreamID] = []
  var events = FIFO<ConnectionEvent>()

  /// The longest deadline in nanoseconds.
  let deadlineSpanMax: Int64
  let startedAt: MonotonicTime
  var lastReceivedAt: MonotonicTime
  var frameStartedAt: MonotonicTime?
  var pingSentAt: MonotonicTime?
  /// No later than the first deadline or stall of any stream.
  var streamTimer = MonotonicTime.distantFuture
  var buckets: FloodBuckets

  /// A fresh connection. A client's preface and settings are in the output at once.
  public init(
    _ role: Role, limits: RPCLimits = RPCLimits(), arena: DecodeArena, scratch: EncodeScratch, at now: MonotonicTime
  ) {
    limits.check()
    self.role = role
    self.limits = limits
    self.arena = arena
    output = EncodeBuffer(scratch: scratch)
    receiveCredit = limits.connectionCredit
    deadlineSpanMax = limits.deadlineMax.nanoseconds
    startedAt = now
    lastReceivedAt = now
    buckets = FloodBuckets(limits, at: now)
    if role == .client { introduce() }
  }

  /// Calls that are open, those whose handler still runs included.
  public var streamCount: Int { streams.count }

  /// Whether calls can be opened or answered: settings are exchanged, and nothing failed.
  public var isOpen: Bool { phase == .open }

  /// Whether a client may open one more call now.
  public var canOpen: Bool {
    phase == .open && !goAwayReceived && !goAwaySent && streams.count < peer.streamCountMax && lastStream < .max
  }

  /// Whether this connection can ever open another call.
  public var isSpent: Bool { phase == .closed || goAwayReceived || goAwaySent || lastStream >= .max }

  /// Whether a GOAWAY went either way, every call is over and everything is written: time to close.
  public var isDrained: Bool {
    (goAwaySent || goAwayReceived) && streams.isEmpty && output.isEmpty && phase != .closed
  }

  /// Whether so much waits for the socket that nothing more should be read from the peer.
  public var refusesInput: Bool { output.count > limits.outputStopSizeMax }

  /// Puts our preface and settings into the output.
  mutating func introduce() {
    output.append(Preface.bytes)
    output.appendFrame(.settings) { ControlPayload.append(settings: limits, to: &$0) }
  }

  /// What a server says to a connection that it does not take: it is there, and goes away for that reason.
  public static func refusal(_ status: RPCStatus, limits: RPCLimits) -> [UInt8] {
    var output = EncodeBuffer()
    output.append(Preface.bytes)
    output.appendFrame(.settings) { ControlPayload.append(settings: limits, to: &$0) }
    let goAway = GoAway(lastStream: .connection, status: status, retryAfter: .zero)
    output.appendFrame(.goAway) { ControlPayload.append(goAway, to: &$0) }
    return output.bytes
  }

  /// Ends the connection, telling the peer why.
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

/// What a connection turned down by itself.
public struct RefusalCounts: Hashable, Sendable {
  /// Calls over the limit of open calls.
  public internal(set) var overStreamLimit = 0
  /// Calls with a malformed OPEN or metadata.
  public internal(set) var malformed = 0
  /// Calls whose time was over when they came.
  public internal(set) var late = 0
  /// Messages over a size limit.
  public internal(set) var oversized = 0

  /// Nothing.
  public init() {}

  /// Adds the counts of another connection.
  public static func += (left: inout RefusalCounts, right: RefusalCounts) {
    left.overStreamLimit += right.overStreamLimit
    left.malformed += right.malformed
    left.late += right.late
    left.oversized += right.oversized
  }
}

/// One bucket for each kind of frame that costs its sender little.
struct FloodBuckets {
  var refusal: TokenBucket
  var cancel: TokenBucket
  var ping: TokenBucket
  var credit: TokenBucket
  var emptyFrame: TokenBucket

  init(_ limits: RPCLimits, at now: MonotonicTime) {
    refusal = TokenBucket(limits.refusalRate, at: now)
    cancel = TokenBucket(limits.cancelRate, at: now)
    ping = TokenBucket(limits.pingRate, at: now)
    credit = TokenBucket(limits.creditRate, at: now)
    emptyFrame = TokenBucket(limits.emptyFrameRate, at: now)
  }
}
