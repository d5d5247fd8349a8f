internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// The decisions that a device makes if no event occurs.
public struct ForeseeResponse: Hashable, Sendable {
  /// The device's time, at which the stacks begin.
  public var at: Instant
  /// The instant until which the response is complete.
  public var until: Instant
  /// The device's time zone.
  public var timeZone: TimeZoneID
  /// The decisions, oldest first.
  public var decisions: [Decision]
  /// The device's stacks, in the order of their creation.
  public var stacks: [ForeseenStack]
  /// The names of widgets in summaries (rule X1).
  public var names: SentenceNames

  /// Creates a response.
  public init(
    at: Instant, until: Instant, timeZone: TimeZoneID, decisions: [Decision], stacks: [ForeseenStack],
    names: SentenceNames = .none
  ) {
    self.at = at
    self.until = until
    self.timeZone = timeZone
    self.decisions = decisions
    self.stacks = stacks
    self.names = names
  }
}

extension ForeseeResponse: WireValue {
  init(_ message: Marquee__V1__ForeseeResponse) throws(RequestError) {
    self.init(
      at: try Field.instant(message.at_ms, "at_ms"), until: try Field.instant(message.until_ms, "until_ms"),
      timeZone: try Field.identifier(message.time_zone, "time_zone"),
      decisions: try Field.array(message.n_decisions, message.decisions, "decisions"),
      stacks: try Field.array(message.n_stacks, message.stacks, "stacks"),
      names: SentenceNames(try Field.array(message.n_names, message.names, "names")))
  }

  func fill(_ message: inout Marquee__V1__ForeseeResponse, _ scratch: EncodeScratch) {
    message.at_ms = at.milliseconds
    message.until_ms = until.milliseconds
    message.time_zone = scratch.text(timeZone)
    (message.n_decisions, message.decisions) = scratch.elements(decisions) { decision in
      scratch.build { decision.fill(&$0, names, scratch) }
    }
    (message.n_stacks, message.stacks) = scratch.array(stacks)
    (message.n_names, message.names) = scratch.array(names.all)
  }
}
