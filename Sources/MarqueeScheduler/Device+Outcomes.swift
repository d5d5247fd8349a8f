public import MarqueeModel

extension Device {
  /// Handles an event like ``handle(_:at:sequence:)``, and counts decisions, blocked decisions and outcomes in
  /// `counters`.
  ///
  /// Pending outcomes are tracked between calls in memory only; they are not stored.
  public mutating func handle(
    _ event: Event, at instant: Instant, sequence: UInt64? = nil, counting counters: inout DecisionCounters
  ) -> [Action] {
    outcomes.begin(&counters)
    defer { outcomes.end(&counters) }
    return handle(event, at: instant, sequence: sequence)
  }

  /// Advances time like ``advance(to:)``, and counts like ``handle(_:at:sequence:counting:)``.
  public mutating func advance(to instant: Instant, counting counters: inout DecisionCounters) -> [Action] {
    outcomes.begin(&counters)
    defer { outcomes.end(&counters) }
    return advance(to: instant)
  }

  /// Counts the outcomes that an event determines, and those whose time has expired.
  mutating func recordOutcomes(of event: Event) {
    guard outcomes.isCounting else { return }
    switch event {
    case .donated(let app, let batch): for donation in batch { outcomes.recordUse(donation, of: app) }
    case .reported(let report):
      var kept: Widget?
      if case .suggestionKept(let id) = report { kept = stacks[id]?.suggestion.map { widgets[$0.slot].widget } }
      outcomes.recordUse(report, kept: kept, now)
    default: break
    }
    outcomes.expire(at: now)
  }

  /// Counts the gate that blocks the best candidate of a stack, once for each time that it becomes the blocking one.
  mutating func recordBlockingGate(_ position: Int) {
    guard outcomes.isCounting else { return }
    var held: (slot: Int, gate: Gate)?
    if let index = leader(at: position) {
      let slot = stacks[position].slot(at: index)
      held = blockingGate(slot, at: position).map { (slot, $0) }
    }
    guard let gate = stacks[position].blockingGate.note(held) else { return }
    outcomes.countBlocked(.rotation, gate)
  }

  /// Counts the gate that blocks the best suggestion on the foremost stack, once each time that it becomes the blocking
  /// one.
  mutating func recordSuggestionBlockingGate(_ leaders: GroupLeaders) {
    guard outcomes.isCounting else { return }
    var held: (slot: Int, gate: Gate)?
    if let position = stacks.foremost, let slot = suggestionLeader(at: position) {
      held = blockingGate(slot, suggestedAt: position, leaders).map { (slot, $0) }
    }
    guard let gate = suggestionBlockingGate.note(held) else { return }
    outcomes.countBlocked(.suggestion, gate)
  }

  /// Returns the gate that blocks a suggestion: the first closed gate that time does not open, or else the closed gate
  /// that opens last.
  private func blockingGate(_ slot: Int, suggestedAt position: Int, _ leaders: GroupLeaders) -> Gate? {
    var blocking: GateResult?
    visitSuggestionGates(slot, at: position, leaders) { result in
      let isClosed = !result.isPassed && !result.gate.opensWithTime
      blocking = isClosed ? result : Self.later(blocking, result)
      return !isClosed
    }
    return blocking?.gate
  }

  /// Returns the gate that blocks a rotation to the best member, by the same rule. Evaluates gates lazily because it
  /// runs after every event. No member but the front ranks before the best one, so that its groups do not block it.
  private func blockingGate(_ slot: Int, at position: Int) -> Gate? {
    func closed(_ result: GateResult) -> Gate? { result.isPassed ? nil : result.gate }
    if stacks.hasSettings(position) {
      let pinned = pinnedSlot(at: position)
      if pinned == slot { return closed(holdGate(position)) }
      let gate = pinned != nil ? .pinned : closed(neverAwayGate(position)) ?? closed(neverToGate(slot, at: position))
      if let gate, stacks[position].isSmartRotateOn { return gate }
    }
    let front = stacks[position].frontSlot
    return closed(smartRotateGate(position)) ?? closed(thresholdGate(evidence(slot)))
      ?? closed(rotationLeadGate(slot, over: front)) ?? closed(episodeGate(slot, at: position))
      ?? lastToOpen(slot, at: position)
  }

  /// Returns the closed gate of a rotation that opens last with time, or a closed gain gate that time does not open, or
  /// `nil` if all such gates are open.
  private func lastToOpen(_ slot: Int, at position: Int) -> Gate? {
    let gain = gainGate(slot, at: position)
    let later = Self.later(Self.later(gain.flatMap { Self.later(nil, $0) }, dwellGate(position)), holdGate(position))
    return Self.later(later, rotationBudgetGate(position))?.gate
  }

  /// Returns the closed one of two gates, or the one that opens later if both are closed; `nil` if both are open.
  private static func later(_ first: GateResult?, _ second: GateResult) -> GateResult? {
    if second.isPassed { return first }
    guard let first else { return second }
    return (second.clears ?? .max) > (first.clears ?? .max) ? second : first
  }
}
