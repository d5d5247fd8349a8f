import MarqueePredictor

/// Task 3: a synthetic habit at 12:05, predicted at every five-minute offset from an hour before it to an hour after.
///
/// The habit is done once on every day of its kind, at a normally distributed time. Every variant is simulated for
/// ``personCount`` people, each with a seed of its own, with and without other actions. The predictor is asked on the
/// next day of the kind after 5, 9 and 20 occurrences, before that day's actions are learned. The truth is the
/// probability with which the generator places the habit in the following half hour.
public struct SharpHabitTask: Sendable, Equatable {
  /// One kind of habit after a number of occurrences.
  public struct Variant: Sendable, Hashable {
    /// The standard deviation of the time of day, in minutes.
    public let spread: Int
    /// Whether the habit is done on weekdays only.
    public let isWeekdays: Bool
    /// Whether other actions fill the days.
    public let isBusy: Bool
    /// The number of occurrences learned.
    public let occurrences: Int
  }

  /// The claims of one variant.
  public struct Row: Sendable, Equatable {
    public let variant: Variant
    /// The mean claimed probability at each offset, over all people.
    public internal(set) var claims: [Double]
    /// The true probability at each offset.
    public let truths: [Double]
    /// The mean absolute difference from the truth, over all offsets and people.
    public internal(set) var error = 0.0

    /// The highest mean claim once the habit's time lies more than one standard deviation behind.
    public var lateClaim: Double {
      zip(SharpHabitTask.offsets, claims).filter { $0.0 > variant.spread }.map(\.1).max() ?? 0
    }
  }

  public static let personCount = 20
  /// The offsets from the habit's mean time, in minutes.
  public static let offsets = Array(stride(from: -60, through: 60, by: 5))
  public static let occurrenceCounts = [5, 9, 20]

  /// The highest acceptable mean absolute error after each number of ``occurrenceCounts``, or `nil` without a limit.
  public static let errorMax: [Double?] = [nil, 0.1, 0.05]
  /// The highest acceptable claim once the habit lies behind, where ``errorMax`` has a limit.
  public static let lateClaimMax = 0.15

  /// Offsets in minutes with a common label: before the half hour can contain the habit, while it does, and after.
  static let offsetRanges = [
    ("−60…−30 min", -60 ... -30), ("−25…0 min", -25...0), ("5…60 min", 5...60),
  ]

  /// The sums of absolute errors by offset.
  struct OffsetErrors: Additive {
    private var means = [MeanSums](repeating: MeanSums(), count: offsets.count)

    mutating func add(_ error: Double, at place: Int) { means[place].add(error) }

    static func += (one: inout Self, other: Self) {
      for index in one.means.indices { one.means[index] += other.means[index] }
    }

    private func sum(_ range: ClosedRange<Int>) -> MeanSums {
      zip(offsets, means).filter { range.contains($0.0) }.reduce(into: MeanSums()) { $0 += $1.1 }
    }

    /// Returns the number of claims at offsets in a range.
    func count(_ range: ClosedRange<Int> = -60...60) -> Int { sum(range).count }

    /// Returns the mean absolute error at offsets in a range.
    func error(_ range: ClosedRange<Int> = -60...60) -> Double? { sum(range).mean }
  }

  /// The errors after each number of ``occurrenceCounts``, by person.
  private(set) var sums = [ResampledSums<OffsetErrors>](repeating: ResampledSums(), count: occurrenceCounts.count)
  /// The rows, for all variants.
  public private(set) var rows: [Row] = []

  /// Evaluates the predictor on a number of people per variant.
  public init(_ basis: Predictor.Basis = .everything, personCount: Int = Self.personCount) {
    precondition(personCount > 0, "\(personCount) people")
    var errors = [[OffsetErrors]](
      repeating: [OffsetErrors](repeating: OffsetErrors(), count: Self.occurrenceCounts.count),
      count: personCount)
    for isBusy in [false, true] {
      for isWeekdays in [false, true] {
        for spread in [0, 3, 10] {
          rows += Self.rows(spread, isWeekdays: isWeekdays, isBusy: isBusy, basis, &errors)
        }
      }
    }
    for person in errors {
      for (index, sum) in person.enumerated() {
        sums[index].beginPerson()
        sums[index].update(day: 0) { $0 += sum }
      }
    }
  }

  /// Returns the mean absolute error after a number of occurrences, over all variants.
  public func error(occurrences: Int) -> Double {
    let rows = rows.filter { $0.variant.occurrences == occurrences }
    return rows.reduce(0) { $0 + $1.error } / Double(rows.count)
  }

  /// Returns the highest ``Row/lateClaim`` after a number of occurrences.
  public func lateClaim(occurrences: Int) -> Double {
    rows.filter { $0.variant.occurrences == occurrences }.map(\.lateClaim).max() ?? 0
  }

  private static func rows(
    _ spread: Int, isWeekdays: Bool, isBusy: Bool, _ basis: Predictor.Basis,
    _ errors: inout [[OffsetErrors]]
  ) -> [Row] {
    let personCount = errors.count
    var rows = occurrenceCounts.map { count in
      Row(
        variant: Variant(spread: spread, isWeekdays: isWeekdays, isBusy: isBusy, occurrences: count),
        claims: offsets.map { _ in 0 }, truths: offsets.map { truth(at: $0, spread: spread) })
    }
    for person in 0..<personCount {
      var life = SyntheticLife(seed: UInt64(person), spread: spread, isWeekdays: isWeekdays, isBusy: isBusy)
      for index in rows.indices {
        while life.occurrences < rows[index].variant.occurrences || !life.isHabitDay { life.live() }
        for (place, offset) in offsets.enumerated() {
          let claim = life.claim(at: SyntheticLife.habitMinute + offset, basis)
          rows[index].claims[place] += claim / Double(personCount)
          let count = Double(personCount * offsets.count)
          let error = (claim - rows[index].truths[place]).magnitude
          rows[index].error += error / count
          errors[person][index].add(error, at: place)
        }
      }
    }
    return rows
  }

  /// Returns the probability that a normally distributed habit is done in the half hour from `offset` minutes.
  static func truth(at offset: Int, spread: Int) -> Double {
    guard spread > 0 else { return (-30 < offset && offset <= 0) ? 1 : 0 }
    let from = Double(offset) / Double(spread)
    return normalShare(below: from + 30 / Double(spread)) - normalShare(below: from)
  }

  /// Returns the share of a standard normal distribution below `limit`, by Simpson's rule.
  private static func normalShare(below limit: Double) -> Double {
    let (end, steps) = (max(-8, min(8, limit)), 400)
    let width = (end + 8) / Double(steps)
    var sum = 0.0
    for step in 0...steps {
      let point = -8 + Double(step) * width
      let weight = step == 0 || step == steps ? 1.0 : step % 2 == 1 ? 4 : 2
      sum += weight * density(point)
    }
    return sum * width / 3
  }

  private static func density(_ point: Double) -> Double {
    // e^−x²/2 as the 64th power of a short series, since the standard library has no exponential function.
    let part = -point * point / 128
    var series = 1.0
    for term in (1...12).reversed() { series = 1 + series * part / Double(term) }
    for _ in 0..<6 { series *= series }
    return series * 0.398_942_280_401_432_7
  }
}
