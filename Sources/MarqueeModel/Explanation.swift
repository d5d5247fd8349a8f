/// Why a stack shows what it shows at an instant: every candidate, with evidence and gates (rule R10).
public struct Explanation: Hashable, Sendable {
  /// The stack explained.
  public let stack: StackID
  /// The instant.
  public let at: Instant
  /// The widget in front when the candidates were weighed.
  public let front: Widget?
  /// The stack's widgets, best first.
  public let candidates: [Candidate]
  /// The candidate that was chosen, or `nil` when the front stays.
  public let chosen: Widget?

  /// An explanation.
  public init(stack: StackID, at: Instant, front: Widget?, candidates: [Candidate], chosen: Widget?) {
    self.stack = stack
    self.at = at
    self.front = front
    self.candidates = candidates
    self.chosen = chosen
  }
}

/// One widget of a stack, weighed.
public struct Candidate: Hashable, Sendable {
  /// The widget.
  public let widget: Widget
  /// Its index in the stack; for a widget that may be suggested, the index that it would get.
  public let position: Int
  /// Whether it was in front.
  public let isInFront: Bool
  /// The sum of the signals' shares (rule R1).
  public let evidence: Double
  /// Each signal that has something to say of the widget.
  public let signals: [SignalShare]
  /// When the episode that gives the evidence began; `nil` without evidence.
  public let episodeStart: Instant?
  /// Each gate with its numbers, in the order of the rules; empty for the widget in front.
  public let gates: [GateResult]

  /// A weighed widget.
  public init(
    widget: Widget, position: Int, isInFront: Bool, evidence: Double, signals: [SignalShare],
    episodeStart: Instant?, gates: [GateResult]
  ) {
    self.widget = widget
    self.position = position
    self.isInFront = isInFront
    self.evidence = evidence
    self.signals = signals
    self.episodeStart = episodeStart
    self.gates = gates
  }
}

/// What one signal adds to a widget's evidence: `share = −ln(1 − weight · strength)` (rule R1).
public struct SignalShare: Hashable, Sendable {
  /// Where evidence comes from.
  public enum Signal: UInt8, CaseIterable, Sendable {
    /// Relevance of timeline entries.
    case timeline = 1
    /// Relevant shortcuts and relevant intents; measured as 1 inside a window (rules S3, S7).
    case shortcut
    /// What the person is likely to do soon; measured as its probability (rules P1, P5).
    case prediction
  }

  /// The signal.
  public let signal: Signal
  /// The score in force.
  public let score: Double
  /// The highest score of the widget's kind, which the score is measured against (rule T6).
  public let reference: Double
  /// The score as a part of the reference, times the widget's worth as a part of what it is before anything is known
  /// (rule R11), at most 1.
  public let strength: Double
  /// The policy's weight of the signal, below 1.
  public let weight: Double
  /// What the signal adds.
  public let share: Double
  /// What a prediction rests on; `nil` for other signals.
  public let habit: HabitReasons?

  /// A signal's share.
  public init(
    signal: Signal, score: Double, reference: Double, strength: Double, weight: Double, share: Double,
    habit: HabitReasons? = nil
  ) {
    self.signal = signal
    self.score = score
    self.reference = reference
    self.strength = strength
    self.weight = weight
    self.share = share
    self.habit = habit
  }
}

/// A condition that a candidate must meet to be rotated to or suggested (rule R3).
public enum Gate: UInt8, CaseIterable, Sendable {
  /// *Smart Rotate* is on; measured as 1 or 0.
  case smartRotate = 1
  /// Enough evidence; measured as evidence.
  case threshold
  /// Enough ahead of the widget in front, and more so when both are predicted; measured as a difference of evidence.
  case margin
  /// The episode has neither moved this stack nor been scrolled away from; measured as 1 when fresh, else 0.
  case episode
  /// Time since the last automatic change; measured in seconds.
  case dwell
  /// Time since the person touched the stack; measured in seconds.
  case hold
  /// Rotations of the stack in the last 24 hours, this one included; measured as a count.
  case rotationBudget
  /// *Widget Suggestions* is on; measured as 1 or 0.
  case widgetSuggestions
  /// The widget's kind supports the stack's family; measured as 1 or 0.
  case family
  /// Enough ahead of the suggestion that the stack has (rule R6); measured as a difference of evidence.
  case occupancy
  /// The person lets the widget and its app be suggested; measured as 1, or 0 when blocked.
  case blocked
  /// Suggestions on top of the stack in the last 24 hours, this one included; measured as a count.
  case suggestionBudget
  /// Suggestions of the app on the device in the last 24 hours, this one included; measured as a count.
  case appSuggestionBudget

