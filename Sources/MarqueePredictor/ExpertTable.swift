/// The logarithms of the experts' shares: one row per expert, with the candidates in chunks of eight.
struct ExpertTable {
  /// The share that every expert divides equally among all candidates.
  private static let floorShare: Float = 0.05

  private let rowCount: Int
  /// 1 for candidates, 0 for other actions.
  private let mask: ActionRow
  private let candidateCount: Int
  private let rows: ActionRows

  init(rowCount: Int, mask: ActionRow, candidateCount: Int, in workspace: inout Workspace) {
    precondition(rowCount % 4 == 0, "the number of experts is not a multiple of four")
    self.rowCount = rowCount
    self.mask = mask
    self.candidateCount = candidateCount
    rows = workspace.rows(rowCount)
  }

  /// Sets an expert's row from its non-negative weights, which need not be normalized.
  func set(_ row: Int, to vector: ActionVector) {
    precondition(vector.lanes.count == mask.chunkCount && row < rowCount, "row or vector does not fit the table")
    vector.lanes.withUnsafeBufferPointer { weights in fill(row) { weights[$0] } }
  }

  /// Sets an expert's row from the weights in another row, which may be the same.
  @inline(__always) func set(_ row: Int, to weights: ActionRow) {
    fill(row) { weights[chunk: $0] }
  }

  /// Sets an expert's row from the weights that `write` stores in it, whose contents are unspecified before.
  @inline(__always) func set(_ row: Int, _ write: (ActionRow) -> Void) {
    let weights = rows[row]
    write(weights)
    fill(row) { weights[chunk: $0] }
  }

  /// Copies a row of another table with the same candidates.
  func copy(_ row: Int, from other: ExpertTable, _ otherRow: Int) { rows[row].assign(other.rows[otherRow]) }

  /// Sets a row to 0.
  func clear(_ row: Int) { rows[row].clear() }

  /// Sets a row to 1 for one action and 0 for all others, without normalization or logarithm.
  func mark(_ row: Int, action: Int) {
    rows[row].clear()
    rows[row][action] = 1
  }

  @inline(__always) private func fill(_ index: Int, from weight: (Int) -> Lanes) {
    let row = rows[index]
    var sums = Lanes.zero
    for chunk in row.chunks {
      let weight = weight(chunk) * mask[chunk: chunk]
      row[chunk: chunk] = weight
      sums += weight
    }
    let sum = total(sums)
    let scale = sum > 0 ? (1 - Self.floorShare) / sum : 0
    let floor = (sum > 0 ? Self.floorShare : 1) / Float(max(1, candidateCount))
    takeLogarithms(row, scale: scale, floor: floor)
  }

  @inline(never) private func takeLogarithms(_ row: ActionRow, scale: Float, floor: Float) {
    for chunk in row.chunks { row[chunk: chunk] = logarithm(row[chunk: chunk] * scale + floor) }
  }

  /// Sets `scores` to the probabilities of all candidates under the weights, and to 0 for other actions.
  func writeProbabilities(_ weights: Mixer.Weights, to scores: ActionRow) {
    addUp(scores, weights)
    var highest = Lanes(repeating: -.infinity)
    for chunk in scores.chunks {
      let candidates = scores[chunk: chunk].replacing(with: -.infinity, where: mask[chunk: chunk] .== 0)
      highest = greater(highest, candidates)
    }
    let top = greatest(highest)
    var sums = Lanes.zero
    for chunk in scores.chunks {
      let power = exponential(ofNegatives: lesser(scores[chunk: chunk] - top, .zero)) * mask[chunk: chunk]
      scores[chunk: chunk] = power
      sums += power
    }
    let sum = total(sums)
    guard sum > 0 else { return }
    for chunk in scores.chunks { scores[chunk: chunk] /= sum }
  }

  /// Sets `scores` to the weighted sum of all rows, which are added in order.
  private func addUp(_ scores: ActionRow, _ weights: Mixer.Weights) {
    scores.clear()
    // Four rows at a time, so that sums are not stored after each.
    for row in stride(from: 0, to: rowCount, by: 4) {
      let (one, two, three, four) = (rows[row], rows[row + 1], rows[row + 2], rows[row + 3])
      let (first, second, third, fourth) = (weights[row], weights[row + 1], weights[row + 2], weights[row + 3])
      for chunk in scores.chunks {
        var score = scores[chunk: chunk]
        score += one[chunk: chunk] * first
        score += two[chunk: chunk] * second
        score += three[chunk: chunk] * third
        score += four[chunk: chunk] * fourth
        scores[chunk: chunk] = score
      }
    }
  }

  /// Returns the gradient of the log-probability of `action`: the experts' logarithms for it, minus their expectation
  /// under `probabilities`.
  func gradient(_ probabilities: ActionRow, action: Int) -> Mixer.Weights {
    var gradient = Mixer.Weights.zero
    for index in 0..<rowCount {
      let row = rows[index]
      var sums = Lanes.zero
      for chunk in row.chunks { sums += probabilities[chunk: chunk] * row[chunk: chunk] }
      gradient[index] = row[action] - total(sums)
    }
    return gradient
  }
}
