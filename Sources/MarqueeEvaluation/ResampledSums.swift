/// Sums that can be added.
protocol Additive: Sendable, Equatable {
  init()
  static func += (one: inout Self, other: Self)
}

/// Sums by person and day, and intervals of figures computed from them.
struct ResampledSums<Sums: Additive>: Sendable, Equatable {
  private static var sampleCount: Int { 500 }

  private struct Day: Sendable, Equatable {
    let number: Int
    var sums = Sums()
  }

  private var people: [[Day]] = []

  /// Begins the next person, to whom the following days belong.
  mutating func beginPerson() { people.append([]) }

  /// Changes the sums of a day of the last person. Days must be in order.
  mutating func update(day: Int, _ change: (inout Sums) -> Void) {
    let person = people.count - 1
    if people[person].last?.number != day { people[person].append(Day(number: day)) }
    change(&people[person][people[person].count - 1].sums)
  }

  /// The sums of all people.
  var total: Sums { people.joined().reduce(into: Sums()) { $0 += $1.sums } }

  /// The sums of 500 samples of as many people, drawn with replacement by a seeded generator. For a log of one person,
  /// days are drawn in place of people. Empty if there are fewer than two of them.
  var samples: [Sums] {
    let units =
      people.count == 1
      ? people[0].map(\.sums) : people.map { days in days.reduce(into: Sums()) { $0 += $1.sums } }
    guard units.count > 1 else { return [] }
    var generator = SplitMix(seed: 1)
    return (0..<Self.sampleCount).map { _ in
      var sum = Sums()
      for _ in units { sum += units[generator.below(units.count)] }
      return sum
    }
  }

  /// Returns the range that contains a figure with a probability of 95 %, from ``samples``.
  ///
  /// - Returns: `nil` if the figure is undefined for all samples.
  static func interval(_ samples: [Sums], _ figure: (Sums) -> Double?) -> ClosedRange<Double>? {
    let figures = samples.compactMap(figure).sorted()
    guard !figures.isEmpty else { return nil }
    return figures[figures.count / 40]...figures[figures.count - 1 - figures.count / 40]
  }

  /// Returns the range that contains a figure with a probability of 95 %, from ``samples``.
  func interval(_ figure: (Sums) -> Double?) -> ClosedRange<Double>? { Self.interval(samples, figure) }
}

/// A mean, as a sum and the number of its terms.
struct MeanSums: Additive {
  private var sum = 0.0
  private(set) var count = 0

  mutating func add(_ term: Double) {
    sum += term
    count += 1
  }

  static func += (one: inout Self, other: Self) {
    one.sum += other.sum
    one.count += other.count
  }

  /// The mean, or `nil` without terms.
  var mean: Double? { count == 0 ? nil : sum / Double(count) }
}
