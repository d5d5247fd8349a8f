import MarqueeModel

/// The cached predictions, with an expiry: the relevant predicted actions now, and their next change (rule P1).
///
/// Probabilities are quantized to sixteenths, rounded down, so that they change rarely; a lower one counts as half a
/// sixteenth. The value is a function of the learned habits, the context, the registrations and the clock; it is never
/// stored.
struct PredictionSchedule: Equatable, Sendable {
  /// The number of parts into which probabilities are quantized.
  static let partCount = SignalShare.probabilityPartCount

  /// The minimum probability of an action for the rotations of stacks, unless the policy's minimum is less.
  static let memberProbabilityMin = 1.0 / 32

  /// Returns a positive probability in parts, rounded down.
  static func parts(of probability: Double) -> Int {
    max(0, min(partCount, Int(saturating: probability * Double(partCount))))
  }

  /// Returns the number of half parts that a number of parts counts as: at least one.
  static func halfParts(_ parts: Int) -> Int { max(1, 2 * parts) }

  /// An action with at least the minimum probability for rotations.
  struct Expectation: Equatable, Sendable {
    /// The index in the log's table of actions.
    let action: UInt32
    /// The probability in sixteenths, rounded down.
    let parts: Int
    /// Whether the probability is at least the policy's minimum.
    let isLikely: Bool
  }

  struct Change: Equatable, Sendable {
    let at: Instant
    let expectations: [Expectation]
  }

  /// The maximum number of changes that are computed ahead.
  static let changeCountMax = 8

  /// The predicted actions now, in the order in which they were learned.
  private(set) var expectations: [Expectation] = []
  /// The next change if no event occurs, or `nil` if there is none before ``end``.
  private(set) var change: Change?
  /// The changes after ``change``, as far as they are known.
  @Uncompared private var laterChanges: ArraySlice<Change> = []
  /// Whether all changes before ``end`` are known.
  @Uncompared private var isComplete = true
  /// When the predictions expire, or `nil` if none can become relevant without an event.
  private(set) var end: Instant?
  /// The learned action kinds.
  @Uncompared private(set) var actionKinds: [Habits.ActionKind] = []
  /// For each learned action kind, whether it configures a widget kind.
  private(set) var configured: [Bool] = []
  /// For each learned action kind, whether it configures a member of a stack.
  private(set) var members: [Bool] = []

  /// Creates an empty schedule that does not expire.
  init(actionKinds: [Habits.ActionKind] = [], configured: [Bool] = [], members: [Bool] = []) {
    self.actionKinds = actionKinds
    self.configured = configured
    self.members = members
  }

  /// Creates a schedule that expires at `end`.
  ///
  /// - Parameters:
  ///   - expectations: The predicted actions now.
  ///   - changes: The first changes, in order.
  ///   - isComplete: Whether these are all changes before `end`.
  ///   - end: When the predictions expire.
  ///   - actionKinds: The learned action kinds.
  ///   - configured: See ``configured``.
  ///   - members: See ``members``.
  init(
    _ expectations: [Expectation], then changes: [Change], isComplete: Bool, end: Instant,
    actionKinds: [Habits.ActionKind], configured: [Bool], members: [Bool]
  ) {
    self.expectations = expectations
    change = changes.first
    laterChanges = changes.dropFirst()
    self.isComplete = isComplete
    self.end = end
    self.actionKinds = actionKinds
    self.configured = configured
    self.members = members
  }

  /// Makes the predicted actions of ``change`` the present ones.
  ///
  /// - Returns: `false` if the change after it is not known, so that nothing was done.
  mutating func applyChange() -> Bool {
    guard let reached = change, isComplete || !laterChanges.isEmpty else { return false }
    expectations = reached.expectations
    change = laterChanges.popFirst()
    return true
  }

  /// Whether the predictions have expired.
  func isOver(at now: Instant) -> Bool { end.map { $0 <= now } ?? false }

  /// The next instant at which the predictions change or expire.
  var nextBoundary: Instant? { change?.at ?? end }
}
