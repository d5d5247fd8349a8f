import MarqueeModel

/// A widget that may be suggested, and where.
private struct SuggestionContender {
  let slot: Int
  let position: Int
  let evidence: Double
  let episodeStart: Instant
  let widget: Widget

  /// The total order of candidates: more evidence, then the later episode, then identifiers (rule R8).
  func outranks(_ other: SuggestionContender) -> Bool {
    if evidence != other.evidence { return evidence > other.evidence }
    if episodeStart != other.episodeStart { return episodeStart > other.episodeStart }
    if widget.kind != other.widget.kind { return widget.kind < other.widget.kind }
    return widget.encoded.lexicographicallyPrecedes(other.widget.encoded)
  }
}

/// What is to be suggested now.
struct SuggestionVerdict {
  /// The widget's slot and the stack's position.
  var choice: (slot: Int, position: Int)?
  /// When a suggestion's last gate opens that waits for time alone.
  var nextCheck: Instant?
}

extension Device {
  /// Takes off the suggestions that have no reason any more (rule R5).
  mutating func withdrawSuggestions(_ actions: inout [Action]) {
    for position in stacks.indices {
      guard let slot = stacks.suggestedSlot(position) else { continue }
      if !widgets[slot].isSuggestible {
        withdraw(position, .evidenceEnded, &actions)
      } else if isOnHomeScreen(slot) {
        withdraw(position, .onHomeScreen, &actions)
      } else if !stacks[position].isWidgetSuggestionsOn {
        withdraw(position, .switchedOff, &actions)
      }
    }
  }

  mutating func withdraw(_ position: Int, _ reason: SuggestionEnd, _ actions: inout [Action]) {
    guard let slot = stacks[position].suggestion?.slot else { preconditionFailure("no suggestion") }
    change(position) { $0.suggestion = nil }
    actions.append(Action(at: now, .withdraw(reading(stacks[position]), widgets[slot].widget, reason)))
  }

  /// Suggests what every gate lets through (rules R2, R3), else notes when time alone would open the gates.
  mutating func suggestIfDue(_ actions: inout [Action]) {
    while true {
      let verdict = suggestionVerdict()
      nextSuggestionCheck = verdict.nextCheck
      guard let (slot, position) = verdict.choice else { break }
      suggest(slot, on: position, &actions)
    }
    noteSuggestionStop()
    suggestionRest.begin(widgets.revision, isCounted: outcomes.isCounting)
  }

  /// The best widget that some stack takes, on the first such stack: visible ones first, then in their order.
  func suggestionVerdict() -> SuggestionVerdict {
    var verdict = SuggestionVerdict()
    var best: SuggestionContender?
    for slot in widgets.outlooks.indices where isSuggestionCandidate(slot) {
      guard let position = firstTaker(of: slot, &verdict.nextCheck) else { continue }
      let contender = contender(slot, position)
      if best.map(contender.outranks) ?? true { best = contender }
    }
    verdict.choice = best.map { ($0.slot, $0.position) }
    return verdict
  }

  /// The first stack that takes the widget now, visible ones first; `nextCheck` becomes no later than when one does
  /// that time alone holds back.
  private func firstTaker(of slot: Int, _ nextCheck: inout Instant?) -> Int? {
    for isVisible in [true, false] {
      for position in stacks.indices where stacks[position].isVisible == isVisible {
        var (isClosed, opening) = (false, Instant?.none)
        visitSuggestionGates(slot, on: stacks[position]) { result in
          isClosed = !result.isPassed && !result.gate.opensWithTime
          Self.note(result, &opening)
          return !isClosed
        }
        guard !isClosed else { continue }
        guard let instant = opening else { return position }
        nextCheck = min(nextCheck ?? instant, instant)
      }
    }
    return nil
  }

  private func contender(_ slot: Int, _ position: Int) -> SuggestionContender {
    SuggestionContender(
      slot: slot, position: position, evidence: evidence(slot),
      episodeStart: widgets.outlooks[slot].episodeStart ?? .min, widget: widgets[slot].widget)
  }

  /// The slot of the best widget that may be suggested, whatever its gates.
  var suggestionLeader: Int? {
    var best: SuggestionContender?
    for slot in widgets.outlooks.indices where isSuggestionCandidate(slot) {
      let contender = contender(slot, 0)
      if best.map(contender.outranks) ?? true { best = contender }
    }
    return best?.slot
  }

  /// Whether the Home Screen has the widget as the person's own.
  func isOnHomeScreen(_ slot: Int) -> Bool {
    widgets[slot].membershipCount > 0 || book.homeWidgets.contains(widgets[slot].widget)
  }

  /// Whether the person does not want the widget suggested, or anything of its app.
  func isBlocked(_ widget: Widget) -> Bool {
    book.blockedWidgets.contains(widget) || book.blockedApps.contains(widget.kind.app)
  }

  /// Whether a shortcut holds the widget relevant now or it is predicted, and the device shows it nowhere.
  private func isSuggestionCandidate(_ slot: Int) -> Bool {
    widgets.outlooks[slot].isSuggestible && !isOnHomeScreen(slot)
      && !isSuggested(slot)
  }

