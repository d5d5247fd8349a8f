import MarqueeModel

/// The result of evaluating a stack.
private enum Verdict {
  /// No candidate is better than the front.
  case stay
  /// The best candidate waits for time-based gates.
  case wait(until: Instant)
  /// Bring the member with this index to the front.
  case bring(Int, Decision.Kind)

  /// Creates the verdict on a member that may be brought to the front at once, or not before `latest`.
  init(_ kind: Decision.Kind, to index: Int, notBefore latest: Instant?) {
    self = latest.map { .wait(until: $0) } ?? .bring(index, kind)
  }

  var nextCheck: Instant? {
    if case .wait(let instant) = self { instant } else { nil }
  }
}

extension Device {
  /// Rotates a stack to its best candidate if every gate is open, or schedules a check for when its time-based gates
  /// open (rules R2, R3). A pinned member, and then the front before a pin that ended (rule R12), come before all
  /// candidates, the resting front after them (rule R13).
  ///
  /// Repeats until the stack is stable, because a new front can enable a candidate that the previous, predicted front
  /// blocked. It terminates: each rotation's front has more evidence than the one before, and others stay.
  mutating func rotateIfDue(_ position: Int, _ actions: inout [Action]) {
    withdrawRepresentedSuggestion(position, &actions)
    noteQuiet(position)
    var verdict = verdict(at: position)
    while case .bring(let index, let kind) = verdict {
      bring(position, to: index, kind, &actions)
      withdrawRepresentedSuggestion(position, &actions)
      verdict = self.verdict(at: position)
    }
    stacks[position].nextCheck = nextCheck(after: verdict, at: position)
    recordBlockingGate(position)
    stacks[position].evaluationCache.store(widgets.revision, isCounted: outcomes.isCounting)
  }

  /// Whether the last evaluation of the stack is still valid: neither the stack, its widgets, nor a time-based gate
  /// changed.
  func isUpToDate(_ position: Int) -> Bool {
    guard let revision = stacks[position].evaluationCache.revision(counting: outcomes.isCounting),
      stacks[position].nextCheck.map({ $0 > now }) ?? true
    else { return false }
    guard revision < widgets.revision else { return true }
    if let slot = stacks[position].suggestion?.slot, widgets.revisions[slot] > revision { return false }
    return stacks[position].members.allSatisfy { widgets.revisions[$0] <= revision }
  }

  /// Whether the last evaluation of suggestions is still valid with regard to widgets and time-based gates.
  func isUpToDate(_ evaluationCache: EvaluationCache, _ nextCheck: Instant?) -> Bool {
    evaluationCache.revision(counting: outcomes.isCounting) == widgets.revision && nextCheck.map { $0 > now } ?? true
  }

  /// Invalidates all cached evaluations, after a change other than to a single widget or stack.
  mutating func invalidateAll() {
    for position in stacks.indices { stacks[position].evaluationCache.invalidate() }
    suggestionEvaluationCache.invalidate()
  }

  /// Returns when the gates open that block the stack's best candidate or a pin can begin or end, or `nil` if the stack
  /// waits for neither.
  func nextCheck(at position: Int) -> Instant? { nextCheck(after: verdict(at: position), at: position) }

  private func nextCheck(after verdict: Verdict, at position: Int) -> Instant? {
    guard let boundary = nextPinBoundary(at: position, after: now) else { return verdict.nextCheck }
    return min(boundary, verdict.nextCheck ?? boundary)
  }

  private func verdict(at position: Int) -> Verdict {
    if let index = pinnedIndex(at: position, now) {
      return verdict(.pin, to: index, at: position, [holdGate(position)])
    }
    if let index = indexBeforePin(at: position) {
      return verdict(.rest, to: index, at: position, returnGates(position))
    }
    var opening: Instant?
    if let index = choice(at: position, opening: &opening) {
      return Verdict(.rotation, to: index, notBefore: heldUntil(position))
    }
    // A stack with a candidate has evidence, and does not rest.
    if let opening { return .wait(until: opening) }
    guard let gates = restGates(position), let index = restingIndex(at: position) else { return .stay }
    return verdict(.rest, to: index, at: position, gates)
  }

  /// Returns the verdict on a member that has the given gates.
  private func verdict(_ kind: Decision.Kind, to index: Int, at position: Int, _ gates: [GateResult]) -> Verdict {
    guard index != stacks[position].shownFront else { return .stay }
    var latest: Instant?
    for gate in gates { Self.note(gate, &latest) }
    return Verdict(kind, to: index, notBefore: latest)
  }

  /// Returns the index of the member to rotate to once the stack-wide gates are open.
  ///
  /// - Parameter opening: Is set to the first instant at which a gain gate opens with time that alone blocks a member.
  private func choice(at position: Int, opening: inout Instant?) -> Int? {
    guard stacks[position].isSmartRotateOn, isRotationAwayAllowed(at: position) else { return nil }
    let front = stacks[position].frontSlot
    let hasSettings = stacks.hasSettings(position)
    return leader(at: position) { device, slot in
      guard device.thresholdGate(device.evidence(slot)).isPassed, device.rotationLeadGate(slot, over: front).isPassed,
        device.isFresh(slot, at: position),
        !hasSettings || device.isRotationAllowed(to: slot, at: position),
        device.representative(of: slot, at: position) == nil
      else { return false }
      guard let gate = device.gainGate(slot, at: position), !gate.isPassed else { return true }
      if let clears = gate.clears { opening = min(opening ?? clears, clears) }
      return false
    }
  }

