import Foundation
import MarqueeModel

/// An iCalendar file (RFC 5545) that can be expanded any number of times.
///
/// Where the standard leaves a case open, the results agree with the Python library recurring-ical-events, the
/// reference implementation. See <doc:Calendars> for the supported features.
public struct CalendarFile: Sendable {
  /// The maximum size of a file, in bytes.
  public static let fileSizeMax = CalendarReader.fileSizeMax
  /// The maximum number of occurrences in one expansion.
  public static let occurrenceCountMax = 100_000
  /// The maximum number of occurrences in one expansion that overlap at any time.
  public static let overlapCountMax = 1_000
  /// The maximum number of events in a file.
  public static let eventCountMax = 100_000

  private let series: [CalendarSeries]

  /// Reads the file at `path`.
  ///
  /// - Throws: ``FeedError`` if the file cannot be read, is not a calendar, or contains an event that cannot be
  ///   expanded.
  public init(path: String) throws(FeedError) {
    try self.init(bytes: try FeedFile.bytes(path: path, sizeMax: Self.fileSizeMax))
  }

  /// Parses the bytes of a file. Invalid UTF-8 is replaced by U+FFFD.
  ///
  /// - Throws: ``FeedError`` if the bytes are not a calendar or contain an event that cannot be expanded.
  public init(bytes: [UInt8]) throws(FeedError) {
    let components = try CalendarReader.components(of: bytes)
    let zones = try ZoneTable(components)
    var series: [CalendarSeries] = []
    var eventCount = 0
    for component in components {
      try component.checkTimes()
      for events in try Self.events(of: component, zones) {
        eventCount += events.count
        guard eventCount <= Self.eventCountMax else {
          throw FeedError(.limitExceeded, "more than \(Self.eventCountMax) events", property: "VEVENT")
        }
        series.append(try CalendarSeries(events))
      }
    }
    self.series = series
  }

  /// Returns a calendar's events grouped by UID, in the order of the file.
  private static func events(
    of calendar: CalendarComponent, _ zones: ZoneTable
  ) throws(FeedError) -> [[CalendarEvent]] {
    if let scale = calendar.all("CALSCALE").first, scale.value != "GREGORIAN" {
      throw FeedError(
        .badValue, "unsupported calendar scale; only GREGORIAN is supported", property: "CALSCALE", line: scale.line)
    }
    let calendarZone = try calendar.single("X-WR-TIMEZONE").flatMap { zones.knownZone(named: $0.value) }
    // X-WR-TIMEZONE applies to the calendar's own events, not to those nested in other components.
    let own = TimeReader(zones: zones, calendarZone: calendarZone)
    let foreign = TimeReader(zones: zones, calendarZone: nil)
    var components: [(CalendarComponent, TimeReader)] = calendar.name == "VEVENT" ? [(calendar, foreign)] : []
    for inner in calendar.components {
      for event in inner.walk("VEVENT") { components.append((event, inner.name == "VEVENT" ? own : foreign)) }
    }
    var groups: [[CalendarEvent]] = []
    var indices: [ExactText: Int] = [:]
    for (component, reader) in components {
      let event = try CalendarEvent(component, reader)
      let uid = event.uid.map(ExactText.init)
      if let uid, let index = indices[uid] {
        groups[index].append(event)
      } else {
        if let uid { indices[uid] = groups.count }
        groups.append([event])
      }
    }
    return groups
  }

  /// Returns the first start of an event without its recurrence, or `nil` if no event starts in the years 1970 to 9999.
  ///
  /// - Parameter zone: The time zone of whole days and floating times.
  package func firstStart(in zone: CalendarZone) -> Instant? {
    series.lazy.flatMap(\.starts).compactMap { Instant(milliseconds: $0.utcSeconds(in: zone) * 1000) }.min()
  }

