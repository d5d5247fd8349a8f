/// An explanation of why a stack shows its front widget at an instant: every candidate with its evidence and gates
/// (rule R10).
public struct Explanation: Hashable, Sendable {
  /// The stack.
  public let stack: StackID
  /// The instant.
  public let at: Instant
  /// The widget in front when the candidates were evaluated.
  public let front: Widget?
  /// The candidates, ordered from best to worst.
  public let candidates: [Candidate]
  /// The candidate that was selected; `nil` if the front does not change.
  public let chosen: Widget?

  /// Creates an explanation.
  public init(stack: StackID, at: Instant, front: Widget?, candidates: [Candidate], chosen: Widget?) {
    self.stack = stack
    self.at = at
    self.front = front
    self.candidates = candidates
    self.chosen = chosen
  }
}

/// A candidate widget of a stack, with its evidence and gates.
public struct Candidate: Hashable, Sendable {
  /// The widget.
  public let widget: Widget
  /// Its index in the stack; for a suggestion, the index that it would get.
  public let position: Int
  /// Whether it was in front.
  public let isInFront: Bool
  /// The sum of the shares of ``signals`` (rule R1).
  public let evidence: Double
  /// The signals that contribute evidence.
  public let signals: [SignalShare]
  /// The start of the current episode; `nil` without evidence.
  public let episodeStart: Instant?
  /// The result of each gate, in evaluation order; empty for the widget in front. A pinned widget waits for the hold
  /// only.
  public let gates: [GateResult]
  /// The pin in force that brings the widget to the front and keeps it there (rule R12); `nil` if there is none.
  public let pin: Pin?
  /// When the current entry expired, so that the widget has no evidence (rule W4); `nil` if it has not.
  public let expiry: Instant?
  /// The widget that stands for a group of this one, and closes ``Gate/group`` (rule R15); `nil` if that gate is open
  /// or absent.
  public let representative: Widget?

  /// Creates a candidate.
  public init(
    widget: Widget, position: Int, isInFront: Bool, evidence: Double, signals: [SignalShare],
    episodeStart: Instant?, gates: [GateResult], pin: Pin? = nil, expiry: Instant? = nil,
    representative: Widget? = nil
  ) {
    self.widget = widget
    self.position = position
    self.isInFront = isInFront
    self.evidence = evidence
    self.signals = signals
    self.episodeStart = episodeStart
    self.gates = gates
    self.pin = pin
    self.expiry = expiry
    self.representative = representative
  }
}

extension Candidate {
  /// Whether it returns because the pin that replaced it has ended (rule R12): the evidence does not matter then.
  var returnsAfterPin: Bool {
    gates.contains { $0.gate == .pinned } && !gates.contains { $0.gate == .threshold }
  }
}

/// The contribution of one signal to a widget's evidence: `share = −ln(1 − weight · strength)` (rule R1).
public struct SignalShare: Hashable, Sendable {
  /// A source of evidence.
  public enum Signal: UInt8, CaseIterable, Sendable {
    /// The relevance of timeline entries.
    case timeline = 1
    /// Relevant shortcuts and relevant intents; the score is 1 inside a shortcut window (rules S3, S7).
    case shortcut
    /// Predicted actions; the score is the probability (rules P1, P5).
    case prediction
  }

  /// The number of parts into which predicted probabilities are quantized: rounded down. A lower one counts as
  /// half a part.
  public static let probabilityPartCount = 16

  /// The signal.
  public let signal: Signal
  /// The score in force; for a prediction, the quantized probability.
  public let score: Double
  /// The highest score of the widget's kind, by which the score is normalized (rule T6).
  public let reference: Double
  /// The normalized score, multiplied by the weight learned from the user's reactions relative to its initial value
  /// (rule R11); at most 1.
  public let strength: Double
  /// The policy's weight of the signal, below 1.
  public let weight: Double
  /// The contribution to the evidence.
  public let share: Double
  /// The statistics behind a prediction; `nil` for other signals.
  public let habit: HabitReasons?

