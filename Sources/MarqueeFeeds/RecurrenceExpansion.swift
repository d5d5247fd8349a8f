/// An iterator over the moments of a rule, ascending, in the start's local time.
///
/// UNTIL is evaluated by the caller, which knows the start's zone. The start itself is included only if the rule
/// matches it; COUNT counts the returned moments.
struct RecurrenceExpansion {
  /// The maximum number of days and times evaluated for one rule.
  static let stepCountMax = 5_000_000

  private let rule: RecurrenceRule
  private let start: Int64
  private let horizon: Int64
  private let days: DayFilter
  private let timesOfDay: [Int64]
  /// The number of the next period: year, month, week, day, hour, minute or second.
  private var period: Int64 = 0
  private let firstUnit: Int64
  private let horizonUnit: Int64
  private var yearMask: (year: Int, mask: DayFilter.Mask)?
  private var pending: ArraySlice<Int64> = []
  private var remaining: Int?
  /// The number of days and times evaluated so far.
  private(set) var stepCount = 0
  private let isUnreachable: Bool

  /// - Parameter horizon: The local time after which no moments are needed. The expansion stops there, but may return
  ///   later moments of a period that begins before it.
  init(_ rule: RecurrenceRule, start: Int64, horizon: Int64) {
    (self.rule, self.start, self.horizon) = (rule, start, horizon)
    remaining = rule.count
    let date = CivilDate(dayNumber: Int(start.floorDivided(by: CivilDate.secondsPerDay)))
    days = DayFilter(rule, start: date)
    timesOfDay = Self.timesOfDay(rule, start: start)
    firstUnit = Self.unit(of: start, rule)
    horizonUnit = Self.unit(of: min(horizon, CivilDate.wallRange.upperBound), rule)
    isUnreachable = Self.isUnreachable(rule, firstUnit: firstUnit)
  }

  /// Skips periods that end before `wall`, if the rule has no COUNT.
  mutating func skip(to wall: Int64) {
    guard remaining == nil, period == 0, pending.isEmpty, wall > start else { return }
    let units = Self.unit(of: wall, rule) - firstUnit
    // One period less, since periods of weeks and years extend before the start of their unit.
    period = max(0, units.floorDivided(by: Int64(rule.interval)) - 1)
  }

  /// Returns the next moment, or `nil` after the last.
  ///
  /// - Throws: ``FeedError`` if the rule can never match, or after ``stepCountMax`` days and times.
  mutating func next() throws(FeedError) -> Int64? {
    if remaining == 0 { return nil }
    while true {
      while let moment = pending.popFirst() {
        guard moment >= start else { continue }
        remaining = remaining.map { $0 - 1 }
        return moment
      }
      guard try fill() else { return nil }
    }
  }

  /// Evaluates the next period. Returns `false` after the horizon.
  private mutating func fill() throws(FeedError) -> Bool {
    guard !isUnreachable else {
      throw FeedError(.badRule, "INTERVAL never matches BYHOUR, BYMINUTE or BYSECOND", property: "RRULE")
    }
    let unit = firstUnit + period * Int64(rule.interval)
    period += 1
    guard unit <= horizonUnit else { return false }
    switch rule.frequency {
    case .yearly:
      let newYear = CivilDate.dayNumber(year: Int(unit), month: 1, day: 1)
      try fill(days: newYear..<(newYear + CivilDate.dayCount(year: Int(unit))), year: Int(unit))
    case .monthly:
      let (year, month) = (Int(unit.floorDivided(by: 12)), Int(unit.modulo(12)) + 1)
      let first = CivilDate.dayNumber(year: year, month: month, day: 1)
      try fill(days: first..<(first + CivilDate.dayCount(year: year, month: month)), year: year, month: month)
    case .weekly:
      let first = Int(unit) * 7 + rule.weekStart - 3
      // The first week begins at the start: BYSETPOS does not count the days before it.
      let from = period == 1 ? Int(start.floorDivided(by: CivilDate.secondsPerDay)) : first
      try fill(days: from..<(first + 7), year: CivilDate(dayNumber: from).year)
    case .daily:
      try fill(days: Int(unit)..<(Int(unit) + 1), year: CivilDate(dayNumber: Int(unit)).year)
    case .hourly, .minutely, .secondly:
      try fillTime(unit: unit)
    }
    return true
  }

  private mutating func fill(days range: Range<Int>, year: Int, month: Int? = nil) throws(FeedError) {
    try step(range.count)
    let mask = month == nil ? self.mask(year: year) : days.mask(year: year, month: month)
    let matching = range.filter { days.matches($0, mask: mask) }
    try step(matching.count * timesOfDay.count)
    pending = select(days: matching, times: timesOfDay)[...]
  }

