import CNGHTTP2
import MarqueeRPC

extension HTTP2Connection {
  /// The time at which ``wakeUp(at:)`` is next due, or `nil` once the connection has failed.
  ///
  /// It may be too early, but never too late.
  public var wakeUpTime: MonotonicTime? {
    if phase == .closed { return nil }
    var time = min(streamTimer, phase == .open ? silenceEnd : handshakeEnd, drainEnd)
    if let frameStartedAt { time = min(time, frameStartedAt.advanced(by: limits.frameTimeMax)) }
    if let outputBlockedSince { time = min(time, outputBlockedSince.advanced(by: limits.stallTimeMax)) }
    return time
  }

  /// Sets the time of the changes that follow: of those that take no time of their own.
  public func advance(to now: MonotonicTime) { callTime = max(callTime, now) }

  /// Performs the work that is due: sends pings, ends calls past their deadline, and fails the connection if the peer
  /// stalls.
  ///
  /// Events are returned by ``nextEvent()``. An early or repeated call has no effect.
  public func wakeUp(at now: MonotonicTime) {
    if phase == .closed { return }
    callTime = now
    if let event = overdue(at: now) {
      events.append(.event(event))
      return
    }
    if phase == .open, now >= silenceEnd {
      pingSentAt = now
      check(nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil))
    }
    if now >= drainEnd { completeDrain() }
    if now >= streamTimer { endOverdueStreams(at: now) }
  }

  private var handshakeEnd: MonotonicTime { startedAt.advanced(by: limits.handshakeTimeMax) }

  /// The time of the latest ping if nothing has been received since.
  private var unansweredPing: MonotonicTime? {
    guard let pingSentAt, lastReceivedAt <= pingSentAt else { return nil }
    return pingSentAt
  }

  /// The time at which a silent peer is pinged or, after an unanswered ping, the connection fails.
  private var silenceEnd: MonotonicTime {
    if let unansweredPing { return unansweredPing.advanced(by: limits.pingTimeMax) }
    return lastReceivedAt.advanced(by: streams.isEmpty ? limits.silenceIdleMax : limits.silenceBusyMax)
  }

  private func overdue(at now: MonotonicTime) -> ConnectionEvent? {
    if phase != .open, now >= handshakeEnd {
      let limit = seconds(limits.handshakeTimeMax)
      return fail(.handshakeTimeout, .deadlineExceeded, "no preface and SETTINGS within \(limit)", .settingsTimeout)
    }
    if let start = frameStartedAt, now >= start.advanced(by: limits.frameTimeMax) {
      let message = "frame or header block incomplete after \(seconds(limits.frameTimeMax))"
      return fail(.frameTimeout, .deadlineExceeded, message, .enhanceYourCalm)
    }
    if let since = outputBlockedSince, now >= since.advanced(by: limits.stallTimeMax) {
      return fail(.stalled, .resourceExhausted, "peer stopped reading (\(stallLimit))", .enhanceYourCalm)
    }
    if let ping = unansweredPing, now >= ping.advanced(by: limits.pingTimeMax) {
      let message = "no response to PING within \(seconds(limits.pingTimeMax))"
      return fail(.keepaliveTimeout, .unavailable, message, .noError)
    }
    return nil
  }

  private var stallLimit: String { "stall-time-max: \(limits.stallTimeMax)" }

  private func seconds(_ duration: Duration) -> String { "\(duration.components.seconds) s" }

  private func endOverdueStreams(at now: MonotonicTime) {
    streamTimer = .distantFuture
    for stream in streams.sorted {
      let stallEnd = stallEnd(of: stream)
      if now >= stream.resetTime {
        stream.resetTime = .distantFuture
        reset(stream.id, .noError)
      } else {
        streamTimer = min(streamTimer, stream.resetTime)
      }
      if stream.isOver {
        // Only a response of Connect or the trailers of gRPC-Web can be unsent.
        if now >= stallEnd {
          stream.stalledSince = nil
          reset(stream.id, .internalError)
        } else {
          streamTimer = min(streamTimer, stallEnd)
        }
      } else if let status = problem(of: stream, stallEnd, now) {
        if let event = endCall(stream, status) { events.append(.event(event)) }
      } else {
        streamTimer = min(streamTimer, stream.deadline, stallEnd, receivingEnd(of: stream))
      }
    }
  }

  /// The time at which a stream counts as stalled. While it has credit, it may wait for others of the connection.
  private func stallEnd(of stream: HTTP2Stream) -> MonotonicTime {
    guard let since = stream.stalledSince else { return .distantFuture }
    let hasCredit = nghttp2_session_get_stream_remote_window_size(session, Int32(stream.id.rawValue)) > 0
    return (hasCredit ? max(since, lastSentAt) : since).advanced(by: limits.stallTimeMax)
  }

  /// Returns the reason to end the stream, or `nil`.
  private func problem(of stream: HTTP2Stream, _ stallEnd: MonotonicTime, _ now: MonotonicTime) -> RPCStatus? {
    if now >= stream.deadline { return .deadlinePassed }
    if now >= stallEnd {
      return RPCStatus(
        .resourceExhausted, "peer granted no credit, \(stream.backlogSize) bytes unsent (\(stallLimit))")
    }
    return receivingProblem(stream, now)
  }

  // MARK: Receiving

  /// The time by which the next part of the stream's request or incomplete message must arrive.
  private func receivingEnd(of stream: HTTP2Stream) -> MonotonicTime {
    if stream.dropsRequests || stream.receiveClosed { return .distantFuture }
    guard stream.assemblyStartedAt < .distantFuture else { return stream.requestDeadline }
    return limits.partEnd(size: stream.storedSize, since: stream.assemblyStartedAt, last: stream.lastPieceAt)
  }

  /// Whether the connection's window has room for another frame.
  private var hasReceiveCredit: Bool {
    Int(nghttp2_session_get_local_window_size(session)) >= HTTP2Limits.frameSizeMax
  }

  /// Returns the reason to end the stream, or `nil`. The time limit restarts for a peer that lacked credit to send.
  private func receivingProblem(_ stream: HTTP2Stream, _ now: MonotonicTime) -> RPCStatus? {
    guard now >= receivingEnd(of: stream) else { return nil }
    guard stream.assemblyStartedAt < .distantFuture else {
      guard hasReceiveCredit else {
        stream.requestDeadline = now.advanced(by: limits.requestTimeMax)
        return nil
      }
      let limit = "request-time-max: \(seconds(limits.requestTimeMax))"
      return RPCStatus(.resourceExhausted, "the request did not arrive in time (\(limit))")
    }
    if stream.assemblyWasHeldUp || stream.unconsumedCount > 0 || !hasReceiveCredit {
      stream.assemblyStartedAt = now
      stream.lastPieceAt = now
      stream.assemblyWasHeldUp = false
      return nil
    }
    let limit = "message-time-max: \(seconds(limits.messageTimeMax))"
    let rate = "message-rate-min: \(limits.messageRateMin) bytes per second"
    return RPCStatus(.resourceExhausted, "incomplete message timed out (\(limit), \(rate))")
  }
}
