import MarqueeModel

/// The result of evaluating suggestions.
struct SuggestionVerdict {
  /// The slot of the widget to suggest, and the position of the stack.
  var choice: (slot: Int, position: Int)?
  /// When the last time-based gate of a waiting suggestion opens, or `nil` if none waits.
  var nextCheck: Instant?
}

extension Device {
  /// Withdraws the suggestions that no longer have a reason (rule R5).
  mutating func withdrawSuggestions(_ actions: inout [Action]) {
    for position in stacks.indices {
      guard let slot = stacks.suggestedSlot(position) else { continue }
      if !widgets[slot].isSuggestible {
        withdraw(position, .evidenceEnded, &actions)
      } else if isOnHomeScreen(slot) {
        withdraw(position, .onHomeScreen, &actions)
      } else if !stacks[position].isWidgetSuggestionsOn {
        withdraw(position, .switchedOff, &actions)
      } else if pinnedIndex(at: position, now) != nil {
        // As with a front that a pin replaces (rule R12).
        returnMove(slot, of: stacks[position].id)
        withdraw(position, .pinned, &actions)
      }
    }
  }

  mutating func withdraw(_ position: Int, _ reason: SuggestionRemovalReason, _ actions: inout [Action]) {
    guard let slot = stacks[position].suggestion?.slot else { preconditionFailure("the stack has no suggestion") }
    change(position) { $0.suggestion = nil }
    actions.append(Action(at: now, .withdraw(snapshot(stacks[position]), widgets[slot].widget, reason)))
  }

  /// Makes every suggestion whose gates are open, or schedules a check for when the time-based gates open (rules R2,
  /// R3).
  mutating func suggestIfDue(_ actions: inout [Action]) {
    var leaders = groupLeaders()
    var verdict = suggestionVerdict(leaders)
    while let (slot, position) = verdict.choice {
      suggest(slot, on: position, leaders, &actions)
      leaders = groupLeaders()
      verdict = suggestionVerdict(leaders)
    }
    nextSuggestionCheck = verdict.nextCheck
    recordSuggestionBlockingGate(leaders)
    suggestionEvaluationCache.store(widgets.revision, isCounted: outcomes.isCounting)
  }

  /// Returns the best widget that a stack accepts, with the first such stack. Visible stacks come first.
  func suggestionVerdict(_ leaders: GroupLeaders) -> SuggestionVerdict {
    var verdict = SuggestionVerdict()
    var best: RankedCandidate?
    for slot in widgets.summaries.indices where isSuggestionCandidate(slot) {
      guard let position = firstAcceptingStack(for: slot, leaders, &verdict.nextCheck) else { continue }
      let candidate = rankedCandidate(slot, at: 0)
      if let best, let chosen = verdict.choice {
        let isBetter =
          candidate.isTied(with: best, in: widgets)
          ? comesFirst(position, chosen.position) : candidate.outranks(best, in: widgets)
        guard isBetter else { continue }
      }
      best = candidate
      verdict.choice = (slot, position)
    }
    return verdict
  }

  /// Whether a stack is considered before another one for suggestions: visible stacks first, then in order of creation.
  private func comesFirst(_ position: Int, _ other: Int) -> Bool {
    let (isVisible, wasVisible) = (stacks[position].isVisible, stacks[other].isVisible)
    return isVisible != wasVisible ? isVisible : position < other
  }