  /// Evaluates an hour, minute or second, or jumps over those that the rule excludes.
  private mutating func fillTime(unit: Int64) throws(FeedError) {
    try step(1)
    let size = Self.unitSize(rule.frequency)
    let wall = unit * size
    let day = Int(wall.floorDivided(by: CivilDate.secondsPerDay))
    let time = wall.modulo(CivilDate.secondsPerDay)
    if !days.matches(day, mask: mask(year: CivilDate(dayNumber: day).year)) {
      jump(to: Int64(day + 1) * CivilDate.secondsPerDay, unitSize: size)
    } else if let hours = rule.hours, !hours.contains(Int(time / 3600)) {
      jump(to: wall - time % 3600 + 3600, unitSize: size)
    } else if rule.frequency > .hourly, let minutes = rule.minutes, !minutes.contains(Int(time / 60 % 60)) {
      jump(to: wall - time % 60 + 60, unitSize: size)
    } else if rule.frequency > .minutely, let seconds = rule.seconds, !seconds.contains(Int(time % 60)) {
      return
    } else {
      let times = timesOfDay.map { time + $0 }
      try step(times.count)
      pending = select(days: [day], times: times)[...]
    }
  }

  /// Returns the mask of a year, caching the last one.
  private mutating func mask(year: Int) -> DayFilter.Mask {
    if let yearMask, yearMask.year == year { return yearMask.mask }
    let mask = days.mask(year: year, month: nil)
    yearMask = (year, mask)
    return mask
  }

  /// Advances to the first period that begins at or after `wall`.
  private mutating func jump(to wall: Int64, unitSize: Int64) {
    let units = -(-wall).floorDivided(by: unitSize) - firstUnit
    period = max(period, -(-units).floorDivided(by: Int64(rule.interval)))
  }

  /// Returns every day at every time, or those selected by BYSETPOS.
  private func select(days: [Int], times: [Int64]) -> [Int64] {
    func moment(_ position: Int) -> Int64 {
      Int64(days[position / times.count]) * CivilDate.secondsPerDay + times[position % times.count]
    }
    let count = days.count * times.count
    guard let positions = rule.positions else { return (0..<count).map(moment) }
    return positions.compactMap { (position: Int) -> Int? in
      let index = position > 0 ? position - 1 : count + position
      return (0..<count).contains(index) ? index : nil
    }.sorted().map(moment)
  }

  private mutating func step(_ count: Int) throws(FeedError) {
    stepCount += count
    guard stepCount <= Self.stepCountMax else {
      throw FeedError(
        .limitExceeded, "the recurrence rule exceeds \(Self.stepCountMax) steps", property: "RRULE")
    }
  }
}

extension RecurrenceExpansion {
  /// Returns the number of the rule's unit that contains `wall`; weeks start on the rule's first weekday.
  private static func unit(of wall: Int64, _ rule: RecurrenceRule) -> Int64 {
    let day = wall.floorDivided(by: CivilDate.secondsPerDay)
    let date = CivilDate(dayNumber: Int(day))
    switch rule.frequency {
    case .yearly: return Int64(date.year)
    case .monthly: return Int64(date.year * 12 + date.month - 1)
    case .weekly: return (day + 3 - Int64(rule.weekStart)).floorDivided(by: 7)
    case .daily: return day
    case .hourly, .minutely, .secondly: return wall.floorDivided(by: unitSize(rule.frequency))
    }
  }

  private static func unitSize(_ frequency: RecurrenceRule.Frequency) -> Int64 {
    switch frequency {
    case .hourly: 3600
    case .minutely: 60
    case .secondly: 1
    default: CivilDate.secondsPerDay
    }
  }

  /// Returns the times within each day, hour, minute or second of the rule, in seconds from its start.
  private static func timesOfDay(_ rule: RecurrenceRule, start: Int64) -> [Int64] {
    let time = start.modulo(CivilDate.secondsPerDay)
    let hours = rule.frequency < .hourly ? (rule.hours.map { $0.sorted() } ?? [Int(time / 3600)]) : [0]
    let minutes = rule.frequency < .minutely ? (rule.minutes.map { $0.sorted() } ?? [Int(time / 60 % 60)]) : [0]
    let seconds = rule.frequency < .secondly ? (rule.seconds.map { $0.sorted() } ?? [Int(time % 60)]) : [0]
    return hours.flatMap { hour in
      minutes.flatMap { minute in seconds.map { Int64(hour * 3600 + minute * 60 + $0) } }
    }
  }

  /// Whether no period of an hourly, minutely or secondly rule can match BYHOUR, BYMINUTE and BYSECOND.
  private static func isUnreachable(_ rule: RecurrenceRule, firstUnit: Int64) -> Bool {
    guard rule.frequency >= .hourly else { return false }
    let size = unitSize(rule.frequency)
    let unitsPerDay = CivilDate.secondsPerDay / size
    var unit = firstUnit.modulo(unitsPerDay)
    for _ in 0..<unitsPerDay {
      let time = unit * size
      if rule.hours?.contains(Int(time / 3600)) ?? true,
        rule.frequency < .minutely || rule.minutes?.contains(Int(time / 60 % 60)) ?? true,
        rule.frequency < .secondly || rule.seconds?.contains(Int(time % 60)) ?? true
      {
        return false
      }
      unit = (unit + Int64(rule.interval)).modulo(unitsPerDay)
    }
    return true
  }
}
