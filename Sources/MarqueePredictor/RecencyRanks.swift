/// The actions by recency of use, and how often the next action had each recency rank.
struct RecencyRanks: Sendable, Equatable {
  static let rankMax = 64
  private static let pooledWeight: Float = 10

  /// The actions, most recently used last.
  private var order: [UInt16] = []
  private var byGap = [[Float]](repeating: [Float](repeating: 0, count: Self.rankMax), count: Gap.count)
  private var pooled = [Float](repeating: 0, count: Self.rankMax)
  private var pooledTotal: Float = 0

  /// Counts the rank of `action`, which came next among all but `excluded`, and makes it the most recent.
  mutating func use(_ action: Int, excluding excluded: Int?, gap: Int) {
    var rank = 0
    for place in order.indices.reversed() {
      let candidate = Int(order[place])
      if candidate == action {
        if action != excluded {
          let counted = min(rank, Self.rankMax - 1)
          byGap[gap][counted] += 1
          pooled[counted] += 1
          pooledTotal += 1
        }
        order.remove(at: place)
        break
      }
      if candidate != excluded { rank += 1 }
    }
    order.append(UInt16(action))
  }

  /// Writes the weight of each action's rank. Ranks beyond the maximum share the weight of the last one.
  func write(to vector: ActionRow, gap: Int, excluding excluded: Int?) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: Self.rankMax) { weights in
      fill(weights, gap: gap)
      order.withUnsafeBufferPointer { order in
        var rank = 0
        for place in order.indices.reversed() where Int(order[place]) != excluded {
          vector[Int(order[place])] = weights[min(rank, Self.rankMax - 1)]
          rank += 1
        }
      }
    }
  }

  /// Computes the weights of the ranks.
  private func fill(_ weights: UnsafeMutableBufferPointer<Float>, gap: Int) {
    let scale = pooledTotal + 3
    pooled.withUnsafeBufferPointer { pooled in
      byGap[gap].withUnsafeBufferPointer { own in
        for rank in 0..<Self.rankMax {
          let prior = (pooled[rank] + 0.75 / (Float(rank) + 1.5)) / scale
          weights.initializeElement(at: rank, to: own[rank] + Self.pooledWeight * prior)
        }
      }
    }
    weights[Self.rankMax - 1] /= Float(max(1, order.count - Self.rankMax + 1))
  }

  var byteCount: Int { order.capacity * 2 + (Gap.count + 1) * Self.rankMax * 4 }
}
