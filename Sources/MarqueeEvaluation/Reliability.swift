/// Claimed probabilities and how often they came true, in ten bins of equal width.
public struct Reliability: Sendable, Equatable {
  /// Claims of similar probability.
  public struct Bin: Sendable, Equatable {
    /// The number of claims.
    public internal(set) var count = 0
    /// The sum of the claimed probabilities.
    public internal(set) var claimed = 0.0
    /// The number of claims that came true.
    public internal(set) var trueCount = 0
  }

  public static let binCount = 10

  /// The bins, by ascending probability.
  public private(set) var bins = [Bin](repeating: Bin(), count: binCount)

  public init() {}

  /// Adds a claim. `probability` is in 0…1.
  public mutating func add(_ probability: Double, isTrue: Bool) {
    let bin = min(Int(probability * Double(Self.binCount)), Self.binCount - 1)
    bins[bin].count += 1
    bins[bin].claimed += probability
    if isTrue { bins[bin].trueCount += 1 }
  }

  /// Adds the claims of others.
  public static func += (one: inout Reliability, other: Reliability) {
    for index in one.bins.indices {
      one.bins[index].count += other.bins[index].count
      one.bins[index].claimed += other.bins[index].claimed
      one.bins[index].trueCount += other.bins[index].trueCount
    }
  }

  /// The number of claims.
  public var count: Int { bins.reduce(0) { $0 + $1.count } }

  /// The expected calibration error, or `nil` without claims.
  public var error: Double? {
    guard count > 0 else { return nil }
    return bins.reduce(0) { $0 + ($1.claimed - Double($1.trueCount)).magnitude } / Double(count)
  }
}
