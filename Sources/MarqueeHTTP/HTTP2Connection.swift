import CNGHTTP2
import MarqueeRPC

/// The server's end of an HTTP/2 connection with calls of gRPC and Connect: bytes and time go in, events and bytes come
/// out.
///
/// It has the methods and events of the server side of ``Connection``, so that the same session serves both protocols.
/// There is no socket and no clock. Pass received bytes to ``receive(_:from:at:)`` until it returns `nil`, write the
/// output of ``drainOutput(at:_:)``, and call ``wakeUp(at:)`` at ``wakeUpTime``. It is not `Sendable`: it belongs to
/// one event loop.
///
/// Frames, HPACK and flow control are those of libnghttp2. Limits that depend on time are enforced here, because the
/// library reads the system's clock.
///
/// Exclusivity of some properties is unchecked for performance: they are accessed several times per frame. Accesses
/// cannot overlap, because no method of their types calls nghttp2 or a method of the connection.
public final class HTTP2Connection {
  enum Phase: Hashable {
    case preface
    case settings
    case open
    case closed
  }

  /// The stages of a graceful end: a first GOAWAY announces it, and after a round trip, in which requests that were
  /// already on their way arrive, a second one names the last accepted stream.
  enum DrainStage: Hashable {
    case none
    case announced
    case complete
  }

  /// An event that is resolved when it is returned, because the call may end before.
  enum PendingEvent {
    case event(ConnectionEvent)
    case message(StreamID, ReceivedMessage.Content, CreditReceipt, isLast: Bool)
    case requestsEnded(StreamID)
  }

  /// The bytes with which a client begins a connection.
  public static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  /// The limits that this end enforces.
  public let limits: RPCLimits
  /// The limits that only HTTP/2 has.
  public let http2: HTTP2Limits
  /// The protocols of calls.
  public let protocols: HTTP2Protocols
  /// The calls and messages rejected before any handler saw them.
  public internal(set) var counts = RejectionCounts()
  /// The budget, shared with other connections, from which the bytes of incomplete messages are reserved.
  public var assemblyAccount: (any ByteAccount)?
  /// The budget, shared with other connections, from which the unsent bytes are reserved in whole blocks.
  public var backlogAccount: (any ByteAccount)?
  /// Returns the current value of the field `date` of responses other than those of gRPC; `nil` for no such field.
  public var date: (() -> String)?

  // The limits of time that each call needs.
  let requestTimeMaxNanoseconds: Int64
  let stallTimeMaxNanoseconds: Int64
  let session: OpaquePointer
  let scratch: EncodeScratch
  var phase = Phase.preface
  var prefaceCount = 0
  @exclusivity(unchecked) var scanner = HTTP2FrameScanner()
  @exclusivity(unchecked) var streams = HTTP2StreamTable()
  @exclusivity(unchecked) var events = FIFO<PendingEvent>()
  @exclusivity(unchecked) var buckets: HTTP2FloodBuckets

  // The input that nghttp2 is processing.
  /// The time of the current call into nghttp2.
  var callTime: MonotonicTime
  @exclusivity(unchecked) var input = UnsafeRawBufferPointer(start: nil, count: 0)
  @exclusivity(unchecked) var requestReader: RequestReader
  /// Whether the header list is so large that the connection fails.
  var headIsExcessive = false
  /// Whether nghttp2 reported the current frame, and the number of its content bytes.
  var frameWasReported = false
  var frameContentSize = 0
  /// The stream whose held request refers to the current input.
  var heldInPlace: HTTP2Stream?

  // Output.
  @exclusivity(unchecked) var output: [UInt8] = []
  var outputBlockedSince: MonotonicTime?
  /// The number of messages queued since the last ``drainOutput(at:_:)``, and their bytes.
  var queuedCount = 0
  var queuedSize = 0
  var writable: [StreamID] = []
  /// Whether a HEADERS or DATA frame was sent since the peer's last PING, which therefore measures a round trip.
  var hasSentSincePing = false
  /// The error code and text of the GOAWAY with which nghttp2 ended the session.
  var sessionError: (code: HTTP2ErrorCode, text: String)?
  /// The rate limit that was exceeded, until the connection fails because of it. nghttp2 must not produce output
  /// during a callback.
  var exceededRate: (limit: String, rate: TokenBucket.Rate, subject: String)?
  /// The number of streams whose refusal is queued.
  var refusalCount = 0

  // Budgets.
  var assemblySize = 0
  var backlogSize = 0
  var reservedBacklogSize = 0

  // Time.
  let startedAt: MonotonicTime
  var lastReceivedAt: MonotonicTime
  /// The time at which bytes of a message were moved to the output.
  var lastSentAt: MonotonicTime
  var frameStartedAt: MonotonicTime?
  var pingSentAt: MonotonicTime?
  /// The earliest time at which any stream may time out; it may be too early.
  var streamTimer = MonotonicTime.distantFuture
  var drainStage = DrainStage.none
  var drainMessage = ""
  var drainEnd = MonotonicTime.distantFuture

