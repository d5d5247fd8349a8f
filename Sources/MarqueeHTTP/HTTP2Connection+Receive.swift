import CNGHTTP2
import MarqueeRPC

extension HTTP2Connection {
  /// Processes bytes from the peer, starting at `offset`, up to the next event.
  ///
  /// Call it again with the same bytes until it returns `nil`; all bytes are consumed then, and none need to be kept.
  /// The bytes that an event refers to precede the new `offset`.
  ///
  /// - Returns: The next event, or `nil` if more bytes are needed.
  public func receive(
    _ bytes: UnsafeRawBufferPointer, from offset: inout Int, at now: MonotonicTime
  ) -> ConnectionEvent? {
    if let event = nextEvent() { return event }
    callTime = now
    if offset < bytes.count { lastReceivedAt = now }
    while offset < bytes.count, phase != .closed {
      if phase == .preface {
        receivePreface(bytes, &offset)
      } else {
        receiveFrame(bytes, &offset)
      }
      if let event = nextEvent() { return event }
    }
    if phase == .closed { offset = bytes.count }
    return nil
  }

  /// Returns the next event that was not caused by received bytes: after ``wakeUp(at:)``, or after a method call.
  public func nextEvent() -> ConnectionEvent? {
    while let pending = events.popFirst() {
      switch pending {
      case .event(let event):
        return event
      case .message(let id, let content, let receipt, let isLast):
        guard let stream = streams[id], !stream.dropsRequests else { continue }
        return .message(
          ReceivedMessage(stream: id, content: content, isLast: isLast, receipt: receipt, owner: stream.owner))
      case .requestsEnded(let id):
        guard let stream = streams[id], !stream.dropsRequests else { continue }
        if stream.connect != nil {
          if let event = bodyEnded(stream) { return event }
          continue
        }
        guard stream.hasSingleRequest else { return .halfClosed(id, owner: stream.owner) }
        if stream.requestCount > 0 { continue }
        if let event = endCall(stream, RPCStatus(.unimplemented, "missing request")) { return event }
      }
    }
    return nil
  }

  private func receivePreface(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) {
    let count = min(Self.preface.count - prefaceCount, bytes.count - offset)
    let part = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
    guard part.elementsEqual(Self.preface[prefaceCount..<(prefaceCount + count)]) else {
      events.append(.event(fail(.garbage, .internalError, "invalid HTTP/2 preface", .protocolError)))
      return
    }
    pass(part)
    offset += count
    prefaceCount += count
    if prefaceCount == Self.preface.count { phase = .settings }
  }

