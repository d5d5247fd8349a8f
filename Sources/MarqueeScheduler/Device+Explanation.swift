import MarqueeModel

extension Device {
  /// Returns an explanation of what the stack shows now: every member with its evidence and gates.
  ///
  /// No candidate is marked as chosen, because every due rotation has already happened. For the explanation of a past
  /// rotation, see the ``Decision`` that carried it.
  ///
  /// - Returns: The explanation, or `nil` if no stack has this name.
  public func explanation(of id: StackID) -> Explanation? {
    stacks.position(of: id).map { explanation(at: $0, chosen: nil) }
  }

  /// Returns the explanation of a stack, with the index of the member that a decision of the given kind is about to
  /// bring to the front, if any.
  func explanation(at position: Int, chosen: Int?, _ kind: Decision.Kind = .rotation) -> Explanation {
    let (front, gates) = (stacks[position].shownFront, stackGates(position))
    var members: [RankedCandidate] = []
    members.reserveCapacity(stacks[position].shownCount)
    for index in 0..<stacks[position].shownCount {
      members.append(rankedCandidate(stacks[position].slot(at: index), at: index))
    }
    var candidates: [Candidate] = []
    candidates.reserveCapacity(members.count)
    for member in members.sorted(by: { $0.outranks($1) }) {
      let isInFront = member.index == front
      let isResting = kind == .rest && member.index == chosen
      let own =
        isResting
        ? gatesWithoutEvidence(member.index, at: position) : rotationGates(member.slot, at: position, gates)
      let results = isInFront ? [] : own ?? []
      let pin = gates.pinnedSlot == member.slot ? stacks[position].settings[member.slot]?.pin : nil
      let representative = results.isClosedByGroup ? representative(of: member.slot, at: position) : nil
      candidates.append(
        candidate(member, isInFront: isInFront, gates: results, pin: pin, representedBy: representative))
    }
    return explanation(at: position, candidates, chosen: chosen.map { stacks[position].slot(at: $0) })
  }

  /// Returns an explanation with the given candidates, in order, and the slot of the chosen widget, if any.
  func explanation(at position: Int, _ candidates: [Candidate], chosen: Int?) -> Explanation {
    Explanation(
      stack: stacks[position].id, at: now, front: stacks[position].frontSlot.map { widgets[$0].widget },
      candidates: candidates, chosen: chosen.map { widgets[$0].widget })
  }

  /// Returns the gates of a rotation to a member, in evaluation order.
  func rotationGates(_ slot: Int, at position: Int) -> [GateResult] {
    rotationGates(slot, at: position, stackGates(position))
  }

  /// The gates of a rotation that have the same result for every member.
  private struct StackGates {
    let smartRotate: GateResult
    let dwell: GateResult
    let hold: GateResult
    let budget: GateResult
    let pinnedSlot: Int?
  }

  private func stackGates(_ position: Int) -> StackGates {
    StackGates(
      smartRotate: smartRotateGate(position), dwell: dwellGate(position), hold: holdGate(position),
      budget: rotationBudgetGate(position), pinnedSlot: pinnedSlot(at: position))
  }

  private func rotationGates(_ slot: Int, at position: Int, _ gates: StackGates) -> [GateResult] {
    if gates.pinnedSlot == slot { return [gates.hold] }
    var results = [
      gates.smartRotate, thresholdGate(evidence(slot)), rotationLeadGate(slot, over: stacks[position].frontSlot),
      episodeGate(slot, at: position), gates.dwell, gates.hold, gates.budget,
    ]
    if widgets.summaries[slot].isGrouped {
      results.insert(groupGate(representedBy: representative(of: slot, at: position)), at: 3)
    }
    if let gain = gainGate(slot, at: position) { results.insert(gain, at: 3) }
    if stacks.hasSettings(position) {
      let own = [pinnedGate(slot, at: position), neverAwayGate(position), neverToGate(slot, at: position)]
      results.insert(contentsOf: own, at: 1)
    }
    return results
  }

  /// Returns the explained candidate: its evidence by signal, and its gate results.
  func candidate(
    _ candidate: RankedCandidate, isInFront: Bool, gates: [GateResult], pin: Pin? = nil,
    representedBy representative: Int?
  ) -> Candidate {
    let slot = candidate.slot
    var shares = evidenceShares(slot)
    for index in shares.indices where shares[index].signal == .prediction {
      shares[index] = shares[index].explained(by: reasons(slot))
    }
    return Candidate(
      widget: widgets[slot].widget, position: candidate.index, isInFront: isInFront, evidence: candidate.evidence,
      signals: shares, episodeStart: widgets.summaries[slot].episodeStart, gates: gates, pin: pin,
      expiry: widgets[slot].expiredAt, representative: representative.map { widgets[$0].widget })
  }
}

extension [GateResult] {
  /// Whether the gate of groups is closed.
  var isClosedByGroup: Bool { contains { $0.gate == .group && !$0.isPassed } }
}

extension SignalShare {
  fileprivate func explained(by habit: HabitReasons?) -> SignalShare {
    SignalShare(
      signal: signal, score: score, reference: reference, strength: strength, weight: weight, share: share,
      habit: habit)
  }
}

extension Candidate {
  /// The first closed gate: what must change before the widget can come to the front.
  ///
  /// `nil` if every gate is open or the widget is at the front.
  public var obstacle: GateResult? { gates.first { !$0.isPassed } }
}
