/// The recurring event of a series: its starts and exclusions.
struct CoreEvent: Sendable {
  let event: CalendarEvent
  /// The first start, as a moment.
  private let start: CalendarTime
  private let rules: [RecurrenceRule]
  /// Explicit starts (RDATE).
  private let dates: [CalendarTime]
  private let excludedIdentities: Set<Int64>
  private let excludedDays: Set<Int64>
  /// The durations of starts given as periods.
  private let durations: [Int64: CalendarDuration]

  init(_ event: CalendarEvent) throws(FeedError) {
    self.event = event
    let exclusions = try event.exclusions()
    let additions = try event.additions()
    let times = [event.start, event.end] + exclusions + additions.map(\.start)
    let zone = times.lazy.compactMap(\.zone).first
    let start = event.start.moment(in: zone)
    self.start = start
    excludedIdentities = Set(exclusions.flatMap(CalendarSeries.identities))
      .union(zone == nil ? exclusions.map(\.wall) : [])
    excludedDays = Set(exclusions.filter(\.isDate).map(\.dayNumber))
    var durations: [Int64: CalendarDuration] = [:]
    for case (let start, let duration?) in additions {
      for identity in CalendarSeries.identities(of: start) { durations[identity] = duration }
    }
    self.durations = durations
    let isAllDates = times.allSatisfy(\.isDate)
    rules = try event.rules().map { $0.until == nil ? $0 : Self.rule($0, endingLike: start, isAllDates: isAllDates) }
    let lastUntil = rules.compactMap(\.until).max { $1.isAfter($0) }
    let hasStart = !(lastUntil.map(start.isAfter) ?? false)
    dates = additions.map { $0.start.moment(in: zone) } + (hasStart ? [start] : [])
  }

  /// Returns the rule with its UNTIL converted to the start's time zone: read as UTC if the start has a zone, even
  /// without `Z`; otherwise as a local time, and for whole days as a day.
  private static func rule(
    _ rule: RecurrenceRule, endingLike start: CalendarTime, isAllDates: Bool
  ) -> RecurrenceRule {
    guard let until = rule.until else { return rule }
    if start.zone != nil { return rule.ending(at: CalendarTime(utcSeconds: until.wall)) }
    let wall = isAllDates && until.zone != nil ? until.day.wall : until.wall
    return rule.ending(at: CalendarTime(floatingSeconds: wall))
  }

  /// Whether an EXDATE excludes the occurrence.
  func excludes(_ start: CalendarTime, _ identities: [Int64]) -> Bool {
    excludedDays.contains(start.dayNumber) || excludes(identities: identities)
  }

  func excludes(identities: [Int64]) -> Bool {
    identities.contains(where: excludedIdentities.contains)
  }

  /// Returns the starts within the span, including both ends.
  ///
  /// - Throws: ``FeedError`` if the step budget is exceeded.
  func starts(in span: CalendarSpan, budget: inout StepBudget) throws(FeedError) -> [CalendarTime] {
    let first = onOwnClock(span.start)
    let last = onOwnClock(span.end)
    var starts = dates.filter { $0.seconds(since: first) >= 0 && last.seconds(since: $0) >= 0 }
    for rule in rules {
      // A rule without starts in the span has steps, too.
      try budget.check(after: 1)
      // Offsets are less than a day, so local times this far away are outside the span in every zone.
      let horizon = min(last.wall, rule.until?.wall ?? .max).clampedSum(3 * CivilDate.secondsPerDay)
      var expansion = RecurrenceExpansion(rule, start: start.wall, horizon: horizon)
      expansion.skip(to: first.wall + (start.zone == first.zone ? 0 : -3 * CivilDate.secondsPerDay))
      defer { budget.spend(expansion.stepCount) }
      while let wall = try expansion.next() {
        let moment = CalendarTime(wall: wall, zone: start.zone)
        if moment.seconds(since: last) > 0 { break }
        if let until = rule.until, moment.seconds(since: until) > 0 { break }
        if moment.seconds(since: first) < 0 { continue }
        starts.append(moment)
        guard starts.count <= CalendarFile.occurrenceCountMax else {
          throw FeedError(
            .limitExceeded, "more than \(CalendarFile.occurrenceCountMax) occurrences in the span", property: "RRULE")
        }
        try budget.check(after: expansion.stepCount)
      }
    }
    return starts
  }

  /// Returns the occurrence at a start, with the duration of its period or of `event`, and as a whole day if the event
  /// is.
  func occurrence(at start: CalendarTime, _ identities: [Int64], as event: CalendarEvent) -> CalendarOccurrence {
    let moved = start.advanced(by: event.shift)
    let duration = identities.reversed().lazy.compactMap { durations[$0] }.first ?? event.duration
    let end = moved.advanced(by: duration)
    let isDate = self.event.start.isDate && self.event.end.isDate
    return CalendarOccurrence(
      start: isDate ? moved.day : moved, end: isDate ? end.day : end, summary: event.summary,
      line: event.line, isCancelled: event.isCancelled)
  }

  /// Returns an end of a span as a moment comparable with the starts.
  private func onOwnClock(_ time: CalendarTime) -> CalendarTime {
    start.zone == nil ? CalendarTime(wall: time.wall) : time.moment(in: start.zone)
  }
}
