internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension FindingValue: WireValue {
  init(_ message: Marquee__V1__FindingValue) throws(RequestError) {
    let name = try Field.text(message.name, "name")
    switch message.value_case {
    case MARQUEE__V1__FINDING_VALUE__VALUE_NUMBER:
      self.init(name, .number(try Field.finite(message.number, "number")))
    case MARQUEE__V1__FINDING_VALUE__VALUE_TEXT: self.init(name, .text(try Field.text(message.text, "text")))
    case MARQUEE__V1__FINDING_VALUE__VALUE_SPAN_MS:
      self.init(name, .span(TimeSpan(milliseconds: message.span_ms)))
    default: throw Field.absent("value")
    }
  }

  func fill(_ message: inout Marquee__V1__FindingValue, _ scratch: EncodeScratch) {
    message.name = scratch.text(name)
    switch content {
    case .number(let number):
      message.value_case = MARQUEE__V1__FINDING_VALUE__VALUE_NUMBER
      message.number = number
    case .text(let text):
      message.value_case = MARQUEE__V1__FINDING_VALUE__VALUE_TEXT
      message.text = scratch.text(text)
    case .span(let span):
      message.value_case = MARQUEE__V1__FINDING_VALUE__VALUE_SPAN_MS
      message.span_ms = span.milliseconds
    }
  }
}
