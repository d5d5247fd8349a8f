/// Computing the shares of the experts that use the previous actions.
extension Predictor {
  /// The maximum number of earlier occurrences of the last pair that are visited.
  private static let pairWalkMax = 32
  private static let pairKept: Float = 0.97

  func fillTransitions(_ table: inout ExpertTable, _ head: PredictionHead, _ situation: Situation) {
    guard head.experts.contains(.successor) else { return }
    let base = situation.base
    guard let last else {
      for (row, expert) in head.experts.enumerated() {
        if [.successor, .recentSuccessor, .skipped, .thirdOrder].contains(expert) { table.set(row, to: base) }
      }
      return
    }
    let first = firstOrder(base, after: last.action, in: situation)
    for (row, expert) in head.experts.enumerated() {
      switch expert {
      case .successor: table.set(row, to: first.gap)
      case .recentSuccessor: table.set(row, to: first.recent)
      case .skipped: table.set(row, to: skipped(base, after: last.before))
      case .thirdOrder: table.set(row, to: thirdOrder(first.all))
      default: continue
      }
    }
  }

  /// Returns the shares after the previous action: at any gap (normalized), at this gap, and recently.
  private func firstOrder(
    _ base: ActionVector, after previous: Int, in situation: Situation
  ) -> (all: ActionVector, gap: ActionVector, recent: ActionVector) {
    let row = transitions.rows[previous]
    var sum: Float = 2
    for counts in row.counts { sum += TransitionCounts.direct(counts) }
    var (all, recent) = (base, base)
    for chunk in 0..<chunkCount {
      all.lanes[chunk] *= 2 / sum
      recent.lanes[chunk] *= 1.5
    }
    let scale = 1 / sum
    for index in row.actions.indices {
      let (action, counts) = (Int(row.actions[index]), row.counts[index])
      all[action] += TransitionCounts.direct(counts) * scale
      recent[action] += TransitionCounts.recent(counts)
    }
    var gap = all
    for chunk in 0..<chunkCount { gap.lanes[chunk] *= 4 }
    for index in row.actions.indices { gap[Int(row.actions[index])] += Float(row.counts[index][situation.gap]) }
    return (all, gap, recent)
  }

  private func skipped(_ base: ActionVector, after action: Int?) -> ActionVector {
    guard let action else { return base }
    var vector = base
    for chunk in 0..<chunkCount { vector.lanes[chunk] *= 3 }
    let row = transitions.rows[action]
    for index in row.actions.indices {
      vector[Int(row.actions[index])] += Float(row.counts[index][TransitionCounts.skipped])
    }
    return vector
  }

  /// Returns the shares after the last three actions, backing off to the last two, and then to `first`.
  private func thirdOrder(_ first: ActionVector) -> ActionVector {
    let actions = sequence.actions
    let end = actions.count - 1
    guard end >= 1 else { return first }
    var found: [(action: Int, weight: Float, isThird: Bool)] = []
    var place = Int(sequence.samePair[end])
    var weight: Float = 1
    var (second, third): (Float, Float) = (0, 0)
    while place >= 0, found.count < Self.pairWalkMax {
      let isThird = end >= 2 && place >= 2 && actions[place - 2] == actions[end - 2]
      found.append((Int(actions[place + 1]), weight, isThird))
      second += weight
      if isThird { third += weight }
      weight *= Self.pairKept
      place = Int(sequence.samePair[place])
    }
    var vector = first
    let (secondScale, thirdScale) = (1 / (second + 1.5), 1 / (third + 1.5))
    for chunk in 0..<chunkCount { vector.lanes[chunk] *= 1.5 * secondScale * 1.5 * thirdScale }
    for entry in found {
      vector[entry.action] += entry.weight * secondScale * 1.5 * thirdScale
      if entry.isThird { vector[entry.action] += entry.weight * thirdScale }
    }
    return vector
  }
}
