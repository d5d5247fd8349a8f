/// The actions by their last use, and how often the next action was the first, second, … of them.
struct RecentOrder: Sendable, Equatable {
  static let rankMax = 64
  private static let pooledWeight: Float = 10

  /// The most recently used action last.
  private var order: [UInt16] = []
  private var byGap = [[Float]](repeating: [Float](repeating: 0, count: Self.rankMax), count: Gap.count)
  private var pooled = [Float](repeating: 0, count: Self.rankMax)
  private var pooledTotal: Float = 0

  /// Counts that `action` came next, while `excluded` could not, and makes it the most recent.
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

  /// Writes the weight of each action's rank; those after the last rank share its weight.
  func write(to column: inout Column, gap: Int, excluding excluded: Int?) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: Self.rankMax) { weights in
      fill(weights, gap: gap)
      var rank = 0
      column.lanes.withUnsafeMutableBufferPointer { lanes in
        for action in order.reversed() where Int(action) != excluded {
          lanes[Int(action) >> 3][Int(action) & 7] = weights[min(rank, Self.rankMax - 1)]
          rank += 1
        }
      }
    }
  }

  /// Sets the weights of the ranks.
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
