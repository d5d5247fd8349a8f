extension Gate: CustomStringConvertible {
  /// The gate's name, as policies and tools spell it.
  public var description: String {
    switch self {
    case .smartRotate: "smart rotate"
    case .threshold: "threshold"
    case .margin: "margin"
    case .episode: "episode"
    case .dwell: "dwell"
    case .hold: "hold"
    case .rotationBudget: "rotation budget"
    case .widgetSuggestions: "widget suggestions"
    case .family: "family"
    case .occupancy: "occupancy"
    case .blocked: "blocked"
    case .suggestionBudget: "suggestion budget"
    case .appSuggestionBudget: "app suggestion budget"
    case .pinned: "pinned"
    case .neverTo: "never to"
    case .neverAway: "never away"
    case .rest: "resting front"
    case .group: "group"
    case .gain: "gain"
    }
  }

  /// The unit of the measured value; empty for a Boolean gate.
  public var unit: String {
    switch self {
    case .smartRotate, .episode, .widgetSuggestions, .family, .blocked, .pinned, .neverTo, .neverAway, .group: ""
    case .threshold, .margin, .occupancy: "evidence"
    case .dwell, .hold, .rest: "seconds"
    case .gain: "probability"
    case .rotationBudget: "rotations"
    case .suggestionBudget, .appSuggestionBudget: "suggestions"
    }
  }
}

extension SignalShare.Signal: CustomStringConvertible {
  /// The signal's name, as policies and tools spell it.
  public var description: String {
    switch self {
    case .timeline: "timeline"
    case .shortcut: "shortcut"
    case .prediction: "prediction"
    }
  }
}

extension Explanation {
  /// Returns a one-sentence summary of the decision and its reason, without a full stop.
  ///
  /// - Parameters:
  ///   - format: Formats an instant for the reader.
  ///   - name: Returns the name of a widget for the reader.
  public func summary(
    format: (Instant) -> String = \.description, name: (Widget) -> String = \.shownName
  ) -> String {
    if let chosen, let candidate = candidates.first(where: { $0.widget == chosen }) {
      if let pin = candidate.pin { return "\(name(chosen)) is \(pin.words)" }
      if candidate.returnsAfterPin { return "\(name(chosen)) returns: the pin that replaced it has ended" }
      guard candidate.evidence > 0 else { return "\(name(chosen)) is the resting front: \(Self.noEvidence)" }
      return "\(name(chosen)) leads: \(candidate.reasons)"
    }
    guard let front else { return "the stack is empty" }
    if let pinned = candidates.first(where: { $0.pin != nil }) { return pinned.summary(format: format, name: name) }
    guard let best = candidates.first(where: { $0.evidence > 0 }) else {
      return "\(name(front)) stays: \(Self.noEvidence)"
    }
    if best.isInFront { return "\(name(front)) stays: \(best.reasons)" }
    guard let gate = best.gates.first(where: { !$0.isPassed }) else { return "\(name(front)) stays" }
    return "\(name(front)) stays; \(name(best.widget)): \(best.summary(of: gate, format: format, name: name))"
  }

  private static var noEvidence: String { "no widget of the stack has evidence" }
}

extension Explanation {
  /// Returns a one-sentence summary of an explanation of the stack's suggestions, without a full stop.
  ///
  /// - Parameters:
  ///   - format: Formats an instant for the reader.
  ///   - name: Returns the name of a widget for the reader.
  public func suggestionSummary(
    format: (Instant) -> String = \.description, name: (Widget) -> String = \.shownName
  ) -> String {
    if let chosen, let candidate = candidates.first(where: { $0.widget == chosen }) {
      return "\(name(chosen)) is suggested: \(candidate.reasons)"
    }
    guard let best = candidates.first else {
      return "nothing to suggest: no shortcut or habit supports a widget that the device does not show"
    }
    guard let gate = best.gates.first(where: { !$0.isPassed }) else { return "\(name(best.widget)) may be suggested" }
    return "\(name(best.widget)) is not suggested: \(best.summary(of: gate, format: format, name: name))"
  }
}

