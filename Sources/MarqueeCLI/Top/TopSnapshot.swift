import MarqueeModel
import MarqueeWire

/// Polled data of a device that displays do not receive.
struct TopSnapshot: Sendable {
  /// A stack's members with their scores, and the explanation of its front.
  struct OfStack: Sendable {
    let inspection: InspectStackResponse
    let explanation: Explanation

    /// The relevance of the front widget, or `nil` if there is none.
    var relevance: RelevanceStatus? {
      inspection.members.first { $0.widget == inspection.stack.frontWidget }?.relevance
    }

    /// The evidence for the front widget, or `nil` if there is none.
    var evidence: Double? { explanation.candidates.first { $0.isInFront }?.evidence }
  }

  /// The data of each existing stack.
  let stacks: [StackID: OfStack]
  /// The device's decisions, newest first.
  let decisions: [Decision]
  /// The names of the widgets of the decisions.
  var names = SentenceNames.none

  /// The next instant at which the device can change, according to the last response, or `nil` if none is scheduled.
  var nextChange: Instant? {
    stacks.values.map(\.inspection).max { $0.at < $1.at }?.nextChange
  }
}
