internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A device's decisions, newest first.
public struct ListDecisionsResponse: Hashable, Sendable {
  /// The decisions.
  public var decisions: [Decision]
  /// The device's time zone.
  public var timeZone: TimeZoneID
  /// The names of widgets in summaries (rule X1).
  public var names: SentenceNames

  /// Creates a response.
  public init(decisions: [Decision], timeZone: TimeZoneID, names: SentenceNames = .none) {
    self.decisions = decisions
    self.timeZone = timeZone
    self.names = names
  }
}

extension ListDecisionsResponse: WireValue {
  init(_ message: Marquee__V1__ListDecisionsResponse) throws(RequestError) {
    self.init(
      decisions: try Field.array(message.n_decisions, message.decisions, "decisions"),
      timeZone: try Field.identifier(message.time_zone, "time_zone"),
      names: SentenceNames(try Field.array(message.n_names, message.names, "names")))
  }

  func fill(_ message: inout Marquee__V1__ListDecisionsResponse, _ scratch: EncodeScratch) {
    (message.n_decisions, message.decisions) = scratch.elements(decisions) { decision in
      scratch.build {
        decision.fill(&$0, names, scratch)
      }
    }
    message.time_zone = scratch.text(timeZone)
    (message.n_names, message.names) = scratch.array(names.all)
  }
}
