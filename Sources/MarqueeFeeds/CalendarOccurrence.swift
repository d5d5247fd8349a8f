/// One occurrence of an event.
public struct CalendarOccurrence: Hashable, Sendable {
  /// When it begins; a whole day if the event has no times.
  public let start: CalendarTime
  /// When it ends: the first moment, or the first day, after it. Never before ``start``.
  public let end: CalendarTime
  /// The event's title as plain text; empty when it has none.
  public let summary: String

  init(start: CalendarTime, end: CalendarTime, summary: String) {
    (self.start, self.end, self.summary) = (start, end, summary)
  }
}

/// A span of a calendar, from its first moment to the one after its last.
struct CalendarSpan: Sendable {
  let start: CalendarTime
  let end: CalendarTime

  /// Whether something from `start` to `end` reaches into this span; something without length, if it lies in it.
  ///
  /// - Throws: ``FeedError`` when the end lies before the start, once both are read on comparable clocks.
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
