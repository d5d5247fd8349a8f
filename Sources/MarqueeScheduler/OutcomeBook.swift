import MarqueeModel

/// What is waited for to see what comes of decisions and whether predictions come true.
///
/// It is no part of a device's state: nothing is decided by it, it is not stored, and devices are equal whatever it
/// has. It is kept while things are counted, and a device that was loaded begins anew.
struct OutcomeBook: Equatable, Sendable {
  /// How long after a decision or a prediction a use makes it come true: as far as predictions look ahead.
  static let span = TimeSpan.minutes(30)
  /// Decisions that are waited for, at most; beyond it, the oldest is taken for unused.
  private static let decisionCountMax = 64

  /// A widget, and the part of its configuration that is meant.
  private struct Use {
    let widget: Widget
    let combination: UInt64
    let from: Instant

    /// Whether the donation of an app tells of a use after `from`, in time.
    func isMade(by donation: Donation, of app: AppID) -> Bool {
      guard widget.kind.app == app, includes(donation.date) else { return false }
      guard let configuration = widget.configuration else { return true }
      return donation.deed.intent?.fulfils(combination, of: configuration) ?? false
    }

    /// Whether an instant is after `from`, in time.
    func includes(_ instant: Instant) -> Bool { instant > from && from.span(to: instant) <= OutcomeBook.span }
  }

  private struct Shown {
    let kind: Decision.Kind
    let stack: StackID
    let use: Use
    /// Whether no later decision took it from the front.
    var isInFront = true
  }

  private struct Stated {
    let parts: Int
    let use: Use
  }

  /// What is counted, while an event is handled or time passes.
  private(set) var tally: Tally?
  private var shown: [Shown] = []
  private var stated: [Stated] = []

  /// Whether anybody counts.
  var isCounting: Bool { tally != nil }

  static func == (left: OutcomeBook, right: OutcomeBook) -> Bool { true }

  /// Takes a tally over, to add to it; gives it back with ``end(_:)``. It is moved, not copied.
  mutating func begin(_ tally: inout Tally) {
    self.tally = tally
    tally = Tally()
  }

  /// Gives the tally back.
  mutating func end(_ tally: inout Tally) {
    if let counted = self.tally { tally = counted }
    self.tally = nil
  }

  /// Counts what a gate held.
  mutating func countStop(_ kind: Decision.Kind, _ gate: Gate) { tally?.countStop(kind, gate) }

  /// Waits for a use of what a decision brought.
  mutating func follow(
    _ kind: Decision.Kind, of widget: Widget, _ combination: UInt64?, on stack: StackID, _ now: Instant
  ) {
    guard isCounting else { return }
    for index in shown.indices where shown[index].stack == stack { shown[index].isInFront = false }
    if shown.count == Self.decisionCountMax { tally?.count(.unused, of: shown.removeFirst().kind) }
    let use = Use(widget: widget, combination: combination ?? .max, from: now)
    shown.append(Shown(kind: kind, stack: stack, use: use))
  }

  /// Waits for what is predicted, unless it is waited for already.
  mutating func follow(_ prediction: Prediction, of widget: Widget, _ now: Instant) {
    guard isCounting, !stated.contains(where: { $0.use.widget == widget }) else { return }
    let use = Use(widget: widget, combination: prediction.combination, from: now)
    stated.append(Stated(parts: prediction.parts, use: use))
  }

  /// Counts what a donation makes come true.
  mutating func take(_ donation: Donation, of app: AppID) {
    endDecisions { $0.use.isMade(by: donation, of: app) }
    stated.removeAll { stated in
      guard stated.use.isMade(by: donation, of: app) else { return false }
      tally?.countPrediction(parts: stated.parts, isTrue: true)
      return true
    }
  }

  /// Counts what the person used by hand; `kept` is the suggestion that is kept, if one is.
  mutating func take(_ report: PersonReport, kept: Widget?, _ now: Instant) {
    switch report {
    case .tapped(_, let widget): endDecisions { $0.use.widget == widget && $0.use.includes(now) }
    case .appOpened(let app):
      endDecisions { $0.use.widget.kind.app == app && $0.use.from.span(to: now) <= Engagement.openingSpan }
    case .suggestionKept:
      endDecisions { $0.kind == .suggestion && $0.use.widget == kept && $0.use.includes(now) }
    default: break
    }
  }

  /// Counts what did not come true in time.
  mutating func expire(at now: Instant) {
    guard isCounting else { return }
    while !shown.isEmpty, Self.isOver(shown[0].use.from, at: now) {
      tally?.count(.unused, of: shown.removeFirst().kind)
    }
    for index in stated.indices.reversed() where Self.isOver(stated[index].use.from, at: now) {
      tally?.countPrediction(parts: stated.remove(at: index).parts, isTrue: false)
    }
  }

  /// Whether it is too late for what is waited for since an instant. Every step asks this; to ask it of what is waited
  /// for would be to copy that.
  private static func isOver(_ from: Instant, at now: Instant) -> Bool { from.span(to: now) > span }

  private mutating func endDecisions(where isUsed: (Shown) -> Bool) {
    guard let first = shown.firstIndex(where: isUsed) else { return }
    for shown in shown[first...] where isUsed(shown) {
      tally?.count(shown.isInFront ? .used : .usedLater, of: shown.kind)
    }
    shown.removeAll(where: isUsed)
  }
}

/// The gate that holds a stack's best candidate, or that of all suggestions: what was counted last. It is no part of a
/// device's state.
struct Stop: Equatable, Sendable {
  private var held: (slot: Int, gate: Gate)?

  static func == (left: Stop, right: Stop) -> Bool { true }

  /// Notes what holds which candidate now, if anything does; gives the gate when that is news.
  mutating func note(_ held: (slot: Int, gate: Gate)?) -> Gate? {
    let isNews = held.map { new in self.held.map { $0 != new } ?? true } ?? false
    self.held = held
    return isNews ? held?.gate : nil
  }
}
