import CNGHTTP2
import MarqueeRPC

/// Translates the native protocol of a client to gRPC or Connect over HTTP/2, so that a client of the native protocol
/// can call a server in these protocols.
///
/// It has no socket, no clock and no random numbers: bytes of both peers and the time go in, and bytes for both peers
/// come out. The client's connection ends here; a call is a stream of HTTP/2 of its own. Flow control works from end to
/// end, because credit is returned to the sender when the receiver has accepted the bytes.
///
/// It passes no deadline of its own, and leaves the limits to the server.
package final class HTTP2Bridge {
  /// The time without input from the server after which it is pinged, with and without open calls.
  private static let silenceMax = (busy: Duration.seconds(30), idle: Duration.seconds(60))
  /// The maximum time from a PING to any input.
  private static let pingTimeMax = Duration.seconds(10)
  /// The initial windows of HTTP/2.
  private static let windowSize = (stream: 262_144, connection: 4 << 20)
  /// The maximum number of bytes that ``outputToServer(at:)`` returns, without the last frame.
  private static let outputSizeMax = 65_536

  /// The violations of HTTP/2, and of the mapping of gRPC or Connect, by the server.
  package private(set) var violations: [String] = []
  /// Whether the connections must be closed after writing the output.
  package private(set) var isOver = false

  /// The encoding of messages in the Connect protocol; `nil` for gRPC.
  private let codec: ConnectBridgeCall.Codec?
  /// The server's end of the client's connection.
  var connection: Connection
  /// The client's end of the server's connection.
  private(set) var session: OpaquePointer?
  private let (arena, scratch) = (DecodeArena(), EncodeScratch())
  /// The open calls by the client's stream.
  private var calls: [StreamID: HTTP2BridgeCall] = [:]
  /// The calls whose HTTP/2 stream is open.
  var streams: [Int32: HTTP2BridgeCall] = [:]
  /// The header list that is being received.
  var fields: [GRPCField] = []
  /// Bytes of the client that have not been processed: all before the server's settings, and incomplete frames.
  private var input: [UInt8] = []
  private var hasSettings = false
  private(set) var now: MonotonicTime
  private var lastReceivedAt: MonotonicTime
  private var pingSentAt: MonotonicTime?

  /// Creates a bridge. The preface of HTTP/2 is in the output at once.
  ///
  /// - Parameters:
  ///   - codec: The encoding of messages in the Connect protocol; `nil` for gRPC.
  ///   - now: The current time.
  package init(_ codec: ConnectBridgeCall.Codec? = nil, at now: MonotonicTime) {
    self.codec = codec
    self.now = now
    lastReceivedAt = now
    connection = Connection(.server, arena: arena, scratch: scratch, at: now)
    session = Self.createSession()
    nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
    let settings = [
      (NGHTTP2_SETTINGS_ENABLE_PUSH, 0), (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, Self.windowSize.stream),
    ].map { nghttp2_settings_entry(settings_id: Int32($0.0.rawValue), value: UInt32($0.1)) }
    check(nghttp2_submit_settings(session, 0, settings, settings.count))
    check(nghttp2_session_set_local_window_size(session, 0, 0, Int32(Self.windowSize.connection)))
  }

  deinit {
    nghttp2_session_del(session)
  }

  // MARK: Input

  /// Processes bytes of the client. They wait until the server has sent its settings.
  package func receive(fromClient bytes: some Sequence<UInt8>, at now: MonotonicTime) {
    self.now = now
    input += bytes
    processInput()
  }

  /// Processes bytes of the server.
  package func receive(fromServer bytes: UnsafeRawBufferPointer, at now: MonotonicTime) {
    self.now = now
    lastReceivedAt = now
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let result = nghttp2_session_mem_recv(session, start, bytes.count)
    if result < 0 {
      let text = String(cString: nghttp2_strerror(Int32(clamping: result)))
      report("protocol error: \(text)")
      fail(.protocolError, RPCStatus(.internalError, "protocol error: \(text)"))
    }
    processInput()
  }

  private func processInput() {
    guard hasSettings else { return }
    var offset = 0
    input.withUnsafeBytes { bytes in
      while let event = connection.receive(bytes, from: &offset, at: now) { handle(event, bytes) }
    }
    input.removeFirst(offset)
  }

  private func processEvents() {
    while let event = connection.nextEvent() { handle(event, UnsafeRawBufferPointer(start: nil, count: 0)) }
  }

  /// The server's first settings have been received: the client may open calls.
  func settingsReceived() {
    guard !hasSettings else { return }
    hasSettings = true
    var limits = RPCLimits()
    let countMax = nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
    limits.streamCountMax = min(max(1, Int(countMax)), 1_000_000)
    connection = Connection(.server, limits: limits, arena: arena, scratch: scratch, at: now)
  }

  /// Announces to the server that the client closes the connection.
  package func clientCloses() {
    check(nghttp2_submit_goaway(session, 0, 0, NGHTTP2_NO_ERROR.rawValue, nil, 0))
  }

  // MARK: Output

  /// Whether ``outputToServer(at:)`` may return bytes.
  package var hasOutputToServer: Bool { nghttp2_session_want_write(session) != 0 }

  /// Returns bytes for the server, and removes them. Call it only while the socket is writable.
  package func outputToServer(at now: MonotonicTime) -> [UInt8] {
    self.now = now
    processEvents()
    var bytes: [UInt8] = []
    while bytes.count < Self.outputSizeMax {
      var start: UnsafePointer<UInt8>?
      let count = nghttp2_session_mem_send(session, &start)
      guard count > 0, let start else {
        precondition(count >= 0, "nghttp2: \(String(cString: nghttp2_strerror(Int32(clamping: count))))")
        break
      }
      bytes += UnsafeBufferPointer(start: start, count: count)
    }
    if nghttp2_session_want_read(session) == 0, nghttp2_session_want_write(session) == 0 { isOver = true }
    return bytes
  }

  /// Returns all bytes for the client, and removes them.
  package func outputToClient(at now: MonotonicTime) -> [UInt8] {
    self.now = now
    processEvents()
    var bytes: [UInt8] = []
    while connection.hasOutput { connection.drainOutput(at: now) { bytes += $0 } }
    for id in connection.dequeueWritableStreams() {
      if let call = calls[id] { grantHeld(call) }
    }
    return bytes
  }

  // MARK: Time

  /// The time at which ``wakeUp(at:)`` is next due; `nil` if never.
  package var wakeUpTime: MonotonicTime? {
    guard hasSettings, !isOver else { return nil }
    if let unansweredPing { return unansweredPing.advanced(by: Self.pingTimeMax) }
    return lastReceivedAt.advanced(by: streams.isEmpty ? Self.silenceMax.idle : Self.silenceMax.busy)
  }

  private var unansweredPing: MonotonicTime? {
    guard let pingSentAt, lastReceivedAt <= pingSentAt else { return nil }
    return pingSentAt
  }

  /// Pings a silent server, and gives up one that does not answer. An early call has no effect.
  package func wakeUp(at now: MonotonicTime) {
    guard let wakeUpTime, now >= wakeUpTime else { return }
    self.now = now
    guard unansweredPing == nil else {
      let message = "no response to PING within \(Self.pingTimeMax)"
      return fail(.keepaliveTimeout, RPCStatus(.unavailable, message))
    }
    pingSentAt = now
    check(nghttp2_submit_ping(session, 0, nil))
  }

  // MARK: Calls

  /// Handles an event of the client's connection.
  private func handle(_ event: ConnectionEvent, _ bytes: UnsafeRawBufferPointer) {
    switch event {
    case .opened(let opened): open(opened)
    case .message(let message):
      guard let call = calls[message.stream] else { break }
      switch message.content {
      case .inPlace(let range): append(Array(bytes[range]), message.receipt, to: call)
      case .assembled(let bytes): append(bytes, message.receipt, to: call)
      }
      if message.isLast { call.hasAllRequests = true }
      nghttp2_session_resume_data(session, call.stream)
    case .halfClosed(let id, _):
      guard let call = calls[id] else { break }
      call.hasAllRequests = true
      nghttp2_session_resume_data(session, call.stream)
    case .ended(let id, let status, _):
      guard let call = calls[id] else { break }
      reset(call, NGHTTP2_CANCEL)
      finish(call, status)
    case .failed:
      isOver = true
    case .goAway, .ready, .header, .rejected:
      // A client that opens no more calls closes the connection when the open ones have ended.
      break
    }
  }

  private func open(_ opened: OpenedCall) {
    let call = HTTP2BridgeCall(opened.stream, codec.map { ConnectBridgeCall(opened, $0) })
    calls[opened.stream] = call
    if let rejection = call.connect?.rejection { return finish(call, rejection) }
    let stream = submit(call.connect?.http2Fields(at: now) ?? GRPCField.request(opened, at: now))
    guard stream > 0 else {
      return finish(call, RPCStatus(.unavailable, "the connection accepts no more calls"))
    }
    call.stream = stream
    streams[stream] = call
  }

  /// Appends a request of the client to those of a call.
  private func append(_ request: [UInt8], _ receipt: CreditReceipt, to call: HTTP2BridgeCall) {
    do throws(RPCStatus) {
      let bytes = try call.connect?.requestBody(request) ?? HTTP2TestClient.Message(bytes: request).encoded
      call.append(bytes, receipt)
    } catch {
      reset(call, NGHTTP2_CANCEL)
      finish(call, error)
    }
  }

  /// Ends a call for the client, once.
  func finish(_ call: HTTP2BridgeCall, _ status: RPCStatus) {
    guard calls.removeValue(forKey: call.id) != nil else { return }
    connection.finish(call.id, with: status)
  }

  /// Whether the call has not ended for the client.
  func isOpen(_ call: HTTP2BridgeCall) -> Bool { calls[call.id] != nil }

  /// Resets the HTTP/2 stream of a call.
  func reset(_ call: HTTP2BridgeCall, _ code: nghttp2_error_code) {
    guard streams[call.stream] != nil else { return }
    check(nghttp2_submit_rst_stream(session, 0, call.stream, code.rawValue))
  }

  /// Returns the credit of received bytes once the client has room for more.
  func grantHeld(_ call: HTTP2BridgeCall) {
    guard call.heldSize > 0, connection.backlogSize(of: call.id) == 0 else { return }
    check(nghttp2_session_consume(session, call.stream, call.heldSize))
    call.heldSize = 0
  }

  /// Notifies the client that the server accepts no more calls.
  func drain(_ message: String) {
    connection.drain(retryAfter: .zero, message: message.isEmpty ? "the server accepts no more calls" : message)
  }

  /// Ends the client's connection for a reason, which the client is sent.
  func fail(_ reason: ConnectionFailure.Reason, _ status: RPCStatus) {
    connection.end(reason, status)
    isOver = true
  }

  func report(_ violation: String) { violations.append(violation) }

  /// Traps if nghttp2 reports an error that only a mistake in this file, or a lack of memory, can cause.
  func check(_ result: Int32) {
    precondition(result >= 0, "nghttp2: \(String(cString: nghttp2_strerror(result)))")
  }
}
