import CNGHTTP2

/// A client's end of an HTTP/2 connection over libnghttp2, without a socket.
///
/// It records the responses of every stream. Pass the server's bytes to ``receive(_:)``, and send ``output()``.
package final class HTTP2TestClient {
  /// A response, as far as it has been received.
  package struct Response: Equatable {
    /// The first header list, and the trailers.
    package var head: [Field] = []
    package var trailers: [Field] = []
    package var body: [UInt8] = []
    /// Whether the stream has ended, and the error code with which it was closed.
    package var hasEnded = false
    package var closeCode: UInt32?

    package init() {}

    /// Returns the first value of a field in the trailers or the head.
    package subscript(name: String) -> String? {
      (trailers + head).first { $0.name == name }?.value
    }

    /// The complete length-prefixed messages in the body, with their flags.
    package var messages: [Message] {
      var (messages, rest): ([Message], ArraySlice<UInt8>) = ([], body[...])
      while rest.count >= 5 {
        let size = rest.dropFirst().prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard rest.count >= 5 + size else { break }
        messages.append(Message(flag: rest[rest.startIndex], bytes: Array(rest.dropFirst(5).prefix(size))))
        rest = rest.dropFirst(5 + size)
      }
      return messages
    }
  }

  /// A header field.
  package struct Field: Equatable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// A length-prefixed message.
  package struct Message: Equatable, Sendable {
    package var flag: UInt8
    package var bytes: [UInt8]

    package init(flag: UInt8 = 0, bytes: [UInt8]) {
      self.flag = flag
      self.bytes = bytes
    }

    /// The message with its prefix.
    package var encoded: [UInt8] {
      [flag] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bytes.count >> $0) } + bytes
    }
  }

  /// A received GOAWAY frame.
  package struct GoAway: Equatable, Sendable {
    package var lastStream: Int32
    package var code: UInt32
    package var text: String

    package init(lastStream: Int32, code: UInt32, text: String) {
      self.lastStream = lastStream
      self.code = code
      self.text = text
    }
  }

  package private(set) var responses: [Int32: Response] = [:]
  package private(set) var goAways: [GoAway] = []
  package private(set) var pongCount = 0
  /// Whether consumed bytes are granted again at once. Change it before bytes are received.
  package var grantsCredit = true
  private var session: OpaquePointer?
  private var bodies: [Int32: Body] = [:]

  private struct Body {
    var bytes: [UInt8] = []
    var ends = false
  }

  /// Creates a client. Its preface and settings are in the output at once.
  ///
  /// - Parameter settings: Numbers and values of settings to send.
  package init(settings: [(UInt32, UInt32)] = []) {
    var callbacks: OpaquePointer?
    nghttp2_session_callbacks_new(&callbacks)
    Self.setCallbacks(callbacks)
    var options: OpaquePointer?
    nghttp2_option_new(&options)
    nghttp2_option_set_no_auto_window_update(options, 1)
    nghttp2_session_client_new2(&session, callbacks, Unmanaged.passUnretained(self).toOpaque(), options)
    nghttp2_option_del(options)
    nghttp2_session_callbacks_del(callbacks)
    let entries = settings.map { nghttp2_settings_entry(settings_id: Int32($0.0), value: $0.1) }
    nghttp2_submit_settings(session, 0, entries, entries.count)
  }

  deinit {
    nghttp2_session_del(session)
  }

  private static func client(_ data: UnsafeMutableRawPointer?) -> HTTP2TestClient {
    Unmanaged<HTTP2TestClient>.fromOpaque(data!).takeUnretainedValue()
  }

  private static func setCallbacks(_ callbacks: OpaquePointer?) {
    nghttp2_session_callbacks_set_on_header_callback(callbacks) { _, frame, name, nameSize, value, valueSize, _, data in
      let field = Field(
        String(decoding: UnsafeBufferPointer(start: name, count: nameSize), as: UTF8.self),
        String(decoding: UnsafeBufferPointer(start: value, count: valueSize), as: UTF8.self))
      let isHead = frame!.pointee.headers.cat == NGHTTP2_HCAT_RESPONSE
      let id = frame!.pointee.hd.stream_id
      if isHead {
        HTTP2TestClient.client(data).responses[id, default: Response()].head.append(field)
      } else {
        HTTP2TestClient.client(data).responses[id, default: Response()].trailers.append(field)
      }
      return 0
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { session, _, id, bytes, count, data in
      let bytes = UnsafeBufferPointer(start: bytes, count: count)
      HTTP2TestClient.client(data).responses[id, default: Response()].body += bytes
      if HTTP2TestClient.client(data).grantsCredit { nghttp2_session_consume(session, id, count) }
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, data in
      HTTP2TestClient.client(data).received(frame!.pointee)
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, code, data in
      HTTP2TestClient.client(data).responses[id, default: Response()].closeCode = code
      return 0
    }
  }

  private func received(_ frame: nghttp2_frame) {
    let type = UInt32(frame.hd.type)
    if type == NGHTTP2_HEADERS.rawValue || type == NGHTTP2_DATA.rawValue, frame.hd.flags & 1 != 0 {
      responses[frame.hd.stream_id, default: Response()].hasEnded = true
    }
    if type == NGHTTP2_PING.rawValue, frame.hd.flags & 1 != 0 { pongCount += 1 }
    if type == NGHTTP2_GOAWAY.rawValue {
      let text = UnsafeBufferPointer(start: frame.goaway.opaque_data, count: frame.goaway.opaque_data_len)
      goAways.append(
        GoAway(
          lastStream: frame.goaway.last_stream_id, code: frame.goaway.error_code,
          text: String(decoding: text, as: UTF8.self)))
    }
  }

  /// The fields of a gRPC request.
  package static func fields(
    _ path: String, method: String = "POST", contentType: String? = "application/grpc", _ more: [Field] = []
  ) -> [Field] {
    let fields = [
      Field(":method", method), Field(":scheme", "http"), Field(":path", path), Field(":authority", "localhost"),
      Field("te", "trailers"),
    ]
    return fields + (contentType.map { [Field("content-type", $0)] } ?? []) + more
  }

  /// Opens a stream whose body is sent with ``send(_:on:ends:)``.
  ///
  /// - Parameter ends: Whether there is no body.
  package func request(_ fields: [Field], ends: Bool = false) -> Int32 {
    var bytes = fields.flatMap { Array($0.name.utf8) + Array($0.value.utf8) }
    var provider = nghttp2_data_provider()
    provider.read_callback = { _, id, target, size, flags, _, data in
      guard let flags else { return 0 }
      let room = UnsafeMutableRawBufferPointer(start: target, count: size)
      return HTTP2TestClient.client(data).read(id, room, &flags.pointee)
    }
    let id = bytes.withUnsafeMutableBufferPointer { bytes in
      var start = bytes.baseAddress!
      let list = fields.map { field in
        let (name, value) = (start, start + field.name.utf8.count)
        start = value + field.value.utf8.count
        return nghttp2_nv(name: name, value: value, namelen: value - name, valuelen: start - value, flags: 0)
      }
      if ends { return nghttp2_submit_request(session, nil, list, list.count, nil, nil) }
      return nghttp2_submit_request(session, nil, list, list.count, &provider, nil)
    }
    if !ends { bodies[id] = Body() }
    return id
  }

  private func read(_ id: Int32, _ target: UnsafeMutableRawBufferPointer, _ flags: inout UInt32) -> Int {
    guard let body = bodies[id] else { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
    let count = min(target.count, body.bytes.count)
    target.copyBytes(from: body.bytes.prefix(count))
    bodies[id]?.bytes.removeFirst(count)
    if count == body.bytes.count, body.ends {
      flags |= NGHTTP2_DATA_FLAG_EOF.rawValue
    } else if count == 0 {
      return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    }
    return count
  }

  /// Appends to the body of a request.
  package func send(_ bytes: [UInt8], on id: Int32, ends: Bool = false) {
    bodies[id]?.bytes += bytes
    bodies[id]?.ends = ends
    nghttp2_session_resume_data(session, id)
  }

  /// Resets a stream.
  package func reset(_ id: Int32, code: UInt32 = NGHTTP2_CANCEL.rawValue) {
    nghttp2_submit_rst_stream(session, 0, id, code)
  }

  /// Queues a PING.
  package func ping() {
    nghttp2_submit_ping(session, 0, nil)
  }

  /// Queues a GOAWAY.
  package func goAway() {
    nghttp2_submit_goaway(session, 0, 0, 0, nil, 0)
  }

  /// Grants credit for received bytes on a stream and on the connection.
  package func grant(_ count: Int, on id: Int32) {
    nghttp2_session_consume(session, id, count)
  }

  /// Returns the queued output.
  package func output() -> [UInt8] {
    var (bytes, start): ([UInt8], UnsafePointer<UInt8>?) = ([], nil)
    while case let count = nghttp2_session_mem_send(session, &start), count > 0 {
      bytes += UnsafeBufferPointer(start: start, count: count)
    }
    return bytes
  }

  /// Processes bytes from the server.
  ///
  /// - Returns: nghttp2's error code if they violate the protocol, otherwise a number that is not negative.
  @discardableResult
  package func receive(_ bytes: [UInt8]) -> Int {
    nghttp2_session_mem_recv(session, bytes, bytes.count)
  }
}
