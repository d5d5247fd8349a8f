/// The habits of one user, learned from the actions of one device, as a value.
///
/// The predictor learns online from every action and predicts from the first day; nothing is trained in advance. It has
/// no clock or randomness: the same actions in the same order give bit-identical predictions on any machine. To remove
/// an action, replay the others into a new predictor.
public struct Predictor: Sendable, Equatable {
  /// The step of local time, in seconds, within which ``soon(_:at:)`` is constant.
  public static let stepSeconds = 300
  /// The lookahead of ``soon(_:at:)``, in seconds.
  public static let windowSeconds = 1_800

  static let droppedHalfLife = 14.0 * 86_400

  var day = DecayedCounts(halfLife: 86_400)
  var threeDays = DecayedCounts(halfLife: 3 * 86_400)
  var week = DecayedCounts(halfLife: 7 * 86_400)
  var month = DecayedCounts(halfLife: 30 * 86_400)
  var burst = DecayedCounts(halfLife: 1_200)
  var always = ActionVector()
  var clock = ClockCounts()
  var routine = RoutineCounts()
  var places = PlaceCounts()
  var groups = GroupCounts()
  var gaps = [ActionVector](repeating: ActionVector(), count: Gap.count)
  var recencyRanks = RecencyRanks()
  var transitions = TransitionCounts()
  var intervals = UseIntervals()
  var sequence = ActionSequence()
  var log = UseLog()
  var familiarity = Familiarity()

  var nextHead = PredictionHead.next
  var soonHead = PredictionHead.soon
  var clockHead = PredictionHead.clock
  var activity = ActivityModel()
  var slots = SlotState()
  /// The recent fraction of actions that were never seen before.
  var noveltyRate: Float = 0.5

  var useRate = UseRate()

  /// Whether each action was ever learned.
  var isKnown: [Bool] = []
  /// The same as a vector: 1 for learned actions, 0 for others.
  var knownMask: [Lanes] = []
  var knownCount = 0
  var last: Last?

  /// The latest action and its context.
  struct Last: Sendable, Equatable {
    var action: Int
    /// The previous action, if it was a different one.
    var before: Int?
    /// The local time, which never decreases.
    var time: Int
    var moment: Moment
  }

  /// Whether forecasts from time alone and of the next action are learned.
  let learnsAllForecasts: Bool

  /// Creates a predictor without any learned actions.
  ///
  /// - Parameter learnsAllForecasts: Whether forecasts of ``Basis/timeAlone`` and ``next(at:)``, which only evaluations
  ///   use, are learned. Without them, learning is faster, and other forecasts are the same, bit for bit.
  public init(learnsAllForecasts: Bool = true) {
    self.learnsAllForecasts = learnsAllForecasts
  }

  /// The exclusive upper bound of the learned action numbers.
  public var actionCount: Int { isKnown.count }

  /// The recent mean number of learned actions per day, as of the latest one: each counts half after a week.
  ///
  /// Actions that another one satisfies are not counted.
  public var usesPerDay: Double { useRate.perDay }

  /// The approximate memory used, in bytes.
  public var byteCount: Int {
    let vectors = (6 + 1 + Gap.count) * chunkCount * 32 + isKnown.capacity
    let tables = clock.byteCount + routine.byteCount + places.byteCount + groups.byteCount
    let sequences =
      recencyRanks.byteCount + transitions.byteCount + intervals.byteCount + sequence.byteCount + log.byteCount
    let heads = nextHead.byteCount + soonHead.byteCount + clockHead.byteCount + activity.byteCount
    return MemoryLayout<Self>.size + vectors + tables + sequences + heads + familiarity.byteCount
  }

  var chunkCount: Int { (isKnown.count + 7) / 8 }

  /// Extends all vectors to hold `action`.
  mutating func grow(toHold action: Int) {
    guard action >= isKnown.count else { return }
    isKnown.append(contentsOf: repeatElement(false, count: action + 1 - isKnown.count))
    let (count, chunks) = (isKnown.count, chunkCount)
    while knownMask.count < chunks { knownMask.append(.zero) }
    day.grow(toChunks: chunks)
    threeDays.grow(toChunks: chunks)
    week.grow(toChunks: chunks)
    month.grow(toChunks: chunks)
    burst.grow(toChunks: chunks)
    always.grow(toChunks: chunks)
    for gap in gaps.indices { gaps[gap].grow(toChunks: chunks) }
    groups.grow(to: count)
    transitions.grow(to: count)
    intervals.grow(to: count)
    familiarity.grow(to: count, chunks: chunks)
  }
}