  /// Creates a signal's share.
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
  /// The evidence reaches the threshold; measured as evidence.
  case threshold
  /// The lead over the widget in front is sufficient, with a larger margin if both are predicted (for a rotation, if
  /// the candidate is not only predicted); measured as a difference of evidence.
  case margin
  /// The episode has neither moved this stack (for a suggestion, any stack) nor been rejected by the user, or it may
  /// bring back a member that a rotation replaced (rule R4); measured as 1 if it may move the stack, else 0;
  /// ``GateResult/episodeEnd`` is the cause.
  case episode
  /// The time since the last rotation or suggestion; measured in seconds.
  case dwell
  /// The time since the user touched the stack; measured in seconds.
  case hold
  /// The stack's rotations in the last 24 hours, including this one; measured as a count.
  case rotationBudget
  /// *Widget Suggestions* is on; measured as 1 or 0.
  case widgetSuggestions
  /// The widget's kind supports the stack's family; measured as 1 or 0.
  case family
  /// The lead over the stack's current suggestion is sufficient (rule R6); measured as a difference of evidence.
  case occupancy
  /// The user has not blocked or snoozed suggestions of the widget or its app; measured as 1, or 0 if blocked.
  case blocked
  /// The stack's suggestions in the last 24 hours, including this one; measured as a count.
  case suggestionBudget
  /// The app's suggestions on the device in the last 24 hours, including this one; measured as a count.
  case appSuggestionBudget
  /// No pin of the stack is in force (rule R12); measured as 1, or 0 if one is.
  case pinned
  /// The user allows rotations to the widget (rule R12); measured as 1 or 0.
  case neverTo
  /// The user allows rotations away from the widget in front (rule R12); measured as 1 or 0.
  case neverAway
  /// The time since a member last had evidence, for a return to the resting front (rule R13); measured in seconds.
  case rest
  /// No other widget stands for one of the widget's groups (rule R15); measured as 1 or 0.
  case group
  /// The rise in the probability of use within half an hour pays the cost of a rotation (rule R16); measured as a
  /// difference of probabilities.
  case gain

  /// The gates of a rotation, in evaluation order. Some are evaluated only where they can be closed: see
  /// ``isConditional``.
  public static let rotation: [Gate] = [
    .smartRotate, .pinned, .neverAway, .neverTo, .threshold, .margin, .gain, .group, .episode, .dwell, .hold,
    .rotationBudget,
  ]

  /// The gates of a suggestion, in evaluation order, with the same exception.
  public static let suggestion: [Gate] = [
    .widgetSuggestions, .pinned, .neverAway, .family, .blocked, .threshold, .margin, .occupancy, .group, .episode,
    .dwell, .hold, .suggestionBudget, .appSuggestionBudget,
  ]

  /// Whether the gate is evaluated only on stacks whose members have settings, or only for widgets in a group or with
  /// no evidence but a prediction.
  public var isConditional: Bool {
    switch self {
    case .pinned, .neverTo, .neverAway, .group, .gain: true
    case .smartRotate, .threshold, .margin, .episode, .dwell, .hold, .rotationBudget, .widgetSuggestions, .family,
      .occupancy, .blocked, .suggestionBudget, .appSuggestionBudget, .rest:
      false
    }
  }
}

/// The reason why an episode cannot bring its widget to the front again (rule R4).
public enum EpisodeEnd: UInt8, CaseIterable, Sendable {
  /// It moved the stack; for a suggestion, any stack.
  case moved = 1
  /// The user dismissed or removed the widget, or scrolled away from it.
  case rejected
}

/// The result of evaluating a gate.
public struct GateResult: Hashable, Sendable {
  /// The gate.
  public let gate: Gate
  /// Whether the candidate passes the gate.
  public let isPassed: Bool
  /// The measured value, in the gate's unit; infinite if there is nothing to measure.
  public let measured: Double
  /// The required value: a minimum, or for budgets a maximum.
  public let required: Double
  /// When a failed gate will pass if nothing else happens; `nil` if time alone does not open it.
  public let clears: Instant?
  /// The time of the event that determined the result, such as the user's last touch or the episode's earlier rotation.
  public let since: Instant?
  /// The reason why a failed ``Gate/episode`` is closed; `nil` for other gates, without an episode, and in decisions
  /// that earlier releases stored.
  public let episodeEnd: EpisodeEnd?