extension Candidate {
  /// Returns a one-sentence summary, without a full stop, of the evidence for the widget and of the first gate that
  /// blocks it, if any.
  ///
  /// - Parameters:
  ///   - format: Formats an instant for the reader.
  ///   - name: Returns the name of a widget for the reader.
  public func summary(
    format: (Instant) -> String = \.description, name: (Widget) -> String = \.shownName
  ) -> String {
    let reasons = reasons + (expiry.map { "; its entry expired at \(format($0))" } ?? "")
    if isInFront { return "\(name(widget)) is in front: \(reasons)" }
    guard let gate = gates.first(where: { !$0.isPassed }) else { return "\(name(widget)): \(reasons)" }
    return "\(name(widget)): \(reasons); \(summary(of: gate, format: format, name: name))"
  }

  /// Returns a one-sentence summary of the result of one of the widget's gates, without a full stop.
  ///
  /// - Parameters:
  ///   - gate: The result.
  ///   - format: Formats an instant for the reader.
  ///   - name: Returns the name of a widget for the reader.
  public func summary(
    of gate: GateResult, format: (Instant) -> String = \.description, name: (Widget) -> String = \.shownName
  ) -> String {
    guard gate.gate == .group, let representative else { return gate.summary(format: format) }
    return representative.groupSummary(name: name)
  }

  fileprivate var reasons: String {
    if let pin { return pin.words }
    guard evidence > 0 else { return "no evidence" }
    return (signals.map(\.words) + ["evidence \(evidenceWords)"]).joined(separator: ", ")
  }

  /// The evidence as text, rounded like its comparison with the threshold that it has to reach.
  package var evidenceWords: String {
    guard let threshold = gates.first(where: { $0.gate == .threshold }) else { return evidence.words }
    return evidence.words(comparedWith: threshold.required).number
  }
}

extension Widget {
  /// Returns the reason why another widget of the widget's group does not come to the front (rule R15).
  func groupSummary(name: (Widget) -> String) -> String { "represented by \(name(self)), which is in the same group" }

  /// The maximum number of characters of a widget's name in a sentence.
  private static var nameLengthMax: Int { 80 }

  /// The name in sentences, without the texts of its kind and intent type.
  public var shownName: String { Self.shortened(ActionDisplay(of: self).title) }

  /// Returns a name, shortened for a sentence: also in bytes, of which a character can have any number.
  public static func shortened(_ name: String) -> String {
    let name = name.shortened(to: ActionDisplay.valueSizeMax)
    return name.count <= nameLengthMax ? name : name.prefix(nameLengthMax - 1) + "…"
  }
}

extension SignalShare {
  fileprivate var words: String {
    let plain = (score / reference).isFinite ? score / reference : strength
    // Strength is rounded to 20 binary places; only a larger difference results from the widget's learned weight.
    let isWeighed = (plain - strength).magnitude > 1e-5
    let weighed = isWeighed ? ", adjusted to \(percentage(strength)) by past reactions" : ""
    switch signal {
    case .timeline: return "its score \(score.words) is \(percentage(plain)) of its kind's best\(weighed)"
    case .shortcut: return "its app marks it as relevant now\(weighed)"
    case .prediction:
      let reasons = habit.map { " (\($0.words))" } ?? ""
      return "its use within half an hour has a probability of \(Self.range(plain))\(reasons)\(weighed)"
    }
  }

  /// Returns the range of the probabilities that are quantized to `probability`, in percent: policies compare the
  /// probability itself, which can be above a minimum that the lower bound is below.
  private static func range(_ probability: Double) -> String {
    let part = 1 / Double(probabilityPartCount)
    // A lower probability counts as half a part.
    guard probability >= part else { return "less than \((part * 100).rounded(.up).words) %" }
    let most = ((probability + part) * 100).rounded(.up).words
    return probability < 1 ? "\((probability * 100).rounded(.down).words) to \(most) %" : "100 %"
  }

