/// A VEVENT with its times, its recurrence, and the occurrence that it replaces.
struct CalendarEvent: Sendable {
  /// The UID, or `nil` if the event has none and is thus independent.
  let uid: String?
  let summary: String
  /// Whether the STATUS is CANCELLED.
  let isCancelled: Bool
  /// The line of DTSTART.
  let line: Int?
  /// The start, swapped with the end if the end precedes it; both are whole days or both are moments.
  let start: CalendarTime
  let end: CalendarTime
  /// The duration: that of DURATION, otherwise in local time if both ends share a zone and in elapsed time if not.
  let duration: CalendarDuration
  /// The occurrence of its series that this event replaces.
  let recurrenceID: CalendarTime?
  /// Whether the event also changes the following occurrences.
  let isThisAndFuture: Bool
  /// The SEQUENCE, or -1 if there is none.
  let sequence: Int
  private let component: CalendarComponent
  private let reader: TimeReader

  /// - Throws: ``FeedError`` if DTSTART is missing or a time does not exist.
  init(_ component: CalendarComponent, _ reader: TimeReader) throws(FeedError) {
    self.component = component
    self.reader = reader
    uid = component.all("UID").first?.value
    summary = component.all("SUMMARY").first?.value ?? ""
    isCancelled = component.all("STATUS").first?.value.trimmed.uppercased() == "CANCELLED"
    guard let property = try component.single("DTSTART") else {
      throw FeedError(
        .missing, "the event has no DTSTART", property: "DTSTART", line: component.line)
    }
    line = property.line
    let times = try EventTimes(component, start: try reader.time(property).time, reader)
    guard [times.start, times.end].allSatisfy({ CivilDate.wallRange.contains($0.wall) }) else {
      throw property.malformed()
    }
    (start, end, duration) = (times.start, times.end, times.duration)
    let replaced = try component.single("RECURRENCE-ID")
    let replacedTime = try replaced.map { property throws(FeedError) in try reader.time(property) }
    recurrenceID = replacedTime?.time
    // The reference implementation drops the RANGE of a time that X-WR-TIMEZONE moves.
    isThisAndFuture = replaced?.parameters["RANGE"] == "THISANDFUTURE" && replacedTime?.isMoved == false
    if let property = try component.single("SEQUENCE") {
      guard let number = Int32(property.value.trimmed).map({ Int($0) }) else { throw property.malformed() }
      sequence = number
    } else {
      sequence = -1
    }
  }

  /// The offset of the event from the replaced occurrence, which also applies to following occurrences.
  var shift: Int64 {
    guard isThisAndFuture, let recurrenceID else { return 0 }
    let pair = CalendarTime.comparable([start, recurrenceID])
    return pair[0].seconds(since: pair[1])
  }

  /// The distance before and after a span that an expansion must search for occurrences that intersect it.
  var reach: (back: Int64, on: Int64) {
    // A clock change, of at most a day, extends the local time of an occurrence or moves its start.
    let change = start.isDate || start.zone == .utc ? 0 : CivilDate.secondsPerDay
    guard let recurrenceID else { return (duration.seconds + change, 0) }
    let times = CalendarTime.comparable([start, end, recurrenceID])
    if times[0].seconds(since: times[2]) > 0 { return (times[1].seconds(since: times[2]) + change, 0) }
    return (duration.seconds + change, times[2].seconds(since: times[0]))
  }

  var hasRecurrence: Bool {
    component.properties.contains {
      $0.name == "RRULE" || $0.name == "EXDATE" || $0.name == "RDATE" && !$0.value.isEmpty
    }
  }

  /// Returns the recurrence rules without duplicates.
  func rules() throws(FeedError) -> [RecurrenceRule] {
    var rules: [RecurrenceRule] = []
    for property in component.all("RRULE") {
      do {
        let rule = try RecurrenceRule(property.value)
        if !rules.contains(rule) { rules.append(rule) }
      } catch {
        throw FeedError(error.code, error.message, property: "RRULE", line: property.line)
      }
    }
    return rules
  }

  /// Returns the EXDATE values.
  func exclusions() throws(FeedError) -> [CalendarTime] {
    var times: [CalendarTime] = []
    for property in component.all("EXDATE") {
      guard !property.isMalformed else { throw property.malformed() }
      times.append(try reader.time(property).time)
    }
    return times
  }

  /// Returns the RDATE values, with durations for periods.
  func additions() throws(FeedError) -> [(start: CalendarTime, duration: CalendarDuration?)] {
    var additions: [(start: CalendarTime, duration: CalendarDuration?)] = []
    for property in component.all("RDATE") where !property.value.isEmpty {
      guard !property.isMalformed else { throw property.malformed() }
      if property.value.contains("/") {
        additions.append(try reader.period(property))
      } else {
        additions.append((try reader.time(property).time, nil))
      }
    }
    return additions
  }
}

/// The start of an event, its end and its duration.
private struct EventTimes {
  let start: CalendarTime
  let end: CalendarTime
  let duration: CalendarDuration

