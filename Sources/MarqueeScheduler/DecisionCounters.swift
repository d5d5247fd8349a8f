public import MarqueeModel

/// Counts of decisions, of the gates that blocked them, of their outcomes, and of prediction accuracy.
///
/// Passed to ``Device/handle(_:at:counting:)`` and ``Device/advance(to:counting:)``, which add to it. It is not part of
/// a device's state.
public struct DecisionCounters: Sendable, Equatable {
  /// The outcome of a decision within half an hour.
  public enum Outcome: Int, CaseIterable, Sendable {
    /// The widget was used before a later decision replaced it at the front.
    case used
    /// The widget was used after a later decision had replaced it at the front.
    case usedLater
    /// The widget was not used.
    case unused
  }

  /// The number of parts into which probabilities are quantized.
  public static let partCount = PredictionSchedule.partCount

  private static let gateCount = 32
  private static let kindCount = Decision.Kind.allCases.count
  private static let outcomeBase = kindCount * gateCount
  private static let evaluatedBase = outcomeBase + kindCount * Outcome.allCases.count
  private static let trueBase = evaluatedBase + partCount + 1

  /// Empty until the first count.
  private var counts: [Int] = []

  /// Creates counters that are all zero.
  public init() {}

  /// Whether all counters are zero.
  public var isEmpty: Bool { counts.isEmpty }

  /// Returns the number of times that `gate` blocked a decision of the given kind.
  ///
  /// Counted once each time that the gate becomes the one that blocks the best candidate. Of several closed gates that
  /// open with time, the one that opens last is counted.
  public func blockedCount(_ kind: Decision.Kind, _ gate: Gate) -> Int { count(Self.index(kind, gate)) }

  /// Returns the number of decisions of the given kind that had `outcome`.
  public func outcomeCount(_ kind: Decision.Kind, _ outcome: Outcome) -> Int { count(Self.index(kind, outcome)) }

  /// Returns the number of predictions with a probability of `parts` parts whose outcome is known.
  public func evaluatedCount(parts: Int) -> Int { count(Self.evaluatedBase + parts) }

  /// Returns the number of predictions with a probability of `parts` parts that came true within half an hour.
  public func trueCount(parts: Int) -> Int { count(Self.trueBase + parts) }

  /// Returns the probability that a prediction of `parts` parts states: the midpoint of the interval rounded down to
  /// it.
  public static func probability(parts: Int) -> Double { min(1, (Double(parts) + 0.5) / Double(partCount)) }

  mutating func countBlocked(_ kind: Decision.Kind, _ gate: Gate) { add(Self.index(kind, gate)) }

  mutating func count(_ outcome: Outcome, of kind: Decision.Kind) { add(Self.index(kind, outcome)) }

  /// Counts the outcome of a prediction; one of less than one part counts as one of one part.
  mutating func countPrediction(parts: Int, isTrue: Bool) {
    let parts = max(1, parts)
    add(Self.evaluatedBase + parts)
    if isTrue { add(Self.trueBase + parts) }
  }

  private static func index(_ kind: Decision.Kind, _ gate: Gate) -> Int {
    (Int(kind.rawValue) - 1) * gateCount + Int(gate.rawValue)
  }

  private static func index(_ kind: Decision.Kind, _ outcome: Outcome) -> Int {
    outcomeBase + (Int(kind.rawValue) - 1) * Outcome.allCases.count + outcome.rawValue
  }

  private func count(_ index: Int) -> Int { counts.isEmpty ? 0 : counts[index] }

  private mutating func add(_ index: Int) {
    if counts.isEmpty { counts = Array(repeating: 0, count: Self.trueBase + Self.partCount + 1) }
    counts[index] += 1
  }
}
