/// A VTIMEZONE: the offsets of a zone and their onsets.
struct ZoneDescription: Sendable {
  static let observanceCountMax = 256

  /// One STANDARD or DAYLIGHT part.
  struct Observance: Sendable {
    let isDaylight: Bool
    /// The offsets east of UTC, in seconds, before the onset and from it on.
    let offsetFrom: Int64
    let offsetTo: Int64
    /// The TZNAME, if any.
    let abbreviation: String?
    let onsets: Onsets
  }

  let name: String
  private let observances: [Observance]

  /// - Precondition: `observances` is not empty.
  init(name: String, observances: [Observance]) {
    precondition(!observances.isEmpty, "the zone has no observances")
    self.name = name
    self.observances = observances
  }

  /// The number of onsets up to 2100.
  var onsetCount: Int { observances.reduce(0) { $0 + $1.onsets.count } }

  /// Returns the offset east of UTC, in seconds, at a local time.
  func offset(atWall wall: Int64, isSecond: Bool) -> Int64 {
    observance(atWall: wall, isSecond: isSecond).offsetTo
  }

  /// Returns the offset east of UTC, in seconds, at an instant in seconds since 1970-01-01T00:00:00Z: the one whose
  /// local time has it.
  func offset(atInstant instant: Int64) -> Int64 {
    let (dayBefore, dayAfter) = (instant - CivilDate.secondsPerDay, instant + CivilDate.secondsPerDay)
    let candidates = [offset(atWall: dayBefore, isSecond: false), offset(atWall: dayAfter, isSecond: false)]
    for isSecond in [false, true] {
      for offset in candidates where self.offset(atWall: instant + offset, isSecond: isSecond) == offset {
        return offset
      }
    }
    return offset(atWall: instant + candidates[0], isSecond: false)
  }

  /// Returns the TZNAME at a local time, or `nil` if the file gives none.
  func abbreviation(atWall wall: Int64) -> String? {
    observance(atWall: wall, isSecond: false).abbreviation
  }

  /// Returns the observance that began last or, before all onsets, the first standard one.
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
  /// The maximum number of onsets up to 2100; real zones have far fewer.
  static let onsetCountMax = 50_000

  /// 2100-01-01T00:00:00: onsets up to here are computed once, later ones on demand.
  private static let horizon: Int64 = 4_102_444_800

  private let start: Int64
  private let rules: [RecurrenceRule]
  /// Ascending.
  private let onsets: [Int64]

  /// The number of onsets up to 2100.
  var count: Int { onsets.count }

  /// - Parameter dates: The explicit onsets, including the first.
  /// - Throws: ``FeedError`` if a rule has more than ``onsetCountMax`` onsets up to 2100.
  init(start: Int64, dates: [Int64], rules: [RecurrenceRule]) throws(FeedError) {
    (self.start, self.rules) = (start, rules)
    var onsets = dates
    for rule in rules {
      try Self.each(rule, start: start, from: start, through: Self.horizon) { onsets.append($0) }
    }
    self.onsets = onsets.sorted()
  }

  /// Returns the last onset that is not after `wall`.
  func last(through wall: Int64) -> Int64? {
    let index = onsets.partitionPoint { $0 <= wall }
    var last = index == 0 ? nil : onsets[index - 1]
    guard wall > Self.horizon else { return last }
    // Forty years cover the period of rules with leap days and weekdays.
    let from = wall - 40 * 366 * CivilDate.secondsPerDay
    for rule in rules {
      do {
        try Self.each(rule, start: start, from: from, through: wall) { last = max(last ?? $0, $0) }
      } catch {
        // The rule exceeds the step limit this far in the future; the last onset found remains in effect.
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
    // UNTIL is interpreted in the zone's own time, as by the reference implementation.
    while let onset = try expansion.next(), onset <= min(end, rule.until?.wall ?? .max) {
      body(onset)
      count += 1
      guard count <= onsetCountMax else {
        throw FeedError(.limitExceeded, "the time zone has more than \(onsetCountMax) onsets", property: "RRULE")
      }
    }
  }
}
