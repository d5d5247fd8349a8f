import MarqueeModel

extension Device {
  /// Moves the device's clock back to `instant` after it ran ahead of real time, and returns the resulting actions.
  ///
  /// Settings and learned habits are kept. Events later than `instant` are treated as having occurred at `instant`;
  /// budgets, episodes and context changes after it are discarded, and timelines and windows are re-evaluated from
  /// their dates. Snoozes last for the time that remained, since those made by the clock that ran ahead cannot be told
  /// from earlier ones. The state is no longer a function of the preceding events, so a journal must store a snapshot
  /// of the state after this call.
  ///
  /// - Precondition: `instant` is before ``now``.
  public mutating func restateTime(at instant: Instant) -> [Action] {
    precondition(instant < now, "the new time must precede the device's time")
    let jump = now.span(to: instant)
    now = instant
    lastContextChange = min(lastContextChange, instant)
    // The offsets are looked up again for the corrected time.
    offsets = nil
    nextSuggestionCheck = nil
    (suggestionBlockingGate, outcomes) = (BlockingGate(), OutcomeTracker())
    donations.restateTime(at: instant)
    habits = Habits(donations)
    contextHistory.restateTime(at: instant)
    surfaces.restateTime(at: instant, suppressedUntil: instant.advanced(by: Self.dismissalMax))
    suggestionState.restateTime(at: instant)
    suggestionState.moveSnoozes(by: jump)
    for index in scores.indices { scores[index].history.restateTime(at: instant) }
    for index in stacks.indices { stacks[index].restateTime(at: instant) }
    invalidateAll()
    widgets.restateFormerCounts(at: instant)
    var actions: [Action] = []
    for slot in widgets.occupiedSlots {
      let shown = widgets[slot].shown
      widgets.counters[slot].restateTime(at: instant, spanFrom: widgets[slot].visibleDuration.since)
      widgets[slot].restateTime(at: instant)
      let restated = widgets[slot].shown
      if restated != shown { actions.append(Action(at: now, .refresh(widgets[slot].instance, restated))) }
    }
    for app in Set(suggestionState.shortcuts.keys).union(suggestionState.intents.keys).sorted() {
      setWindows(of: app, &actions)
    }
    recomputeScoreReferences { _ in true }
    refreshPredictions(.predictionSchedule, &actions)
    evaluate(&actions)
    return actions
  }
}

extension DonationLog {
  /// Clamps the dates of later donations to `instant`, preserving their order.
  fileprivate mutating func restateTime(at instant: Instant) { setDates(notAfter: instant) }
}

extension ContextHistory {
  fileprivate mutating func restateTime(at instant: Instant) {
    guard let last = steps.last, last.start > instant else { return }
    let earlier = steps.filter { $0.start < instant }
    self = ContextHistory()
    for step in earlier { note(step.context, at: step.start) }
    note(last.context, at: instant)
  }
}

extension SuggestionState {
  fileprivate mutating func restateTime(at instant: Instant) {
    for (app, found) in useFound { useFound[app] = min(found, instant) }
    removeInsertions(after: instant)
  }
}

extension StackState {
  fileprivate mutating func restateTime(at instant: Instant) {
    lastTouch = lastTouch.map { min($0, instant) }
    rotations.removeAll(after: instant)
    insertions.removeAll(after: instant)
    quietSince = quietSince.map { min($0, instant) }
    if let since = promotion?.since { promotion?.since = min(since, instant) }
    nextCheck = nil
    blockingGate = BlockingGate()
  }
}
