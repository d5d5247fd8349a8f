import MarqueeModel

/// The cached predictions, with an expiry: the relevant predicted actions now, and their next change (rule P1).
///
/// Probabilities are quantized to sixteenths, rounded down, so that they change rarely. The value is a function of the
/// learned habits, the context, the registrations and the clock; it is never stored.
struct PredictionSchedule: Equatable, Sendable {
  /// The number of parts into which probabilities are quantized.
  static let partCount = SignalShare.probabilityPartCount

  /// The minimum probability of an action for the rotations of stacks, unless the policy's minimum is less.
  static let memberProbabilityMin = 1.0 / 32

  /// Returns a probability in parts, at least 1.
  static func parts(of probability: Double) -> Int {
    max(1, min(partCount, Int(saturating: probability * Double(partCount))))
  }

  /// An action with at least the minimum probability for rotations.
  struct Expectation: Equatable, Sendable {
    /// The index in the log's table of actions.
    let action: UInt32
    /// The probability in sixteenths, at least 1.
    let parts: Int
    /// Whether the probability is at least the policy's minimum.
    let isLikely: Bool
  }

  struct Change: Equatable, Sendable {
    let at: Instant
    let expectations: [Expectation]
  }

  /// The predicted actions now, in the order in which they were learned.
  private(set) var expectations: [Expectation] = []
  /// The next change if no event occurs, or `nil` if there is none before ``end``.
  private(set) var change: Change?
  /// When the predictions expire, or `nil` if none can become relevant without an event.
  private(set) var end: Instant?
  /// For each learned action kind, whether it configures a widget kind.
  private(set) var configured: [Bool] = []
  /// For each learned action kind, whether it configures a member of a stack.
  private(set) var members: [Bool] = []

  /// Creates an empty schedule that does not expire.
  init(configured: [Bool] = [], members: [Bool] = []) {
    self.configured = configured
    self.members = members
  }

  /// Creates a schedule that expires at `end`.
  init(
    _ expectations: [Expectation], then change: Change?, end: Instant, configured: [Bool], members: [Bool]
  ) {
    self.expectations = expectations
    self.change = change
    self.end = end
    self.configured = configured
    self.members = members
  }

  /// Whether the predictions have expired.
  func isOver(at now: Instant) -> Bool { end.map { $0 <= now } ?? false }

  /// The next instant at which the predictions change or expire.
  var nextBoundary: Instant? { change?.at ?? end }
}
