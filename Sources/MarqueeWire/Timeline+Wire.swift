internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension TimelineEntryRelevance: WireValue {
  init(_ message: Marquee__V1__TimelineEntryRelevance) throws(RequestError) {
    try self.init(score: message.score, duration: TimeSpan(milliseconds: message.duration_ms))
  }

  func fill(_ message: inout Marquee__V1__TimelineEntryRelevance, _ scratch: EncodeScratch) {
    message.score = score
    message.duration_ms = duration.milliseconds
  }
}

extension EntryContent: WireValue {
  init(_ message: Marquee__V1__EntryContent) throws(RequestError) {
    try self.init(mediaType: Field.text(message.media_type, "media_type"), bytes: Field.bytes(message.data))
  }

  func fill(_ message: inout Marquee__V1__EntryContent, _ scratch: EncodeScratch) {
    message.media_type = scratch.text(mediaType)
    message.data = scratch.bytes(bytes)
  }
}

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

extension ReloadRequest: WireValue {
  init(_ message: Marquee__V1__ReloadRequest) throws(RequestError) {
    self.init(
      widget: try Field.required(message.widget, "widget"),
      reason: try Reason(message.reason, "reason"),
      at: try Field.instant(message.requested_ms, "requested_ms"))
  }

  func fill(_ message: inout Marquee__V1__ReloadRequest, _ scratch: EncodeScratch) {
    message.widget = scratch.message(widget)
    message.reason = Marquee__V1__ReloadReason(reason)
    message.requested_ms = at.milliseconds
  }
}

extension ReloadRequest.Reason {
  init(_ reason: Marquee__V1__ReloadReason, _ name: String) throws(RequestError) {
    guard let known = UInt8(exactly: reason.rawValue).flatMap(Self.init) else {
      throw RequestError(.invalidArgument, field: name, "unknown reload reason: \(reason.rawValue)")
    }
    self = known
  }
}

extension Marquee__V1__ReloadReason {
  init(_ reason: ReloadRequest.Reason) {
    self.init(rawValue: UInt32(reason.rawValue))
  }
}
