internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension ConfigurationForm.SummaryPart: WireValue {
  init(_ message: Marquee__V1__SummaryPart) throws(RequestError) {
    switch message.part_case {
    case MARQUEE__V1__SUMMARY_PART__PART_TEXT: self = .text(try Field.text(message.text, "text"))
    case MARQUEE__V1__SUMMARY_PART__PART_PARAMETER:
      self = .parameter(try Field.identifier(message.parameter, "parameter"))
    default: throw Field.absent("part")
    }
  }

  func fill(_ message: inout Marquee__V1__SummaryPart, _ scratch: EncodeScratch) {
    switch self {
    case .text(let text):
      message.part_case = MARQUEE__V1__SUMMARY_PART__PART_TEXT
      message.text = scratch.text(text)
    case .parameter(let name):
      message.part_case = MARQUEE__V1__SUMMARY_PART__PART_PARAMETER
      message.parameter = scratch.text(name)
    }
  }
}
