/// The half hours of local time that the predictor checks itself against.
///
/// A slot is a half hour from a full or half hour. What was forecast at its start is compared with what was done in it.
struct SlotState: Sendable, Equatable {
  static let seconds = Predictor.windowSeconds
  /// One idle slot in so many stands for all when confidence is learned, and counts for as many.
  static let idleSampling = 2

  /// What was forecast at the start of a slot in which something was done.
  struct Open: Sendable, Equatable {
    let start: Int
    let clock: [Claim]
    let soon: [Claim]
    /// The different actions done in it so far.
    var actions: [UInt16]
  }

  /// One forecast that can turn out true or false.
  struct Claim: Sendable, Equatable {
    let action: Int
    let features: Lanes
  }

  /// The start of the first slot that is not decided yet; nil before the first action.
  var next: Int?
  var open: Open?
  /// Fading sums of the different actions in active slots, and of those slots.
  private var doneSum: Float = 6.5
  private var doneCount: Float = 5
  private(set) var clockConfidence = Confidence()
  private(set) var soonConfidence = Confidence()

  /// How many different actions an active slot has on average.
  var doneMean: Float { doneSum / doneCount }

  /// Learns how true the claims about the open slot were.
  mutating func close() {
    guard let slot = open else { return }
    open = nil
    doneSum = doneSum * 0.999 + Float(slot.actions.count)
    doneCount = doneCount * 0.999 + 1
    for claim in slot.clock {
      clockConfidence.learn(claim.features, happened: slot.actions.contains(UInt16(claim.action)))
    }
    for claim in slot.soon {
      soonConfidence.learn(claim.features, happened: slot.actions.contains(UInt16(claim.action)))
    }
  }

  /// Learns that claims about an idle slot were false.
  mutating func learnIdle(clock: [Claim], soon: [Claim]) {
    let times = Float(Self.idleSampling)
    for claim in clock { clockConfidence.learn(claim.features, happened: false, times: times) }
    for claim in soon { soonConfidence.learn(claim.features, happened: false, times: times) }
  }
}
