import Synchronization

/// A VTIMEZONE: the offsets that are observed in a zone, and when each begins.
struct ZoneDescription: Sendable {
  static let observanceCountMax = 256

  /// One STANDARD or DAYLIGHT part.
  struct Observance: Sendable {
    let isDaylight: Bool
    /// Seconds east of UTC, before the onset and from it on.
    let offsetFrom: Int64
    let offsetTo: Int64
    /// The TZNAME, if there is one.
    let abbreviation: String?
    let onsets: Onsets
  }

  let name: String
  private let observances: [Observance]

  /// - Precondition: There is at least one observance.
  init(name: String, observances: [Observance]) {
    precondition(!observances.isEmpty, "a zone without observances")
    self.name = name
    self.observances = observances
  }

  /// Seconds east of UTC at a reading of the zone's clock.
  func offset(atWall wall: Int64, isSecond: Bool) -> Int64 {
    observance(atWall: wall, isSecond: isSecond).offsetTo
  }

  /// The name of the offset in force at a reading of the zone's clock, if the file gives it one.
  func abbreviation(atWall wall: Int64) -> String? {
    observance(atWall: wall, isSecond: false).abbreviation
  }

  /// The one that began last; before any began, the first standard one.
  private func observance(atWall wall: Int64, isSecond: Bool) -> Observance {
    if observances.count == 1 { return observances[0] }
    var latest: (onset: Int64, observance: Observance)?
    for observance in observances {
      let back = observance.offsetTo - observance.offsetFrom
      let reading = isSecond && back < 0 ? wall - back : wall
      guard let onset = observance.onsets.last(through: reading) else { continue }
      if latest.map({ $0.onset < onset }) ?? true { latest = (onset, observance) }
    }
    return latest?.observance ?? observances.first { !$0.isDaylight } ?? observances[0]
  }
}

/// The onsets of an observance, in wall-clock seconds, found as they are asked for.
final class Onsets: Sendable {
  /// Onsets are rare: a zone that changes more often than this is not one.
  static let onsetCountMax = 50_000

  private let dates: [Int64]
  private let rules: [RecurrenceRule]
  private let start: Int64
  private let found: Mutex<(through: Int64, onsets: [Int64])>

  /// - Parameter dates: The onsets that are given one by one, the first included.
  /// - Throws: ``FeedError`` when a rule has more than ``onsetCountMax`` onsets to the year 2100.
  init(start: Int64, dates: [Int64], rules: [RecurrenceRule]) throws(FeedError) {
    (self.start, self.dates, self.rules) = (start, dates, rules)
    found = Mutex((through: .min, onsets: []))
    let horizon = Int64(CivilDate.dayNumber(year: 2100, month: 1, day: 1)) * CivilDate.secondsPerDay
    let onsets = try Self.onsets(through: horizon, start: start, dates: dates, rules: rules)
    found.withLock { $0 = (through: horizon, onsets: onsets) }
  }

  /// The last onset that is not after `wall`.
  func last(through wall: Int64) -> Int64? {
    found.withLock { found in
      if found.through < wall {
        // Far beyond the horizon, an onset list over its limit ends where the limit was reached.
        let horizon = wall.clampedSum(100 * 366 * CivilDate.secondsPerDay)
        found.onsets = (try? Self.onsets(through: horizon, start: start, dates: dates, rules: rules)) ?? found.onsets
        found.through = horizon
      }
      let index = found.onsets.partitionPoint { $0 <= wall }
      return index == 0 ? nil : found.onsets[index - 1]
    }
  }

  private static func onsets(
    through horizon: Int64, start: Int64, dates: [Int64], rules: [RecurrenceRule]
  ) throws(FeedError) -> [Int64] {
    var onsets = dates
    for rule in rules {
      var expansion = RecurrenceExpansion(rule, start: start)
      while let onset = try expansion.next(), onset <= horizon {
        if let until = rule.until, onset > until.wall { break }
        onsets.append(onset)
        guard onsets.count <= onsetCountMax else {
          throw FeedError(
            .limitExceeded, "a time zone with more than \(onsetCountMax) onsets to its horizon", property: "RRULE")
        }
      }
    }
    return onsets.sorted()
  }
}
