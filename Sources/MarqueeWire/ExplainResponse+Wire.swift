internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension ExplainResponse: WireValue {
  init(_ message: Marquee__V1__ExplainResponse) throws(RequestError) {
    self.init(
      explanation: try Field.required(message.explanation, "explanation"),
      suggestions: try Field.required(message.suggestions, "suggestions"),
      timeZone: try Field.identifier(message.time_zone, "time_zone"))
  }

  func fill(_ message: inout Marquee__V1__ExplainResponse, _ scratch: EncodeScratch) {
    message.explanation = scratch.message(explanation)
    message.suggestions = scratch.build {
      suggestions.fill(&$0, scratch)
      $0.summary = scratch.text(suggestions.suggestionSummary())
    }
    message.time_zone = scratch.text(timeZone)
  }
}
