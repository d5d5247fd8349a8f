internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request for an explanation of a stack's front (rule R10).
public struct ExplainRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The stack.
  public var stack: StackID
  /// The instant to explain, in the past or future; `nil` for now. A future instant assumes that no events occur until
  /// then.
  public var at: Instant?

  /// Creates a request.
  public init(device: DeviceID, stack: StackID, at: Instant? = nil) {
    self.device = device
    self.stack = stack
    self.at = at
  }
}

/// An explanation of a stack's front.
public struct ExplainResponse: Hashable, Sendable {
  /// The stack's candidates, with evidence and gates.
  public var explanation: Explanation
  /// The possible suggestions: relevant or predicted widgets that the device does not show.
  public var suggestions: Explanation
  /// The device's time zone.
  public var timeZone: TimeZoneID

  /// Creates a response.
  public init(explanation: Explanation, suggestions: Explanation, timeZone: TimeZoneID) {
    self.explanation = explanation
    self.suggestions = suggestions
    self.timeZone = timeZone
  }
}

extension ExplainRequest: WireValue {
  init(_ message: Marquee__V1__ExplainRequest) throws(RequestError) {
    let hasInstant = message.maybe_at_case == MARQUEE__V1__EXPLAIN_REQUEST__MAYBE_AT_AT_MS
    self.init(
      device: try Field.identifier(message.device, "device"), stack: try Field.identifier(message.stack, "stack"),
      at: hasInstant ? try Field.instant(message.at_ms, "at_ms") : nil)
  }

  func fill(_ message: inout Marquee__V1__ExplainRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.stack = scratch.text(stack)
    if let at {
      message.maybe_at_case = MARQUEE__V1__EXPLAIN_REQUEST__MAYBE_AT_AT_MS
      message.at_ms = at.milliseconds
    }
  }
}

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
