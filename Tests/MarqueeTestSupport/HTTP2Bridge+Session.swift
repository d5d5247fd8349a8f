import CNGHTTP2
import MarqueeRPC

extension HTTP2Bridge {
  // MARK: The session

  /// Creates a client's session. Its user data must be set before it is used.
  static func createSession() -> OpaquePointer? {
    var callbacks: OpaquePointer?
    nghttp2_session_callbacks_new(&callbacks)
    setCallbacks(callbacks)
    var options: OpaquePointer?
    nghttp2_option_new(&options)
    nghttp2_option_set_no_auto_window_update(options, 1)
    var session: OpaquePointer?
    nghttp2_session_client_new2(&session, callbacks, nil, options)
    nghttp2_option_del(options)
    nghttp2_session_callbacks_del(callbacks)
    return session
  }

  private static func setCallbacks(_ callbacks: OpaquePointer?) {
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, _, data in
      HTTP2Bridge.with(data) { $0.fields = [] }
    }
    nghttp2_session_callbacks_set_on_header_callback(callbacks) { _, _, name, nameSize, value, valueSize, _, data in
      HTTP2Bridge.with(data) {
        $0.fields.append(
          GRPCField(
            String(decoding: UnsafeBufferPointer(start: name, count: nameSize), as: UTF8.self),
            Array(UnsafeBufferPointer(start: value, count: valueSize))))
      }
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, data in
      HTTP2Bridge.with(data) { $0.received(frame!.pointee) }
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, bytes, count, data in
      HTTP2Bridge.with(data) { $0.received(UnsafeBufferPointer(start: bytes, count: count), on: stream) }
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, data in
      HTTP2Bridge.with(data) { $0.closed(stream, code) }
    }
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) { _, frame, code, data in
      HTTP2Bridge.with(data) {
        $0.report("invalid frame of type \(frame!.pointee.hd.type): \(String(cString: nghttp2_strerror(code)))")
      }
    }
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, code, data in
      HTTP2Bridge.with(data) { $0.notSent(frame!.pointee, code) }
    }
  }

  private static func with(_ data: UnsafeMutableRawPointer?, _ body: (HTTP2Bridge) -> Void) -> Int32 {
    guard let data else { return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue }
    body(Unmanaged<HTTP2Bridge>.fromOpaque(data).takeUnretainedValue())
    return 0
  }

  // MARK: Requests

  /// Opens a stream whose body consists of the call's requests.
  ///
  /// - Returns: The stream, or nghttp2's error code.
  func submit(_ fields: [GRPCField]) -> Int32 {
    var bytes = fields.flatMap { Array($0.name.utf8) + $0.value }
    var provider = nghttp2_data_provider()
    provider.read_callback = { _, stream, target, size, flags, _, data in
      guard let data, let target, let flags else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
      let room = UnsafeMutableRawBufferPointer(start: target, count: size)
      return Unmanaged<HTTP2Bridge>.fromOpaque(data).takeUnretainedValue().read(stream, into: room, &flags.pointee)
    }
    return bytes.withUnsafeMutableBufferPointer { bytes in
      guard var start = bytes.baseAddress else { return NGHTTP2_ERR_INVALID_ARGUMENT.rawValue }
      let list = fields.map { field in
        let (name, value) = (start, start + field.name.utf8.count)
        start = value + field.value.count
        return nghttp2_nv(name: name, value: value, namelen: value - name, valuelen: start - value, flags: 0)
      }
      return nghttp2_submit_request(session, nil, list, list.count, &provider, nil)
    }
  }

  private func read(_ stream: Int32, into target: UnsafeMutableRawBufferPointer, _ flags: inout UInt32) -> Int {
    guard let call = streams[stream] else { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
    let count = call.read(into: target) { connection.consume($0) }
    if call.isDrained, call.hasAllRequests {
      flags |= NGHTTP2_DATA_FLAG_EOF.rawValue
    } else if count == 0 {
      return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    }
    return count
  }

  /// nghttp2 did not send a frame: after GOAWAY, no stream is opened.
  private func notSent(_ frame: nghttp2_frame, _ code: Int32) {
    guard frame.hd.type == UInt8(NGHTTP2_HEADERS.rawValue), let call = streams[frame.hd.stream_id] else { return }
    streams[frame.hd.stream_id] = nil
    finish(call, RPCStatus(.unavailable, "the connection accepts no more calls"))
  }

  // MARK: Responses

  private func received(_ frame: nghttp2_frame) {
    let isLast = frame.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
    switch UInt32(frame.hd.type) {
    case NGHTTP2_HEADERS.rawValue:
      if let call = streams[frame.hd.stream_id] { received(fields, call, isLast: isLast) }
    case NGHTTP2_DATA.rawValue where isLast:
      guard let call = streams[frame.hd.stream_id], isOpen(call) else { break }
      if call.connect == nil { violated(call, "no grpc-status at the end") }
      apply(call.connect?.receiveEnd(), to: call)
    case NGHTTP2_SETTINGS.rawValue:
      if frame.hd.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 { settingsReceived() }
    case NGHTTP2_GOAWAY.rawValue:
      let text = UnsafeBufferPointer(start: frame.goaway.opaque_data, count: frame.goaway.opaque_data_len)
      goAwayReceived(frame.goaway.error_code, String(decoding: text, as: UTF8.self))
    default:
      break
    }
  }

  private func received(_ fields: [GRPCField], _ call: HTTP2BridgeCall, isLast: Bool) {
    guard isOpen(call) else { return }
    if call.connect != nil { return receivedConnect(fields, call, isLast: isLast) }
    if !call.hasHead {
      call.hasHead = true
      let status = fields.first { $0.name == ":status" }?.text ?? ""
      guard status == "200", fields.first(where: { $0.name == "content-type" })?.text == "application/grpc" else {
        report("response with status \(status) that is not of gRPC")
        if !isLast { reset(call, NGHTTP2_CANCEL) }
        return finish(call, GRPCField.status(ofHTTP: status))
      }
      if !isLast {
        let metadata = GRPCField.metadata(fields)
        if metadata.problem == nil { _ = connection.sendHeader(metadata, on: call.id) }
        return
      }
    }
    guard isLast else { return report("trailers of \(call.stream) do not end the stream") }
    guard let status = GRPCField.status(fields) else { return violated(call, "invalid grpc-status") }
    if call.isInsideMessage { report("trailers of \(call.stream) inside a message") }
    finish(call, status)
  }

  private func receivedConnect(_ fields: [GRPCField], _ call: HTTP2BridgeCall, isLast: Bool) {
    guard !call.hasHead else { return violated(call, "trailers in the Connect protocol") }
    call.hasHead = true
    let status = fields.first { $0.name == ":status" }.flatMap { Int($0.text) } ?? 0
    apply(call.connect?.receive(status: status, fields.map { ($0.name, $0.text) }), to: call)
    if isLast { apply(call.connect?.receiveEnd(), to: call) }
  }

  /// Passes events of a call's response in the Connect protocol to the client.
  private func apply(_ events: [ConnectBridgeCall.Event]?, to call: HTTP2BridgeCall) {
    for event in events ?? [] where isOpen(call) {
      switch event {
      case .header(let metadata):
        if metadata.problem == nil { _ = connection.sendHeader(metadata, on: call.id) }
      case .message(let bytes): send(bytes, to: call)
      case .ended(let status): finish(call, status)
      case .violated(let violation): violated(call, violation)
      }
    }
  }

  /// Passes a message of a response to the client.
  private func send(_ bytes: [UInt8], to call: HTTP2BridgeCall) {
    let outcome = connection.send(encoded: bytes, on: call.id, sizeMax: .max, at: now)
    guard case .tooLarge(let size) = outcome else { return }
    reset(call, NGHTTP2_CANCEL)
    finish(call, RPCStatus(.resourceExhausted, "response of \(size) bytes exceeds message-size-max"))
  }

  private func received(_ bytes: UnsafeBufferPointer<UInt8>, on stream: Int32) {
    guard let call = streams[stream], isOpen(call) else {
      return check(nghttp2_session_consume(session, stream, bytes.count))
    }
    call.heldSize += bytes.count
    if call.connect != nil {
      apply(call.connect?.receive(bytes), to: call)
    } else {
      for message in call.receive(bytes) where isOpen(call) {
        guard message.flag == 0 else { return violated(call, "flag \(message.flag) of a message") }
        send(message.bytes, to: call)
      }
    }
    grantHeld(call)
  }

  private func violated(_ call: HTTP2BridgeCall, _ violation: String) {
    report("stream \(call.stream): \(violation)")
    reset(call, NGHTTP2_INTERNAL_ERROR)
    finish(call, RPCStatus(.internalError, violation))
  }

  private func closed(_ stream: Int32, _ code: UInt32) {
    guard let call = streams.removeValue(forKey: stream) else { return }
    if call.heldSize > 0 { check(nghttp2_session_consume_connection(session, call.heldSize)) }
    guard isOpen(call) else { return }
    switch code {
    case NGHTTP2_REFUSED_STREAM.rawValue:
      finish(call, RPCStatus(.unavailable, "the server refused the stream"))
    case NGHTTP2_CANCEL.rawValue:
      finish(call, RPCStatus(.cancelled, "the server cancelled the stream"))
    default:
      let name = String(cString: nghttp2_http2_strerror(code))
      report("stream \(stream) was closed with \(name) and without a status")
      finish(call, RPCStatus(.internalError, "the stream was closed: \(name)"))
    }
  }

  private func goAwayReceived(_ code: UInt32, _ text: String) {
    guard code != NGHTTP2_NO_ERROR.rawValue else { return drain(text) }
    let isCalm = code == NGHTTP2_ENHANCE_YOUR_CALM.rawValue
    let name = String(cString: nghttp2_http2_strerror(code))
    report("GOAWAY with \(name): \(text)")
    fail(isCalm ? .flood : .protocolError, RPCStatus(isCalm ? .resourceExhausted : .internalError, text))
  }
}

extension ConnectBridgeCall {
  /// Returns the header list of the call.
  func http2Fields(at now: MonotonicTime) -> [GRPCField] {
    let fields = [(":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "localhost")]
    return (fields + requestFields(at: now).map { ($0.name, $0.value) }).map { GRPCField($0.0, $0.1) }
  }
}
