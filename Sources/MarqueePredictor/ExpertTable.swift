/// The logarithms of the experts' shares, expert by expert, with the candidates in lanes of eight.
struct ExpertTable: Sendable, Equatable {
  /// The share that every expert leaves to be divided among all candidates alike.
  private static let floorShare: Float = 0.05

  private let rowCount: Int
  private let chunkCount: Int
  /// 1 for candidates, 0 for all others.
  private let mask: [Lanes]
  private let candidateCount: Int
  private var rows: [Lanes]
  /// Where a row's weights are put together.
  private var column: Column

  init(rowCount: Int, mask: [Lanes], candidateCount: Int) {
    self.rowCount = rowCount
    chunkCount = mask.count
    self.mask = mask
    self.candidateCount = candidateCount
    rows = [Lanes](repeating: .zero, count: rowCount * mask.count)
    column = Column(chunkCount: mask.count)
  }

  /// Sets an expert's row from its weights for the actions, which need not add up to 1.
  mutating func set(_ row: Int, to column: Column) {
    precondition(column.lanes.count == chunkCount && row < rowCount, "a row of another table")
    let count = Float(max(1, candidateCount))
    rows.withUnsafeMutableBufferPointer { rows in
      let row = UnsafeMutableBufferPointer(rebasing: rows[row * chunkCount..<(row + 1) * chunkCount])
      Self.fill(row, from: column.lanes, mask: mask, count: count)
    }
  }

  /// Sets an expert's row from the weights that `write` leaves; it finds those of any other row.
  @inline(__always) mutating func set(_ row: Int, _ write: (inout Column) -> Void) {
    write(&column)
    set(row, to: column)
  }

  /// Sets a row to 0, as it is at first.
  mutating func clear(_ row: Int) {
    for chunk in 0..<chunkCount { rows[row * chunkCount + chunk] = .zero }
  }

  /// Sets a row to 1 for one action and 0 for all others, as it stands.
  mutating func mark(_ row: Int, action: Int) {
    rows[row * chunkCount + action >> 3][action & 7] = 1
  }

  private static func fill(
    _ row: UnsafeMutableBufferPointer<Lanes>, from weights: [Lanes], mask: [Lanes], count: Float
  ) {
    var sums = Lanes.zero
    for chunk in row.indices {
      row[chunk] = weights[chunk] * mask[chunk]
      sums += row[chunk]
    }
    let sum = total(sums)
    let scale = sum > 0 ? (1 - floorShare) / sum : 0
    let floor = (sum > 0 ? floorShare : 1) / count
    for chunk in row.indices { row[chunk] = logarithm(row[chunk] * scale + floor) }
  }

  /// The probabilities of all candidates under the weights; 0 for all others.
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

  /// Sets scores to the sums of all rows, each times its weight.
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

  /// The experts' logarithms for `action`, less their expectation under `probabilities`.
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
