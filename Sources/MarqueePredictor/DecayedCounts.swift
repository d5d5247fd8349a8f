/// Exponentially decayed counts of each action.
///
/// Counts are not updated as time passes. Later events are scaled up instead, and the scale is reset before it
/// overflows.
struct DecayedCounts: Sendable, Equatable {
  private static let ageMax = 40.0

  private let halfLife: Double
  private var reference: Int?
  /// The counts, in units of a use at the reference time.
  private(set) var vector = ActionVector()
  /// The sum of ``vector``.
  private(set) var sum: Float = 0

  /// Creates empty counts. The half-life is in seconds.
  init(halfLife: Double) {
    self.halfLife = halfLife
  }

  mutating func grow(toChunks chunkCount: Int) {
    vector.grow(toChunks: chunkCount)
  }

  mutating func add(_ amount: Float, to action: Int, at time: Int) {
    let scaled = amount * rescaled(at: time)
    vector[action] += scaled
    sum += scaled
  }

  /// Returns the value of one event at `time` in the scale of ``vector``.
  func unit(at time: Int) -> Float {
    guard let reference else { return 1 }
    return Float(powerOfTwo(min(100, Double(time - reference) / halfLife)))
  }

  /// Sets `shares` to the candidates' shares of all uses.
  func writeShares(to shares: ActionRow, mask: ActionRow) {
    var sums = Lanes.zero
    vector.lanes.withUnsafeBufferPointer { counts in
      for chunk in shares.chunks {
        let masked = counts[chunk] * mask[chunk: chunk]
        shares[chunk: chunk] = masked
        sums += masked
      }
    }
    let scale = 1 / max(total(sums), .leastNormalMagnitude)
    for chunk in shares.chunks { shares[chunk: chunk] *= scale }
  }

  private mutating func rescaled(at time: Int) -> Float {
    guard let reference else {
      reference = time
      return 1
    }
    let age = Double(time - reference) / halfLife
    guard age > Self.ageMax else { return Float(powerOfTwo(age)) }
    let scale = Float(powerOfTwo(-min(age, 120)))
    for chunk in vector.lanes.indices {
      let scaled = vector.lanes[chunk] * scale
      vector.lanes[chunk] = scaled.replacing(with: 0, where: scaled .< 1e-20)
    }
    sum *= scale
    self.reference = time
    return 1
  }
}
