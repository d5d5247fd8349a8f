/// The obstacles that keep a widget from the front of a stack (rule R10).
///
/// Each obstacle is found by lifting the previous ones. With all of them lifted, the widget comes to the front; with
/// the first one left in place, it does not.
public struct WhyNot: Hashable, Sendable {
  /// The widget.
  public let widget: Widget
  /// The stack.
  public let stack: StackID
  /// When the obstacles were determined.
  public let at: Instant
  /// The obstacles, in the order in which they must be resolved; empty if the widget is in front.
  public let obstacles: [Obstacle]

  /// Creates an explanation.
  public init(widget: Widget, stack: StackID, at: Instant, obstacles: [Obstacle]) {
    self.widget = widget
    self.stack = stack
    self.at = at
    self.obstacles = obstacles
  }

  /// The first obstacle to resolve.
  public var first: Obstacle? { obstacles.first }
}

/// An obstacle that keeps a widget from the front of a stack.
public enum Obstacle: Hashable, Sendable {
  /// The widget is on the Home Screen but not in this stack: it cannot be suggested, and would have to be added.
  case elsewhereOnHomeScreen
  /// The widget is the suggestion of another stack.
  case suggested(on: StackID)
  /// A suggestion covers the widget, which comes to the front when the suggestion ends.
  case covered(by: Widget)
  /// The widget has no evidence now.
  case noEvidence(EvidenceGap)
  /// A gate is closed.
  case gate(GateResult)
  /// The pin of another widget is in force (rule R12), or will be when the obstacles before it have disappeared; until
  /// an instant if that is known.
  case pinned(by: Widget, until: Instant?)
  /// Another widget stands for one of its groups (rule R15).
  case represented(by: Widget)
  /// All gates are open, but another widget ranks higher.
  case outranked(by: Widget)

  /// The other widget that is the obstacle, or `nil` if no other one is.
  public var other: Widget? {
    switch self {
    case .covered(let widget), .pinned(let widget, _), .represented(let widget), .outranked(let widget): widget
    case .elsewhereOnHomeScreen, .suggested, .noEvidence, .gate: nil
    }
  }
}

/// The reason why a widget has no evidence.
public enum EvidenceGap: Hashable, Sendable {
  /// No entry provides relevance, no shortcut names the widget, and no donation matches its configuration.
  case unknown
  /// The current entry has expired, so that nothing counts until the next one, if any (rule W4).
  case entryExpired(entry: Instant, at: Instant, next: Instant?)
  /// The relevance of the last entry that provided one has expired, and no later one has a positive score.
  case scoreEnded(entry: Instant, end: Instant)
  /// The last entry that provided relevance has a score of zero or less, and no later one has a positive score.
  case scoreNotPositive(Double, entry: Instant)
  /// The widget is in no stack, where its positive score in force, the next one or the last one would count (rule R2),
  /// and nothing else suggests it.
  case scoreNotCounted(Double, entry: Instant)
  /// Its own pin is not in force, and comes into force at an instant if only the time is missing (rule R12).
  case pinNotInForce(Pin, next: Instant?)
  /// The next entry with a positive score is in the future.
  case scoreAhead(Instant)
  /// The next shortcut window is in the future.
  case windowAhead(Instant)
  /// The last shortcut window has ended.
  case windowEnded(Instant)
  /// Its shortcuts have providers for the watch face only (rule S5).
  case onlyWatchFace
  /// A shortcut lets the system choose the time, but the user's use of the app has not been learned yet (rule S4).
  case useNotLearned
  /// A shortcut lets the system choose the time, but the app's most likely action is not probable enough now (rule S4).
  case useUnlikely(probability: Double, required: Double)
  /// The donated actions for such a configuration are not probable enough now (rules P1, P5).
  case unlikely(probability: Double, required: Double)
}

