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
    let times = CalendarTime.comparable([self.start, self.end, start, end])
    let length = times[3].seconds(since: times[2])
    guard length >= 0 else { throw FeedError(.badValue, "an occurrence ends \(-length) s before it starts") }
    let (untilStart, untilEnd) = (times[2].seconds(since: times[0]), times[3].seconds(since: times[0]))
    if times[1].seconds(since: times[0]) == 0 {
      return untilStart <= 0 && (untilEnd > 0 || length == 0 && untilStart == 0)
    }
    guard times[1].seconds(since: times[2]) > 0 else { return false }
    return length == 0 ? untilStart >= 0 : untilEnd > 0
  }
}
