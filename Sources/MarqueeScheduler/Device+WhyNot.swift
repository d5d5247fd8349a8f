import MarqueeModel

extension Device {
  /// The maximum number of obstacles in a result.
  private static var obstacleCountMax: Int { 256 }

  /// The time for which the end of a window is the reason for the absence of a widget that is also predicted.
  private static var recentSpan: TimeSpan { .seconds(3 * 3_600) }

  /// Returns the obstacles that keep a widget from the front of a stack.
  ///
  /// Obstacles are found one at a time: each is removed from a copy of the device, until the copy brings the widget to
  /// the front. If time removes all of them, and a pin is in force then, it is the last obstacle.
  ///
  /// - Throws: ``RequestError`` if the stack or the widget's kind is unknown, or the configuration does not fit the
  ///   kind.
  public func whyNot(_ widget: Widget, in stack: StackID) throws(RequestError) -> WhyNot {
    try checkConfiguration(widget)
    try checkConfigurationOfNew(widget)
    try checkStack(stack)
    var copy = self
    var obstacles: [Obstacle] = []
    while obstacles.count < Self.obstacleCountMax, let obstacle = copy.obstacle(widget, stack) {
      obstacles.append(obstacle)
      copy.lift(obstacle, widget, stack)
    }
    if obstacles.count < Self.obstacleCountMax, let pin = laterPin(widget, stack, after: obstacles) {
      obstacles.append(pin)
    }
    return WhyNot(widget: widget, stack: stack, at: now, obstacles: obstacles)
  }

  /// Whether the widget is at the front, or brought there at once, if only the given obstacles are removed.
  ///
  /// - Parameters:
  ///   - indices: The indices of the obstacles to remove.
  ///   - whyNot: A result of ``whyNot(_:in:)`` for this device.
  public func brings(lifting indices: Range<Int>, of whyNot: WhyNot) -> Bool {
    var copy = self
    for obstacle in whyNot.obstacles[indices] { copy.lift(obstacle, whyNot.widget, whyNot.stack) }
    if copy.stack(whyNot.stack)?.frontWidget == whyNot.widget { return true }
    var actions: [Action] = []
    copy.evaluate(&actions)
    return actions.compactMap(\.decision).contains { $0.to == whyNot.widget && $0.stack == whyNot.stack }
  }

  /// Returns the first obstacle, or `nil` if the widget is at the front or about to be brought there.
  private func obstacle(_ widget: Widget, _ id: StackID) -> Obstacle? {
    guard let stack = stacks[id] else { preconditionFailure("the stack was not validated") }
    let position = position(of: id)
    let slot = slot(of: widget, competingAt: position)
    if let slot, stack.frontSlot == slot { return nil }
    if let suggestion = stack.suggestion, let slot, stack.front.map({ stack.members[$0] }) == slot {
      return suggestion.isInFront ? .covered(by: widgets[suggestion.slot].widget) : nil
    }
    let isMember = index(of: widget, at: position) != nil
    if !isMember {
      if widgets.firstSlot(of: widget).map(isOnHomeScreen) ?? false { return .elsewhereOnHomeScreen }
      if let other = stacks.indices.first(where: { isSuggestion(widget, at: $0) }) {
        return .suggested(on: stacks[other].id)
      }
    }
    if isMember, let slot, !supports(stack.family, slot) { return .gate(claimGate(.family, false)) }
    if let index = index(of: widget, at: position) {
      if let gates = gatesWithoutEvidence(index, at: position) {
        return gates.first { !$0.isPassed }.map { .gate($0) }
      }
      if isResting(index, at: position), let pinned = pinnedObstacle(slot, at: position) { return pinned }
    }
    // The member that the pin replaced returns after it, whatever its evidence.
    if let slot, stack.frontBeforePin == slot, let pinned = pinnedObstacle(slot, at: position) { return pinned }
    guard let slot, isMember ? evidence(slot) > 0 : widgets[slot].isSuggestible else {
      let gap = evidenceGap(widget, slot, isMember: isMember)
      return slot.flatMap { pinObstacle($0, at: position, unless: gap) } ?? .noEvidence(gap)
    }
    let leaders = groupLeaders()
    let gates = isMember ? rotationGates(slot, at: position) : suggestionGates(slot, at: position, leaders)
    guard let gate = gates.first(where: { !$0.isPassed }) else { return rival(of: widget, on: id, isMember: isMember) }
    if gate.gate == .pinned, let pinned = pinnedObstacle(isMember ? slot : nil, at: position) { return pinned }
    guard gate.gate == .group else { return .gate(gate) }
    let other =
      isMember
      ? representative(of: slot, at: position) : leaders.representative(of: slot, at: position, on: self)
    return other.map { .represented(by: widgets[$0].widget) }
  }

