extension Connection {
  /// The time at which ``wakeUp(at:)`` is next due, or `nil` once the connection has failed.
  ///
  /// It may be too early, but never too late.
  public var wakeUpTime: MonotonicTime? {
    if phase == .closed { return nil }
    var time = min(streamTimer, phase == .open ? silenceEnd : handshakeEnd)
    if let frameStartedAt { time = min(time, frameStartedAt.advanced(by: limits.frameTimeMax)) }
    if let outputBlockedSince { time = min(time, outputBlockedSince.advanced(by: limits.stallTimeMax)) }
    return time
  }

  /// Performs the work that is due: sends pings, ends calls past their deadline, and fails the connection if the peer
  /// stalls.
  ///
  /// Events are returned by ``nextEvent()``. An early or repeated call has no effect.
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

  private mutating func overdue(at now: MonotonicTime) -> ConnectionEvent? {
    if phase != .open, now >= handshakeEnd {
      let limit = seconds(limits.handshakeTimeMax)
      return fail(.handshakeTimeout, .deadlineExceeded, "no preface and SETTINGS within \(limit)")
    }
    if let start = frameStartedAt, now >= start.advanced(by: limits.frameTimeMax) {
      return fail(.frameTimeout, .deadlineExceeded, "frame incomplete after \(seconds(limits.frameTimeMax))")
    }
    if let since = outputBlockedSince, now >= since.advanced(by: limits.stallTimeMax) {
      return fail(.stalled, .resourceExhausted, "peer stopped reading, \(output.count) bytes unsent (\(stallLimit))")
    }
    if let ping = unansweredPing, now >= ping.advanced(by: limits.pingTimeMax) {
      return fail(.keepaliveTimeout, .unavailable, "no response to PING within \(seconds(limits.pingTimeMax))")
    }
    return nil
  }

  private var stallLimit: String { "stall-time-max: \(limits.stallTimeMax)" }

  private func seconds(_ duration: Duration) -> String { "\(duration.components.seconds) s" }

  /// The time at which a stream counts as stalled. While it has credit, it may wait for others of the connection.
  private func stallEnd(of stream: CallStream) -> MonotonicTime {
    guard let since = stream.stalledSince else { return .distantFuture }
    let hasCredit = hasCredit(stream.sendCredit, for: stream.backlog.first)
    return (hasCredit ? max(since, lastSentAt) : since).advanced(by: limits.stallTimeMax)
  }

  private mutating func endOverdueStreams(at now: MonotonicTime) {
    streamTimer = .distantFuture
    var overdue: [(StreamID, RPCStatus)] = []
    for index in streams.indices where !streams.values[index].isOver {
      let stream = streams.values[index]
      let stallEnd = stallEnd(of: stream)
      if now >= stream.deadline {
        overdue.append((stream.id, .deadlinePassed))
      } else if now >= stallEnd {
        let message = "peer granted no credit, \(stream.backlogSize) bytes unsent (\(stallLimit))"
        overdue.append((stream.id, RPCStatus(.resourceExhausted, message)))
      } else if let status = receivingProblem(index, now) {
        overdue.append((stream.id, status))
      } else {
        streamTimer = min(streamTimer, stream.deadline, stallEnd, receivingEnd(of: index))
      }
    }
    for (id, status) in overdue.sorted(by: { $0.0 < $1.0 }) {
      if let event = endCall(id, status) { events.append(event) }
    }
  }

  // MARK: Receiving

  /// The time by which the next frame of the stream's request or incomplete message must arrive.
  private func receivingEnd(of index: Int) -> MonotonicTime {
    let stream = streams.values[index]
    guard let assembly = stream.assembly else { return stream.hasBegun ? .distantFuture : stream.requestDeadline }
    guard stream.assemblyStartedAt < .distantFuture else { return .distantFuture }
    return limits.partEnd(size: assembly.count, since: stream.assemblyStartedAt, last: stream.lastPieceAt)
  }

  /// Returns the reason to end the stream, or `nil`. The time limit restarts for a peer that lacked credit to send.
  private mutating func receivingProblem(_ index: Int, _ now: MonotonicTime) -> RPCStatus? {
    guard now >= receivingEnd(of: index) else { return nil }
    let stream = streams.values[index]
    guard stream.assembly != nil else {
      guard receiveCredit >= limits.frameSizeMax else {
        streams.values[index].requestDeadline = now.advanced(by: limits.requestTimeMax)
        return nil
      }
      let limit = "request-time-max: \(seconds(limits.requestTimeMax))"
      return RPCStatus(.resourceExhausted, "the request did not begin in time (\(limit))")
    }
    if stream.assemblyWasHeldUp || stream.unconsumedCount > 0 || receiveCredit < limits.frameSizeMax {
      streams.values[index].assemblyStartedAt = now
      streams.values[index].lastPieceAt = now
      streams.values[index].assemblyWasHeldUp = false
      return nil
    }
    let limit = "message-time-max: \(seconds(limits.messageTimeMax))"
    let rate = "message-rate-min: \(limits.messageRateMin) bytes per second"
    return RPCStatus(.resourceExhausted, "incomplete message timed out (\(limit), \(rate))")
  }
}