  /// Returns the index of the best member with evidence that is not at the front and satisfies `passes`.
  ///
  /// `passes` receives the device as a parameter, since capturing it would copy it.
  func leader(at position: Int, where passes: (Device, _ slot: Int) -> Bool = { _, _ in true }) -> Int? {
    guard let front = stacks[position].shownFront else { return nil }
    var best: RankedCandidate?
    for index in 0..<stacks[position].shownCount where index != front {
      let slot = stacks[position].slot(at: index)
      guard widgets.summaries[slot].episodeStart != nil else { continue }
      let candidate = rankedCandidate(slot, at: index)
      if let best, !candidate.outranks(best) { continue }
      if passes(self, slot) { best = candidate }
    }
    return best?.index
  }

  /// Brings the shown widget at an index to the front. Only rotations change budgets, episodes and engagement.
  private mutating func bring(_ position: Int, to index: Int, _ kind: Decision.Kind, _ actions: inout [Action]) {
    let slot = stacks[position].slot(at: index)
    decisionCount += 1
    let explanation = explanation(at: position, chosen: index, kind)
    let decision = Decision(kind: kind, number: decisionCount, to: widgets[slot].widget, explanation: explanation)
    if kind == .pin, let front = stacks[position].frontSlot { returnMove(front, of: stacks[position].id) }
    let mayReturn = !isOnlyPredicted(slot) || !(stacks[position].frontSlot.map(isOnlyPredicted) ?? false)
    change(position) { $0.bringToFront(index, by: kind, mayReturn: mayReturn) }
    actions.append(Action(at: now, .rotate(decision, front: index), name: name(in: decision)))
    if kind == .rotation { recordRotation(position, to: slot) } else { outcomes.replaceFront(of: stacks[position].id) }
  }

  private mutating func recordRotation(_ position: Int, to slot: Int) {
    let id = stacks[position].id
    widgets.counters[slot].count(.rotation, at: now)
    noteMove(slot, of: id)
    stacks[position].rotations.record(now)
    stacks[position].promotion = Promotion(slot: slot, since: now)
    outcomes.follow(.rotation, of: widgets[slot].widget, widgets[slot].prediction?.combination, on: id, now)
  }

  /// Returns when the last closed time-based gate opens, or `nil` if all are open.
  private func heldUntil(_ position: Int) -> Instant? {
    var latest: Instant?
    Self.note(dwellGate(position), &latest)
    Self.note(holdGate(position), &latest)
    Self.note(rotationBudgetGate(position), &latest)
    return latest
  }

  /// Updates `latest` with the instant at which a closed gate opens; `Instant.max` if time does not open it.
  static func note(_ result: GateResult, _ latest: inout Instant?) {
    guard !result.isPassed else { return }
    latest = max(latest ?? .min, result.clears ?? .max)
  }

  /// Returns the evidence of a widget, summed over its signals (rule R1).
  func evidence(_ slot: Int) -> Double { widgets.summaries[slot].evidence }
}

extension Device {
  func smartRotateGate(_ position: Int) -> GateResult {
    claimGate(.smartRotate, stacks[position].isSmartRotateOn)
  }

  func thresholdGate(_ evidence: Double) -> GateResult {
    GateResult(
      .threshold, isPassed: evidence > 0 && evidence >= policy.threshold, measured: evidence,
      required: policy.threshold)
  }

  /// Returns a gate that requires a widget to lead another one in evidence, by a positive amount of at least
  /// ``Policy/margin``.
  ///
  /// If both widgets are predicted, the lead must also reach what the other's prediction would gain if its probability
  /// were ``Policy/predictionLead`` times as high. This hysteresis keeps stacks from following small fluctuations.
  func leadGate(_ gate: Gate, _ slot: Int, over other: Int?) -> GateResult {
    let lead = evidence(slot) - (other.map(evidence) ?? 0)
    var required = policy.margin
    if let other, !widgets[other].isExpired, let rival = widgets[other].prediction, widgets[slot].prediction != nil {
      required = max(required, predictionGain(rival, of: other))
    }
    return GateResult(gate, isPassed: lead > 0 && lead >= required, measured: lead, required: required)
  }

  /// Returns the margin gate of a rotation: a widget with no evidence but a prediction has the gain gate instead of the
  /// larger lead over predictions.
  func rotationLeadGate(_ slot: Int, over front: Int?) -> GateResult {
    guard isOnlyPredicted(slot) else { return leadGate(.margin, slot, over: front) }
    let lead = evidence(slot) - (front.map(evidence) ?? 0)
    return GateResult(
      .margin, isPassed: lead > 0 && lead >= policy.margin, measured: lead, required: policy.margin)
  }

