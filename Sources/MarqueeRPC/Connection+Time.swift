extension Connection {
  /// When ``wakeUp(at:)`` is next due; it may be early, never late. `nil` once the connection failed.
  public var wakeUpTime: MonotonicTime? {
    if phase == .closed { return nil }
    var time = min(streamTimer, phase == .open ? silenceEnd : handshakeEnd)
    if let frameStartedAt { time = min(time, frameStartedAt.advanced(by: limits.frameTimeMax)) }
    if let outputBlockedSince { time = min(time, outputBlockedSince.advanced(by: limits.stallTimeMax)) }
    return time
  }

  /// Does what is due: pings, ends calls whose time is over, ends the connection. Events follow in ``nextEvent()``.
  /// Being called early or twice changes nothing.
  public mutating func wakeUp(at now: MonotonicTime) {
    if phase == .closed { return }
    if let event = overdue(at: now) {
      events.append(event)
      return
    }
    if phase == .open, now >= silenceEnd {
      pingSentAt = now
      output.appendFrame(.ping) { $0.append([UInt8](repeating: 0, count: 8)) }
    }
    if now >= streamTimer { endOverdueStreams(at: now) }
  }

  private var handshakeEnd: MonotonicTime { startedAt.advanced(by: limits.handshakeTimeMax) }

  /// The ping that the peer has not answered in any way.
  private var unansweredPing: MonotonicTime? {
    guard let pingSentAt, lastReceivedAt <= pingSentAt else { return nil }
    return pingSentAt
  }

  /// When silence leads to a ping, or after the ping to the end.
  private var silenceEnd: MonotonicTime {
    if let unansweredPing { return unansweredPing.advanced(by: limits.pingTimeMax) }
    return lastReceivedAt.advanced(by: streams.isEmpty ? limits.silenceIdleMax : limits.silenceBusyMax)
  }

  private mutating func overdue(at now: MonotonicTime) -> ConnectionEvent? {
    if phase != .open, now >= handshakeEnd {
      return fail(.handshakeTimeout, .deadlineExceeded, "no preface and settings in time")
    }
    if let start = frameStartedAt, now >= start.advanced(by: limits.frameTimeMax) {
      return fail(.frameTimeout, .deadlineExceeded, "a frame was not complete in time")
    }
    if let since = outputBlockedSince, now >= since.advanced(by: limits.stallTimeMax) {
      return fail(.stalled, .resourceExhausted, "\(stallWords): \(output.count) bytes were not read")
    }
    if let ping = unansweredPing, now >= ping.advanced(by: limits.pingTimeMax) {
      return fail(.keepaliveTimeout, .unavailable, "a ping was not answered in time")
    }
    return nil
  }

  private var stallWords: String { "stall-time-max is \(limits.stallTimeMax)" }

  private mutating func endOverdueStreams(at now: MonotonicTime) {
    streamTimer = .distantFuture
    var overdue: [(StreamID, RPCStatus)] = []
    for index in streams.indices where !streams.values[index].isOver {
      let stream = streams.values[index]
      let stallEnd = stream.stalledSince?.advanced(by: limits.stallTimeMax) ?? .distantFuture
      if now >= stream.deadline {
        overdue.append((stream.id, RPCStatus(.deadlineExceeded, "the call's time is over")))
      } else if now >= stallEnd {
        let message = "\(stallWords): \(stream.backlogSize) bytes were not taken"
        overdue.append((stream.id, RPCStatus(.resourceExhausted, message)))
      } else {
        streamTimer = min(streamTimer, stream.deadline, stallEnd)
      }
    }
    for (id, status) in overdue.sorted(by: { $0.0 < $1.0 }) {
      if let event = giveUp(id, status) { events.append(event) }
    }
  }
}
