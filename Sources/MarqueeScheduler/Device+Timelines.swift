import MarqueeModel

extension Device {
  mutating func publish(_ timeline: Timeline, for widget: Widget, _ actions: inout [Action]) {
    let slot = slot(making: widget)
    let old = widgets[slot].current
    let past = widgets[slot].publish(timeline, at: now)
    widgets[slot].reload.restart(timeline.policy, lastEntry: timeline.entries.last?.date, at: now)
    remember(past, kind: widgets[slot].kind)
    measure(widgets[slot].kind)
    let current = widgets[slot].current
    if current != old { actions.append(Action(at: now, .refresh(widget, current))) }
  }

  /// Reaches every entry and end of relevance that is due now, and forgets the scores whose time is over.
  mutating func reachEdges(_ actions: inout [Action]) {
    for slot in widgets.slots.indices {
      guard let edge = widgets.slots[slot]?.nextEdge, edge <= now else { continue }
      let (isNewEntry, past) = widgets[slot].reach(now)
      remember(past, kind: widgets[slot].kind)
      if isNewEntry { actions.append(Action(at: now, .refresh(widgets[slot].widget, widgets[slot].current))) }
      measure(widgets[slot].kind)
    }
    forgetScores()
  }

  /// Forgets what is older than the policy's memory, of every kind.
  mutating func forgetScores() {
    for kind in kinds.values.indices where kinds.values[kind].history.forget(at: now, memory: policy.scoreMemory) {
      measure(kind)
    }
  }

  private mutating func remember(_ score: Double?, kind: Int) {
    guard let score else { return }
    kinds.values[kind].history.remember(score, until: now)
  }

  /// Finds the highest score of a kind anew (rule T6).
  private mutating func measure(_ kind: Int) {
    var best = kinds.values[kind].history.highest
    for case let state? in widgets.slots where state.kind == kind {
      best = max(best, state.timelineBest, state.positiveScore)
    }
    kinds.values[kind].best = best
  }

  /// The slot of a widget whose kind is registered; a new one if it has none.
  mutating func slot(making widget: Widget) -> Int {
    if let slot = widgets.slot(of: widget) { return slot }
    guard let kind = kinds.index(forKey: widget.kind) else { preconditionFailure("the kind was not checked") }
    return widgets.insert(WidgetState(widget: widget, kind: kind))
  }

  /// Evidence of a widget from its timeline (rules R1, T6), with what it is made of.
  func timelineShare(_ slot: Int) -> SignalShare? {
    let state = widgets[slot]
    let score = state.positiveScore
    guard score > 0 else { return nil }
    let reference = kinds.values[state.kind].best
    let strength = Self.strength(score, of: reference)
    return SignalShare(
      signal: .timeline, score: score, reference: reference, strength: strength, weight: policy.timelineWeight,
      share: -(1 - policy.timelineWeight * strength).naturalLogarithm)
  }

  /// `score ÷ reference`, rounded to 20 binary places.
  ///
  /// Scaling both by one factor can change the last bit of the quotient; rounding keeps that from tipping a tie
  /// between widgets, so that decisions do not depend on the scale of scores (rule T6).
  private static func strength(_ score: Double, of reference: Double) -> Double {
    let grid = 1_048_576.0
    return (score / reference * grid).rounded() / grid
  }
}
