internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension TimelineEntry: WireValue {
  init(_ message: Marquee__V1__TimelineEntry) throws(RequestError) {
    let date = try Field.instant(message.date_ms, "date_ms")
    let relevance = try Field.optional(message.relevance, "relevance", as: TimelineEntryRelevance.self)
    let content = try Field.optional(message.content, "content") ?? EntryContent.empty
    guard let details = try Field.optional(message.details, "details", as: EntryDetails.self) else {
      self.init(date: date, relevance: relevance, content: content)
      return
    }
    do throws(RequestError) {
      try self.init(date: date, relevance: relevance, content: content, details: details)
    } catch {
      throw error.within("details")
    }
  }

  func fill(_ message: inout Marquee__V1__TimelineEntry, _ scratch: EncodeScratch) {
    message.date_ms = date.milliseconds
    message.relevance = scratch.message(relevance)
    message.content = content == .empty ? nil : scratch.message(content)
    message.details = hasDetails ? scratch.message(details) : nil
  }
}

extension EntryDetails: WireValue {
  init(_ message: Marquee__V1__EntryDetails) throws(RequestError) {
    let expires = message.maybe_expiry_case == MARQUEE__V1__ENTRY_DETAILS__MAYBE_EXPIRY_EXPIRY_MS
    let redacted = try Field.optional(message.redacted, "redacted", as: EntryContent.self)
    guard message.is_private != 0 || redacted == nil else {
      throw RequestError(.invalidArgument, field: "redacted", "only a private entry has redacted content")
    }
    let link = try Field.text(message.link, "link")
    self.init(
      expiry: expires ? try Field.instant(message.expiry_ms, "expiry_ms") : nil,
      sensitivity: message.is_private != 0 ? .isPrivate(redacted) : .none,
      link: link.isEmpty ? nil : try Field.within("link", EntryLink(link)))
  }

  func fill(_ message: inout Marquee__V1__EntryDetails, _ scratch: EncodeScratch) {
    if let expiry {
      message.maybe_expiry_case = MARQUEE__V1__ENTRY_DETAILS__MAYBE_EXPIRY_EXPIRY_MS
      message.expiry_ms = expiry.milliseconds
    }
    message.is_private = isPrivate ? 1 : 0
    message.redacted = scratch.message(redacted)
    message.link = scratch.text(link?.text ?? "")
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
    default: throw Field.absent("policy", of: message.base)
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
