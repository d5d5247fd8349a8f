import Foundation

/// A baseline method to compare the predictor with.
protocol Baseline {
  /// Returns a weight for each item; the item with the highest weight ranks first.
  func weights(at time: Int) -> [Double]
  /// Learns that an item was used.
  mutating func learn(_ item: Int, at time: Int)
}

/// Local time of day and day of the week of a time in seconds since 1970.
enum LocalTime {
  static func second(_ time: Int) -> Int { time - day(time) * 86_400 }
  static func day(_ time: Int) -> Int { time >= 0 ? time / 86_400 : -((86_399 - time) / 86_400) }
  static func weekday(_ time: Int) -> Int { ((day(time) + 3) % 7 + 7) % 7 }
}

/// Ranks the most frequently used item first (MFU).
struct MostFrequent: Baseline {
  private var counts: [Double]

  init(itemCount: Int) { counts = [Double](repeating: 0, count: itemCount) }

  func weights(at time: Int) -> [Double] { counts }
  mutating func learn(_ item: Int, at time: Int) { counts[item] += 1 }
}

/// Ranks the most recently used item first (MRU).
struct MostRecent: Baseline {
  private var ends: [Double]
  private var count = 0.0

  init(itemCount: Int) { ends = [Double](repeating: -1, count: itemCount) }

  func weights(at time: Int) -> [Double] { ends }

  mutating func learn(_ item: Int, at time: Int) {
    ends[item] = count
    count += 1
  }
}

/// Frequency with exponential decay.
struct FadingFrequency: Baseline {
  private let halfLife: Double
  private var counts: [Double]
  private var time: Int?

  init(itemCount: Int, halfLifeDays: Double) {
    halfLife = halfLifeDays * 86_400
    counts = [Double](repeating: 0, count: itemCount)
  }

  func weights(at time: Int) -> [Double] { counts }

  var shares: [Double] {
    let sum = counts.reduce(0, +)
    return sum > 0 ? counts.map { $0 / sum } : counts
  }

  mutating func learn(_ item: Int, at time: Int) {
    let kept = exp2(Double((self.time ?? time) - time) / halfLife)
    for index in counts.indices { counts[index] *= kept }
    counts[item] += 1
    self.time = time
  }
}

/// Counts per hour of the day, shrunk towards the frequency of the last ten days.
struct HourHistogram: Baseline {
  private static let priorWeight = 5.0
  private let isWeekly: Bool
  private var counts: [[Double]]
  private var recent: FadingFrequency

  init(itemCount: Int, isWeekly: Bool) {
    self.isWeekly = isWeekly
    counts = [[Double]](repeating: [Double](repeating: 0, count: itemCount), count: isWeekly ? 168 : 24)
    recent = FadingFrequency(itemCount: itemCount, halfLifeDays: 10)
  }

  private func cell(_ time: Int) -> Int {
    LocalTime.second(time) / 3_600 + (isWeekly ? 24 * LocalTime.weekday(time) : 0)
  }

  func weights(at time: Int) -> [Double] {
    let prior = recent.shares
    let row = counts[cell(time)]
    return row.indices.map { row[$0] + Self.priorWeight * prior[$0] }
  }

  mutating func learn(_ item: Int, at time: Int) {
    counts[cell(time)][item] += 1
    recent.learn(item, at: time)
  }
}

/// Uses near the same time of day, weighted by a circular normal kernel and decayed with a half-life of 30 days.
struct CircularKernel: Baseline {
  private static let spread = 2_700.0
  private static let halfLife = 30.0 * 86_400
  private static let otherDays = 0.35
  /// By half hour, then by kind of day: either workday and day off, or the seven weekdays.
  private var counts: [[[Double]]]
  private var time: Int?
  private var recent: FadingFrequency

  init(itemCount: Int, isWeekly: Bool) {
    let row = [Double](repeating: 0, count: itemCount)
    counts = [[[Double]]](repeating: [[Double]](repeating: row, count: isWeekly ? 7 : 2), count: 48)
    recent = FadingFrequency(itemCount: itemCount, halfLifeDays: 10)
  }

  private func kind(_ time: Int) -> Int {
    counts[0].count == 7 ? LocalTime.weekday(time) : LocalTime.weekday(time) >= 5 ? 1 : 0
  }

  func weights(at time: Int) -> [Double] {
    let second = LocalTime.second(time)
    var weights = recent.shares
    for offset in -5...5 {
      let bin = second / 1_800 + offset
      let distance = Double(bin * 1_800 + 900 - second) / Self.spread
      let near = exp(-0.5 * distance * distance)
      for (other, row) in counts[(bin + 48) % 48].enumerated() {
        let weight = near * (other == kind(time) ? 1 : Self.otherDays)
        for item in row.indices { weights[item] += weight * row[item] }
      }
    }
    return weights
  }