  /// Creates the times from `start` to DTEND; otherwise for DURATION; otherwise to the end of the day, or to `start`.
  init(_ component: CalendarComponent, start: CalendarTime, _ reader: TimeReader) throws(FeedError) {
    if let property = try component.single("DTEND") {
      self.init(from: start, to: try reader.time(property).time)
    } else if let property = try component.single("DURATION") {
      guard let duration = TimeReader.duration(property.value) else { throw property.malformed() }
      self.init(from: start, for: duration)
    } else {
      self.init(from: start, to: start.isDate ? start.advanced(by: CivilDate.secondsPerDay) : start)
    }
  }

  private init(from start: CalendarTime, for duration: CalendarDuration) {
    // Days have no clock that changes.
    let duration = start.isDate ? CalendarDuration(nominal: duration.seconds) : duration
    let isWholeDays = duration.seconds % CivilDate.secondsPerDay == 0
    let start = isWholeDays ? start : start.moment(in: start.zone)
    let end = start.advanced(by: duration)
    let isNegative = duration.seconds < 0
    (self.start, self.end) = isNegative ? (end, start) : (start, end)
    self.duration = isNegative ? duration.reversed : duration
  }

  private init(from start: CalendarTime, to end: CalendarTime) {
    let times = CalendarTime.comparable([start, end])
    let seconds = times[1].seconds(since: times[0])
    let (first, last) = seconds < 0 ? (times[1], times[0]) : (times[0], times[1])
    let duration = CalendarDuration(nominal: abs(seconds))
    (self.start, self.duration) = (first, duration)
    self.end = last.anchored < first.anchored ? first.advanced(by: duration) : last
  }
}

/// Reads the times of a calendar's properties in their zones.
struct TimeReader: Sendable {
  let zones: ZoneTable
  /// The calendar's X-WR-TIMEZONE. If present and known, UTC and floating times are converted to that zone.
  let calendarZone: CalendarZone?

  /// Returns the time of a property, and whether ``calendarZone`` changed it.
  func time(_ property: CalendarProperty) throws(FeedError) -> (time: CalendarTime, isMoved: Bool) {
    guard let time = CalendarTime(iCalendarText: property.value, zone: zone(of: property)) else {
      throw property.malformed()
    }
    guard let calendarZone, !time.isDate else { return (time, false) }
    guard let zone = time.zone, !zone.isNameless(atWall: time.wall) else {
      return (time.read(in: calendarZone), true)
    }
    guard zone.isUTC(atWall: time.wall) else { return (time, false) }
    return (CalendarTime(utcSeconds: time.anchored, in: calendarZone), zone != calendarZone)
  }

  /// Returns the start and the duration of a period; dates are read as midnights.
  func period(_ property: CalendarProperty) throws(FeedError) -> (start: CalendarTime, duration: CalendarDuration?) {
    let parts = property.value.split(separator: "/", omittingEmptySubsequences: false)
    let zone = zone(of: property)
    guard parts.count == 2, let start = CalendarTime(iCalendarText: parts[0], zone: zone) else {
      throw property.malformed()
    }
    if let duration = Self.duration(parts[1]) {
      guard duration.seconds >= 0 else { throw property.malformed() }
      return (start.moment(in: start.zone), duration)
    }
    guard let end = CalendarTime(iCalendarText: parts[1], zone: zone) else { throw property.malformed() }
    let span = CalendarTime.comparable([start, end]).map { $0.moment(in: $0.zone) }
    let duration = span[1].seconds(since: span[0])
    guard duration >= 0 else { throw property.malformed() }
    return (span[0], CalendarDuration(nominal: duration))
  }

  private func zone(of property: CalendarProperty) -> CalendarZone? {
    property.parameters["TZID"].flatMap(zones.zone)
  }

  /// Parses a DURATION value: weeks, days, hours, minutes and seconds, in that order, each at most once.
  static func duration(_ text: some StringProtocol) -> CalendarDuration? {
    var rest = Substring(text)
    let isNegative = rest.first == "-"
    if isNegative || rest.first == "+" { rest.removeFirst() }
    guard rest.popFirst() == "P" else { return nil }
    var duration = CalendarDuration(nominal: 0)
    for (unit, size) in [("W", 604_800), ("D", 86400), ("T", 0), ("H", 3600), ("M", 60), ("S", 1)]
      as [(Character, Int64)]
    {
      if unit == "T" {
        guard rest.isEmpty || rest.popFirst() == "T" else { return nil }
        continue
      }
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      guard !digits.isEmpty, rest[digits.endIndex...].first == unit else { continue }
      guard let number = Int64(digits), number <= 315_537_897_600 / size else { return nil }
      if size < CivilDate.secondsPerDay {
        duration.exact += number * size
      } else {
        duration.nominal += number * size
      }
      rest = rest[digits.endIndex...].dropFirst()
    }
    guard rest.isEmpty else { return nil }
    return isNegative ? duration.reversed : duration
  }
}
