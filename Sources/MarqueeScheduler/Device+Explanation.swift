import MarqueeModel

extension Device {
  /// Why the stack shows what it shows now: every member with its evidence and each gate (rule R10); `nil` when
  /// there is no such stack.
  ///
  /// Whatever could be rotated to has been by now, so no candidate is chosen here; a ``Decision`` carries what was
  /// weighed when it was taken.
  public func explanation(of id: StackID) -> Explanation? {
    stacks[id].map { explanation(of: $0, chosen: nil) }
  }

  func explanation(of stack: StackState, chosen: Int?) -> Explanation {
    Explanation(
      stack: stack.id, at: now, front: stack.frontSlot.map { widgets[$0].widget },
      candidates: ranked((0..<stack.shownCount).map { candidate($0, of: stack) }),
      chosen: chosen.map { widgets[stack.slot(at: $0)].widget })
  }

  private func candidate(_ index: Int, of stack: StackState) -> Candidate {
    let slot = stack.slot(at: index)
    let isInFront = index == stack.shownFront
    return candidate(
      slot, position: index, isInFront: isInFront,
      gates: isInFront ? [] : rotationGates(slot, on: stack))
  }

  /// The gates of a rotation to a member, in their order.
  func rotationGates(_ slot: Int, on stack: StackState) -> [GateResult] {
    [
      smartRotateGate(stack), thresholdGate(evidence(slot)), leadGate(.margin, slot, over: stack.frontSlot),
      episodeGate(slot, stack.id), dwellGate(stack), holdGate(stack), rotationBudgetGate(stack),
    ]
  }

  func candidate(_ slot: Int, position: Int, isInFront: Bool, gates: [GateResult]) -> Candidate {
    var shares = evidenceShares(slot)
    for index in shares.indices where shares[index].signal == .prediction {
      shares[index] = shares[index].explained(by: reasons(slot))
    }
    return Candidate(
      widget: widgets[slot].widget, position: position, isInFront: isInFront, evidence: evidence(slot),
      signals: shares, episodeStart: shares.isEmpty ? nil : widgets.outlooks[slot].episodeStart, gates: gates)
  }

  /// The candidates in their order (rule R8), those without evidence last; identifiers tell suggestions apart.
  func ranked(_ candidates: [Candidate]) -> [Candidate] {
    // What is looked at most, without the rest of a candidate, which is costly to move.
    var ranks = candidates.indices.map { index in
      (index: index, evidence: candidates[index].evidence, start: candidates[index].episodeStart ?? .min)
    }
    ranks.sort { left, right in
      if left.evidence != right.evidence { return left.evidence > right.evidence }
      if left.start != right.start { return left.start > right.start }
      return Self.comesFirst(candidates[left.index], candidates[right.index])
    }
    return ranks.map { candidates[$0.index] }
  }

  /// Whether the first of two with the same evidence since the same instant is before the other.
  private static func comesFirst(_ left: Candidate, _ right: Candidate) -> Bool {
    if left.position != right.position { return left.position < right.position }
    if left.widget.kind != right.widget.kind { return left.widget.kind < right.widget.kind }
    return left.widget.encoded.lexicographicallyPrecedes(right.widget.encoded)
  }
}

extension SignalShare {
  fileprivate func explained(by habit: HabitReasons?) -> SignalShare {
    SignalShare(
      signal: signal, score: score, reference: reference, strength: strength, weight: weight, share: share,
      habit: habit)
  }
}

extension Candidate {
  /// Why the widget is not brought to the front: the first thing that would have to change (rule R10), or `nil` when
  /// every gate is open or it is in front.
  public var obstacle: GateResult? { gates.first { !$0.isPassed } }
}