  /// Returns the occurrences that intersect a span, ordered by start, end and summary.
  ///
  /// Whole days and floating times are interpreted in the span's zone. If the span has no zone, it is interpreted in
  /// each event's zone.
  ///
  /// - Parameters:
  ///   - start: The start of the span.
  ///   - end: The end of the span, exclusive; not before `start`.
  /// - Throws: ``FeedError`` if there are more than ``occurrenceCountMax`` occurrences, or more than
  ///   ``overlapCountMax`` at the same time, or if a rule exceeds the step limit.
  public func occurrences(from start: CalendarTime, to end: CalendarTime) throws(FeedError) -> [CalendarOccurrence] {
    try occurrences(from: start, to: end, stepCountMax: CalendarSeries.stepCountMax, occurrenceCountMax: .max)
  }

  private func occurrences(
    from start: CalendarTime, to end: CalendarTime, stepCountMax: Int, occurrenceCountMax: Int
  ) throws(FeedError) -> [CalendarOccurrence] {
    let span = CalendarSpan(start: start, end: end)
    guard !start.isAfter(end) else { throw FeedError(.badValue, "the end of the span precedes its start") }
    var budget = StepBudget(stepCountMax)
    var found: [CalendarOccurrence] = []
    for series in series where found.count <= occurrenceCountMax {
      try series.occurrences(in: span, budget: &budget, into: &found)
    }
    let zone = start.zone ?? .utc
    let sorted = found.map { (start: $0.start.utcSeconds(in: zone), end: $0.end.utcSeconds(in: zone), occurrence: $0) }
      .sorted { ($0.start, $0.end, $0.occurrence.summary) < ($1.start, $1.end, $1.occurrence.summary) }
    try Self.checkOverlap(starts: sorted.map(\.start), ends: sorted.map(\.end).sorted())
    return sorted.map(\.occurrence)
  }

  /// Throws if more than ``overlapCountMax`` occurrences overlap, since a timeline compares all of them at each of its
  /// changes.
  private static func checkOverlap(starts: [Int64], ends: [Int64]) throws(FeedError) {
    var endedCount = 0
    for (index, start) in starts.enumerated() {
      while endedCount <= index, ends[endedCount] <= start { endedCount += 1 }
      guard index + 1 - endedCount <= overlapCountMax else {
        throw FeedError(.limitExceeded, "more than \(overlapCountMax) simultaneous occurrences")
      }
    }
  }

  /// Returns the occurrences that intersect a span between two instants.
  ///
  /// - Parameter zone: The time zone of whole days and floating times.
  /// - Throws: As ``occurrences(from:to:)-(CalendarTime,_)``.
  public func occurrences(
    from start: Instant, to end: Instant, in zone: CalendarZone
  ) throws(FeedError) -> [CalendarOccurrence] {
    try occurrences(
      from: CalendarTime(utcSeconds: start.milliseconds / 1000, in: zone),
      to: CalendarTime(utcSeconds: end.milliseconds / 1000, in: zone))
  }

  /// Returns the occurrences that intersect a span between two instants, in a limited number of steps.
  ///
  /// - Parameters:
  ///   - start: The start of the span.
  ///   - end: The end of the span, exclusive.
  ///   - zone: The time zone of whole days and floating times.
  ///   - stepCountMax: The maximum number of steps, besides those of one rule.
  ///   - occurrenceCountMax: The number of occurrences after which the expansion ends, with at least one more.
  /// - Throws: As ``occurrences(from:to:)-(CalendarTime,_)``.
  package func occurrences(
    from start: Instant, to end: Instant, in zone: CalendarZone, stepCountMax: Int, occurrenceCountMax: Int
  ) throws(FeedError) -> [CalendarOccurrence] {
    try occurrences(
      from: CalendarTime(utcSeconds: start.milliseconds / 1000, in: zone),
      to: CalendarTime(utcSeconds: end.milliseconds / 1000, in: zone), stepCountMax: stepCountMax,
      occurrenceCountMax: occurrenceCountMax)
  }
}
