import MarqueeModel

extension Device {
  /// Why the stack shows what it shows now: every member with its evidence and each gate (rule R10); `nil` when
  /// there is no such stack.
  ///
  /// Whatever could be rotated to has been by now, so no candidate is chosen here; a ``Decision`` carries what was
  /// weighed when it was taken.
  public func explanation(of id: StackID) -> Explanation? {
    stacks.position(of: id).map { explanation(at: $0, chosen: nil) }
  }

  /// Why the stack shows what it shows now, with the index of the member that is to come to its front, if one is.
  func explanation(at position: Int, chosen: Int?) -> Explanation {
    let (front, gates) = (stacks[position].shownFront, stackGates(position))
    var members: [Contender] = []
    members.reserveCapacity(stacks[position].shownCount)
    for index in 0..<stacks[position].shownCount {
      members.append(contender(stacks[position].slot(at: index), at: index))
    }
    var candidates: [Candidate] = []
    candidates.reserveCapacity(members.count)
    for member in members.sorted(by: { $0.outranks($1) }) {
      let isInFront = member.index == front
      let own = isInFront ? [] : rotationGates(member.slot, at: position, gates)
      candidates.append(candidate(member, isInFront: isInFront, gates: own))
    }
    return explanation(at: position, candidates, chosen: chosen.map { stacks[position].slot(at: $0) })
  }

  /// The same with candidates in their order, and the slot of the widget that is chosen.
  func explanation(at position: Int, _ candidates: [Candidate], chosen: Int?) -> Explanation {
    Explanation(
      stack: stacks[position].id, at: now, front: stacks[position].frontSlot.map { widgets[$0].widget },
      candidates: candidates, chosen: chosen.map { widgets[$0].widget })
  }

  /// The gates of a rotation to a member, in their order.
  func rotationGates(_ slot: Int, at position: Int) -> [GateResult] {
    rotationGates(slot, at: position, stackGates(position))
  }

  /// The gates of a rotation that are the same for every member.
  private struct StackGates {
    let smartRotate: GateResult
    let dwell: GateResult
    let hold: GateResult
    let budget: GateResult
  }

  private func stackGates(_ position: Int) -> StackGates {
    StackGates(
      smartRotate: smartRotateGate(position), dwell: dwellGate(position), hold: holdGate(position),
      budget: rotationBudgetGate(position))
  }

  private func rotationGates(_ slot: Int, at position: Int, _ gates: StackGates) -> [GateResult] {
    [
      gates.smartRotate, thresholdGate(evidence(slot)), leadGate(.margin, slot, over: stacks[position].frontSlot),
      episodeGate(slot, stacks[position].id), gates.dwell, gates.hold, gates.budget,
    ]
  }

  /// A candidate with what its evidence is made of, and the gates that it was asked to pass.
  func candidate(_ contender: Contender, isInFront: Bool, gates: [GateResult]) -> Candidate {
    let slot = contender.slot
    var shares = evidenceShares(slot)
    for index in shares.indices where shares[index].signal == .prediction {
      shares[index] = shares[index].explained(by: reasons(slot))
    }
    return Candidate(
      widget: widgets[slot].widget, position: contender.index, isInFront: isInFront, evidence: contender.evidence,
      signals: shares, episodeStart: widgets.outlooks[slot].episodeStart, gates: gates)
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
