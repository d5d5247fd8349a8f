internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// An explanation of a stack's front.
public struct ExplainResponse: Hashable, Sendable {
  /// The stack's candidates, with evidence and gates.
  public var explanation: Explanation
  /// The possible suggestions for the stack: relevant or predicted widgets that the device does not show.
  public var suggestions: Explanation
  /// The device's time zone.
  public var timeZone: TimeZoneID
  /// The names of widgets in summaries (rule X1).
  public var names: SentenceNames

  /// Creates a response.
  public init(
    explanation: Explanation, suggestions: Explanation, timeZone: TimeZoneID, names: SentenceNames = .none
  ) {
    self.explanation = explanation
    self.suggestions = suggestions
    self.timeZone = timeZone
    self.names = names
  }
}

extension ExplainResponse: WireValue {
  init(_ message: Marquee__V1__ExplainResponse) throws(RequestError) {
    self.init(
      explanation: try Field.required(message.explanation, "explanation"),
      suggestions: try Field.required(message.suggestions, "suggestions"),
      timeZone: try Field.identifier(message.time_zone, "time_zone"),
      names: SentenceNames(try Field.array(message.n_names, message.names, "names")))
  }

  func fill(_ message: inout Marquee__V1__ExplainResponse, _ scratch: EncodeScratch) {
    message.explanation = scratch.build {
      explanation.fill(&$0, explanation.summary(name: names.name), names, scratch)
    }
    message.suggestions = scratch.build {
      suggestions.fill(&$0, suggestions.suggestionSummary(name: names.name), names, scratch)
    }
    message.time_zone = scratch.text(timeZone)
    (message.n_names, message.names) = scratch.array(names.all)
  }
}