  /// Passes bytes to nghttp2, up to the end of a frame.
  private func receiveFrame(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) {
    if !scanner.isInside {
      frameStartedAt = callTime
      frameWasReported = false
      frameContentSize = 0
    }
    let (count, endsFrame) = scanner.scan(bytes, from: offset)
    input = bytes
    defer { input = UnsafeRawBufferPointer(start: nil, count: 0) }
    pass(UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)]))
    offset += count
    copyHeldRequest(bytes)
    if endsFrame, phase != .closed {
      if !scanner.isInside { frameStartedAt = nil }
      frameEnded(scanner.header)
    }
    reportFlood()
    // nghttp2 reports no frames after an error, and ends the session with its next output.
    if endsFrame ? !frameWasReported : scanner.isOversized {
      fillOutput()
      reportSessionError()
    }
  }

  /// Passes bytes to nghttp2, and fails the connection if it ends the session.
  private func pass(_ bytes: UnsafeRawBufferPointer) {
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let result = nghttp2_session_mem_recv(session, start, bytes.count)
    if result < 0 {
      let code = Int32(clamping: result)
      let text = String(cString: nghttp2_strerror(code))
      if code == NGHTTP2_ERR_FLOODED.rawValue {
        events.append(.event(fail(.flood, .resourceExhausted, "too many frames: \(text)", .enhanceYourCalm)))
      } else {
        events.append(.event(fail(.protocolError, .internalError, "protocol error: \(text)", .protocolError)))
      }
    }
  }

  /// Fails the connection if nghttp2 has ended the session with an error, which is in the output.
  func reportSessionError() {
    guard phase != .closed, let error = sessionError else { return }
    let text = error.text.isEmpty ? String(cString: nghttp2_http2_strerror(error.code.rawValue)) : error.text
    let reason: ConnectionFailure.Reason =
      switch error.code {
      case .enhanceYourCalm: .flood
      case .frameSizeError: .oversized
      default: .protocolError
      }
    let code: StatusCode = reason == .protocolError ? .internalError : .resourceExhausted
    events.append(.event(close(reason, RPCStatus(code, "protocol error: \(text)"))))
  }

  // MARK: Frames

  /// Counts a frame that has ended against the rate limit of its kind.
  private func frameEnded(_ frame: HTTP2FrameHeader) {
    switch frame.kind {
    case .data:
      dataFrameEnded(frame)
    case .headers where !frameWasReported && frame.endsHeaders,
      .continuation where !frameWasReported && frame.endsHeaders:
      limit(\.ignoredFrame, "ignored-frame-rate-max", limits.ignoredFrameRate, "ignored HEADERS frames")
    case .headers, .continuation, .pushPromise:
      break
    case .priority, .goAway, nil:
      limit(\.emptyFrame, "empty-frame-rate-max", limits.emptyFrameRate, "frames of type \(frame.type)")
    case .reset:
      limit(\.cancel, "cancel-rate-max", limits.cancelRate, "cancelled calls")
    case .settings:
      limit(\.settings, "settings-rate-max", http2.settingsRate, "SETTINGS frames")
    case .ping:
      pingEnded(frame)
    case .windowUpdate:
      limit(\.credit, "credit-rate-max", limits.creditRate, "WINDOW_UPDATE frames")
    }
  }

  /// Consumes a token. If there is none, the connection fails in ``reportFlood()``.
  func limit(
    _ bucket: WritableKeyPath<HTTP2FloodBuckets, TokenBucket>, _ name: String, _ rate: TokenBucket.Rate,
    _ subject: String
  ) {
    guard exceededRate == nil, !buckets[keyPath: bucket].tryConsume(at: callTime) else { return }
    exceededRate = (name, rate, subject)
  }

  /// Fails the connection if a rate limit was exceeded, or a header list is far over its limit.
  func reportFlood() {
    if headIsExcessive, phase != .closed {
      let limit = "header-list-size-max: \(http2.headerListSizeMax)"
      let message = "header list of more than \(HTTP2Limits.headerListExcessMax) times its limit (\(limit))"
      events.append(.event(fail(.flood, .resourceExhausted, message, .enhanceYourCalm)))
    }
    guard let (limit, rate, subject) = exceededRate else { return }
    exceededRate = nil
    guard phase != .closed else { return }
    // gRPC clients ping less often after this text.
    let debugData = limit == Self.pingLimit ? "too_many_pings" : nil
    events.append(.event(flood(limit, rate, subject, debugData: debugData)))
  }

  private func dataFrameEnded(_ frame: HTTP2FrameHeader) {
    if !frameWasReported {
      limit(\.ignoredFrame, "ignored-frame-rate-max", limits.ignoredFrameRate, "DATA frames of calls that have ended")
    } else if frameContentSize == 0, !frame.endsStream {
      limit(\.emptyFrame, "empty-frame-rate-max", limits.emptyFrameRate, "empty DATA frames")
    }
    if let stream = streams[StreamID(rawValue: UInt32(frame.stream))], !stream.dropsRequests,
      stream.unconsumedCount == 0
    {
      grantAssembled(stream)
    }
  }

  /// Answers a PING. A client may measure a round trip after each response; other pings are limited.
  private func pingEnded(_ frame: HTTP2FrameHeader) {
    if frame.isAcknowledgement {
      let isExpected = pingSentAt != nil
      pingSentAt = nil
      if drainStage == .announced {
        completeDrain()
      } else if !isExpected {
        limit(\.emptyFrame, "empty-frame-rate-max", limits.emptyFrameRate, "acknowledgements without a PING")
      }
      return
    }
    if hasSentSincePing {
      hasSentSincePing = false
    } else {
      limit(\.ping, Self.pingLimit, limits.pingRate, "pings")
    }
  }

  private static let pingLimit = "ping-rate-max"

  /// nghttp2 has received a frame completely.
  func frameReceived(_ frame: UnsafePointer<nghttp2_frame>) {
    frameWasReported = true
    let header = frame.pointee.hd
    let stream = streams[StreamID(rawValue: UInt32(header.stream_id))]
    switch HTTP2FrameKind(rawValue: header.type) {
    case .headers:
      if frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST {
        requestReceived(header.stream_id, endsStream: header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0)
      } else if let stream, header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 {
        requestsEnded(stream)
      }
    case .data:
      if let stream, header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 { requestsEnded(stream) }
    case .reset:
      stream?.wasReset = true
    case .settings:
      if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0, phase == .settings { settingsReceived() }
    case .ping:
      if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 {
        withUnsafePointer(to: frame.pointee.ping.opaque_data) { data in
          data.withMemoryRebound(to: UInt8.self, capacity: 8) {
            // It is not queued if too many other acknowledgements are.
            _ = nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_ACK.rawValue), $0)
          }
        }
      }
    default:
      break
    }
  }

  private func settingsReceived() {
    phase = .open
    var settings = PeerSettings()
    settings.frameSizeMax = Int(nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_FRAME_SIZE))
    settings.streamCredit = Int(nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE))
    settings.connectionCredit = Int(nghttp2_session_get_remote_window_size(session))
    events.append(.event(.ready(settings)))
  }
}