  /// Returns the gates of a member that comes to the front without evidence: a pinned one, the one before a pin that
  /// ended, or the resting front of a stack without evidence.
  func gatesWithoutEvidence(_ index: Int, at position: Int) -> [GateResult]? {
    if pinnedIndex(at: position, now) == index { return [holdGate(position)] }
    if indexBeforePin(at: position) == index { return returnGates(position) }
    return restingIndex(at: position) == index ? restGates(position) : nil
  }

  /// Whether a member is the front that the stack returns to without evidence.
  private func isResting(_ index: Int, at position: Int) -> Bool {
    policy.restingFront > .zero && restingIndex(at: position) == index && !hasEvidence(position)
  }

  /// Returns the pin in force of another widget as an obstacle of a member or, without one, of a suggestion.
  private func pinnedObstacle(_ slot: Int?, at position: Int) -> Obstacle? {
    pinnedSlot(at: position).map { .pinned(by: widgets[$0].widget, until: pinnedGate(slot, at: position).clears) }
  }

  /// Returns the reason why a member without evidence is not in front although it has a pin: another one's, or its own
  /// that is not in force, unless the member's evidence begins earlier.
  private func pinObstacle(_ slot: Int, at position: Int, unless gap: EvidenceGap) -> Obstacle? {
    guard let pin = stacks[position].settings[slot]?.pin else { return nil }
    if isInForce(pin, at: now) { return pinnedObstacle(slot, at: position) }
    let start = nextStart(of: pin)
    guard Obstacle.noEvidence(gap).clears ?? .max >= start ?? .max else { return nil }
    return .noEvidence(.pinNotInForce(pin, next: start))
  }

  /// Returns the decision that the engine would make instead although all of the widget's gates are open, as an
  /// obstacle.
  private func rival(of widget: Widget, on id: StackID, isMember: Bool) -> Obstacle? {
    var trial = self
    var actions: [Action] = []
    trial.evaluate(&actions)
    let decisions = actions.compactMap(\.decision)
    if decisions.contains(where: { $0.to == widget && $0.stack == id }) { return nil }
    if !isMember, let elsewhere = decisions.first(where: { $0.to == widget }) { return .suggested(on: elsewhere.stack) }
    return decisions.first { $0.stack == id }.map { .outranked(by: $0.to) }
  }

  /// Returns the pin of another widget that is in force when time has removed all of the obstacles, unless it is one of
  /// them; `nil` also if time alone does not remove them.
  private func laterPin(_ widget: Widget, _ id: StackID, after obstacles: [Obstacle]) -> Obstacle? {
    let ends = obstacles.compactMap(\.clears)
    guard let end = ends.max(), ends.count == obstacles.count, end > now else { return nil }
    let position = position(of: id)
    guard let index = pinnedIndex(at: position, end) else { return nil }
    let (pinned, slot) = (stacks[position].slot(at: index), slot(of: widget, competingAt: position))
    let other = widgets[pinned].widget
    let isKnown = obstacles.contains { if case .pinned(other, _) = $0 { true } else { false } }
    guard pinned != slot, !isKnown else { return nil }
    return .pinned(by: other, until: pinEnd(at: position, for: slot, after: end))
  }

  private func evidenceGap(_ widget: Widget, _ slot: Int?, isMember: Bool) -> EvidenceGap {
    let state = slot.map { widgets[$0] }
    let entries = state?.timeline?.entries ?? []
    if let current = state?.current, let expiry = state?.expiredAt {
      return .entryExpired(entry: current.date, at: expiry, next: entries.first { $0.date > now }?.date)
    }
    let window = state?.windows.windows.first?.start
    if isMember, let entry = entries.first(where: { $0.date > now && $0.relevance.map { $0.score > 0 } ?? false }),
      entry.date <= window ?? .max
    {
      return .scoreAhead(entry.date)
    }
    if let window { return .windowAhead(window) }
    if isMember, let force = state?.relevance?.inForce {
      if let end = force.end, end <= now { return .scoreEnded(entry: force.start, end: end) }
      return .scoreNotPositive(force.score, entry: force.start)
    }
    let predicted = probability(of: widget)
    if let end = state?.windows.lastEnd, predicted == nil || end.span(to: now) < Self.recentSpan {
      return .windowEnded(end)
    }
    let shortcuts = suggestionState.shortcuts(naming: widget)
    if shortcuts.contains(where: { $0.providers.isEmpty }) {
      return probability(ofUsing: widget.kind.app).map {
        .useUnlikely(probability: $0, required: policy.predictionMin)
      } ?? .useNotLearned
    }
    if let probability = predicted {
      let required = isMember ? memberProbabilityMin : policy.predictionMin
      return .unlikely(probability: probability, required: required)
    }
    guard shortcuts.isEmpty else { return windowGap(shortcuts) ?? .onlyWatchFace }
    // Members with a positive score have evidence.
    guard !isMember, let state else { return .unknown }
    if let force = state.relevance?.inForce, state.positiveScore > 0 {
      return .scoreNotCounted(force.score, entry: force.start)
    }
    let scored = entries.filter { $0.relevance.map { $0.score > 0 } ?? false }
    guard let entry = scored.first(where: { $0.date > now }) ?? scored.last, let relevance = entry.relevance else {
      return .unknown
    }
    return .scoreNotCounted(relevance.score, entry: entry.date)
  }
}