  mutating func learn(_ item: Int, at time: Int) {
    // The decay is applied per day, since it is negligible within a day.
    let days = LocalTime.day(time) - LocalTime.day(self.time ?? time)
    if days > 0 {
      let kept = exp2(-Double(days) * 86_400 / Self.halfLife)
      for bin in counts.indices {
        for row in counts[bin].indices {
          for other in counts[bin][row].indices { counts[bin][row][other] *= kept }
        }
      }
    }
    counts[LocalTime.second(time) / 1_800][kind(time)][item] += 1
    recent.learn(item, at: time)
    self.time = time
  }
}

/// Transition counts from the previous item, shrunk towards the frequency of the last ten days.
struct Markov: Baseline {
  private var rows: [Int: [Int: Double]] = [:]
  private var recent: FadingFrequency
  private var previous: Int?

  init(itemCount: Int) { recent = FadingFrequency(itemCount: itemCount, halfLifeDays: 10) }

  func weights(at time: Int) -> [Double] {
    let row = previous.flatMap { rows[$0] } ?? [:]
    let sum = row.values.reduce(0, +)
    // Witten–Bell smoothing: the weight of unseen transitions equals the number of distinct successors.
    let novelty = Double(max(1, row.count))
    let shares = recent.shares
    return shares.indices.map { ((row[$0] ?? 0) + novelty * shares[$0]) / (sum + novelty) }
  }

  mutating func learn(_ item: Int, at time: Int) {
    if let previous { rows[previous, default: [:]][item, default: 0] += 1 }
    previous = item
    recent.learn(item, at: time)
  }
}

/// Transition counts from the previous two items, backing off to those from the previous one (Witten–Bell).
struct SecondOrder: Baseline {
  private struct Pair: Hashable {
    let first: Int
    let second: Int
  }

  private var rows: [Pair: [Int: Double]] = [:]
  private var firstOrder: Markov
  private var previous: Pair?
  private var last: Int?

  init(itemCount: Int) { firstOrder = Markov(itemCount: itemCount) }

  func weights(at time: Int) -> [Double] {
    let row = previous.flatMap { rows[$0] } ?? [:]
    let sum = row.values.reduce(0, +)
    let novelty = Double(max(1, row.count))
    let back = firstOrder.weights(at: time)
    return back.indices.map { ((row[$0] ?? 0) + novelty * back[$0]) / (sum + novelty) }
  }

  mutating func learn(_ item: Int, at time: Int) {
    if let previous { rows[previous, default: [:]][item, default: 0] += 1 }
    firstOrder.learn(item, at: time)
    previous = last.map { Pair(first: $0, second: item) }
    last = item
  }
}

/// The geometric mean of the shares of four methods, with fixed equal weights.
struct EqualMix: Baseline {
  private static let floorShare = 0.05
  private var experts: [any Baseline]

  init(itemCount: Int) {
    experts = [
      FadingFrequency(itemCount: itemCount, halfLifeDays: 1), CircularKernel(itemCount: itemCount, isWeekly: false),
      RankHistogram(itemCount: itemCount), Markov(itemCount: itemCount),
    ]
  }

  func weights(at time: Int) -> [Double] {
    var scores: [Double] = []
    for expert in experts {
      let weights = expert.weights(at: time).map { max(0, $0) }
      let sum = max(weights.reduce(0, +), .leastNormalMagnitude)
      let floor = Self.floorShare / Double(weights.count)
      let logs = weights.map { 0.25 * log($0 / sum * (1 - Self.floorShare) + floor) }
      scores = scores.isEmpty ? logs : scores.indices.map { scores[$0] + logs[$0] }
    }
    return scores
  }

  mutating func learn(_ item: Int, at time: Int) {
    for index in experts.indices { experts[index].learn(item, at: time) }
  }
}

/// A histogram of the recency rank of the next item.
struct RankHistogram: Baseline {
  private var counts: [Double]
  private var order: [Int] = []

  init(itemCount: Int) { counts = [Double](repeating: 0, count: itemCount + 1) }

  func weights(at time: Int) -> [Double] {
    var weights = [Double](repeating: 0, count: counts.count - 1)
    for (rank, item) in order.reversed().enumerated() { weights[item] = counts[rank] + 1 / (Double(rank) + 1.5) }
    return weights
  }

  mutating func learn(_ item: Int, at time: Int) {
    if let place = order.lastIndex(of: item) {
      counts[order.count - 1 - place] += 1
      order.remove(at: place)
    }
    order.append(item)
  }
}