extension Obstacle {
  /// When the obstacle disappears if nothing else happens; `nil` if time alone does not resolve it, or the time is
  /// unknown.
  public var clears: Instant? {
    switch self {
    case .gate(let result): result.clears
    case .pinned(_, let end): end
    case .noEvidence(.scoreAhead(let date)), .noEvidence(.windowAhead(let date)): date
    case .noEvidence(.entryExpired(_, _, let next)), .noEvidence(.pinNotInForce(_, let next)): next
    case .elsewhereOnHomeScreen, .suggested, .covered, .noEvidence, .represented, .outranked: nil
    }
  }
}

extension WhyNot {
  /// Returns the first obstacle as one sentence, without a full stop.
  ///
  /// - Parameters:
  ///   - format: Formats an instant for the reader.
  ///   - name: Returns the name of a widget for the reader.
  public func summary(
    format: (Instant) -> String = \.description, name: (Widget) -> String = \.shownName
  ) -> String {
    guard let first else { return "\(name(widget)) is in front" }
    return "\(name(widget)): \(first.summary(format: format, name: name))"
  }
}

extension Obstacle {
  /// Returns the obstacle as one sentence, without a full stop.
  ///
  /// - Parameters:
  ///   - format: Formats an instant for the reader.
  ///   - name: Returns the name of a widget for the reader.
  public func summary(
    format: (Instant) -> String = \.description, name: (Widget) -> String = \.shownName
  ) -> String {
    switch self {
    case .elsewhereOnHomeScreen: "it is on the Home Screen, but not in this stack"
    case .suggested(let stack): "it is suggested on the stack \(stack)"
    case .covered(let widget): "it is behind the suggestion \(name(widget))"
    case .noEvidence(let gap): gap.summary(format: format)
    case .gate(let result): result.obstacleSummary(format: format)
    case .pinned(let widget, _): "\(name(widget)) is pinned in front"
    case .represented(let widget): widget.groupSummary(name: name)
    case .outranked(let widget): "\(name(widget)) comes first"
    }
  }
}

extension EvidenceGap {
  /// Returns the reason as one sentence, without a full stop.
  ///
  /// - Parameter format: Formats an instant for the reader.
  public func summary(format: (Instant) -> String = \.description) -> String {
    switch self {
    case .unknown: "no entry provides a score, and no shortcut names it"
    case .entryExpired(let entry, let expiry, let next):
      "its \(format(entry)) entry expired at \(format(expiry)), and nothing counts for it until "
        + (next.map { "the \(format($0)) entry" } ?? "its app publishes a later one")
    case .scoreEnded(let entry, let end):
      "its score has been 0 since \(format(end)), when the "
        + "\(TimeSpan.adjective(entry.span(to: end))) window of the \(format(entry)) entry ended"
    case .scoreNotPositive(let score, let entry):
      "its score is \(score.words) since the \(format(entry)) entry; only positive scores count"
    case .scoreNotCounted(let score, let entry):
      "its score \(score.words) of the \(format(entry)) entry counts only in a stack, and no shortcut names it"
    case .pinNotInForce(let pin, let next):
      "it is \(pin.words), but not now" + (next.map { "; its pin comes into force at \(format($0))" } ?? "")
    case .scoreAhead(let date): "its next positive score comes with the \(format(date)) entry"
    case .windowAhead(let start): "its next window begins at \(format(start))"
    case .windowEnded(let end): "its last window ended at \(format(end))"
    case .onlyWatchFace: "its shortcuts have providers for the watch face only"
    case .useNotLearned:
      "its shortcut lets the system choose the time, but the user's use of the app has not been learned yet"
    case .useUnlikely(let probability, let required):
      "its shortcut waits until the user is likely to use the app: \(Self.words(probability, required))"
    case .unlikely(let probability, let required) where probability < required:
      "its use within half an hour is unlikely: \(Self.words(probability, required))"
    case .unlikely(let probability, let required):
      "its use within half an hour is likely, but not predicted for this widget: \(Self.words(probability, required))"
    }
  }

  private static func words(_ probability: Double, _ required: Double) -> String {
    let words = probability.words(comparedWith: required)
    return "the probability is \(words.number), \(words.minimum) needed"
  }
}