extension Device {
  /// Returns the gap of shortcuts with dates, of which the instance has no windows; `nil` if none has a date, or one is
  /// in force.
  private func windowGap(_ shortcuts: [RelevantShortcut]) -> EvidenceGap? {
    let windows = shortcuts.flatMap(\.providers).compactMap { provider -> DateWindow? in
      guard case .date(let window) = provider else { return nil }
      return window
    }
    if let start = windows.map(\.start).filter({ $0 > now }).min() { return .windowAhead(start) }
    let end = windows.map { $0.end ?? $0.start }.max()
    return end.flatMap { $0 <= now ? .windowEnded($0) : nil }
  }
}

// MARK: Removing obstacles

extension Device {
  /// Changes the state so that the obstacle no longer exists, and nothing else.
  private mutating func lift(_ obstacle: Obstacle, _ widget: Widget, _ id: StackID) {
    switch obstacle {
    case .elsewhereOnHomeScreen:
      let slot = slot(making: WidgetInstance(widget, in: stacks[position(of: id)].family))
      widgets[slot].prediction = widgets[slot].prediction ?? sharedPrediction(slot)
      if !widgets[slot].isNamed { adoptWindows(slot) }
      widgets[slot].membershipCount += 1
      change(position(of: id)) { $0.insert(slot, at: $0.members.count) }
    case .suggested(let other):
      stacks[position(of: other)].isWidgetSuggestionsOn = false
      stacks[position(of: other)].suggestion = nil
    case .covered: dropSuggestion(of: id)
    case .noEvidence(.entryExpired):
      let slot = slot(making: widget, id)
      widgets[slot].removeExpiry(at: now)
      resumeEpisodes(slot, wasExpired: true)
    case .noEvidence(.pinNotInForce):
      stacks[position(of: id)].changeSettings(of: slot(making: widget, id)) { $0.pin = .always }
    case .noEvidence(let gap):
      let slot = slot(making: widget, id)
      if let score = score(missing: gap, slot), score > 0 {
        widgets[slot].provide(score, at: now)
      } else {
        widgets[slot].setWindows([RelevantSpan(start: now, end: .max)], at: now)
      }
    case .represented: widgets[slot(making: widget, id)].removeGroups()
    case .outranked(let rival):
      if let slot = slot(of: rival, competingAt: position(of: id)) { changeEpisodes(slot) { $0.isSpent = true } }
      returnToFrontBeforePin(position(of: id))
    case .gate(let result): lift(result, widget, id)
    case .pinned(let other, _):
      let (slot, position) = (slot(making: widget, id), position(of: id))
      if pinnedSlot(at: position).map({ widgets[$0].widget }) == other {
        liftSettings(.pinned, slot, of: id)
      } else if let index = index(of: other, at: position) {
        // The pin begins later, and there is nothing else to remove.
        let pinned = stacks[position].slot(at: index)
        stacks[position].changeSettings(of: pinned) { $0.pin = nil }
      }
    }
    recomputeScoreReferences { _ in true }
    invalidateAll()
  }

  /// Returns the score of a member that a gap names, which is compared with others like any score.
  private func score(missing gap: EvidenceGap, _ slot: Int) -> Double? {
    switch gap {
    case .scoreAhead(let date): widgets[slot].timeline?.entries.last { $0.date == date }?.relevance?.score
    case .scoreEnded: widgets[slot].relevance?.inForce.score
    default: nil
    }
  }

