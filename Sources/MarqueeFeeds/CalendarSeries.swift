/// The events with one UID: a recurring or single event, and events that replace some of its occurrences.
struct CalendarSeries: Sendable {
  /// The maximum number of days and times evaluated for all series of one expansion.
  static let stepCountMax = 50_000_000

  private let core: CoreEvent?
  private let events: [CalendarEvent]
  /// The index of the event that replaces the occurrence with that identity; see ``identities(of:)``.
  private let replacements: [Int64: Int]
  /// The indices of replacing events, without duplicates, in the order of the file.
  private let replacing: [Int]
  /// The identities from which an event changes the following occurrences, ascending.
  private let changes: [Int64]
  private let reach: (back: Int64, on: Int64)

  /// - Precondition: `events` is not empty.
  /// - Throws: ``FeedError`` if a rule or a date of the recurring event is invalid.
  init(_ events: [CalendarEvent]) throws(FeedError) {
    precondition(!events.isEmpty, "the series has no events")
    self.events = events
    var (core, replacements, changes): (Int?, [Int64: Int], [Int64]) = (nil, [:], [])
    for (index, event) in events.enumerated() {
      guard let recurrenceID = event.recurrenceID else {
        if core.map({ events[$0].sequence < event.sequence }) ?? true { core = index }
        continue
      }
      let identities = Self.identities(of: recurrenceID)
      for identity in identities where replacements[identity].map({ events[$0].sequence < event.sequence }) ?? true {
        replacements[identity] = index
      }
      if event.isThisAndFuture { changes.append(identities[0]) }
    }
    self.core = try core.map { index throws(FeedError) in try CoreEvent(events[index]) }
    self.replacements = replacements
    self.changes = changes.sorted()
    replacing = Set(replacements.values).sorted()
    let reaching = (self.core.map { [$0.event] } ?? []) + changes.compactMap { replacements[$0].map { events[$0] } }
    let reaches = reaching.map(\.reach)
    reach = (
      self.core == nil ? 0 : reaches.map(\.back).max() ?? 0, self.core == nil ? 0 : reaches.map(\.on).max() ?? 0
    )
  }

  /// The starts of the events.
  var starts: [CalendarTime] { events.map(\.start) }

  /// Returns the keys that match an occurrence with the event that replaces it: the moment in UTC and the local time,
  /// or the local time alone without a zone.
  static func identities(of time: CalendarTime) -> [Int64] {
    time.zone == nil ? [time.wall] : [time.anchored, time.wall]
  }

  /// Appends the occurrences that intersect the span, in no particular order.
  ///
  /// - Parameter budget: The remaining steps, initially ``stepCountMax``.
  func occurrences(
    in span: CalendarSpan, budget: inout StepBudget, into found: inout [CalendarOccurrence]
  ) throws(FeedError) {
    var given: Set<Moment> = []
    var replaced: Set<Int> = []
    if let core {
      for start in try core.starts(in: widened(span), budget: &budget) {
        let identities = Self.identities(of: start)
        guard !given.contains(Moment(start)), !core.excludes(start, identities) else { continue }
        // The local time takes precedence over the moment.
        if let index = identities.reversed().lazy.compactMap({ replacements[$0] }).first {
          guard replaced.insert(index).inserted else { continue }
          try append(Self.occurrence(of: events[index]), in: span, to: &found)
        } else {
          given.insert(Moment(start))
          let event = self.event(at: identities[0], of: core)
          try append(core.occurrence(at: start, identities, as: event), in: span, to: &found)
        }
      }
    }
    for index in replacing where !replaced.contains(index) {
      let event = events[index]
      guard let recurrenceID = event.recurrenceID else { preconditionFailure("the event has no RECURRENCE-ID") }
      if let core {
        if core.excludes(identities: Self.identities(of: recurrenceID)) { continue }
        if event.hasRecurrence, event.sequence < core.event.sequence,
          try isObsolete(recurrenceID, core, budget: &budget)
        {
          continue
        }
      }
      try append(Self.occurrence(of: event), in: span, to: &found)
    }
  }

  private static func occurrence(of event: CalendarEvent) -> CalendarOccurrence {
    CalendarOccurrence(
      start: event.start, end: event.end, summary: event.summary, line: event.line, isCancelled: event.isCancelled)
  }

  private func append(
    _ occurrence: CalendarOccurrence, in span: CalendarSpan, to found: inout [CalendarOccurrence]
  ) throws(FeedError) {
    guard try span.contains(start: occurrence.start, end: occurrence.end) else { return }
    guard found.count < CalendarFile.occurrenceCountMax else {
      throw FeedError(.limitExceeded, "more than \(CalendarFile.occurrenceCountMax) occurrences in the span")
    }
    found.append(occurrence)
  }

  private func widened(_ span: CalendarSpan) -> CalendarSpan {
    CalendarSpan(start: span.start.movedBack(by: reach.back), end: span.end.advanced(by: reach.on))
  }

  /// Returns the event on which an occurrence is based: the recurring one, or the last before it that changes following
  /// occurrences.
  private func event(at identity: Int64, of core: CoreEvent) -> CalendarEvent {
    let index = changes.partitionPoint { $0 < identity }
    guard index > 0, let change = replacements[changes[index - 1]] else { return core.event }
    return events[change]
  }

  /// Whether an event recurs itself and precedes its series, so that it replaces no existing occurrence.
  private func isObsolete(
    _ recurrenceID: CalendarTime, _ core: CoreEvent, budget: inout StepBudget
  ) throws(FeedError) -> Bool {
    let wanted = Set(Self.identities(of: recurrenceID))
    // The reference implementation uses the UTC day of the moment, read in the series' zone.
    let dayNumber = Self.identities(of: recurrenceID)[0].floorDivided(by: CivilDate.secondsPerDay)
    let day = CalendarTime(floatingSeconds: dayNumber * CivilDate.secondsPerDay)
    let span = CalendarSpan(start: day, end: day.advanced(by: CivilDate.secondsPerDay))
    for start in try core.starts(in: widened(span), budget: &budget) {
      let identities = Self.identities(of: start)
      if !core.excludes(start, identities), !wanted.isDisjoint(with: identities) { return false }
    }
    return true
  }
}

/// The identity of an occurrence's time: times in one zone differ by local time, others by moment.
private struct Moment: Hashable {
  private let time: CalendarTime

  init(_ time: CalendarTime) {
    self.time = time
  }

  static func == (left: Moment, right: Moment) -> Bool {
    left.time.seconds(since: right.time) == 0
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(time.anchored)
  }
}