  private func isSuggested(_ slot: Int) -> Bool {
    for position in stacks.indices where stacks.suggestedSlot(position) == slot { return true }
    return false
  }

  private mutating func suggest(_ slot: Int, on position: Int, _ actions: inout [Action]) {
    let stack = stacks[position]
    decisionCount += 1
    let explanation = suggestionExplanation(of: stack, chosen: slot)
    let decision = Decision(
      kind: .suggestion, number: decisionCount, to: widgets[slot].widget, explanation: explanation)
    if stack.suggestion != nil { withdraw(position, .replaced, &actions) }
    widgets[slot].noteMove(of: stack.id)
    stacks[position].insertions.record(now)
    book.recordInsertion(of: widgets[slot].widget.kind.app, at: now)
    change(position) { $0.suggestion = Suggestion(slot: slot) }
    stacks[position].brought = Brought(slot: slot, since: now)
    outcomes.follow(.suggestion, of: widgets[slot].widget, widgets[slot].prediction?.combination, on: stack.id, now)
    actions.append(Action(at: now, .suggest(decision, reading(stacks[position]))))
    if let entry = widgets[slot].current {
      actions.append(Action(at: now, .refresh(widgets[slot].widget, entry)))
    }
    // Another widget is in front now, so that a rotation may have less to wait for.
    rotateIfDue(position, &actions)
  }
}

// MARK: Gates and explanation

extension Gate {
  /// Whether time alone can open the gate.
  var opensWithTime: Bool {
    switch self {
    case .dwell, .hold, .rotationBudget, .suggestionBudget, .appSuggestionBudget: true
    case .smartRotate, .threshold, .margin, .episode, .widgetSuggestions, .family, .occupancy, .blocked: false
    }
  }
}

extension Device {
  /// What could be suggested on the stack now: every widget that a shortcut holds relevant or that is predicted, and
  /// that the device shows nowhere, with its evidence and each gate (rule R10); `nil` when there is no such stack.
  public func suggestionExplanation(of id: StackID) -> Explanation? {
    stacks[id].map { suggestionExplanation(of: $0, chosen: nil) }
  }

  private func suggestionExplanation(of stack: StackState, chosen: Int?) -> Explanation {
    let slots = widgets.outlooks.indices.filter(isSuggestionCandidate)
    let candidates = slots.map {
      candidate($0, position: 0, isInFront: false, gates: suggestionGates($0, on: stack))
    }
    return Explanation(
      stack: stack.id, at: now, front: stack.frontSlot.map { widgets[$0].widget },
      candidates: ranked(candidates), chosen: chosen.map { widgets[$0].widget })
  }

  /// The gates of a suggestion, in their order.
  func suggestionGates(_ slot: Int, on stack: StackState) -> [GateResult] {
    var gates: [GateResult] = []
    gates.reserveCapacity(11)
    visitSuggestionGates(slot, on: stack) { result in
      gates.append(result)
      return true
    }
    return gates
  }

  /// Tells `body` the gates of a suggestion, in their order, as long as it says to go on: they are asked after every
  /// event, so that those which do not matter any more are not found.
  func visitSuggestionGates(_ slot: Int, on stack: StackState, _ body: (GateResult) -> Bool) {
    let widget = widgets[slot].widget
    _ =
      body(claimGate(.widgetSuggestions, stack.isWidgetSuggestionsOn))
      && body(claimGate(.family, kinds.values[widgets[slot].kind].families.contains(stack.family)))
      && body(claimGate(.blocked, !isBlocked(widget)))
      && body(thresholdGate(evidence(slot)))
      && body(leadGate(.margin, slot, over: stack.frontSlot))
      && body(occupancyGate(slot, on: stack))
      && body(freshGate(slot))
      && body(dwellGate(stack))
      && body(holdGate(stack))
      && body(budgetGate(.suggestionBudget, stack.insertions, maximum: policy.suggestionCountMax))
      && body(
        budgetGate(
          .appSuggestionBudget, book.insertions[widget.kind.app] ?? RecentInstants(),
          maximum: policy.appSuggestionCountMax))
  }

  private func occupancyGate(_ slot: Int, on stack: StackState) -> GateResult {
    stack.suggestion.map { leadGate(.occupancy, slot, over: $0.slot) }
      ?? GateResult(.occupancy, isPassed: true, measured: .infinity, required: policy.margin)
  }

  /// Open while one of the widget's windows, or its prediction, has moved no stack at all and not been spent: what it
  /// suggested once it does not suggest again, on no stack (rule R4).
  private func freshGate(_ slot: Int) -> GateResult {
    var (isFresh, latest) = (false, Instant?.none)
    func note(_ episode: Episode) {
      isFresh = isFresh || !episode.isSpent && episode.movedStacks.isEmpty
      latest = max(latest ?? episode.start, episode.start)
    }
    widgets[slot].windows.visitEpisodes(note)
    if let prediction = widgets[slot].prediction { note(prediction.episode) }
    return claimGate(.episode, isFresh, since: latest)
  }
}
