import CNGHTTP2

/// Creates nghttp2 sessions for ``HTTP2Connection``.
enum NGHTTP2Session {
  /// The callbacks of all sessions.
  ///
  /// `nonisolated(unsafe)`: it is never changed after its initialization, and nghttp2 only copies it.
  nonisolated(unsafe) private static let callbacks: OpaquePointer = {
    var callbacks: OpaquePointer?
    guard nghttp2_session_callbacks_new(&callbacks) == 0, let callbacks else { preconditionFailure("out of memory") }
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, data in
      HTTP2Connection.with(data) { $0.headersBegan(frame!.pointee.hd.stream_id) }
    }
    nghttp2_session_callbacks_set_on_header_callback(callbacks) { _, _, name, nameSize, value, valueSize, _, data in
      var isProcessed = true
      let result = HTTP2Connection.with(data) {
        isProcessed = $0.fieldReceived(
          UnsafeRawBufferPointer(start: name, count: nameSize), UnsafeRawBufferPointer(start: value, count: valueSize))
      }
      // nghttp2 decodes the rest of the block then, but neither validates nor reports its fields.
      return isProcessed ? result : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, data in
      HTTP2Connection.with(data) { $0.frameReceived(frame!) }
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, bytes, count, data in
      HTTP2Connection.with(data) {
        $0.dataReceived(stream, UnsafeRawBufferPointer(start: bytes, count: count))
      }
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, _, data in
      HTTP2Connection.with(data) { $0.streamClosed(stream) }
    }
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, data in
      HTTP2Connection.with(data) { $0.frameSent(frame!) }
    }
    return callbacks
  }()

  /// The options of all sessions. `nonisolated(unsafe)`: as for ``callbacks``.
  nonisolated(unsafe) private static let options: OpaquePointer = {
    var options: OpaquePointer?
    guard nghttp2_option_new(&options) == 0, let options else { preconditionFailure("out of memory") }
    nghttp2_option_set_no_auto_window_update(options, 1)
    // At most one answer to a PING is queued.
    nghttp2_option_set_no_auto_ping_ack(options, 1)
    nghttp2_option_set_no_closed_streams(options, 1)
    // gRPC allows white space around metadata values.
    nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(options, 1)
    // The library's own limit depends on the system's clock; ``HTTP2Connection`` enforces `cancel-rate-max`.
    nghttp2_option_set_stream_reset_rate_limit(options, UInt64(Int64.max), UInt64(Int64.max))
    return options
  }()

  /// Creates a server's session. Its user data must be set before it processes input or produces output.
  static func create() -> OpaquePointer {
    var session: OpaquePointer?
    guard nghttp2_session_server_new2(&session, callbacks, nil, options) == 0, let session else {
      preconditionFailure("out of memory")
    }
    return session
  }
}

extension HTTP2Connection {
  /// Calls `body` with the connection to which a session's user data refers, and returns nghttp2's code for success.
  ///
  /// The pointer is unretained: a callback runs only during a method of the connection, which keeps it alive.
  static func with(_ userData: UnsafeMutableRawPointer?, _ body: (HTTP2Connection) -> Void) -> Int32 {
    guard let userData else { return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue }
    Unmanaged<HTTP2Connection>.fromOpaque(userData)._withUnsafeGuaranteedRef(body)
    return 0
  }
}
