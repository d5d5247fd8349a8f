import MarqueeModel

/// How probable the actions that matter are now, and at the steps of local time ahead (rule P1).
///
/// Probabilities count in sixteenths, rounded down, so that they seldom change. What is here is a function of what was
/// learned, what surrounds the person, the registrations and the clock: it is never stored.
struct Foresight: Equatable, Sendable {
  /// Parts that a probability is counted in.
  static let partCount = 16

  /// A probability in parts, from 1.
  static func parts(of probability: Double) -> Int { max(1, min(partCount, Int(probability * Double(partCount)))) }

  /// An action that is probable enough to count.
  struct Expectation: Equatable, Sendable {
    /// The action's index in the log's table.
    let action: UInt32
    /// Its probability in sixteenths, from 1.
    let parts: Int
  }

  struct Change: Equatable, Sendable {
    let at: Instant
    let expectations: [Expectation]
  }

  /// What is expected now, in the order in which the actions were learned.
  private(set) var expectations: [Expectation] = []
  /// What will be expected from later instants on if nothing happens, soonest first.
  private(set) var changes: [Change] = []
  /// Until when this was looked at; `nil` when nothing can come to matter without an event.
  private(set) var end: Instant?

  /// Nothing is expected, whatever the time.
  init() {}

  /// What is expected from each instant of `steps` on, the first of which is not after now, up to `end`.
  init(steps: [Change], end: Instant) {
    self.end = end
    expectations = steps.first?.expectations ?? []
    for (before, step) in zip(steps, steps.dropFirst()) where step.expectations != before.expectations {
      changes.append(step)
    }
  }

  /// The next instant at which anything changes or has to be looked at again.
  var nextEdge: Instant? { changes.first?.at ?? end }

  /// Takes over what is expected from `now` on; says whether it changed.
  mutating func reach(_ now: Instant) -> Bool {
    guard let change = changes.first, change.at <= now else { return false }
    expectations = change.expectations
    changes.removeFirst()
    return true
  }
}
