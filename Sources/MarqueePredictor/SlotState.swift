/// The half-hour slots of local time with which the predictor calibrates itself.
///
/// A slot begins at a full or half hour. The forecast at its start is compared with the actions done in it.
struct SlotState: Sendable, Equatable {
  static let seconds = Predictor.windowSeconds
  /// The sampling interval of idle slots for calibration. A sampled slot is weighted by it.
  static let idleSampling = 2

  /// The forecast at the start of a slot with activity.
  struct Open: Sendable, Equatable {
    let start: Int
    let clock: [Claim]
    let soon: [Claim]
    /// The distinct actions done in the slot so far.
    var actions: [UInt16]
  }

  /// A forecast of one action, which turns out true or false.
  struct Claim: Sendable, Equatable {
    let action: Int
    let features: Lanes
  }

  /// The start of the first unresolved slot, or `nil` before the first action.
  var next: Int?
  var open: Open?
  /// The decayed number of distinct actions in active slots, and of active slots.
  private var doneSum: Float = 6.5
  private var doneCount: Float = 5
  private(set) var clockConfidence = Confidence()
  private(set) var soonConfidence = Confidence()

  /// The mean number of distinct actions in an active slot.
  var doneMean: Float { doneSum / doneCount }

  /// Records that an action was done in the open slot.
  mutating func note(_ action: Int) {
    if open?.actions.contains(UInt16(action)) == false { open?.actions.append(UInt16(action)) }
  }

  /// Resolves the open slot, and calibrates by its claims.
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

  /// Calibrates by the claims about an idle slot, all of which were false.
  mutating func learnIdle(clock: [Claim], soon: [Claim]) {
    let times = Float(Self.idleSampling)
    for claim in clock { clockConfidence.learn(claim.features, happened: false, times: times) }
    for claim in soon { soonConfidence.learn(claim.features, happened: false, times: times) }
  }
}
