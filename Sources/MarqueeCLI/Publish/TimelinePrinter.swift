import MarqueeFeeds
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal

/// Prints the entries that `marquee publish` would publish.
struct TimelinePrinter {
  let clock: DeviceClock
  let isJSON: Bool

  /// Writes the timeline with details, preceded by the calendar's occurrences if it comes from a calendar.
  func write(
    _ occurrences: [CalendarOccurrence]?, _ timeline: Timeline, _ details: PublishedDetails
  ) throws(CommandFailure) {
    let timeline = try Arguments.check { () throws(RequestError) in try details.applied(to: timeline) }
    if isJSON {
      let found = occurrences.map { [JSONValue.Field("occurrences", .array($0.map(json)))] } ?? []
      Terminal.standard.write(.object(found + [.init("entries", .array(timeline.entries.map(json)))]))
    } else {
      Terminal.standard.write(lines(occurrences, timeline))
    }
  }

  /// Returns the JSON of an occurrence. A whole day is a date; a floating time has no offset.
  private func json(_ occurrence: CalendarOccurrence) -> JSONValue {
    .object([
      .init("start", .string(occurrence.start.onClock.description)),
      .init("end", .string(occurrence.end.onClock.description)),
      .init("summary", .string(occurrence.summary)),
    ])
  }

  /// Returns the JSON of an entry, with the duration in seconds. An entry without relevance has neither score nor
  /// duration.
  private func json(_ entry: TimelineEntry) -> JSONValue {
    .object([
      .init("date", .string(clock.rfc3339(entry.date))),
      .init("score", entry.relevance.map { .number($0.score) } ?? .null),
      .init("duration", entry.relevance.map { .number($0.duration.seconds) } ?? .null),
      .init("expiry", entry.expiry.map { .string(clock.rfc3339($0)) } ?? .null),
    ])
  }

  private func lines(_ occurrences: [CalendarOccurrence]?, _ timeline: Timeline) -> [String] {
    var table = Table(.init("DATE"), .init("SCORE", .right), .init("FOR", .right), .init("EXPIRES"))
    for entry in timeline.entries {
      table.append(
        "\(clock.day(entry.date)) \(clock.timeOfDay(entry.date))",
        entry.relevance.map { TimelineGraph.label($0.score) } ?? "-",
        entry.relevance.map { $0.duration == .zero ? "" : "\(TimelineGraph.label($0.duration.seconds)) s" } ?? "",
        entry.expiry.map { clock.shortly($0, now: entry.date) } ?? "-")
    }
    guard let occurrences else { return table.lines }
    var events = Table(.init("START"), .init("END"), .init("SUMMARY"))
    for occurrence in occurrences {
      // An event title may span several lines; a table cell cannot.
      let summary = occurrence.summary.split(whereSeparator: \.isNewline).joined(separator: " ")
      events.append(occurrence.start.onClock.description, occurrence.end.onClock.description, summary)
    }
    return events.lines + [""] + table.lines
  }
}
