import MarqueeModel

/// What is to become of a stack's front now.
private enum Verdict {
  /// Nothing outdoes the front.
  case stay
  /// A candidate waits for the gates that time opens.
  case wait(until: Instant)
  /// The member of that index comes to the front.
  case rotate(to: Int)

  var nextCheck: Instant? {
    if case .wait(let instant) = self { instant } else { nil }
  }
}

extension Device {
  /// Scrolls a stack to its best candidate if every gate lets it through (rules R2, R3), else notes when time alone
  /// would open the gates that hold it.
  ///
  /// What a predicted front held may be due once another widget is in front, so that the stack is looked at again; each
  /// front has more evidence than the one before.
  mutating func rotateIfDue(_ position: Int, _ actions: inout [Action]) {
    while true {
      let verdict = verdict(at: position)
      stacks[position].nextCheck = verdict.nextCheck
      guard case .rotate(let index) = verdict else { break }
      rotate(position, to: index, &actions)
    }
    noteStop(position)
    stacks[position].rest.begin(widgets.revision, isCounted: outcomes.isCounting)
  }

  /// Whether the stack, what it shows, and what time alone opens are as they were when there was nothing to do for it.
  func isAtRest(_ position: Int) -> Bool {
    guard let revision = stacks[position].rest.revision(counting: outcomes.isCounting),
      stacks[position].nextCheck.map({ $0 > now }) ?? true
    else { return false }
    guard revision < widgets.revision else { return true }
    if let slot = stacks[position].suggestion?.slot, widgets.revisions[slot] > revision { return false }
    return stacks[position].members.allSatisfy { widgets.revisions[$0] <= revision }
  }

  /// The same of suggestions, as far as widgets and time go.
  func isAtRest(_ rest: Rest, _ nextCheck: Instant?) -> Bool {
    rest.revision(counting: outcomes.isCounting) == widgets.revision && nextCheck.map { $0 > now } ?? true
  }

  /// Has everything looked at again: what changed is more than a widget or a stack.
  mutating func endRest() {
    for position in stacks.indices { stacks[position].rest.end() }
    suggestionRest.end()
  }

  /// When the gates open that hold the stack's best candidate; `nil` when it waits for nothing.
  func nextCheck(at position: Int) -> Instant? { verdict(at: position).nextCheck }

  private func verdict(at position: Int) -> Verdict {
    guard let index = choice(at: position) else { return .stay }
    return heldUntil(position).map { .wait(until: $0) } ?? .rotate(to: index)
  }

  /// The index of the member to rotate to when the gates that concern the stack as a whole are open.
  private func choice(at position: Int) -> Int? {
    guard stacks[position].isSmartRotateOn else { return nil }
    let (id, front) = (stacks[position].id, stacks[position].frontSlot)
    return leader(at: position) { device, slot in
      device.thresholdGate(device.evidence(slot)).isPassed && device.leadGate(.margin, slot, over: front).isPassed
        && device.widgets.isFresh(slot, on: id)
    }
  }

  /// The index of the best member with evidence that is not in front, among those whose slots pass; `passes` is told
  /// the device, which to capture would be to copy.
  func leader(at position: Int, where passes: (Device, _ slot: Int) -> Bool = { _, _ in true }) -> Int? {
    guard let front = stacks[position].shownFront else { return nil }
    var best: Contender?
    for index in 0..<stacks[position].shownCount where index != front {
      let slot = stacks[position].slot(at: index)
      guard widgets.outlooks[slot].episodeStart != nil else { continue }
      let contender = contender(slot, at: index)
      if let best, !contender.outranks(best) { continue }
      if passes(self, slot) { best = contender }
    }
    return best?.index
  }

  private mutating func rotate(_ position: Int, to index: Int, _ actions: inout [Action]) {
    let (id, slot) = (stacks[position].id, stacks[position].slot(at: index))
    decisionCount += 1
    let explanation = explanation(at: position, chosen: index)
    let decision = Decision(number: decisionCount, to: widgets[slot].widget, explanation: explanation)
    widgets[slot].noteMove(of: id)
    stacks[position].rotations.record(now)
    change(position) { $0.bringToFront(index) }
    stacks[position].brought = Brought(slot: slot, since: now)
    outcomes.follow(.rotation, of: widgets[slot].widget, widgets[slot].prediction?.combination, on: id, now)
    actions.append(Action(at: now, .rotate(decision, front: index)))
  }

  /// When the last of the closed gates of time opens; `nil` when all are open.
  private func heldUntil(_ position: Int) -> Instant? {
    var latest: Instant?
    Self.note(dwellGate(position), &latest)
    Self.note(holdGate(position), &latest)
    Self.note(rotationBudgetGate(position), &latest)
    return latest
  }

  /// Takes in when a gate opens, if it is closed; one that time does not open opens at the end of time.
  static func note(_ result: GateResult, _ latest: inout Instant?) {
    guard !result.isPassed else { return }
    latest = max(latest ?? .min, result.clears ?? .max)
  }

  /// The evidence of a widget over all its signals (rule R1).
  func evidence(_ slot: Int) -> Double { widgets.outlooks[slot].evidence }
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

  /// A gate that a widget's lead of evidence over another one, if there is one, must pass: it is positive, and the
  /// policy's margin or more.
  ///
  /// When both are predicted, it is also as much as the other's prediction would gain by ``Policy/predictionLead``
  /// times its probability, so that stacks do not follow every change of what is likely.
  func leadGate(_ gate: Gate, _ slot: Int, over other: Int?) -> GateResult {
    let lead = evidence(slot) - (other.map(evidence) ?? 0)
    var required = policy.margin
    if let other, let rival = widgets[other].prediction, widgets[slot].prediction != nil {
      required = max(required, predictionGain(rival, of: other))
    }
    return GateResult(gate, isPassed: lead > 0 && lead >= required, measured: lead, required: required)
  }

  /// A gate that a plain yes opens.
  func claimGate(_ gate: Gate, _ isPassed: Bool, since: Instant? = nil) -> GateResult {
    GateResult(gate, isPassed: isPassed, measured: isPassed ? 1 : 0, required: 1, since: since)
  }

  /// Open while one of the widget's episodes has neither moved the stack nor been spent (rule R4).
  func episodeGate(_ slot: Int, _ stack: StackID) -> GateResult {
    claimGate(.episode, widgets.isFresh(slot, on: stack), since: widgets.outlooks[slot].episodeStart)
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

  func budgetGate(_ gate: Gate, _ recent: RecentInstants, maximum: Int) -> GateResult {
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
