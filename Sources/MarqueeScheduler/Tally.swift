public import MarqueeModel

/// Counts of what devices decided, what kept them from deciding, and what came of it. It is handed in with events and
/// time, and added to; it is no part of any device's state.
public struct Tally: Sendable, Equatable {
  /// What came of a decision within ``OutcomeBook/span``.
  public enum Outcome: Int, CaseIterable, Sendable {
    /// Its widget was used before another decision took it from the front.
    case used
    /// Its widget was used after that.
    case usedLater
    /// Its widget was not used.
    case unused
  }

  /// Parts that a stated probability is counted in.
  public static let partCount = Foresight.partCount

  private static let gateCount = 16
  private static let outcomeBase = 2 * gateCount
  private static let judgedBase = outcomeBase + 2 * Outcome.allCases.count
  private static let trueBase = judgedBase + partCount + 1

  /// Empty until anything is counted.
  private var counts: [Int] = []

  /// Nothing counted.
  public init() {}

  /// Whether nothing was counted.
  public var isEmpty: Bool { counts.isEmpty }

  /// Decisions of that kind that a gate kept from coming about: one for each time that it became the one thing that
  /// holds the best candidate. Of gates that time opens it is the last one to open.
  public func stopCount(_ kind: Decision.Kind, _ gate: Gate) -> Int { count(Self.index(kind, gate)) }

  /// Decisions of that kind of which that came.
  public func outcomeCount(_ kind: Decision.Kind, _ outcome: Outcome) -> Int { count(Self.index(kind, outcome)) }

  /// Predictions of that many parts whose half hour is over, or that came true.
  public func judgedCount(parts: Int) -> Int { count(Self.judgedBase + parts) }

  /// Predictions of that many parts that came true: what was predicted was done within half an hour.
  public func trueCount(parts: Int) -> Int { count(Self.trueBase + parts) }

  /// The probability that a prediction of that many parts states: the middle of those that are rounded down to it.
  public static func probability(parts: Int) -> Double { min(1, (Double(parts) + 0.5) / Double(partCount)) }

  mutating func countStop(_ kind: Decision.Kind, _ gate: Gate) { add(Self.index(kind, gate)) }

  mutating func count(_ outcome: Outcome, of kind: Decision.Kind) { add(Self.index(kind, outcome)) }

  mutating func countPrediction(parts: Int, isTrue: Bool) {
    add(Self.judgedBase + parts)
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