  /// Returns a fraction in percent.
  private func percentage(_ fraction: Double) -> String { "\((fraction * 100).rounded().words) %" }
}

extension EpisodeEnd? {
  fileprivate var words: String {
    let (moved, rejected) = ("it already moved a stack", "the user dismissed, removed or scrolled away from the widget")
    return switch self {
    case .moved: moved
    case .rejected: rejected
    case nil: "\(moved), or \(rejected)"
    }
  }
}

extension GateResult {
  /// Returns a one-sentence summary of the result, without a full stop.
  ///
  /// - Parameter format: Formats an instant for the reader.
  public func summary(format: (Instant) -> String = \.description) -> String {
    let since = since.map { " at \(format($0))" } ?? ""
    switch gate {
    case .smartRotate: return isPassed ? "Smart Rotate is on" : "Smart Rotate is off"
    case .threshold: return thresholdSummary
    case .margin: return marginSummary
    case .episode:
      if isPassed { return "its episode may move the stack" }
      guard self.since != nil else { return "no episode without evidence" }
      return "its episode, which began\(since), is used up: \(episodeEnd.words)"
    case .dwell:
      return waitingSummary(for: "the last rotation or suggestion was\(since)", none: "no rotation or suggestion yet")
    case .hold:
      return waitingSummary(for: "the user touched the stack\(since)", none: "the user has not touched the stack")
    case .rotationBudget: return budgetSummary("rotation", "", format)
    case .widgetSuggestions: return isPassed ? "Widget Suggestions is on" : "Widget Suggestions is off"
    case .family: return isPassed ? "its kind supports the family" : "its kind does not support the stack's family"
    case .occupancy: return occupancySummary
    case .blocked: return blockSummary(format)
    case .suggestionBudget: return budgetSummary("suggestion", " on the stack", format)
    case .appSuggestionBudget: return budgetSummary("suggestion", " of the app", format)
    case .pinned: return isPassed ? "no other widget is pinned now" : "another widget is pinned"
    case .neverTo: return isPassed ? "the stack may rotate to it" : "the user keeps the stack from rotating to it"
    case .neverAway:
      return isPassed
        ? "the stack may rotate away from its front" : "the user keeps the stack from rotating away from its front"
    case .rest: return restSummary(format)
    case .gain: return gainSummary(format)
    case .group:
      return isPassed ? "no other widget of its group comes first" : "another widget of its group comes first"
    }
  }

  private func restSummary(_ format: (Instant) -> String) -> String {
    let start = since.map { " since \(format($0))" } ?? ""
    return waitingSummary(for: "the stack has had neither evidence nor a pin\(start)", none: "the stack does not rest")
  }

  private func blockSummary(_ format: (Instant) -> String) -> String {
    guard !isPassed else { return "it may be suggested" }
    return clears.map { "snoozed by the user until \(format($0))" } ?? "blocked by the user"
  }

  private func budgetSummary(_ thing: String, _ place: String, _ format: (Instant) -> String) -> String {
    let opens = clears.map { ", again from \(format($0))" } ?? ""
    return lifted(measured > required)
      + "this would be \(thing) \(measured.words)\(place) in 24 hours, \(required.words) allowed\(opens)"
  }

  private var occupancySummary: String {
    measured.isFinite ? leadSummary(over: "the suggestion on top") : "the stack has no suggestion"
  }

  /// Returns the reason why the gate is closed. Mentions the user's interaction if it is the cause, as in `held for
  /// another 6 min because the user touched the stack at 14:02`.
  func obstacleSummary(format: (Instant) -> String) -> String {
    guard let since, measured < required else { return summary(format: format) }
    let remaining = TimeSpan.words(seconds: required - measured)
    switch gate {
    case .hold: return "held for another \(remaining) because the user touched the stack at \(format(since))"
    case .dwell: return "held for another \(remaining) because of the rotation or suggestion at \(format(since))"
    default: return summary(format: format)
    }
  }

