/// What one device has learned about one person's habits, as a value.
///
/// It learns from every action as it happens and predicts from the first day on; nothing is trained beforehand. It has
/// no clock and no chance: the same actions in the same order give the same predictions, to the last bit, on any
/// machine. So the way to forget an action is to replay the others.
public struct Predictor: Sendable, Equatable {
  /// Predictions of ``soon(_:at:)`` keep their value within such steps of local time (rule P1).
  public static let stepSeconds = 300
  /// How far ahead ``soon(_:at:)`` looks.
  public static let windowSeconds = 1_800

  static let droppedHalfLife = 14.0 * 86_400

  var day = FadingCounts(halfLife: 86_400)
  var threeDays = FadingCounts(halfLife: 3 * 86_400)
  var week = FadingCounts(halfLife: 7 * 86_400)
  var month = FadingCounts(halfLife: 30 * 86_400)
  var burst = FadingCounts(halfLife: 1_200)
  var always = Column()
  var clock = ClockCounts()
  var routine = RoutineCounts()
  var places = PlaceCounts()
  var groups = GroupCounts()
  var gaps = [Column](repeating: Column(), count: Gap.count)
  var order = RecentOrder()
  var successors = Successors()
  var intervals = UseIntervals()
  var sequence = ActionSequence()
  var log = UseLog()

  var nextHead = PredictionHead.next
  var soonHead = PredictionHead.soon
  var clockHead = PredictionHead.clock
  var activity = ActivityModel()
  var slots = SlotState()
  /// How often an action is one that was never seen before, among the latest.
  var newShare: Float = 0.5

  /// Whether each action was ever learned.
  var isKnown: [Bool] = []
  /// The same in lanes: 1 for those that were.
  var knownMask: [Lanes] = []
  var knownCount = 0
  var last: Last?

  /// The latest action and its context.
  struct Last: Sendable, Equatable {
    var action: Int
    /// The action before, if it was another one.
    var before: Int?
    /// Never goes back, though local time may.
    var time: Int
    var moment: Moment
  }

  /// A predictor that has seen nothing.
  public init() {}

  /// How many actions it knows at most: the numbers below this, some of which may never have been learned.
  public var actionCount: Int { isKnown.count }

  /// About how many bytes it takes.
  public var byteCount: Int {
    let columns = (6 + 1 + Gap.count) * chunkCount * 32 + isKnown.capacity
    let tables = clock.byteCount + routine.byteCount + places.byteCount + groups.byteCount
    let order = order.byteCount + successors.byteCount + intervals.byteCount + sequence.byteCount + log.byteCount
    let heads = nextHead.byteCount + soonHead.byteCount + clockHead.byteCount + activity.byteCount
    return MemoryLayout<Self>.size + columns + tables + order + heads
  }

  var chunkCount: Int { (isKnown.count + 7) / 8 }

  /// Makes room for actions up to `action`.
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
    successors.grow(to: count)
    intervals.grow(to: count)
  }
}
