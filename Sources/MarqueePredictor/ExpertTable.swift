/// The logarithms of the experts' shares: one row per expert, with the candidates in chunks of eight.
struct ExpertTable: Sendable, Equatable {
  /// The share that every expert divides equally among all candidates.
  private static let floorShare: Float = 0.05

  private let rowCount: Int
  private let chunkCount: Int
  /// 1 for candidates, 0 for other actions.
  private let mask: [Lanes]
  private let candidateCount: Int
  private var rows: [Lanes]
  /// Scratch space for the weights of a row.
  private var vector: ActionVector

  init(rowCount: Int, mask: [Lanes], candidateCount: Int) {
    self.rowCount = rowCount
    chunkCount = mask.count
    self.mask = mask
    self.candidateCount = candidateCount
    rows = [Lanes](repeating: .zero, count: rowCount * mask.count)
    vector = ActionVector(chunkCount: mask.count)
  }

  /// Sets an expert's row from its non-negative weights, which need not be normalized.
  mutating func set(_ row: Int, to vector: ActionVector) {
    precondition(vector.lanes.count == chunkCount && row < rowCount, "row or vector does not fit the table")
    let count = Float(max(1, candidateCount))
    rows.withUnsafeMutableBufferPointer { rows in
      let row = UnsafeMutableBufferPointer(rebasing: rows[row * chunkCount..<(row + 1) * chunkCount])
      Self.fill(row, from: vector.lanes, mask: mask, count: count)
    }
  }

  /// Sets an expert's row from the weights that `write` stores in a scratch vector with unspecified contents.
  @inline(__always) mutating func set(_ row: Int, _ write: (inout ActionVector) -> Void) {
    write(&vector)
    set(row, to: vector)
  }

  /// Copies a row of another table with the same candidates.
  mutating func copy(_ row: Int, from other: ExpertTable, _ otherRow: Int) {
    for chunk in 0..<chunkCount { rows[row * chunkCount + chunk] = other.rows[otherRow * chunkCount + chunk] }
  }

  /// Resets a row to 0, its initial value.
  mutating func clear(_ row: Int) {
    for chunk in 0..<chunkCount { rows[row * chunkCount + chunk] = .zero }
  }

  /// Sets a row to 1 for one action, without normalization or logarithm.
  mutating func mark(_ row: Int, action: Int) {
    rows[row * chunkCount + action >> 3][action & 7] = 1
  }

  private static func fill(
    _ row: UnsafeMutableBufferPointer<Lanes>, from weights: [Lanes], mask: [Lanes], count: Float
  ) {
    var sums = Lanes.zero
    weights.withUnsafeBufferPointer { weights in
      mask.withUnsafeBufferPointer { mask in
        for chunk in row.indices {
          let weight = weights[chunk] * mask[chunk]
          row[chunk] = weight
          sums += weight
        }
      }
    }
    let sum = total(sums)
    let scale = sum > 0 ? (1 - floorShare) / sum : 0
    let floor = (sum > 0 ? floorShare : 1) / count
    for chunk in row.indices { row[chunk] = logarithm(row[chunk] * scale + floor) }
  }

  /// Returns the probabilities of all candidates under the weights; 0 for other actions.
  func probabilities(_ weights: Mixer.Weights) -> [Lanes] {
    var scores = mask
    scores.withUnsafeMutableBufferPointer { scores in
      addUp(&scores, weights)
      var highest = Lanes(repeating: -.infinity)
      for chunk in scores.indices {
        highest = greater(highest, scores[chunk].replacing(with: -.infinity, where: mask[chunk] .== 0))
      }
      let top = greatest(highest)
      var sums = Lanes.zero
      for chunk in scores.indices {
        scores[chunk] = exponential(ofNegatives: lesser(scores[chunk] - top, .zero)) * mask[chunk]
        sums += scores[chunk]
      }
      let sum = total(sums)
      guard sum > 0 else { return }
      for chunk in scores.indices { scores[chunk] /= sum }
    }
    return scores
  }

  /// Sets `scores` to the weighted sum of all rows.
  private func addUp(_ scores: inout UnsafeMutableBufferPointer<Lanes>, _ weights: Mixer.Weights) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: rowCount) { factors in
      for row in factors.indices { factors.initializeElement(at: row, to: weights[row]) }
      rows.withUnsafeBufferPointer { rows in
        for chunk in scores.indices {
          var score = Lanes.zero
          var place = chunk
          for factor in factors {
            score += rows[place] * factor
            place += chunkCount
          }
          scores[chunk] = score
        }
      }
    }
  }

  /// Returns the gradient of the log-probability of `action`: the experts' logarithms for it, minus their expectation
  /// under `probabilities`.
  func gradient(_ probabilities: [Lanes], action: Int) -> Mixer.Weights {
    var gradient = Mixer.Weights.zero
    for row in 0..<rowCount {
      var sums = Lanes.zero
      for chunk in 0..<chunkCount { sums += probabilities[chunk] * rows[row * chunkCount + chunk] }
      gradient[row] = rows[row * chunkCount + action >> 3][action & 7] - total(sums)
    }
    return gradient
  }
}
