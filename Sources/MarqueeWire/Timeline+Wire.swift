internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension TimelineEntry: WireValue {
  init(_ message: Marquee__V1__TimelineEntry) throws(RequestError) {
    self.init(
      date: try Field.instant(message.date_ms, "date_ms"),
      relevance: try Field.optional(message.relevance, "relevance"),
      content: try Field.optional(message.content, "content") ?? .empty)
  }

  func fill(_ message: inout Marquee__V1__TimelineEntry, _ scratch: EncodeScratch) {
    message.date_ms = date.milliseconds
    message.relevance = scratch.message(relevance)
    message.content = content == .empty ? nil : scratch.message(content)
  }
}

extension TimelineReloadPolicy: WireValue {
  init(_ message: Marquee__V1__TimelineReloadPolicy) throws(RequestError) {
    switch message.policy_case {
    case MARQUEE__V1__TIMELINE_RELOAD_POLICY__POLICY_AT_END:
      try Field.selector(message.at_end, "at_end")
      self = .atEnd
    case MARQUEE__V1__TIMELINE_RELOAD_POLICY__POLICY_AFTER_MS:
      self = .after(try Field.instant(message.after_ms, "after_ms"))
    case MARQUEE__V1__TIMELINE_RELOAD_POLICY__POLICY_NEVER:
      try Field.selector(message.never, "never")
      self = .never
    default: throw Field.absent("policy")
    }
  }

  func fill(_ message: inout Marquee__V1__TimelineReloadPolicy, _ scratch: EncodeScratch) {
    switch self {
    case .atEnd:
      message.policy_case = MARQUEE__V1__TIMELINE_RELOAD_POLICY__POLICY_AT_END
      message.at_end = 1
    case .after(let date):
      message.policy_case = MARQUEE__V1__TIMELINE_RELOAD_POLICY__POLICY_AFTER_MS
      message.after_ms = date.milliseconds
    case .never:
      message.policy_case = MARQUEE__V1__TIMELINE_RELOAD_POLICY__POLICY_NEVER
      message.never = 1
    }
  }
}
