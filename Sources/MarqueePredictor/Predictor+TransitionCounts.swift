/// Computing the shares of the experts that use the previous actions.
extension Predictor {
  /// The maximum number of earlier occurrences of the last pair that are visited.
  private static let pairWalkMax = 32
  private static let pairKept: Float = 0.97

  func fillTransitions(_ table: ExpertTable, _ head: PredictionHead, _ situation: Situation) {
    guard head.experts.contains(.successor) else { return }
    let base = situation.base
    guard let last else {
      for (row, expert) in head.experts.enumerated() {
        if [.successor, .recentSuccessor, .skipped, .thirdOrder].contains(expert) { table.set(row, to: base) }
      }
      return
    }
    // The shares after the previous action at any gap, normalized.
    let first = situation.scratch
    let following = transitions.rows[last.action]
    var sum: Float = 2
    for counts in following.counts { sum += TransitionCounts.direct(counts) }
    first.assign(base, times: 2 / sum)
    following.add(to: first, times: 1 / sum, TransitionCounts.direct)
    for (row, expert) in head.experts.enumerated() {
      switch expert {
      case .successor:
        table.set(row) { vector in
          vector.assign(first, times: 4)
          following.add(to: vector) { Float($0[situation.gap]) }
        }
      case .recentSuccessor:
        table.set(row) { vector in
          vector.assign(base, times: 1.5)
          following.add(to: vector, TransitionCounts.recent)
        }
      case .skipped:
        guard let before = last.before else { table.set(row, to: base); continue }
        table.set(row) { vector in
          vector.assign(base, times: 3)
          transitions.rows[before].add(to: vector) { Float($0[TransitionCounts.skipped]) }
        }
      case .thirdOrder: table.set(row) { writeThirdOrder(to: $0, first) }
      default: continue
      }
    }
  }

  /// A successor of an earlier occurrence of the last pair.
  private struct PairSuccessor {
    let action: Int
    let weight: Float
    /// Whether the action before the pair was the same, too.
    let isThird: Bool
  }

  /// Writes the shares after the last three actions, backing off to the last two, and then to `first`.
  private func writeThirdOrder(to vector: ActionRow, _ first: ActionRow) {
    let actions = sequence.actions
    let end = actions.count - 1
    guard end >= 1 else { return vector.assign(first) }
    withUnsafeTemporaryAllocation(of: PairSuccessor.self, capacity: Self.pairWalkMax) { found in
      var (count, place) = (0, Int(sequence.samePair[end]))
      var weight: Float = 1
      var (second, third): (Float, Float) = (0, 0)
      while place >= 0, count < Self.pairWalkMax {
        let isThird = end >= 2 && place >= 2 && actions[place - 2] == actions[end - 2]
        let successor = PairSuccessor(action: Int(actions[place + 1]), weight: weight, isThird: isThird)
        found.initializeElement(at: count, to: successor)
        count += 1
        second += weight
        if isThird { third += weight }
        weight *= Self.pairKept
        place = Int(sequence.samePair[place])
      }
      let (secondScale, thirdScale) = (1 / (second + 1.5), 1 / (third + 1.5))
      vector.assign(first, times: 1.5 * secondScale * 1.5 * thirdScale)
      for entry in found.prefix(count) {
        vector[entry.action] += entry.weight * secondScale * 1.5 * thirdScale
        if entry.isThird { vector[entry.action] += entry.weight * thirdScale }
      }
    }
  }
}
