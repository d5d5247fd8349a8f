import MarqueeModel

extension Device {
  mutating func publish(_ timeline: Timeline, for widget: Widget, _ actions: inout [Action]) {
    let slot = slot(making: widget)
    let old = widgets[slot].current
    let past = widgets[slot].publish(timeline, at: now)
    widgets[slot].reload.restart(timeline.policy, lastEntry: timeline.entries.last?.date, at: now)
    let kind = widgets[slot].kind
    remember(past, kind: kind)
    measure { $0 == kind }
    let current = widgets[slot].current
    if current != old { actions.append(Action(at: now, .refresh(widget, current))) }
  }

  /// Reaches every entry and end of relevance that is due now, and forgets the scores whose time is over.
  mutating func reachEdges(_ actions: inout [Action]) {
    var isStale = scores.map { $0.history.nextExpiry(memory: policy.scoreMemory).map { $0 <= now } ?? false }
    for slot in widgets.outlooks.indices where widgets.outlooks[slot].nextEdge.map({ $0 <= now }) ?? false {
      let (isNewEntry, past) = widgets[slot].reach(now)
      remember(past, kind: widgets[slot].kind)
      if isNewEntry { actions.append(Action(at: now, .refresh(widgets[slot].widget, widgets[slot].current))) }
      isStale[widgets[slot].kind] = true
    }
    measure { isStale[$0] }
  }

  private mutating func remember(_ score: Double?, kind: Int) {
    guard let score else { return }
    scores[kind].history.remember(score, until: now)
  }

  /// Finds anew the highest score of the kinds whose index `isStale` names (rule T6), and the evidence of their
  /// widgets.
  mutating func measure(_ isStale: (Int) -> Bool) {
    for kind in scores.indices where isStale(kind) {
      scores[kind].history.forget(at: now, memory: policy.scoreMemory)
      scores[kind].best = scores[kind].history.highest
    }
    for outlook in widgets.outlooks {
      guard let kind = outlook.kind, isStale(kind) else { continue }
      scores[kind].best = max(scores[kind].best, outlook.bestScore)
    }
    for slot in widgets.outlooks.indices {
      guard let kind = widgets.outlooks[slot].kind, isStale(kind) else { continue }
      widgets[slot].evidence = timelineShare(slot)?.share ?? 0
    }
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
    let reference = scores[state.kind].best
    let strength = Self.strength(score, of: reference)
    return SignalShare(
      signal: .timeline, score: score, reference: reference, strength: strength, weight: policy.timelineWeight,
      share: 0 - (1 - policy.timelineWeight * strength).naturalLogarithm)
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