  /// Creates a gate result.
  public init(
    _ gate: Gate, isPassed: Bool, measured: Double, required: Double, clears: Instant? = nil, since: Instant? = nil,
    episodeEnd: EpisodeEnd? = nil
  ) {
    self.gate = gate
    self.isPassed = isPassed
    self.measured = measured
    self.required = required
    self.clears = clears
    self.since = since
    self.episodeEnd = isPassed ? nil : episodeEnd
  }

  fileprivate var withoutEpisodeEnd: GateResult {
    GateResult(gate, isPassed: isPassed, measured: measured, required: required, clears: clears, since: since)
  }
}

/// A change of a stack's front that the engine decided, with its complete explanation (rules R8, R10).
public struct Decision: Hashable, Sendable {
  /// A kind of decision.
  public enum Kind: UInt8, CaseIterable, Sendable {
    /// A member was rotated to the front (Smart Rotate).
    case rotation = 1
    /// A widget that is not on the Home Screen was suggested on top (Widget Suggestions).
    case suggestion
    /// A member whose pin is in force was brought to the front (rule R12).
    case pin
    /// The stack returned to its resting front, because no member has evidence (rule R13), or to the member that a pin
    /// had replaced (rule R12).
    case rest

    /// The kinds that depend on evidence, of which blocked decisions and outcomes are counted.
    public static let byEvidence: [Kind] = [.rotation, .suggestion]
  }

  /// The kind of decision.
  public let kind: Kind
  /// The number of the decision on the device, counted from 1.
  public let number: UInt64
  /// The widget that was brought to the front.
  public let to: Widget
  /// The explanation. Its ``Explanation/chosen`` is ``to``, and its ``Explanation/front`` is the previous front widget.
  /// The candidates are the possible suggestions for a suggestion, and the stack's members for any other decision.
  public let explanation: Explanation

  /// Creates a decision.
  public init(kind: Kind = .rotation, number: UInt64, to: Widget, explanation: Explanation) {
    self.kind = kind
    self.number = number
    self.to = to
    self.explanation = explanation
  }

  /// When the decision was made.
  public var at: Instant { explanation.at }
  /// The stack that was changed.
  public var stack: StackID { explanation.stack }
  /// The widget that was in front before.
  public var from: Widget? { explanation.front }

  /// The decision without the reasons for closed episode gates, as earlier releases stored it.
  public var withoutEpisodeEnds: Decision {
    let candidates = explanation.candidates.map { candidate in
      Candidate(
        widget: candidate.widget, position: candidate.position, isInFront: candidate.isInFront,
        evidence: candidate.evidence, signals: candidate.signals, episodeStart: candidate.episodeStart,
        gates: candidate.gates.map(\.withoutEpisodeEnd), pin: candidate.pin, expiry: candidate.expiry,
        representative: candidate.representative)
    }
    let explanation = Explanation(
      stack: stack, at: at, front: from, candidates: candidates, chosen: explanation.chosen)
    return Decision(kind: kind, number: number, to: to, explanation: explanation)
  }
}

/// The reason why a suggestion was removed from its stack (rule R5).
public enum SuggestionRemovalReason: UInt8, CaseIterable, Sendable {
  /// Its shortcut window or prediction ended, its entry expired, the app's new set omitted it, or its kind was removed.
  case evidenceEnded = 1
  /// The user dismissed it.
  case dismissed
  /// The user kept it: it is now a member.
  case kept
  /// The user placed the widget elsewhere on the Home Screen.
  case onHomeScreen
  /// The user blocked or snoozed suggestions of this widget or app.
  case blocked
  /// A suggestion with more evidence replaced it (rule R6).
  case replaced
  /// The user turned *Widget Suggestions* off.
  case switchedOff
  /// The pin of a member came into force (rule R12).
  case pinned
  /// A more relevant member of its group came to the front (rule R15).
  case represented
}

extension SuggestionRemovalReason: CustomStringConvertible {
  /// A short description of the reason.
  public var description: String {
    switch self {
    case .evidenceEnded: "evidence ended"
    case .dismissed: "dismissed"
    case .kept: "kept"
    case .onHomeScreen: "on the Home Screen"
    case .blocked: "blocked"
    case .replaced: "replaced"
    case .switchedOff: "switched off"
    case .pinned: "a member is pinned"
    case .represented: "represented by a member"
    }
  }
}