  private mutating func lift(_ result: GateResult, _ widget: Widget, _ id: StackID) {
    let slot = slot(making: widget, id)
    switch result.gate {
    case .smartRotate: stacks[position(of: id)].isSmartRotateOn = true
    case .widgetSuggestions: stacks[position(of: id)].isWidgetSuggestionsOn = true
    case .family:
      supportEveryFamily(widget.kind)
      liftFamily(slot, stacks[position(of: id)].family)
    case .blocked:
      suggestionState.blockedWidgets.remove(widget)
      suggestionState.blockedApps.remove(widget.kind.app)
      suggestionState.snoozedWidgets[widget] = nil
      suggestionState.snoozedApps[widget.kind.app] = nil
    case .threshold: policy.threshold = 0
    case .margin:
      policy.margin = 0
      policy.predictionLead = 1
      if result.measured <= 0 { endFrontEvidence(of: id) }
    case .occupancy: dropSuggestion(of: id)
    case .episode:
      changeEpisodes(slot) {
        $0.isSpent = false
        $0.movedStacks = []
      }
    case .dwell: policy.dwell = .zero
    case .hold: policy.hold = .zero
    case .rotationBudget: policy.rotationCountMax = .max
    case .suggestionBudget: policy.suggestionCountMax = .max
    case .appSuggestionBudget: policy.appSuggestionCountMax = .max
    case .pinned, .neverTo, .neverAway: liftSettings(result.gate, slot, of: id)
    case .rest: stacks[position(of: id)].quietSince = .min
    case .group: widgets[slot].removeGroups()
    case .gain:
      policy.rotationCost = 0
      if result.measured <= 0 { endFrontEvidence(of: id) }
    }
  }

  private mutating func liftSettings(_ gate: Gate, _ slot: Int, of id: StackID) {
    let position = position(of: id)
    switch gate {
    case .pinned:
      if let pinned = pinnedSlot(at: position) { stacks[position].changeSettings(of: pinned) { $0.pin = nil } }
      if stacks[position].frontBeforePin != slot { returnToFrontBeforePin(position) }
      noteQuiet(position)
    case .neverAway:
      if let front = stacks[position].frontSlot {
        stacks[position].changeSettings(of: front) { $0.rotationRule.isAwayAllowed = true }
      }
    default: stacks[position].changeSettings(of: slot) { $0.rotationRule.isToAllowed = true }
    }
  }

  private mutating func returnToFrontBeforePin(_ position: Int) {
    guard let index = indexBeforePin(at: position) else { return }
    change(position) { $0.bringToFront(index, by: .rest) }
  }

  private mutating func endFrontEvidence(of id: StackID) {
    if stacks[id]?.suggestion?.isInFront ?? false {
      dropSuggestion(of: id)
    } else if let front = stacks[id]?.frontSlot {
      // As when a window ends, the score remains in the history of its kind, whose reference others share (rule T6).
      let score = widgets[front].positiveScore
      if score > 0 { scores[widgets[front].kind].history.remember(score, until: now) }
      widgets[front].endEvidence()
    }
  }

  private mutating func dropSuggestion(of id: StackID) {
    guard let slot = stacks[id]?.suggestion?.slot else { return }
    spendSuggestionEpisodes(slot)
    stacks[position(of: id)].suggestion = nil
  }

  /// Returns the slot with which the widget competes for a stack, creating an instance if there is none.
  private mutating func slot(making widget: Widget, _ id: StackID) -> Int {
    let position = position(of: id)
    if let slot = slot(of: widget, competingAt: position) { return slot }
    let (family, families) = (stacks[position].family, kinds[widget.kind]?.families ?? [])
    return slot(making: WidgetInstance(widget, in: families.contains(family) ? family : firstFamily(of: widget)))
  }

  /// Returns the prediction of another instance of the widget, or `nil`.
  private func sharedPrediction(_ slot: Int) -> Prediction? {
    widgets.slots(of: widgets[slot].widget).lazy.compactMap { self.widgets[$0].prediction }.first
  }

  /// Makes the instance in a family compete instead of the one in `slot`, with the evidence of the latter.
  private mutating func liftFamily(_ slot: Int, _ family: WidgetFamily) {
    guard let own = widgets.slot(of: widgets[slot].widget, in: family) else { return move(slot, to: family) }
    let other = widgets.slots(of: widgets[own].widget).first { $0 != own && widgets.summaries[$0].isSuggestible }
    guard let source = own == slot ? other : slot else { return }
    let state = widgets[source]
    widgets[own].adoptWindows(of: state)
    widgets[own].prediction = state.prediction
  }

  private mutating func supportEveryFamily(_ kind: WidgetKind) {
    guard let old = kinds[kind] else { return }
    do {
      kinds[kind] = try WidgetDescriptor(
        kind: kind, displayName: old.displayName, descriptionText: old.descriptionText, families: WidgetFamily.allCases,
        configuration: old.configuration)
    } catch {
      preconditionFailure("a registered descriptor is invalid: \(error)")
    }
  }
}
