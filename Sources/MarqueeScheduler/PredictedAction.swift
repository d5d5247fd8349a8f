import MarqueeModel

/// An action of an intent type that is expected soon.
struct PredictedAction: Sendable {
  let app: AppID
  let intent: Intent
  /// Its probability in sixteenths.
  let parts: Int
  let isBackground: Bool

  /// Whether a widget of the action's app that has this configuration is what the action is about: the values are equal
  /// over the action's combination (rule P5).
  func fits(_ widget: Widget) -> Bool {
    widget.kind.app == app && widget.configuration.map { intent.isPart(of: $0) } ?? false
  }

  /// The combination, with a bit for each of the configuration's parameters that is in it.
  func mask(in configuration: Intent) -> UInt64 {
    var mask: UInt64 = 0
    for (bit, parameter) in configuration.parameters.enumerated() where intent.parameters.contains(parameter) {
      mask |= 1 << bit
    }
    return mask
  }

  /// Whether it has all of the other's values, and more.
  private func extends(_ other: PredictedAction) -> Bool {
    other.intent.parameters.count < intent.parameters.count && app == other.app && other.intent.isPart(of: intent)
  }

  /// Whether both can be part of one intent.
  private func agrees(with other: PredictedAction) -> Bool {
    app == other.app && intent.type == other.intent.type
      && intent.parameters.allSatisfy { mine in
        other.intent.parameters.allSatisfy { $0.name != mine.name || $0.value == mine.value }
      }
  }

  /// Whether its probability is not below half of any less specific one's (rule P3).
  func holds(among actions: [PredictedAction]) -> Bool {
    actions.allSatisfy { !extends($0) || 2 * parts >= $0.parts }
  }

  /// Whether it, which holds, takes the place of a less specific one, or is as probable and, unlike the other, runs in
  /// the background. Two that are donated together may differ by one part, where one of them has just reached it.
  func replaces(_ other: PredictedAction) -> Bool {
    if extends(other) { return true }
    return isBackground && !other.isBackground && parts + 1 >= other.parts
      && intent.parameters.count == other.intent.parameters.count && agrees(with: other)
  }
}

extension [PredictedAction] {
  /// Those that predict something: the more specific ones, unless they are below half of a less specific one's
  /// probability; of two alike, the one that runs in the background (rule P3).
  var winners: [PredictedAction] { winnerIndices.map { self[$0] } }

  /// The indices of ``winners``.
  var winnerIndices: [Int] {
    let holding = indices.filter { self[$0].holds(among: self) }
    return holding.filter { index in !holding.contains { self[$0].replaces(self[index]) } }
  }

  /// Of those that fit one widget, the most specific that holds; then the more probable, then one that runs in the
  /// background, then the first.
  var winner: PredictedAction? {
    var best: PredictedAction?
    for action in winners {
      guard let other = best else {
        best = action
        continue
      }
      let (mine, its) = (action.intent.parameters.count, other.intent.parameters.count)
      if mine != its {
        if mine > its { best = action }
      } else if action.parts != other.parts {
        if action.parts > other.parts { best = action }
      } else if action.isBackground && !other.isBackground {
        best = action
      }
    }
    return best
  }
}