  /// Returns the first stack of the instance's family that accepts it now; visible stacks come first.
  ///
  /// Lowers `nextCheck` to the earliest instant at which a stack accepts it that only time-based gates block.
  private func firstAcceptingStack(
    for slot: Int, _ leaders: GroupLeaders, _ nextCheck: inout Instant?
  ) -> Int? {
    let family = widgets[slot].family
    for isVisible in [true, false] {
      for position in stacks.indices
      where stacks[position].isVisible == isVisible && stacks[position].family == family {
        // Excludes pinned stacks first, because the result of the pins' gate contains their end, a longer search.
        guard pinnedIndex(at: position, now) == nil else { continue }
        var (isClosed, opening) = (false, Instant?.none)
        visitSuggestionGates(slot, at: position, leaders) { result in
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

  /// Returns the slot of the best suggestion candidate of a stack, regardless of gates.
  func suggestionLeader(at position: Int) -> Int? {
    var best: RankedCandidate?
    for slot in widgets.summaries.indices where isSuggestionCandidate(slot) && competes(slot, at: position) {
      let candidate = rankedCandidate(slot, at: 0)
      if let best, !candidate.outranks(best, in: widgets) { continue }
      best = candidate
    }
    return best?.slot
  }

  /// Whether the user has the widget on the Home Screen, in any family.
  func isOnHomeScreen(_ slot: Int) -> Bool {
    if widgets[slot].isPlaced { return true }
    var other = widgets.nextSlot(after: slot)
    while other != slot {
      if widgets[other].isPlaced { return true }
      other = widgets.nextSlot(after: other)
    }
    return false
  }

  /// Whether the widget is predicted or in a relevance window, and not shown anywhere on the device.
  private func isSuggestionCandidate(_ slot: Int) -> Bool {
    widgets.summaries[slot].isSuggestible && !isOnHomeScreen(slot)
      && !isSuggested(slot)
  }

  /// Whether a suggestible widget's instance competes for a stack: the one in the stack's family or, if the kind does
  /// not support the family, the first suggestible one, which the family gate blocks.
  private func competes(_ slot: Int, at position: Int) -> Bool {
    let family = stacks[position].family
    if widgets[slot].family == family { return true }
    guard !supports(family, slot) else { return false }
    var other = widgets.nextSlot(after: slot)
    while other != slot {
      let isEarlier = widgets[other].family.rawValue < widgets[slot].family.rawValue
      if widgets[other].family == family || isEarlier, widgets.summaries[other].isSuggestible { return false }
      other = widgets.nextSlot(after: other)
    }
    return true
  }

  /// Whether the widget is suggested in any family.
  private func isSuggested(_ slot: Int) -> Bool {
    var other = slot
    repeat {
      if isSuggestion(other) { return true }
      other = widgets.nextSlot(after: other)
    } while other != slot
    return false
  }

  /// Whether the instance is the suggestion of a stack.
  func isSuggestion(_ slot: Int) -> Bool {
    for position in stacks.indices where stacks.suggestedSlot(position) == slot { return true }
    return false
  }

  private mutating func suggest(
    _ slot: Int, on position: Int, _ leaders: GroupLeaders, _ actions: inout [Action]
  ) {
    let id = stacks[position].id
    decisionCount += 1
    let explanation = suggestionExplanation(at: position, chosen: slot, leaders)
    let decision = Decision(
      kind: .suggestion, number: decisionCount, to: widgets[slot].widget, explanation: explanation)
    if stacks[position].suggestion != nil { withdraw(position, .replaced, &actions) }
    widgets.counters[slot].count(.suggestion, at: now)
    noteMove(slot, of: id)
    stacks[position].insertions.record(now)
    suggestionState.recordInsertion(of: widgets[slot].widget.kind.app, at: now)
    change(position) { $0.suggestion = Suggestion(slot: slot) }
    stacks[position].promotion = Promotion(slot: slot, since: now)
    outcomes.follow(.suggestion, of: widgets[slot].widget, widgets[slot].prediction?.combination, on: id, now)
    actions.append(Action(at: now, .suggest(decision, snapshot(stacks[position])), name: name(in: decision)))
    refreshNewcomer(slot, &actions)
    // The front changed, so a rotation may have fewer gates to wait for.
    rotateIfDue(position, &actions)
  }
}

// MARK: Gates and explanation

extension Gate {
  /// Whether a check is scheduled for when the gate opens with time. The ends of snoozes and of pins are boundaries in
  /// any case.
  var opensWithTime: Bool {
    switch self {
    case .dwell, .hold, .rotationBudget, .gain, .suggestionBudget, .appSuggestionBudget: true
    case .smartRotate, .threshold, .margin, .episode, .widgetSuggestions, .family, .occupancy, .blocked, .pinned,
      .neverTo, .neverAway, .rest, .group:
      false
    }
  }
}

extension Device {
  /// Returns an explanation of which widgets could be suggested on the stack now, with their evidence and gates.
  ///
  /// Candidates are the widgets that are predicted or in a relevance window, and not shown anywhere on the device.
  ///
  /// - Returns: The explanation, or `nil` if no stack has this name.
  public func suggestionExplanation(of id: StackID) -> Explanation? {
    stacks.position(of: id).map { suggestionExplanation(at: $0, chosen: nil, groupLeaders()) }
  }

  /// The maximum number of candidates in an explanation, which limits its size. The candidates with most evidence are
  /// kept.
  private static var candidateCountMax: Int { 128 }

  private func suggestionExplanation(at position: Int, chosen: Int?, _ leaders: GroupLeaders) -> Explanation {
    var unranked: [RankedCandidate] = []
    for slot in widgets.summaries.indices where isSuggestionCandidate(slot) && competes(slot, at: position) {
      unranked.append(rankedCandidate(slot, at: 0))
    }
    // The sort needs only the widget table; capturing the device would copy it.
    let widgets = widgets
    var candidates: [Candidate] = []
    let ranked = unranked.sorted(by: { $0.outranks($1, in: widgets) })
    let chosenIndex = chosen.flatMap { slot in ranked.firstIndex { $0.slot == slot } } ?? 0
    for (index, candidate) in ranked.enumerated() where index < Self.candidateCountMax || index == chosenIndex {
      let gates = suggestionGates(candidate.slot, at: position, leaders)
      let representative =
        gates.isClosedByGroup ? leaders.representative(of: candidate.slot, at: position, on: self) : nil
      candidates.append(
        self.candidate(candidate, isInFront: false, gates: gates, representedBy: representative))
    }
    return explanation(at: position, candidates, chosen: chosen)
  }

  /// Returns the gates of a suggestion, in evaluation order.
  func suggestionGates(_ slot: Int, at position: Int, _ leaders: GroupLeaders) -> [GateResult] {
    var gates: [GateResult] = []
    gates.reserveCapacity(14)
    visitSuggestionGates(slot, at: position, leaders) { result in
      gates.append(result)
      return true
    }
    return gates
  }

  /// Calls `body` with each gate of a suggestion, in evaluation order, until it returns `false`.
  ///
  /// Gates are evaluated lazily because this runs after every event.
  func visitSuggestionGates(
    _ slot: Int, at position: Int, _ leaders: GroupLeaders, _ body: (GateResult) -> Bool
  ) {
    let widget = widgets[slot].widget
    _ =
      body(claimGate(.widgetSuggestions, stacks[position].isWidgetSuggestionsOn))
      && (!stacks.hasSettings(position) || body(pinnedGate(at: position)) && body(neverAwayGate(position)))
      && body(claimGate(.family, supports(stacks[position].family, slot)))
      && body(blockedGate(widget))
      && body(thresholdGate(evidence(slot)))
      && body(leadGate(.margin, slot, over: stacks[position].frontSlot))
      && body(occupancyGate(slot, at: position))
      && (!widgets.summaries[slot].isGrouped
        || body(groupGate(representedBy: leaders.representative(of: slot, at: position, on: self))))
      && body(freshGate(slot))
      && body(dwellGate(position))
      && body(holdGate(position))
      && body(budgetGate(.suggestionBudget, stacks[position].insertions, maximum: policy.suggestionCountMax))
      && body(
        budgetGate(
          .appSuggestionBudget, suggestionState.insertions[widget.kind.app] ?? SlidingWindowLimiter(),
          maximum: policy.appSuggestionCountMax))
  }

  private func occupancyGate(_ slot: Int, at position: Int) -> GateResult {
    stacks[position].suggestion.map { leadGate(.occupancy, slot, over: $0.slot) }
      ?? GateResult(.occupancy, isPassed: true, measured: .infinity, required: policy.margin)
  }

  /// Returns the episode gate of a suggestion: open if one of the widget's windows, or its prediction, has not moved
  /// any stack and is not spent. A suggestion is thus not repeated on any stack (rule R4).
  private func freshGate(_ slot: Int) -> GateResult {
    var (isFresh, latest, end) = (false, Instant?.none, EpisodeEnd?.none)
    func note(_ episode: Episode) {
      end = episode.end(after: end)
      isFresh = isFresh || !episode.isSpent && episode.movedStacks.isEmpty
      latest = max(latest ?? episode.start, episode.start)
    }
    widgets[slot].windows.visitEpisodes(note)
    if let prediction = widgets[slot].prediction { note(prediction.episode) }
    return episodeGate(isFresh, since: latest, end)
  }
}