  private var thresholdSummary: String {
    // A threshold of 0 requires some evidence, too.
    guard measured > 0 || required > 0 else { return "no evidence" }
    let words = measured.words(comparedWith: required)
    return "evidence \(words.number) \(measured >= required ? "reaches" : "is below") the threshold \(words.minimum)"
  }

  private var marginSummary: String {
    measured.isFinite ? leadSummary(over: "the front") : "nothing is in front"
  }

  private func leadSummary(over rival: String) -> String {
    let words = measured.words(comparedWith: required)
    if measured == 0 { return "as strong as \(rival), a lead\(required > 0 ? " of \(words.minimum)" : "") needed" }
    let lead = measured < 0 ? "behind \(rival) by \((-measured).words)" : "ahead of \(rival) by \(words.number)"
    return "\(lead), \(needed(words.minimum))"
  }

  private func gainSummary(_ format: (Instant) -> String) -> String {
    guard measured > 0 else { return "the widget in front is at least as likely to be used" }
    let words = measured.words(comparedWith: required)
    let end = clears.map { ", until \(format($0))" } ?? ""
    let cost = required > 0 ? " because of the stack's rotations in the last 24 hours" : ""
    return "raises the probability of use by \(words.number), \(needed(words.minimum))\(cost)\(end)"
  }

  /// Returns the required lead, of which 0 means any.
  private func needed(_ minimum: String) -> String { required > 0 ? "\(minimum) needed" : "more than 0 needed" }

  private func waitingSummary(for cause: String, none: String) -> String {
    guard measured.isFinite else { return none }
    guard measured < required else {
      let (elapsed, least) = (TimeSpan.words(seconds: measured), TimeSpan.words(seconds: required))
      return "\(cause), \(gate == .rest ? "for \(elapsed)" : "\(elapsed) ago"); \(least) needed"
    }
    return "\(lifted(true))held for another \(TimeSpan.words(seconds: required - measured)): \(cause)"
  }

  /// Returns a prefix for a gate that passed only because developer mode is on (rule R7).
  private func lifted(_ fails: Bool) -> String {
    isPassed && fails ? "lifted in developer mode: " : ""
  }
}

extension TimeSpan {
  /// The length without its sign in the two largest units, rounded up to seconds, such as `5049 d 2 h`; in milliseconds
  /// below one second.
  package var words: String {
    let length = milliseconds.magnitude
    return length > 0 && length < 1_000 ? "\(length) ms" : Self.words(seconds: Double(length) / 1_000)
  }

  /// Returns the span as an adjective, such as `30-minute` or `45-second`.
  static func adjective(_ span: TimeSpan) -> String {
    let seconds = Int64(saturating: span.seconds.rounded(.up))
    let units: [(Int64, String)] = [(86_400, "day"), (3_600, "hour"), (60, "minute")]
    for (size, unit) in units where seconds >= size && seconds % size == 0 { return "\(seconds / size)-\(unit)" }
    return "\(seconds)-second"
  }

  /// Formats a number of seconds in the two largest units, rounded up, such as `6 min`, `2 h 5 min` or `45 s`.
  static func words(seconds: Double) -> String {
    var remaining = Int64(saturating: min(max(seconds, 0), 1e12).rounded(.up))
    var parts: [String] = []
    for (size, unit) in [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")] as [(Int64, String)] {
      let (count, remainder) = remaining.quotientAndRemainder(dividingBy: size)
      if count > 0 { parts.append("\(count) \(unit)") }
      remaining = remainder
    }
    return parts.isEmpty ? "0 s" : parts.prefix(2).joined(separator: " ")
  }
}
