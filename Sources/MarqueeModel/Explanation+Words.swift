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
    }
  }

  /// The unit in which it measures; empty for a plain yes or no.
  public var unit: String {
    switch self {
    case .smartRotate, .episode: ""
    case .threshold, .margin: "evidence"
    case .dwell, .hold: "seconds"
    case .rotationBudget: "rotations"
    }
  }
}

extension SignalShare.Signal: CustomStringConvertible {
  /// The signal's name, as policies and tools spell it.
  public var description: String {
    switch self {
    case .timeline: "timeline"
    }
  }
}

extension Explanation {
  /// What happened and why, in one sentence without its full stop; `format` says instants in the reader's way.
  public func summary(format: (Instant) -> String = \.description) -> String {
    if let chosen, let candidate = candidates.first(where: { $0.widget == chosen }) {
      return "\(chosen.name) leads: \(candidate.reasons)"
    }
    guard let front else { return "the stack is empty" }
    guard let best = candidates.first(where: { $0.evidence > 0 }) else {
      return "\(front.name) stays: no widget of the stack has evidence"
    }
    if best.isInFront { return "\(front.name) stays: \(best.reasons)" }
    guard let gate = best.gates.first(where: { !$0.isPassed }) else { return "\(front.name) stays" }
    return "\(front.name) stays; \(best.widget.name): \(gate.summary(format: format))"
  }
}

extension Candidate {
  /// What speaks for the widget and, unless it may be rotated to, the first gate that stops it, in one sentence
  /// without its full stop; `format` says instants in the reader's way.
  public func summary(format: (Instant) -> String = \.description) -> String {
    if isInFront { return "\(widget.name) is in front: \(reasons)" }
    guard let gate = gates.first(where: { !$0.isPassed }) else { return "\(widget.name): \(reasons)" }
    return "\(widget.name): \(reasons); \(gate.summary(format: format))"
  }

  fileprivate var reasons: String {
    guard evidence > 0 else { return "no evidence" }
    return (signals.map(\.words) + ["evidence \(evidence.words)"]).joined(separator: ", ")
  }
}

extension Widget {
  /// Characters of a widget's name in a sentence, at most.
  private static var nameLengthMax: Int { 80 }

  fileprivate var name: String {
    title.count <= Self.nameLengthMax ? title : title.prefix(Self.nameLengthMax - 1) + "…"
  }
}

extension SignalShare {
  fileprivate var words: String {
    switch signal {
    case .timeline: "its score \(score.words) is \((strength * 100).rounded().words) % of its kind's best"
    }
  }
}

extension GateResult {
  /// What the gate found, in one sentence without its full stop; `format` says instants in the reader's way.
  public func summary(format: (Instant) -> String = \.description) -> String {
    let since = since.map { " at \(format($0))" } ?? ""
    switch gate {
    case .smartRotate: return isPassed ? "Smart Rotate is on" : "Smart Rotate is off"
    case .threshold:
      return "evidence \(measured.words) \(measured >= required ? "reaches" : "is below") "
        + "the threshold \(required.words)"
    case .margin: return marginSummary
    case .episode:
      if isPassed { return "its episode has not moved the stack yet" }
      guard self.since != nil else { return "without evidence there is no episode" }
      return "its episode, begun\(since), is spent: it moved the stack or the person scrolled away from it"
    case .dwell:
      return waitingSummary(for: "the last automatic change was\(since)", none: "no automatic change yet")
    case .hold:
      return waitingSummary(for: "the person touched the stack\(since)", none: "the person has not touched the stack")
    case .rotationBudget:
      let opens = clears.map { ", again from \(format($0))" } ?? ""
      return lifted(measured > required)
        + "this would be rotation \(measured.words) in 24 hours, \(required.words) allowed\(opens)"
    }
  }

  private var marginSummary: String {
    guard measured.isFinite else { return "nothing is in front" }
    let lead = measured < 0 ? "behind the front by \((-measured).words)" : "ahead of the front by \(measured.words)"
    return "\(lead), \(required.words) needed"
  }

  private func waitingSummary(for cause: String, none: String) -> String {
    guard measured.isFinite else { return none }
    guard measured < required else { return "\(cause), \(TimeSpan.words(seconds: required)) have passed" }
    return "\(lifted(true))held \(TimeSpan.words(seconds: required - measured)) more: \(cause)"
  }

  /// A gate passed although its measure fails: developer mode lifts it (rule R7).
  private func lifted(_ fails: Bool) -> String {
    isPassed && fails ? "lifted in developer mode: " : ""
  }
}

extension TimeSpan {
  /// That many seconds in the two largest units that matter, such as `6 min`, `2 h 5 min` or `45 s`; rounded up.
  fileprivate static func words(seconds: Double) -> String {
    var rest = Int64(min(max(seconds, 0), 1e12).rounded(.up))
    var parts: [String] = []
    for (size, unit) in [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")] as [(Int64, String)] {
      let (count, remainder) = rest.quotientAndRemainder(dividingBy: size)
      if count > 0 { parts.append("\(count) \(unit)") }
      rest = remainder
    }
    return parts.isEmpty ? "0 s" : parts.prefix(2).joined(separator: " ")
  }
}

extension Double {
  /// The number with at most two decimals, or all its digits when it is nearer to zero.
  fileprivate var words: String {
    let rounded = magnitude < 0.01 || magnitude > 1e15 ? self : (self * 100).rounded() / 100
    return Int64(exactly: rounded).map(String.init) ?? "\(rounded)"
  }
}
