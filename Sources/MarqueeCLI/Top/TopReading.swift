import MarqueeModel
import MarqueeWire

/// What a server tells of a device when it is asked: what displays are not told.
struct TopReading: Sendable {
  /// A stack's members with their scores, and what speaks for them.
  struct OfStack: Sendable {
    let inspection: InspectStackResponse
    let explanation: Explanation

    /// The relevance of the widget in front; `nil` without one.
    var relevance: RelevanceReading? {
      inspection.members.first { $0.widget == inspection.stack.frontWidget }?.relevance
    }

    /// The evidence for the widget in front; `nil` without one.
    var evidence: Double? { explanation.candidates.first { $0.isInFront }?.evidence }
  }

  /// Of each stack that is there.
  let stacks: [StackID: OfStack]
  /// The device's decisions, newest first.
  let decisions: [Decision]

  /// When anything can change next on the device, as the last answer has it; `nil` when nothing can.
  var nextChange: Instant? {
    stacks.values.map(\.inspection).max { $0.at < $1.at }?.nextChange
  }
}
