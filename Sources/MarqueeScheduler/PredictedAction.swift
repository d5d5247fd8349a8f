import MarqueeModel

/// An action of an intent type that is predicted to happen soon.
struct PredictedAction: Sendable {
  let app: AppID
  let intent: Intent
  /// The probability in sixteenths, rounded down.
  let parts: Int
  let isBackground: Bool
  /// Whether the probability is at least the policy's minimum, so that widgets may be suggested because of it.
  let isLikely: Bool

  /// Whether the action matches the widget: the widget is the app's, and its configuration has all of the action's
  /// parameter values (rule P5).
  func fits(_ widget: Widget) -> Bool {
    widget.kind.app == app && widget.configuration.map { intent.isPart(of: $0) } ?? false
  }

  /// Returns the bit mask of the configuration's parameters that the action has.
  func mask(in configuration: Intent) -> UInt64 {
    var mask: UInt64 = 0
    for (bit, parameter) in configuration.parameters.enumerated() where intent.parameters.contains(parameter) {
      mask |= 1 << bit
    }
    return mask
  }

  /// Whether the action has all parameter values of another one, and more.
  private func extends(_ other: PredictedAction) -> Bool {
    other.intent.parameters.count < intent.parameters.count && app == other.app && other.intent.isPart(of: intent)
  }

  /// Whether one intent can satisfy both actions.
  private func agrees(with other: PredictedAction) -> Bool {
    app == other.app && intent.type == other.intent.type
      && intent.parameters.allSatisfy { mine in
        other.intent.parameters.allSatisfy { $0.name != mine.name || $0.value == mine.value }
      }
  }

  /// Whether the probability is at least half of that of another action, unless that one is not less specific (rule
  /// P3).
  func isQualified(beside other: PredictedAction) -> Bool {
    !extends(other) || 2 * PredictionSchedule.halfParts(parts) >= PredictionSchedule.halfParts(other.parts)
  }

  /// Whether the action, if it is qualified, supersedes another one: it is more specific, or equally specific and about
  /// as probable and, unlike the other, runs in the background.
  ///
  /// Two actions that are donated together may temporarily differ by one part, hence the tolerance.
  func replaces(_ other: PredictedAction) -> Bool {
    if extends(other) { return true }
    return isBackground && !other.isBackground && parts + 1 >= other.parts
      && intent.parameters.count == other.intent.parameters.count && agrees(with: other)
  }
}

// Actions are identified by their indices, because they are large.
extension [PredictedAction] {
  /// Returns the action that counts for a widget, out of those that it matches; see ``winner(of:)``.
  func winner(for widget: Widget) -> Int? {
    guard let configuration = widget.configuration else { return nil }
    // Most widgets match one action at most, which then counts.
    var (first, others) = (Int?.none, [Int]())
    for index in indices where self[index].app == widget.kind.app && self[index].intent.isPart(of: configuration) {
      if first == nil { first = index } else { others.append(index) }
    }
    guard let first, !others.isEmpty else { return first }
    return winner(of: [first] + others)
  }

  /// Returns those of some actions that count as predictions (rule P3).
  ///
  /// An action is superseded by a more specific one, unless that one's probability is less than half of a less specific
  /// one's, and by an equivalent one that runs in the background.
  func winners(of candidates: [Int]) -> [Int] {
    let qualified = candidates.filter { index in candidates.allSatisfy { self[index].isQualified(beside: self[$0]) } }
    return qualified.filter { index in !qualified.contains { self[$0].replaces(self[index]) } }
  }

  /// Returns the action that counts for a widget that all of some actions match: the most specific winner; ties go to
  /// the more probable one, then to one that runs in the background, then to the first.
  func winner(of candidates: [Int]) -> Int? {
    var best: Int?
    for index in winners(of: candidates) {
      guard let other = best else {
        best = index
        continue
      }
      let (mine, its) = (self[index].intent.parameters.count, self[other].intent.parameters.count)
      if mine != its {
        if mine > its { best = index }
      } else if self[index].parts != self[other].parts {
        if self[index].parts > self[other].parts { best = index }
      } else if self[index].isBackground && !self[other].isBackground {
        best = index
      }
    }
    return best
  }
}
