import MarqueeModel

extension Device {
  mutating func publish(
    _ timeline: Timeline, sequence: UInt64?, for widget: Widget, _ actions: inout [Action]
  ) {
    let counted = evictTimelines(publishing: timeline, for: widget)
    let first: Int
    if let family = timeline.family {
      first = widgets.slot(of: widget, in: family) ?? insert(WidgetInstance(widget, in: family), counted)
      publish(timeline, sequence: sequence, first, &actions)
    } else {
      first = widgets.firstSlot(of: widget) ?? insert(WidgetInstance(widget, in: firstFamily(of: widget)), counted)
      var slot = first
      repeat {
        publish(timeline, sequence: sequence, slot, &actions)
        slot = widgets.nextSlot(after: slot)
      } while slot != first
    }
    let kind = widgets[first].kind
    recomputeScoreReferences { $0 == kind }
    if timeline.family == nil { removeUnreferenced(first) }
  }

  /// Inserts an instance whose timeline evicts others, with the counted reload requests that it takes over from them.
  private mutating func insert(_ instance: WidgetInstance, _ counted: [Instant]) -> Int {
    let slot = insert(instance)
    widgets[slot].reload = Reload(counted: counted)
    return slot
  }

  private mutating func publish(_ timeline: Timeline, sequence: UInt64?, _ slot: Int, _ actions: inout [Action]) {
    let (old, wasExpired) = (widgets[slot].shown, widgets[slot].isExpired)
    let past = widgets[slot].publish(timeline, sequence: sequence, at: now)
    resumeEpisodes(slot, wasExpired: wasExpired)
    widgets[slot].reload.restart(timeline.policy, lastEntry: timeline.entries.last?.date, at: now)
    remember(past, kind: widgets[slot].kind)
    let shown = widgets[slot].shown
    if shown != old { actions.append(Action(at: now, .refresh(widgets[slot].instance, shown))) }
  }

  /// Returns the first family of the widget's kind, which is registered.
  func firstFamily(of widget: Widget) -> WidgetFamily {
    guard let kind = kinds.index(forKey: widget.kind) else { preconditionFailure("the kind was not validated") }
    return kinds.values[kind].families[0]
  }

  /// Applies every timeline entry, expiry, relevance end and window boundary that is due now, and expires old score
  /// references.
  mutating func advanceToDueBoundaries(_ actions: inout [Action]) {
    var isStale = scores.map { $0.history.nextExpiry(retention: policy.scoreRetention).map { $0 <= now } ?? false }
    for slot in widgets.summaries.indices where widgets.summaries[slot].nextBoundary.map({ $0 <= now }) ?? false {
      let wasExpired = widgets[slot].isExpired
      let (shown, past) = widgets[slot].reach(now)
      resumeEpisodes(slot, wasExpired: wasExpired)
      remember(past, kind: widgets[slot].kind)
      if let shown {
        let instance = WidgetInstance(widgets[slot].widget, in: widgets[slot].family)
        actions.append(Action(at: now, .refresh(instance, shown)))
      }
      isStale[widgets[slot].kind] = true
    }
    recomputeScoreReferences { isStale[$0] }
  }

  mutating func remember(_ score: Double?, kind: Int) {
    guard let score else { return }
    scores[kind].history.remember(score, until: now)
  }

  /// Recomputes the score references of the kinds for which `isStale` returns `true` (rule T6), and the evidence of
  /// their widgets.
  mutating func recomputeScoreReferences(_ isStale: (Int) -> Bool) {
    for kind in scores.indices where isStale(kind) {
      scores[kind].history.removeExpired(at: now, retention: policy.scoreRetention)
      scores[kind].best = scores[kind].history.highest
    }
    for summary in widgets.summaries {
      guard let kind = summary.kind, isStale(kind) else { continue }
      scores[kind].best = max(scores[kind].best, summary.bestScore)
    }
    for slot in widgets.summaries.indices {
      guard let kind = widgets.summaries[slot].kind, isStale(kind) else { continue }
      recomputeEvidence(slot)
    }
  }

  /// Recomputes the evidence of a widget (rule R1).
  mutating func recomputeEvidence(_ slot: Int) {
    var evidence = 0.0
    forEachShare(slot) { evidence += $0.share }
    widgets.setEvidence(evidence, of: slot)
  }

  /// Returns what each signal contributes to a widget's evidence (rule R1), in the order of ``SignalShare/Signal``.
  func evidenceShares(_ slot: Int) -> [SignalShare] {
    var shares: [SignalShare] = []
    // Most widgets have one signal; a one-element literal avoids the larger allocation of `append`.
    forEachShare(slot) { if shares.isEmpty { shares = [$0] } else { shares.append($0) } }
    return shares
  }

  /// Calls `body` with the share of each signal; an expired entry leaves none (rule W4).
  private func forEachShare(_ slot: Int, _ body: (SignalShare) -> Void) {
    guard !widgets[slot].isExpired else { return }
    let (score, factor) = (widgets.summaries[slot].score, widgets[slot].engagementFactor)
    if score > 0 {
      body(share(.timeline, score, of: scores[widgets[slot].kind].best, factor, policy.timelineWeight))
    }
    if widgets[slot].windows.openCount > 0 { body(share(.shortcut, 1, of: 1, factor, policy.shortcutWeight)) }
    if let probability = widgets[slot].prediction?.probability {
      body(share(.prediction, probability, of: 1, factor, policy.predictionWeight))
    }
  }

  /// Returns the evidence that a widget would gain if its prediction were ``Policy/predictionLead`` times as probable.
  func predictionGain(_ prediction: Prediction, of slot: Int) -> Double {
    let probability = min(1, prediction.probability * policy.predictionLead)
    let (factor, weight) = (widgets[slot].engagementFactor, policy.predictionWeight)
    return share(.prediction, probability, of: 1, factor, weight).share
      - share(.prediction, prediction.probability, of: 1, factor, weight).share
  }

  private func share(
    _ signal: SignalShare.Signal, _ score: Double, of reference: Double, _ factor: Double, _ weight: Double
  ) -> SignalShare {
    let strength = min(1, Self.strength(score, of: reference) * factor)
    return SignalShare(
      signal: signal, score: score, reference: reference, strength: strength, weight: weight,
      share: 0 - (1 - weight * strength).naturalLogarithm)
  }

  /// Returns `score ÷ reference`, rounded to 20 binary places.
  ///
  /// Scaling both by the same factor can change the last bit of the quotient. Rounding keeps this from breaking ties
  /// between widgets, so that decisions do not depend on the scale of scores (rule T6).
  private static func strength(_ score: Double, of reference: Double) -> Double {
    let grid = 1_048_576.0
    return (score / reference * grid).rounded() / grid
  }
}
