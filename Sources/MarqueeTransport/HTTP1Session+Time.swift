import MarqueeHTTP
import MarqueeRPC

extension HTTP1Session {
  func wakeUp(at now: MonotonicTime) {
    if now >= min(lingersUntil ?? .distantFuture, closeDeadline) {
      context?.close(promise: nil)
      return
    }
    if let stalledSince = output.stalledSince, now >= stalledSince.advanced(by: server.limits.stallTimeMax) {
      server.failed(.stalled)
      // The decoder may report the incomplete request as another error.
      closesAfterOutput = true
      context?.close(promise: nil)
      return
    }
    if let exchange {
      if exchange.call != nil, !exchange.isAnswered, now >= exchange.deadline {
        endCall(exchange, .deadlinePassed)
      } else if !exchange.isAnswered, now >= exchange.disconnectionTime {
        disconnected(exchange)
      } else if !closesAfterOutput, !exchange.isReceived, now >= receiveDeadline(exchange) {
        server.failed(.frameTimeout)
        exchange.isLast = true
        endCall(exchange, slowRequest(exchange))
        closeAfterOutput(lingering: true)
      }
    } else if closesAfterOutput {
      // The connection waits only for its output.
    } else if now >= headDeadline {
      server.failed(hasReceivedHead ? .frameTimeout : .handshakeTimeout)
      append(HTTP1ResponseHead(408, [.init("connection", "close")]).bytes(contentLength: 0, date: resources.date))
      closeAfterOutput(lingering: true)
    } else if now >= idleDeadline {
      closeAfterOutput()
    }
    flush()
  }

  /// The time by which the head of a request that has begun must be complete.
  private var headDeadline: MonotonicTime {
    guard hasReceivedHead else { return server.acceptedAt.advanced(by: server.limits.handshakeTimeMax) }
    return headStartedAt?.advanced(by: server.limits.frameTimeMax) ?? .distantFuture
  }

  private var idleDeadline: MonotonicTime { idleSince.advanced(by: server.limits.silenceIdleMax) }

  /// The time by which a request must be received.
  private func receiveDeadline(_ exchange: HTTP1Exchange) -> MonotonicTime {
    let size = (exchange.connect.body?.size ?? 0) + exchange.droppedSize
    guard size > 0 else { return exchange.startedAt.advanced(by: server.limits.requestTimeMax) }
    return server.limits.partEnd(size: size, since: exchange.startedAt, last: exchange.lastPartAt)
  }

  /// The status of a request that was not received in time, as in the other protocols.
  private func slowRequest(_ exchange: HTTP1Exchange) -> RPCStatus {
    let limits = server.limits
    guard (exchange.connect.body?.size ?? 0) + exchange.droppedSize > 0 else {
      let limit = "request-time-max: \(limits.requestTimeMax.components.seconds) s"
      return RPCStatus(.resourceExhausted, "the request did not arrive in time (\(limit))")
    }
    let limit = "message-time-max: \(limits.messageTimeMax.components.seconds) s"
    let rate = "message-rate-min: \(limits.messageRateMin) bytes per second"
    return RPCStatus(.resourceExhausted, "incomplete message timed out (\(limit), \(rate))")
  }

  func setTimer() {
    guard !hasEnded else { return }
    var due = min(lingersUntil ?? .distantFuture, closeDeadline)
    if let stalledSince = output.stalledSince { due = min(due, stalledSince.advanced(by: server.limits.stallTimeMax)) }
    if let exchange {
      if exchange.call != nil, !exchange.isAnswered { due = min(due, exchange.deadline, exchange.disconnectionTime) }
      if !closesAfterOutput, !exchange.isReceived { due = min(due, receiveDeadline(exchange)) }
    } else if !closesAfterOutput {
      due = min(due, headDeadline, idleDeadline)
    }
    // An earlier wake-up is kept: changing it for every request would cost more than a wake-up without effect.
    if due < timerTime { resources.timers.set(due, for: self) }
  }
}
