/// How often each action happened, every time counting half after each half-life.
///
/// Nothing is touched as time passes: a later event counts for more instead, and the scale is reset before it
/// overflows.
struct FadingCounts: Sendable, Equatable {
  private static let ageMax = 40.0

  private let halfLife: Double
  private var reference: Int?
  private(set) var column = Column()
  /// The sum of the column.
  private(set) var sum: Float = 0

  /// The half-life is in seconds.
  init(halfLife: Double) {
    self.halfLife = halfLife
  }

  mutating func grow(toChunks chunkCount: Int) {
    column.grow(toChunks: chunkCount)
  }

  mutating func add(_ amount: Float, to action: Int, at time: Int) {
    let scaled = amount * rescaled(at: time)
    column[action] += scaled
    sum += scaled
  }

  /// What one event at `time` would have counted, in the scale of `column`.
  func unit(at time: Int) -> Float {
    guard let reference else { return 1 }
    return Float(powerOfTwo(min(100, Double(time - reference) / halfLife)))
  }

  /// The candidates' shares of all uses.
  func shares(mask: [Lanes]) -> Column {
    var shares = column
    var sums = Lanes.zero
    for chunk in mask.indices {
      shares.lanes[chunk] *= mask[chunk]
      sums += shares.lanes[chunk]
    }
    let scale = 1 / max(total(sums), .leastNormalMagnitude)
    for chunk in mask.indices { shares.lanes[chunk] *= scale }
    return shares
  }

  private mutating func rescaled(at time: Int) -> Float {
    guard let reference else {
      reference = time
      return 1
    }
    let age = Double(time - reference) / halfLife
    guard age > Self.ageMax else { return Float(powerOfTwo(age)) }
    let scale = Float(powerOfTwo(-min(age, 120)))
    for chunk in column.lanes.indices {
      let scaled = column.lanes[chunk] * scale
      column.lanes[chunk] = scaled.replacing(with: 0, where: scaled .< 1e-20)
    }
    sum *= scale
    self.reference = time
    return 1
  }
}
