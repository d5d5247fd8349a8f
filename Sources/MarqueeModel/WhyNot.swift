/// What keeps a widget from the front of a stack (rule R10).
///
/// Each obstacle was found by lifting those before it: with all of them lifted the widget is brought to the front, and
/// with the first left in place it is not.
public struct WhyNot: Hashable, Sendable {
  /// The widget asked about.
  public let widget: Widget
  /// The stack asked about.
  public let stack: StackID
  /// When it was asked.
  public let at: Instant
  /// What stands in the way, first what would have to change first; empty when the widget is in front.
  public let obstacles: [Obstacle]

  /// An answer.
  public init(widget: Widget, stack: StackID, at: Instant, obstacles: [Obstacle]) {
    self.widget = widget
    self.stack = stack
    self.at = at
    self.obstacles = obstacles
  }

  /// The first thing that would have to change.
  public var first: Obstacle? { obstacles.first }
}

/// One thing that keeps a widget from the front of a stack.
public enum Obstacle: Hashable, Sendable {
  /// The widget is on the Home Screen, but not in this stack: it is not suggested, and would have to be added.
  case elsewhereOnHomeScreen
  /// The widget is the suggestion of another stack.
  case suggested(on: StackID)
  /// A suggestion is in front of the widget, which comes to the front once that goes.
  case covered(by: Widget)
  /// Nothing speaks for the widget now.
  case noEvidence(EvidenceGap)
  /// A gate is shut.
  case gate(GateResult)
  /// Every gate is open, but another widget comes first.
  case outranked(by: Widget)
}

/// Why nothing speaks for a widget.
public enum EvidenceGap: Hashable, Sendable {
  /// No entry has provided relevance, no shortcut names the widget, and no donation fits its configuration.
  case unknown
  /// The window of the last entry with relevance ended.
  case scoreEnded(entry: Instant, end: Instant)
  /// The last entry with relevance provided a score of zero or less.
  case scoreNotPositive(Double, entry: Instant)
  /// The first entry with relevance is still to come.
  case scoreAhead(Instant)
  /// The next window of a shortcut is still to come.
  case windowAhead(Instant)
  /// The last window of a shortcut ended.
  case windowEnded(Instant)
  /// The shortcuts that name it have providers for the watch face only (rule S5).
  case onlyWatchFace
  /// A shortcut leaves the time to the system, which has not learned when the person uses the app (rule S4).
  case useNotLearned
  /// A shortcut leaves the time to the system, and the app's likeliest action is not likely enough now (rule S4).
  case useUnlikely(probability: Double, required: Double)
  /// What was donated for such a configuration is not likely enough now (rules P1, P5).
  case unlikely(probability: Double, required: Double)
}

extension Obstacle {
  /// When the obstacle goes if nothing else happens; `nil` when time alone does not lift it, or it is not known.
  public var clears: Instant? {
    switch self {
    case .gate(let result): result.clears
    case .noEvidence(.scoreAhead(let date)), .noEvidence(.windowAhead(let date)): date
    case .elsewhereOnHomeScreen, .suggested, .covered, .noEvidence, .outranked: nil
    }
  }
}

extension WhyNot {
  /// The first thing that would have to change, in one sentence without its full stop; `format` says instants in the
  /// reader's way.
  public func summary(format: (Instant) -> String = \.description) -> String {
    guard let first else { return "\(widget.name) is in front" }
    return "\(widget.name): \(first.summary(format: format))"
  }
}

extension Obstacle {
  /// The obstacle in one sentence without its full stop; `format` says instants in the reader's way.
  public func summary(format: (Instant) -> String = \.description) -> String {
    switch self {
    case .elsewhereOnHomeScreen: "it is on the Home Screen, but not in this stack"
    case .suggested(let stack): "it is suggested on the stack \(stack)"
    case .covered(let widget): "it is behind the suggestion \(widget.name)"
    case .noEvidence(let gap): gap.summary(format: format)
    case .gate(let result): result.obstacleSummary(format: format)
    case .outranked(let widget): "\(widget.name) comes first"
    }
  }
}

extension EvidenceGap {
  /// The gap in one sentence without its full stop; `format` says instants in the reader's way.
  public func summary(format: (Instant) -> String = \.description) -> String {
    switch self {
    case .unknown: "no entry has given it a score, and no shortcut names it"
    case .scoreEnded(let entry, let end):
      "its score has been 0 since \(format(end)), when the "
        + "\(TimeSpan.adjective(entry.span(to: end))) window of the \(format(entry)) entry ended"
    case .scoreNotPositive(let score, let entry):
      "its score is \(score.words) since the \(format(entry)) entry, and only a positive one counts"
    case .scoreAhead(let date): "its first score comes with the \(format(date)) entry"
    case .windowAhead(let start): "its next window begins at \(format(start))"
    case .windowEnded(let end): "its last window ended at \(format(end))"
    case .onlyWatchFace: "its shortcuts have providers for the watch face only"
    case .useNotLearned:
      "its shortcut leaves the time to the system, and when the person uses the app is not yet learned"
    case .useUnlikely(let probability, let required):
      "its shortcut waits until the person is likely to use the app: the probability is \(probability.words), "
        + "\(required.words) needed"
    case .unlikely(let probability, let required):
      "it is not likely to be wanted within half an hour: the probability is \(probability.words), "
        + "\(required.words) needed"
    }
  }
}
