import MarqueeModel

/// Tracks recent decisions and predictions until their outcome is known.
///
/// It is not part of a device's state: no decision depends on it, it is not stored, and it is ``Uncompared``. A device
/// loaded from the store starts with an empty tracker.
struct OutcomeTracker: Sendable {
  /// How long after a decision or prediction a use still counts as its outcome: the predictor's lookahead.
  static let span = TimeSpan.minutes(30)
  /// The maximum number of pending decisions. Beyond it, the oldest one is counted as unused.
  private static let decisionCountMax = 64

  /// A use of a widget that is waited for.
  private struct Use {
    let widget: Widget
    /// The parameters of the configuration that must match, as a bit mask.
    let combination: UInt64
    let from: Instant

    /// Whether the donation is such a use within ``OutcomeTracker/span``.
    func isMade(by donation: Donation, of app: AppID) -> Bool {
      guard widget.kind.app == app, includes(donation.date) else { return false }
      guard let configuration = widget.configuration else { return true }
      return donation.activity.intent?.fulfils(combination, of: configuration) ?? false
    }

    /// Whether an instant is after `from` and within ``OutcomeTracker/span``.
    func includes(_ instant: Instant) -> Bool { instant > from && from.span(to: instant) <= OutcomeTracker.span }
  }

  private struct PendingDecision {
    let kind: Decision.Kind
    let stack: StackID
    let use: Use
    /// Whether no later decision replaced it at the front.
    var isInFront = true
  }

  private struct PendingPrediction {
    let parts: Int
    let use: Use
  }

  /// The counters being added to, while an event is handled or time advances.
  private(set) var counters: DecisionCounters?
  private var decisions: [PendingDecision] = []
  private var predictions: [PendingPrediction] = []

  /// Whether outcomes are counted.
  var isCounting: Bool { counters != nil }

  /// Moves the counters into the tracker until ``end(_:)``, which avoids a copy.
  mutating func begin(_ counters: inout DecisionCounters) {
    self.counters = counters
    counters = DecisionCounters()
  }

  /// Moves the counters back.
  mutating func end(_ counters: inout DecisionCounters) {
    if let counted = self.counters { counters = counted }
    self.counters = nil
  }

  /// Counts a blocked decision.
  mutating func countBlocked(_ kind: Decision.Kind, _ gate: Gate) { counters?.countBlocked(kind, gate) }

  /// Starts tracking a decision.
  mutating func follow(
    _ kind: Decision.Kind, of widget: Widget, _ combination: UInt64?, on stack: StackID, _ now: Instant
  ) {
    guard isCounting else { return }
    replaceFront(of: stack)
    if decisions.count == Self.decisionCountMax { counters?.count(.unused, of: decisions.removeFirst().kind) }
    let use = Use(widget: widget, combination: combination ?? .max, from: now)
    decisions.append(PendingDecision(kind: kind, stack: stack, use: use))
  }

  /// Records that a decision replaced the front of a stack.
  mutating func replaceFront(of stack: StackID) {
    for index in decisions.indices where decisions[index].stack == stack { decisions[index].isInFront = false }
  }

  /// Starts tracking a prediction, unless one of the widget is tracked already.
  mutating func follow(_ prediction: Prediction, of widget: Widget, _ now: Instant) {
    guard isCounting, !predictions.contains(where: { $0.use.widget == widget }) else { return }
    let use = Use(widget: widget, combination: prediction.combination, from: now)
    predictions.append(PendingPrediction(parts: prediction.parts, use: use))
  }

  /// Counts the outcomes that a donation determines.
  mutating func recordUse(_ donation: Donation, of app: AppID) {
    endDecisions { $0.use.isMade(by: donation, of: app) }
    predictions.removeAll { prediction in
      guard prediction.use.isMade(by: donation, of: app) else { return false }
      counters?.countPrediction(parts: prediction.parts, isTrue: true)
      return true
    }
  }

  /// Counts the outcomes that a report determines. `kept` is the suggestion that the report keeps, if any.
  mutating func recordUse(_ report: UserReport, kept: Widget?, _ now: Instant) {
    switch report {
    case .tapped(_, let widget): endDecisions { $0.use.widget == widget && $0.use.includes(now) }
    case .appOpened(let app):
      endDecisions { $0.use.widget.kind.app == app && $0.use.from.span(to: now) <= Engagement.openingSpan }
    case .suggestionKept:
      endDecisions { $0.kind == .suggestion && $0.use.widget == kept && $0.use.includes(now) }
    default: break
    }
  }

  /// Stops tracking the widgets for which `isRemoved` returns `true`, without counting an outcome.
  mutating func removeUses(of isRemoved: (Widget) -> Bool) {
    decisions.removeAll { isRemoved($0.use.widget) }
    predictions.removeAll { isRemoved($0.use.widget) }
  }

  /// Counts the decisions and predictions whose time has expired.
  mutating func expire(at now: Instant) {
    guard isCounting else { return }
    while !decisions.isEmpty, Self.isOver(decisions[0].use.from, at: now) {
      counters?.count(.unused, of: decisions.removeFirst().kind)
    }
    for index in predictions.indices.reversed() where Self.isOver(predictions[index].use.from, at: now) {
      counters?.countPrediction(parts: predictions.remove(at: index).parts, isTrue: false)
    }
  }

  /// Whether the time for an outcome has expired. Static, so that this frequent check does not copy a pending element.
  private static func isOver(_ from: Instant, at now: Instant) -> Bool { from.span(to: now) > span }

  private mutating func endDecisions(where isUsed: (PendingDecision) -> Bool) {
    guard let first = decisions.firstIndex(where: isUsed) else { return }
    for decision in decisions[first...] where isUsed(decision) {
      counters?.count(decision.isInFront ? .used : .usedLater, of: decision.kind)
    }
    decisions.removeAll(where: isUsed)
  }
}

/// The gate that blocks the best candidate of a stack, or of all suggestions, when last counted.
struct BlockingGate: Sendable {
  private var held: (slot: Int, gate: Gate)?

  init() {}

  /// Records the candidate and gate that block now, if any, and returns the gate if they changed.
  mutating func note(_ held: (slot: Int, gate: Gate)?) -> Gate? {
    let isNews = held.map { new in self.held.map { $0 != new } ?? true } ?? false
    self.held = held
    return isNews ? held?.gate : nil
  }
}