  /// The gates of a rotation, in their order.
  public static let rotation: [Gate] = [.smartRotate, .threshold, .margin, .episode, .dwell, .hold, .rotationBudget]

  /// The gates of a suggestion, in their order.
  public static let suggestion: [Gate] = [
    .widgetSuggestions, .family, .blocked, .threshold, .margin, .occupancy, .episode, .dwell, .hold,
    .suggestionBudget, .appSuggestionBudget,
  ]
}

/// A gate, and what it found.
public struct GateResult: Hashable, Sendable {
  /// The gate.
  public let gate: Gate
  /// Whether it lets the candidate through.
  public let isPassed: Bool
  /// What was measured, in the gate's unit; infinite where there is nothing to measure from.
  public let measured: Double
  /// What was required: a least value, or for budgets a greatest one.
  public let required: Double
  /// When a gate that failed would pass if nothing else happened; `nil` if time alone does not open it.
  public let clears: Instant?
  /// The instant that the finding goes back to, such as the person's touch or the episode's earlier rotation.
  public let since: Instant?

  /// A gate's finding.
  public init(
    _ gate: Gate, isPassed: Bool, measured: Double, required: Double, clears: Instant? = nil, since: Instant? = nil
  ) {
    self.gate = gate
    self.isPassed = isPassed
    self.measured = measured
    self.required = required
    self.clears = clears
    self.since = since
  }
}

/// A rotation or a suggestion that the engine decided, with its whole explanation (rules R8, R10).
public struct Decision: Hashable, Sendable {
  /// What was decided.
  public enum Kind: UInt8, CaseIterable, Sendable {
    /// A member came to the front (Smart Rotate).
    case rotation = 1
    /// A widget that is not on the Home Screen was put on top (Widget Suggestions).
    case suggestion
  }

  /// What was decided.
  public let kind: Kind
  /// Counts the device's decisions from 1.
  public let number: UInt64
  /// The widget that was brought to the front.
  public let to: Widget
  /// What was weighed; its ``Explanation/chosen`` is ``to``, its ``Explanation/front`` the widget that left. The
  /// candidates are the stack's members for a rotation, the widgets that could be suggested for a suggestion.
  public let explanation: Explanation

  /// A decision.
  public init(kind: Kind = .rotation, number: UInt64, to: Widget, explanation: Explanation) {
    self.kind = kind
    self.number = number
    self.to = to
    self.explanation = explanation
  }

  /// When it was taken.
  public var at: Instant { explanation.at }
  /// The stack that was changed.
  public var stack: StackID { explanation.stack }
  /// The widget that was in front before.
  public var from: Widget? { explanation.front }
}

/// Why a suggestion was taken off its stack (rule R5).
public enum SuggestionEnd: UInt8, CaseIterable, Sendable {
  /// Its window ended, or a new set omitted it.
  case evidenceEnded = 1
  /// The person dismissed it.
  case dismissed
  /// The person kept it: it is a member now.
  case kept
  /// The person put the widget elsewhere on the Home Screen.
  case onHomeScreen
  /// The person wants no suggestions of this widget or app.
  case blocked
  /// A stronger suggestion took its place (rule R6).
  case replaced
  /// The person switched *Widget Suggestions* off.
  case switchedOff
}

extension SuggestionEnd: CustomStringConvertible {
  /// The reason in words.
  public var description: String {
    switch self {
    case .evidenceEnded: "evidence ended"
    case .dismissed: "dismissed"
    case .kept: "kept"
    case .onHomeScreen: "on the Home Screen"
    case .blocked: "blocked"
    case .replaced: "replaced"
    case .switchedOff: "switched off"
    }
  }
}
