public import MarqueeModel

extension Device {
  /// Takes in an event as ``handle(_:at:)`` does, and adds to `tally` what is decided, what is not, and what came of
  /// earlier decisions and predictions.
  ///
  /// Those are waited for from one call to the next, as long as the value lives: they are not stored.
  public mutating func handle(_ event: Event, at instant: Instant, counting tally: inout Tally) -> [Action] {
    outcomes.begin(&tally)
    defer { outcomes.end(&tally) }
    return handle(event, at: instant)
  }

  /// Lets time pass as ``advance(to:)`` does, and counts as ``handle(_:at:counting:)``.
  public mutating func advance(to instant: Instant, counting tally: inout Tally) -> [Action] {
    outcomes.begin(&tally)
    defer { outcomes.end(&tally) }
    return advance(to: instant)
  }

  /// Counts what an event makes come true, and what is too late now.
  mutating func judge(_ event: Event) {
    guard outcomes.isCounting else { return }
    switch event {
    case .donated(let app, let batch): for donation in batch { outcomes.take(donation, of: app) }
    case .reported(let report):
      var kept: Widget?
      if case .suggestionKept(let id) = report { kept = stacks[id]?.suggestion.map { widgets[$0.slot].widget } }
      outcomes.take(report, kept: kept, now)
    default: break
    }
    outcomes.expire(at: now)
  }

  /// Counts the gate that holds the best candidate of a stack that does not rotate, once.
  mutating func noteStop(_ position: Int) {
    guard outcomes.isCounting else { return }
    var held: (slot: Int, gate: Gate)?
    if let index = leader(at: position) {
      let slot = stacks[position].slot(at: index)
      held = stoppingGate(slot, at: position).map { (slot, $0) }
    }
    guard let gate = stacks[position].stop.note(held) else { return }
    outcomes.countStop(.rotation, gate)
  }

  /// Counts the gate that holds the best suggestion on the stack that would have it first, once.
  mutating func noteSuggestionStop() {
    guard outcomes.isCounting else { return }
    var held: (slot: Int, gate: Gate)?
    if let position = stacks.foremost, let slot = suggestionLeader {
      held = stoppingGate(slot, suggestedAt: position).map { (slot, $0) }
    }
    guard let gate = suggestionStop.note(held) else { return }
    outcomes.countStop(.suggestion, gate)
  }

  /// The first of a suggestion's closed gates that time does not open or, without such, the one that time opens last.
  private func stoppingGate(_ slot: Int, suggestedAt position: Int) -> Gate? {
    var stopping: GateResult?
    visitSuggestionGates(slot, at: position) { result in
      let isClosed = !result.isPassed && !result.gate.opensWithTime
      stopping = isClosed ? result : Self.later(stopping, result)
      return !isClosed
    }
    return stopping?.gate
  }

  /// The same of a rotation's gates, one by one: it is asked after every event.
  private func stoppingGate(_ slot: Int, at position: Int) -> Gate? {
    func closed(_ result: GateResult) -> Gate? { result.isPassed ? nil : result.gate }
    let (id, front) = (stacks[position].id, stacks[position].frontSlot)
    return closed(smartRotateGate(position)) ?? closed(thresholdGate(evidence(slot)))
      ?? closed(leadGate(.margin, slot, over: front)) ?? closed(episodeGate(slot, id)) ?? lastToOpen(position)
  }

  /// The gate of those that time opens for a stack that opens last; `nil` when all are open.
  private func lastToOpen(_ position: Int) -> Gate? {
    let later = Self.later(Self.later(nil, dwellGate(position)), holdGate(position))
    return Self.later(later, rotationBudgetGate(position))?.gate
  }

  /// Of two gates that time opens the closed one that opens later; `nil` when both are open.
  private static func later(_ first: GateResult?, _ second: GateResult) -> GateResult? {
    if second.isPassed { return first }
    guard let first else { return second }
    return (second.clears ?? .max) > (first.clears ?? .max) ? second : first
  }
}
