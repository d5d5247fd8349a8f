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

/// The onsets of an observance, in wall-clock seconds.
struct Onsets: Sendable {
  /// Onsets are rare: a zone that changes more often than this is not one.
  static let onsetCountMax = 50_000

  /// 2100-01-01T00:00:00: onsets to here are found once, later ones when they are asked for.
  private static let horizon: Int64 = 4_102_444_800

  private let start: Int64
  private let rules: [RecurrenceRule]
  /// Ascending.
  private let onsets: [Int64]

  /// - Parameter dates: The onsets that are given one by one, the first included.
  /// - Throws: ``FeedError`` when a rule has more than ``onsetCountMax`` onsets to the year 2100.
  init(start: Int64, dates: [Int64], rules: [RecurrenceRule]) throws(FeedError) {
    (self.start, self.rules) = (start, rules)
    var onsets = dates
    for rule in rules {
      try Self.each(rule, start: start, from: start, through: Self.horizon) { onsets.append($0) }
    }
    self.onsets = onsets.sorted()
  }

  /// The last onset that is not after `wall`.
  func last(through wall: Int64) -> Int64? {
    let index = onsets.partitionPoint { $0 <= wall }
    var last = index == 0 ? nil : onsets[index - 1]
    guard wall > Self.horizon else { return last }
    // Forty years back is further than rules of leap days and their weekdays reach.
    let from = wall - 40 * 366 * CivilDate.secondsPerDay
    for rule in rules {
      do {
        try Self.each(rule, start: start, from: from, through: wall) { last = max(last ?? $0, $0) }
      } catch {
        // The rule is too much work this far out: the last onset that was found holds on.
        continue
      }
    }
    return last
  }

  private static func each(
    _ rule: RecurrenceRule, start: Int64, from: Int64, through end: Int64, _ body: (Int64) -> Void
  ) throws(FeedError) {
    var expansion = RecurrenceExpansion(rule, start: start, horizon: end)
    expansion.skip(to: from)
    var count = 0
    // UNTIL is read on the zone's own clock, as the peer does.
    while let onset = try expansion.next(), onset <= min(end, rule.until?.wall ?? .max) {
      body(onset)
      count += 1
      guard count <= onsetCountMax else {
        throw FeedError(.limitExceeded, "a time zone with more than \(onsetCountMax) onsets", property: "RRULE")
      }
    }
  }
}