  /// Creates a connection. Nothing is output before the client's preface has been received.
  ///
  /// - Parameters:
  ///   - limits: The limits to enforce.
  ///   - http2: The limits that only HTTP/2 has.
  ///   - protocols: The protocols of calls.
  ///   - scratch: The memory for encoding, shared by connections of one event loop.
  ///   - now: The current time.
  public init(
    limits: RPCLimits = RPCLimits(), http2: HTTP2Limits = HTTP2Limits(), protocols: HTTP2Protocols = HTTP2Protocols(),
    scratch: EncodeScratch, at now: MonotonicTime
  ) {
    limits.check()
    http2.check()
    self.limits = limits
    requestTimeMaxNanoseconds = limits.requestTimeMax.nanoseconds
    stallTimeMaxNanoseconds = limits.stallTimeMax.nanoseconds
    self.http2 = http2
    self.protocols = protocols
    self.scratch = scratch
    session = NGHTTP2Session.create()
    callTime = now
    requestReader = RequestReader(sizeMax: http2.headerListSizeMax)
    startedAt = now
    lastReceivedAt = now
    lastSentAt = now
    buckets = HTTP2FloodBuckets(limits, http2, at: now)
    nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
    submitSettings()
  }

  deinit {
    nghttp2_session_del(session)
  }

  private func submitSettings() {
    let settings = [
      (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.streamCountMax),
      (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits.streamCredit),
      (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, http2.headerListSizeMax),
      (NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1),
    ].map { nghttp2_settings_entry(settings_id: Int32($0.0.rawValue), value: UInt32($0.1)) }
    check(nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings, settings.count))
    check(nghttp2_session_set_local_window_size(session, 0, 0, Int32(limits.connectionCredit)))
  }

  /// The number of open calls, including those that have ended for the peer while their handler is still running.
  public var streamCount: Int { streams.count }

  /// Whether the client's settings have been received and the connection has not failed.
  public var isOpen: Bool { phase == .open }

  /// Whether no more calls can be opened, all calls have ended, and all output has been written, so that the socket can
  /// be closed.
  public var isDrained: Bool {
    guard phase != .closed, streams.isEmpty, output.isEmpty else { return false }
    if phase != .open { return drainStage != .none }
    return nghttp2_session_want_write(session) == 0
      && (drainStage == .complete || nghttp2_session_want_read(session) == 0)
  }

  /// Whether so much output is pending that no more input should be read from the peer.
  public var isInputPaused: Bool {
    if phase == .closed { return false }
    return output.count >= limits.outputSizeMax
      || nghttp2_session_get_outbound_queue_size(session) > http2.controlQueueCountMax
  }

  /// Returns the owner of a call, or `nil` if the call has ended or has no owner.
  public func owner(of id: StreamID) -> AnyObject? {
    streams[id]?.owner
  }

  /// The owners of all calls, in the order in which the calls were opened.
  public var owners: [AnyObject] {
    streams.sorted.compactMap(\.owner)
  }

  /// Traps if nghttp2 reports an error that only a mistake in this module, or a lack of memory, can cause.
  func check(_ result: Int32) {
    precondition(result >= 0, "nghttp2: \(String(cString: nghttp2_strerror(result)))")
  }

  /// Forgets all calls and events, because the socket is closed. No method has an effect afterward, and neither account
  /// is used: their owner releases everything that is reserved.
  public func abandon() {
    phase = .closed
    (assemblyAccount, backlogAccount) = (nil, nil)
    streams = HTTP2StreamTable()
    events = FIFO()
    writable = []
    heldInPlace = nil
  }

  // MARK: Failing

  /// Closes the connection and returns the event. A peer whose preface was accepted gets a GOAWAY with the error.
  func fail(
    _ reason: ConnectionFailure.Reason, _ code: StatusCode, _ message: String, _ error: HTTP2ErrorCode,
    debugData: String? = nil
  ) -> ConnectionEvent {
    if phase != .preface {
      fillOutput()
      let last = nghttp2_session_get_last_proc_stream_id(session)
      Self.appendGoAway(last, error, debugData ?? message, to: &output)
    }
    return close(reason, RPCStatus(code, message))
  }

  /// Closes the connection without any more output.
  func close(_ reason: ConnectionFailure.Reason, _ status: RPCStatus) -> ConnectionEvent {
    phase = .closed
    return .failed(ConnectionFailure(reason: reason, status: status))
  }

  /// - Parameter debugData: The text for the peer instead of the message.
  func flood(
    _ limit: String, _ rate: TokenBucket.Rate, _ subject: String, debugData: String? = nil
  ) -> ConnectionEvent {
    fail(
      .flood, .resourceExhausted,
      "too many \(subject) (\(limit): \(rate.perSecond) per second, burst \(rate.burst))", .enhanceYourCalm,
      debugData: debugData)
  }

  /// Returns the bytes with which a server rejects a connection: SETTINGS, and a GOAWAY with `status`.
  public static func rejection(_ status: RPCStatus) -> [UInt8] {
    var bytes: [UInt8] = []
    HTTP2FrameHeader(length: 0, type: HTTP2FrameKind.settings.rawValue, flags: 0, stream: 0).append(to: &bytes)
    appendGoAway(0, .enhanceYourCalm, status.message, to: &bytes)
    return bytes
  }

  private static func appendGoAway(
    _ last: Int32, _ error: HTTP2ErrorCode, _ debugData: String, to bytes: inout [UInt8]
  ) {
    let text = Array(debugData.cut(to: HTTP2Limits.debugDataSizeMax).utf8)
    HTTP2FrameHeader(length: 8 + text.count, type: HTTP2FrameKind.goAway.rawValue, flags: 0, stream: 0)
      .append(to: &bytes)
    for number in [UInt32(last), error.rawValue] {
      for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
    }
    bytes += text
  }
}
