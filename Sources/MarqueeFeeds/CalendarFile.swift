import Foundation
import MarqueeModel

/// An iCalendar file (RFC 5545), read once and expanded as often as one likes.
///
/// What it gives is what the Python library recurring-ical-events gives: that is the measure in every case that the
/// standard leaves open. See <doc:Calendars> for the parts that are read.
public struct CalendarFile: Sendable {
  /// Bytes in a file.
  public static let fileSizeMax = CalendarReader.fileSizeMax
  /// Occurrences in one expansion.
  public static let occurrenceCountMax = 100_000
  /// Events in a file.
  public static let eventCountMax = 100_000

  private let series: [CalendarSeries]

  /// Reads the file at that path.
  ///
  /// - Throws: ``FeedError`` when it cannot be read, is not a calendar, or holds an event that cannot be expanded.
  public init(path: String) throws(FeedError) {
    try self.init(bytes: try FeedFile.bytes(path: path, sizeMax: Self.fileSizeMax))
  }

  /// Reads the bytes of a file; those that are not UTF-8 become U+FFFD.
  ///
  /// - Throws: ``FeedError`` when they are not a calendar, or hold an event that cannot be expanded.
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

  /// The events of a calendar by UID, in the order of the file.
  private static func events(
    of calendar: CalendarComponent, _ zones: ZoneTable
  ) throws(FeedError) -> [[CalendarEvent]] {
    if let scale = calendar.all("CALSCALE").first, scale.value != "GREGORIAN" {
      throw FeedError(.badValue, "only the Gregorian calendar is read", property: "CALSCALE", line: scale.line)
    }
    var calendarZone: CalendarZone?
    if let property = try calendar.single("X-WR-TIMEZONE") {
      calendarZone = CalendarZone.named(property.value)
      guard calendarZone != nil else {
        throw FeedError(
          .unknownZone, "not a name of the time zone database", property: property.name, line: property.line)
      }
    }
    // X-WR-TIMEZONE speaks for the calendar's own events, not for those that another component holds.
    let own = TimeReader(zones: zones, calendarZone: calendarZone)
    let foreign = TimeReader(zones: zones, calendarZone: nil)
    var components: [(CalendarComponent, TimeReader)] = calendar.name == "VEVENT" ? [(calendar, foreign)] : []
    for inner in calendar.components {
      for event in inner.walk("VEVENT") { components.append((event, inner.name == "VEVENT" ? own : foreign)) }
    }
    var groups: [[CalendarEvent]] = []
    var indices: [String: Int] = [:]
    for (component, reader) in components {
      let event = try CalendarEvent(component, reader)
      if let uid = event.uid, let index = indices[uid] {
        groups[index].append(event)
      } else {
        event.uid.map { indices[$0] = groups.count }
        groups.append([event])
      }
    }
    return groups
  }

  /// The occurrences that reach into a span, by start, end and summary.
  ///
  /// Events at whole days and floating times are read on the clock of the span's zone. A span that has no zone itself
  /// is read on the clock of each event.
  ///
  /// - Parameters:
  ///   - start: The first moment of the span.
  ///   - end: The moment after its last; not before `start`.
  /// - Throws: ``FeedError`` when there are more than ``occurrenceCountMax``, or when a rule is too much work.
  public func occurrences(from start: CalendarTime, to end: CalendarTime) throws(FeedError) -> [CalendarOccurrence] {
    let span = CalendarSpan(start: start, end: end)
    guard !start.isAfter(end) else { throw FeedError(.badValue, "the span ends before it starts") }
    var budget = CalendarSeries.stepCountMax
    var found: [CalendarOccurrence] = []
    for series in series { try series.occurrences(in: span, budget: &budget, into: &found) }
    let zone = start.zone ?? .utc
    return found.map { (start: $0.start.utcSeconds(in: zone), end: $0.end.utcSeconds(in: zone), occurrence: $0) }
      .sorted { ($0.start, $0.end, $0.occurrence.summary) < ($1.start, $1.end, $1.occurrence.summary) }
      .map(\.occurrence)
  }

  /// The occurrences that reach into a span between two instants.
  ///
  /// - Parameter zone: Where whole days and floating times are meant.
  /// - Throws: As ``occurrences(from:to:)-(CalendarTime,_)``.
  public func occurrences(
    from start: Instant, to end: Instant, in zone: CalendarZone
  ) throws(FeedError) -> [CalendarOccurrence] {
    try occurrences(
      from: CalendarTime(utcSeconds: start.milliseconds / 1000, in: zone),
      to: CalendarTime(utcSeconds: end.milliseconds / 1000, in: zone))
  }
}
