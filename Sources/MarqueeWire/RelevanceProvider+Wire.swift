internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension RelevanceProvider: WireValue {
  init(_ message: Marquee__V1__RelevanceProvider) throws(RequestError) {
    switch message.provider_case {
    case MARQUEE__V1__RELEVANCE_PROVIDER__PROVIDER_DATE: self = .date(try Field.required(message.date, "date"))
    case MARQUEE__V1__RELEVANCE_PROVIDER__PROVIDER_LOCATION:
      self = .location(try Field.required(message.location, "location"))
    case MARQUEE__V1__RELEVANCE_PROVIDER__PROVIDER_DAILY_ROUTINE:
      self = .dailyRoutine(try RoutineSituation(message.daily_routine, "daily_routine"))
    case MARQUEE__V1__RELEVANCE_PROVIDER__PROVIDER_OTHER:
      try Field.selector(message.other, "other")
      self = .other
    default: throw Field.absent("provider", of: message.base)
    }
  }

  func fill(_ message: inout Marquee__V1__RelevanceProvider, _ scratch: EncodeScratch) {
    switch self {
    case .date(let window):
      message.provider_case = MARQUEE__V1__RELEVANCE_PROVIDER__PROVIDER_DATE
      message.date = scratch.message(window)
    case .location(let region):
      message.provider_case = MARQUEE__V1__RELEVANCE_PROVIDER__PROVIDER_LOCATION
      message.location = scratch.message(region)
    case .dailyRoutine(let situation):
      message.provider_case = MARQUEE__V1__RELEVANCE_PROVIDER__PROVIDER_DAILY_ROUTINE
      message.daily_routine = Marquee__V1__RoutineSituation(situation)
    case .other:
      message.provider_case = MARQUEE__V1__RELEVANCE_PROVIDER__PROVIDER_OTHER
      message.other = 1
    }
  }
}

extension DateWindow: WireValue {
  init(_ message: Marquee__V1__DateWindow) throws(RequestError) {
    let hasEnd = message.maybe_end_case == MARQUEE__V1__DATE_WINDOW__MAYBE_END_END_MS
    let start = try Field.instant(message.start_ms, "start_ms")
    let end = hasEnd ? try Field.instant(message.end_ms, "end_ms") : nil
    if let end, end < start {
      throw RequestError(
        .invalidArgument, field: "end_ms", "end precedes the start by \(end.span(to: start).words)")
    }
    try self.init(start: start, end: end)
  }

  func fill(_ message: inout Marquee__V1__DateWindow, _ scratch: EncodeScratch) {
    message.start_ms = start.milliseconds
    if let end {
      message.maybe_end_case = MARQUEE__V1__DATE_WINDOW__MAYBE_END_END_MS
      message.end_ms = end.milliseconds
    }
  }
}
