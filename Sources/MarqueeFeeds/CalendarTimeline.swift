import Foundation
import MarqueeModel

/// Converts a calendar's occurrences to a widget's timeline: relevance rises before each meeting and ends at its start.
public struct CalendarTimeline: Sendable {
  /// A score that applies from a lead time before a meeting.
  public struct Step: Hashable, Sendable {
    /// The lead time before the start; positive.
    public let lead: TimeSpan
    /// The score; positive and finite.
    public let score: Double

    /// Creates a step.
    ///
    /// - Precondition: Both arguments are positive, and the score is finite.
    public init(lead: TimeSpan, score: Double) {
      precondition(
        lead > .zero && score > 0 && score.isFinite, "invalid step: lead \(lead.milliseconds) ms, score \(score)")
      (self.lead, self.score) = (lead, score)
    }
  }

  /// The maximum number of entries in a timeline, equal to a device's default limit.
  public static let entryCountMax = 4096
  /// The maximum size of a summary in an entry, in bytes.
  public static let summarySizeMax = 1024

  /// The scores before a meeting. By default 0.4 from 30 minutes before, 0.7 from 15 and 1 from 5.
  public var steps = [
    Step(lead: .minutes(30), score: 0.4), Step(lead: .minutes(15), score: 0.7), Step(lead: .minutes(5), score: 1),
  ]
  /// The score of whole days in the morning.
  public var wholeDayScore = 0.2
  /// The part of a whole day that is scored, relative to local midnight. By default 08:00 to 09:00.
  public var wholeDayMorning = TimeSpan.hours(8)..<TimeSpan.hours(9)
  /// The minimum distance of entries. A closer change is delayed; no change is early.
  public var spacingMin = TimeSpan.minutes(5)
  /// Whether contents are cards instead of JSON.
  public var sendsCards = false
  /// The zone of whole days, floating times and entry contents.
  public var zone: CalendarZone

  /// Creates the default rules for that zone.
  public init(zone: CalendarZone) {
    self.zone = zone
  }

  /// Returns the timeline of a span, which requests a reload at its end.
  ///
  /// It includes the meetings that start, and the mornings of whole days that begin, within the span. The first entry
  /// is at `start`; without a nearby occurrence the score is 0, which clears earlier scores. Of two meetings, the one
  /// with the higher score is shown; ties are broken by the earlier start. Cancelled meetings have no entries.
  ///
  /// - Parameter occurrences: The occurrences of the span, in any order.
  public func timeline(of occurrences: [CalendarOccurrence], from start: Instant, to end: Instant) -> Timeline {
    placedTimeline(of: occurrences, from: start, to: end).timeline
  }

  /// Returns the timeline of a span as ``timeline(of:from:to:)`` does, and the occurrence that each entry shows, or
  /// `nil` for an entry without one.
  package func placedTimeline(
    of occurrences: [CalendarOccurrence], from start: Instant, to end: Instant
  ) -> (timeline: Timeline, shown: [CalendarOccurrence?]) {
    let changes = changes(of: occurrences, from: start, to: end)
    let timeline = timeline(changes, end: end)
    var shown = changes.prefix(Self.entryCountMax).map(\.shown?.occurrence)
    // The last entry of a truncated timeline clears the score.
    if changes.count > Self.entryCountMax { shown[shown.count - 1] = nil }
    return (timeline, shown)
  }

  private func changes(
    of occurrences: [CalendarOccurrence], from start: Instant, to end: Instant
  ) -> [(date: Instant, shown: Window?)] {
    let windows = occurrences.filter { !$0.isCancelled }.flatMap { self.windows(of: $0, from: start, to: end) }
    var opening = windows.sorted { ($0.from, $0.to) > ($1.from, $1.to) }
    var open: [Window] = []
    var entries: [(date: Instant, shown: Window?)] = []
    let dates = Set(windows.flatMap { [$0.from, $0.to] } + [start]).sorted()
    for (index, date) in dates.enumerated() {
      open.removeAll { $0.to <= date }
      while let window = opening.last, window.from <= date { open.append(opening.removeLast()) }
      let due = entries.last.map { max(date, $0.date.advanced(by: spacingMin)) } ?? date
      // A delayed change is merged with changes that follow before it is due.
      if index + 1 < dates.count, dates[index + 1] <= due { continue }
      let last = entries.last?.shown
      let shown = shown(of: open, after: last, at: due)
      if entries.isEmpty || shown != last { entries.append((due, shown)) }
    }
    return entries
  }

  /// Returns the entries, truncated to the limit with a final entry that clears the score.
  private func timeline(_ entries: [(date: Instant, shown: Window?)], end: Instant) -> Timeline {
    let isCut = entries.count > Self.entryCountMax
    var kept = entries.prefix(Self.entryCountMax).map { entry($0.date, $0.shown) }
    if isCut { kept[kept.count - 1] = entry(entries[kept.count - 1].date, nil) }
    return Timeline(submitted: kept, policy: .after(isCut ? entries[kept.count - 1].date : end))
  }
}

