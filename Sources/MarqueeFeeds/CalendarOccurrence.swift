/// One occurrence of an event.
public struct CalendarOccurrence: Sendable {
  /// The start: a whole day if the event has no times.
  public let start: CalendarTime
  /// The end, exclusive: a moment or a day, never before ``start``.
  public let end: CalendarTime
  /// The event's title as plain text, or an empty string.
  public let summary: String
  /// The line of the event's start in the file, counted from 1, or `nil` if it is unknown. Ignored by equality.
  package let line: Int?
  /// Whether the event's STATUS is CANCELLED. Ignored by equality.
  public let isCancelled: Bool

  init(start: CalendarTime, end: CalendarTime, summary: String, line: Int? = nil, isCancelled: Bool = false) {
    (self.start, self.end, self.summary) = (start, end, summary)
    (self.line, self.isCancelled) = (line, isCancelled)
  }
}

extension CalendarOccurrence {
  /// Returns the start and the end as clocks in `zone` show them, for an occurrence that is no whole day.
  ///
  /// A floating end that a clock change in `zone` puts before the start is replaced by the time at which the duration
  /// has elapsed.
  func shown(in zone: CalendarZone) -> (start: CalendarTime, end: CalendarTime) {
    let first = start.utcSeconds(in: zone)
    let last = end.utcSeconds(in: zone)
    let end = last < first ? first + self.end.seconds(since: start) : last
    return (CalendarTime(utcSeconds: first, in: zone), CalendarTime(utcSeconds: end, in: zone))
  }
}

extension CalendarOccurrence: Hashable {
  public static func == (left: CalendarOccurrence, right: CalendarOccurrence) -> Bool {
    left.start == right.start && left.end == right.end && left.summary == right.summary
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(start)
    hasher.combine(end)
    hasher.combine(summary)
  }
}

/// A half-open span of a calendar.
struct CalendarSpan: Sendable {
  let start: CalendarTime
  let end: CalendarTime

  /// Whether an occurrence intersects this span; an empty occurrence must lie within it.
  ///
  /// - Throws: ``FeedError`` if the end precedes the start once both are comparable.
  func contains(start: CalendarTime, end: CalendarTime) throws(FeedError) -> Bool {
    let length = end.anchored - start.anchored
    guard length >= 0 else { throw FeedError(.badValue, "an occurrence ends \(-length) s before it starts") }
    let times = CalendarTime.comparable([self.start, self.end, start, end]).map(\.anchored)
    // A floating start in a gap of the span's zone can be later than the end.
    let (untilStart, untilEnd) = (times[2] - times[0], max(times[3], times[2]) - times[0])
    if times[1] == times[0] { return untilStart <= 0 && (untilEnd > 0 || length == 0 && untilStart == 0) }
    guard times[1] > times[2] else { return false }
    return length == 0 ? untilStart >= 0 : untilEnd > 0
  }
}
