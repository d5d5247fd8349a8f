import MarqueeModel

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
    var best: Contender?
    for slot in widgets.outlooks.indices where isSuggestionCandidate(slot) {
      guard let position = firstTaker(of: slot, &verdict.nextCheck) else { continue }
      let contender = contender(slot, at: 0)
      if let best, !contender.outranks(best, in: widgets) { continue }
      best = contender
      verdict.choice = (slot, position)
    }
    return verdict
  }

  /// The first stack that takes the widget now, visible ones first; `nextCheck` becomes no later than when one does
  /// that time alone holds back.
  private func firstTaker(of slot: Int, _ nextCheck: inout Instant?) -> Int? {
    for isVisible in [true, false] {
      for position in stacks.indices where stacks[position].isVisible == isVisible {
        var (isClosed, opening) = (false, Instant?.none)
        visitSuggestionGates(slot, at: position) { result in
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

  /// The slot of the best widget that may be suggested, whatever its gates.
  var suggestionLeader: Int? {
    var best: Contender?
    for slot in widgets.outlooks.indices where isSuggestionCandidate(slot) {
      let contender = contender(slot, at: 0)
      if let best, !contender.outranks(best, in: widgets) { continue }
      best = contender
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
    let id = stacks[position].id
    decisionCount += 1
    let explanation = suggestionExplanation(at: position, chosen: slot)
    let decision = Decision(
      kind: .suggestion, number: decisionCount, to: widgets[slot].widget, explanation: explanation)
    if stacks[position].suggestion != nil { withdraw(position, .replaced, &actions) }
    widgets[slot].noteMove(of: id)
    stacks[position].insertions.record(now)
    book.recordInsertion(of: widgets[slot].widget.kind.app, at: now)
    change(position) { $0.suggestion = Suggestion(slot: slot) }
    stacks[position].brought = Brought(slot: slot, since: now)
    outcomes.follow(.suggestion, of: widgets[slot].widget, widgets[slot].prediction?.combination, on: id, now)
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
    stacks.position(of: id).map { suggestionExplanation(at: $0, chosen: nil) }
  }

  private func suggestionExplanation(at position: Int, chosen: Int?) -> Explanation {
    var contenders: [Contender] = []
    for slot in widgets.outlooks.indices where isSuggestionCandidate(slot) { contenders.append(contender(slot, at: 0)) }
    // What the order needs of a device; to capture all of it would be to copy it.
    let widgets = widgets
    var candidates: [Candidate] = []
    for contender in contenders.sorted(by: { $0.outranks($1, in: widgets) }) {
      let gates = suggestionGates(contender.slot, at: position)
      candidates.append(candidate(contender, isInFront: false, gates: gates))
    }
    return explanation(at: position, candidates, chosen: chosen)
  }

  /// The gates of a suggestion, in their order.
  func suggestionGates(_ slot: Int, at position: Int) -> [GateResult] {
    var gates: [GateResult] = []
    gates.reserveCapacity(11)
    visitSuggestionGates(slot, at: position) { result in
      gates.append(result)
      return true
    }
    return gates
  }

  /// Tells `body` the gates of a suggestion, in their order, as long as it says to go on: they are asked after every
  /// event, so that those which do not matter any more are not found.
  func visitSuggestionGates(_ slot: Int, at position: Int, _ body: (GateResult) -> Bool) {
    let widget = widgets[slot].widget
    _ =
      body(claimGate(.widgetSuggestions, stacks[position].isWidgetSuggestionsOn))
      && body(claimGate(.family, kinds.values[widgets[slot].kind].families.contains(stacks[position].family)))
      && body(claimGate(.blocked, !isBlocked(widget)))
      && body(thresholdGate(evidence(slot)))
      && body(leadGate(.margin, slot, over: stacks[position].frontSlot))
      && body(occupancyGate(slot, at: position))
      && body(freshGate(slot))
      && body(dwellGate(position))
      && body(holdGate(position))
      && body(budgetGate(.suggestionBudget, stacks[position].insertions, maximum: policy.suggestionCountMax))
      && body(
        budgetGate(
          .appSuggestionBudget, book.insertions[widget.kind.app] ?? RecentInstants(),
          maximum: policy.appSuggestionCountMax))
  }

  private func occupancyGate(_ slot: Int, at position: Int) -> GateResult {
    stacks[position].suggestion.map { leadGate(.occupancy, slot, over: $0.slot) }
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
