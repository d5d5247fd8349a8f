internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension RelevanceStatus: WireValue {
  init(_ message: Marquee__V1__RelevanceInForce) throws(RequestError) {
    let hasEnd = message.maybe_end_case == MARQUEE__V1__RELEVANCE_IN_FORCE__MAYBE_END_END_MS
    self.init(
      inForce: RelevanceInForce(
        score: try Field.finite(message.score, "score"),
        start: try Field.instant(message.start_ms, "start_ms"),
        end: hasEnd ? try Field.instant(message.end_ms, "end_ms") : nil),
      effectiveScore: try Field.finite(message.effective_score, "effective_score"),
      reference: try Field.finite(message.reference, "reference"))
  }

  func fill(_ message: inout Marquee__V1__RelevanceInForce, _ scratch: EncodeScratch) {
    message.score = inForce.score
    message.start_ms = inForce.start.milliseconds
    if let end = inForce.end {
      message.maybe_end_case = MARQUEE__V1__RELEVANCE_IN_FORCE__MAYBE_END_END_MS
      message.end_ms = end.milliseconds
    }
    message.effective_score = effectiveScore
    message.reference = reference
  }
}

extension ReloadStatus: WireValue {
  init(_ message: Marquee__V1__ReloadState) throws(RequestError) {
    let isReasonGiven = message.reason != MARQUEE__V1__RELOAD_REASON__RELOAD_REASON_UNSPECIFIED
    self.init(
      countedCount: Int(message.counted), budget: Int(message.budget), phase: try Phase(message),
      reason: isReasonGiven ? try ReloadRequest.Reason(message.reason, "reason") : nil)
  }

  func fill(_ message: inout Marquee__V1__ReloadState, _ scratch: EncodeScratch) {
    message.counted = UInt32(clamping: countedCount)
    message.budget = UInt32(clamping: budget)
    message.reason = reason.map { Marquee__V1__ReloadReason($0) } ?? message.reason
    switch phase {
    case .none:
      message.phase_case = MARQUEE__V1__RELOAD_STATE__PHASE_NONE
      message.none = 1
    case .scheduled(let date):
      message.phase_case = MARQUEE__V1__RELOAD_STATE__PHASE_SCHEDULED_MS
      message.scheduled_ms = date.milliseconds
    case .waiting(let date):
      message.phase_case = MARQUEE__V1__RELOAD_STATE__PHASE_WAITING_UNTIL_MS
      message.waiting_until_ms = date.milliseconds
    case .requested(let date):
      message.phase_case = MARQUEE__V1__RELOAD_STATE__PHASE_REQUESTED_MS
      message.requested_ms = date.milliseconds
    }
  }
}

extension ReloadStatus.Phase {
  fileprivate init(_ message: Marquee__V1__ReloadState) throws(RequestError) {
    switch message.phase_case {
    case MARQUEE__V1__RELOAD_STATE__PHASE_NONE:
      try Field.selector(message.none, "none")
      self = .none
    case MARQUEE__V1__RELOAD_STATE__PHASE_SCHEDULED_MS:
      self = .scheduled(try Field.instant(message.scheduled_ms, "scheduled_ms"))
    case MARQUEE__V1__RELOAD_STATE__PHASE_WAITING_UNTIL_MS:
      self = .waiting(until: try Field.instant(message.waiting_until_ms, "waiting_until_ms"))
    case MARQUEE__V1__RELOAD_STATE__PHASE_REQUESTED_MS:
      self = .requested(try Field.instant(message.requested_ms, "requested_ms"))
    default: throw Field.absent("phase")
    }
  }
}
