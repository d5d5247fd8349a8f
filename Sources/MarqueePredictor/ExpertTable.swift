/// The logarithms of the experts' shares, expert by expert, with the candidates in lanes of eight.
struct ExpertTable: Sendable, Equatable {
  /// The share that every expert leaves to be divided among all candidates alike.
  private static let floorShare: Float = 0.05

  let chunkCount: Int
  /// 1 for candidates, 0 for all others.
  let mask: [Lanes]
  let candidateCount: Int
  private var rows: [Lanes]
  /// Where a row's weights are put together.
  private var column: Column

  init(mask: [Lanes], candidateCount: Int) {
    chunkCount = mask.count
    self.mask = mask
    self.candidateCount = candidateCount
    rows = [Lanes](repeating: .zero, count: 16 * mask.count)
    column = Column(chunkCount: mask.count)
  }

  /// Sets an expert's row from its weights for the actions, which need not add up to 1.
  mutating func set(_ row: Int, to column: Column) {
    var sums = Lanes.zero
    for chunk in 0..<chunkCount { sums += column.lanes[chunk] * mask[chunk] }
    let sum = total(sums)
    let scale = sum > 0 ? (1 - Self.floorShare) / sum : 0
    let floor = (sum > 0 ? Self.floorShare : 1) / Float(max(1, candidateCount))
    rows.withUnsafeMutableBufferPointer { rows in
      for chunk in 0..<chunkCount {
        rows[row * chunkCount + chunk] = logarithm(column.lanes[chunk] * mask[chunk] * scale + floor)
      }
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

  /// The probabilities of all candidates under the weights; 0 for all others.
  func probabilities(_ weights: Mixer.Weights) -> [Lanes] {
    var scores = [Lanes](repeating: .zero, count: chunkCount)
    for row in 0..<16 where weights[row] != 0 {
      let weight = weights[row]
      for chunk in 0..<chunkCount { scores[chunk] += rows[row * chunkCount + chunk] * weight }
    }
    var highest = Lanes(repeating: -.infinity)
    for chunk in 0..<chunkCount {
      let scored = scores[chunk].replacing(with: -.infinity, where: mask[chunk] .== 0)
      highest = greater(highest, scored)
    }
    let top = greatest(highest)
    var sums = Lanes.zero
    for chunk in 0..<chunkCount {
      let below = lesser(scores[chunk] - top, .zero)
      scores[chunk] = exponential(ofNegatives: below) * mask[chunk]
      sums += scores[chunk]
    }
    let sum = total(sums)
    guard sum > 0 else { return scores }
    for chunk in 0..<chunkCount { scores[chunk] /= sum }
    return scores
  }

  /// The experts' logarithms for `action`, less their expectation under `probabilities`.
  func gradient(_ probabilities: [Lanes], action: Int) -> Mixer.Weights {
    var gradient = Mixer.Weights.zero
    for row in 0..<16 {
      var sums = Lanes.zero
      for chunk in 0..<chunkCount { sums += probabilities[chunk] * rows[row * chunkCount + chunk] }
      gradient[row] = rows[row * chunkCount + action >> 3][action & 7] - total(sums)
    }
    return gradient
  }
}