  /// Whether the widget's only evidence is a prediction.
  private func isOnlyPredicted(_ slot: Int) -> Bool {
    widgets.summaries[slot].isPredicted && widgets.summaries[slot].score <= 0 && widgets[slot].windows.openCount == 0
  }

  /// Returns the gain gate of a rotation (rule R16), or `nil` if the widget has evidence other than a prediction.
  ///
  /// The gate is open if the probability of use rises by the cost of the rotation, which is ``Policy/rotationCost``
  /// times the stack's rotations in the last 24 hours, divided by the device's uses a day, at least one. It is
  /// therefore a budget in proportion to use, larger for a larger gain, and opens with time like one. Rotations cost
  /// nothing in developer mode.
  func gainGate(_ slot: Int, at position: Int) -> GateResult? {
    guard isOnlyPredicted(slot) else { return nil }
    let gain = useProbability(slot) - (stacks[position].frontSlot.map(useProbability) ?? 0)
    let rotations = stacks[position].rotations
    let (uses, count) = (max(1, usesPerDay), rotations.count(at: now))
    let allowed = policy.rotationCost > 0 ? Int(saturating: gain * uses / policy.rotationCost) : .max
    let isPaid = isDeveloperModeOn || count <= allowed
    let cost = isDeveloperModeOn ? 0 : policy.rotationCost * Double(count) / uses
    return GateResult(
      .gain, isPassed: gain > 0 && isPaid, measured: gain, required: cost,
      clears: gain > 0 && !isPaid ? rotations.clears(maximum: allowed + 1) : nil)
  }

  /// Returns the probability of the widget's prediction, or 0 if it has none or shows an expired entry.
  private func useProbability(_ slot: Int) -> Double {
    widgets[slot].isExpired ? 0 : widgets[slot].prediction?.probability ?? 0
  }

  /// Returns a gate that is open if a condition is true.
  func claimGate(_ gate: Gate, _ isPassed: Bool, since: Instant? = nil) -> GateResult {
    GateResult(gate, isPassed: isPassed, measured: isPassed ? 1 : 0, required: 1, since: since)
  }

  /// Whether one of the widget's episodes may move the stack (rule R4): it is not spent, and it has not moved the stack
  /// yet, or its widget may return after a rotation, because the episodes that brought the present front are over.
  func isFresh(_ slot: Int, at position: Int) -> Bool {
    let id = stacks[position].id
    if widgets.hasEpisode(slot, where: { $0.isFresh(on: id) }) { return true }
    guard stacks[position].replaced.contains(slot), let front = stacks[position].frontSlot else { return false }
    return widgets.hasEpisode(slot) { !$0.isSpent } && !isBroughtByEpisode(front, id)
  }

  /// Whether an episode that contributes evidence for the widget now has moved the stack.
  private func isBroughtByEpisode(_ slot: Int, _ stack: StackID) -> Bool {
    !widgets[slot].isExpired && widgets.hasEpisode(slot) { $0.movedStacks.contains(stack) }
  }

  /// Returns the episode gate: open if one of the widget's episodes may move the stack (rule R4).
  func episodeGate(_ slot: Int, at position: Int) -> GateResult {
    let (isFresh, start) = (isFresh(slot, at: position), widgets.summaries[slot].episodeStart)
    return episodeGate(isFresh, since: start, isFresh || start == nil ? nil : widgets.episodeEnd(slot))
  }

  /// Returns the episode gate of episodes of which the last began at an instant.
  func episodeGate(_ isFresh: Bool, since: Instant?, _ end: EpisodeEnd?) -> GateResult {
    GateResult(
      .episode, isPassed: isFresh, measured: isFresh ? 1 : 0, required: 1, since: since, episodeEnd: end)
  }

  func dwellGate(_ position: Int) -> GateResult {
    spanGate(.dwell, since: stacks[position].lastChange, required: policy.dwell)
  }

  func holdGate(_ position: Int) -> GateResult {
    spanGate(.hold, since: stacks[position].lastTouch, required: policy.hold)
  }

  func rotationBudgetGate(_ position: Int) -> GateResult {
    budgetGate(.rotationBudget, stacks[position].rotations, maximum: policy.rotationCountMax)
  }

  func budgetGate(_ gate: Gate, _ recent: SlidingWindowLimiter, maximum: Int) -> GateResult {
    let (next, allowed) = (Double(recent.count(at: now) + 1), Double(maximum))
    guard next > allowed, !isDeveloperModeOn else {
      return GateResult(gate, isPassed: true, measured: next, required: allowed)
    }
    return GateResult(
      gate, isPassed: false, measured: next, required: allowed, clears: recent.clears(maximum: maximum))
  }

  private func spanGate(_ gate: Gate, since: Instant?, required: TimeSpan) -> GateResult {
    guard let since else {
      return GateResult(gate, isPassed: true, measured: .infinity, required: required.seconds)
    }
    let passed = isDeveloperModeOn || since.span(to: now) >= required
    return GateResult(
      gate, isPassed: passed, measured: since.span(to: now).seconds, required: required.seconds,
      clears: passed ? nil : since.advanced(by: required), since: since)
  }
}
