internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension BlockedSuggestion: WireValue {
  init(_ message: Marquee__V1__BlockedSuggestion) throws(RequestError) {
    let hasEnd = message.maybe_until_case == MARQUEE__V1__BLOCKED_SUGGESTION__MAYBE_UNTIL_UNTIL_MS
    let subject: Subject
    switch message.subject_case {
    case MARQUEE__V1__BLOCKED_SUGGESTION__SUBJECT_WIDGET:
      subject = .widget(try Field.required(message.widget, "widget"))
    case MARQUEE__V1__BLOCKED_SUGGESTION__SUBJECT_APP: subject = .app(try Field.identifier(message.app, "app"))
    default: throw Field.absent("subject")
    }
    self.init(subject, until: hasEnd ? try Field.instant(message.until_ms, "until_ms") : nil)
  }

  func fill(_ message: inout Marquee__V1__BlockedSuggestion, _ scratch: EncodeScratch) {
    switch subject {
    case .widget(let widget):
      message.subject_case = MARQUEE__V1__BLOCKED_SUGGESTION__SUBJECT_WIDGET
      message.widget = scratch.message(widget)
    case .app(let app):
      message.subject_case = MARQUEE__V1__BLOCKED_SUGGESTION__SUBJECT_APP
      message.app = scratch.text(app)
    }
    guard let until else { return }
    message.maybe_until_case = MARQUEE__V1__BLOCKED_SUGGESTION__MAYBE_UNTIL_UNTIL_MS
    message.until_ms = until.milliseconds
  }
}