extension CalendarTimeline {
  /// A score of an occurrence over a period.
  private struct Window: Hashable {
    let from: Instant
    let to: Instant
    let score: Double
    let occurrence: CalendarOccurrence
    /// The start of the occurrence, or of the morning of a whole day.
    let start: Instant
    /// The instant at which it ends; a meeting ends at its start.
    let deadline: Instant

    func isOf(_ other: Window?) -> Bool { occurrence == other?.occurrence && start == other?.start }

    /// A total order, so that the result does not depend on the order of the file.
    func outranks(_ other: Window) -> Bool {
      if score != other.score { return score > other.score }
      return (start, occurrence.summary) < (other.start, other.occurrence.summary)
    }
  }

  private func windows(of occurrence: CalendarOccurrence, from start: Instant, to end: Instant) -> [Window] {
    if occurrence.start.isDate { return mornings(of: occurrence, from: start, to: end) }
    let seconds = occurrence.start.utcSeconds(in: zone)
    guard let meeting = Instant(milliseconds: seconds * 1000), start < meeting, meeting < end else { return [] }
    let rising = steps.sorted { $0.lead > $1.lead }
    return rising.indices.compactMap { index in
      let next = index + 1 < rising.count ? rising[index + 1].lead.milliseconds : 0
      return window(
        of: occurrence, at: meeting, until: meeting, score: rising[index].score,
        meeting.advanced(by: TimeSpan(milliseconds: -rising[index].lead.milliseconds)),
        meeting.advanced(by: TimeSpan(milliseconds: -next)), notBefore: start)
    }
  }

  /// Returns the mornings of a whole-day event that begin within the span.
  private func mornings(of occurrence: CalendarOccurrence, from start: Instant, to end: Instant) -> [Window] {
    let today = CalendarTime(utcSeconds: start.milliseconds / 1000, in: zone).day
    let first = occurrence.start.isAfter(today) ? occurrence.start : today
    var windows: [Window] = []
    var day = first
    while occurrence.end.isAfter(day) {
      let reading = { (time: TimeSpan) in
        Instant(milliseconds: day.moment(in: zone).advanced(by: time.milliseconds / 1000).utcSeconds(in: zone) * 1000)
      }
      guard let from = reading(wholeDayMorning.lowerBound), let to = reading(wholeDayMorning.upperBound), from < end
      else { break }
      let morning = window(of: occurrence, at: from, until: to, score: wholeDayScore, from, to, notBefore: start)
      if let morning { windows.append(morning) }
      day = day.advanced(by: CivilDate.secondsPerDay)
    }
    return windows
  }

  private func window(
    of occurrence: CalendarOccurrence, at start: Instant, until deadline: Instant, score: Double, _ from: Instant,
    _ to: Instant, notBefore limit: Instant
  ) -> Window? {
    guard limit < to, from < to else { return nil }
    return Window(
      from: max(from, limit), to: to, score: score, occurrence: occurrence, start: start, deadline: deadline)
  }

  /// Returns the window to show from `date` on, after `last`: the highest-ranked open window.
  ///
  /// The next entry can be ``spacingMin`` away, so only windows that last at least that long can start; the current one
  /// can continue.
  private func shown(of open: [Window], after last: Window?, at date: Instant) -> Window? {
    let next = date.advanced(by: spacingMin)
    let best = open.filter { next <= $0.deadline || $0.isOf(last) }.min { $0.outranks($1) }
    guard let best, next > best.deadline else { return best }
    return last
  }

  private func entry(_ date: Instant, _ shown: Window?) -> TimelineEntry {
    do {
      return TimelineEntry(
        date: date, relevance: try TimelineEntryRelevance(score: shown?.score ?? 0),
        content: sendsCards
          ? card(shown?.occurrence)
          : try EntryContent(mediaType: "application/json", bytes: content(shown?.occurrence)))
    } catch {
      preconditionFailure("invalid entry: \(error)")
    }
  }

  /// Returns `summary`, `start` and `end` as a JSON object, or an empty object without an occurrence.
  private func content(_ occurrence: CalendarOccurrence?) -> [UInt8] {
    guard let occurrence else { return Array("{}".utf8) }
    let (start, end) =
      occurrence.start.isDate ? (occurrence.start, occurrence.end) : occurrence.shown(in: zone)
    let fields = [
      "summary": shortened(occurrence.summary), "start": start.description, "end": end.description,
    ]
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return [UInt8](try encoder.encode(fields))
    } catch {
      preconditionFailure("cannot encode a dictionary of strings: \(error)")
    }
  }

  func shortened(_ text: String) -> String {
    var text = text
    while text.utf8.count > Self.summarySizeMax { text = String(text.prefix(text.count - max(1, text.count / 8))) }
    return text
  }
}
