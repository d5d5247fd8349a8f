import MarqueeFeeds
import MarqueeModel

extension LintCase {
  /// Reads a calendar or table as one timeline.
  ///
  /// A table does not say when it is published. The first date is used, since its timeline requests no reload.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - format: The format, which is not YAML.
  ///   - settings: How the file is read.
  ///   - name: The name of the case.
  ///   - wholeDay: Whether a calendar is published at the start of the local day.
  /// - Throws: ``ScenarioError`` with the place of the first error.
  package init(
    _ bytes: [UInt8], _ format: SourceFormat, _ settings: FeedSettings, name: String, wholeDay: Bool = false
  ) throws(ScenarioError) {
    let text = FeedText(bytes, format)
    do throws(FeedError) {
      let lineCount = settings.isLimited ? bytes.count { $0 == 0x0A } : 0
      guard lineCount <= FeedSettings.lineCountMax else {
        throw FeedError(
          .limitExceeded, "too many lines: \(lineCount) (feed-line-count-max: \(FeedSettings.lineCountMax))")
      }
      let publication =
        format == .calendar
        ? try Self.calendar(bytes, text, settings, wholeDay) : try Self.table(bytes, text, settings)
      self.init(name: name, publications: [publication])
    } catch {
      throw text.error(error)
    }
  }

  private static func table(
    _ bytes: [UInt8], _ text: FeedText, _ settings: FeedSettings
  ) throws(FeedError) -> Publication {
    let rows = try CSVTimeline.rows(bytes: bytes, zone: settings.zone)
    let submitted = SubmittedTimeline(rows.map(\.entry), policy: .never)
    let places = SourcePlaces(
      SourcePlaces.Place(line: 1, column: 1), items: rows.map { text.place(line: $0.line, afterDelimiters: 0) })
    return Publication(
      at: submitted.timeline.entries.first?.date ?? settings.now, submitted: submitted, places: places)
  }

  private static func calendar(
    _ bytes: [UInt8], _ text: FeedText, _ settings: FeedSettings, _ wholeDay: Bool
  ) throws(FeedError) -> Publication {
    let file = try CalendarFile(bytes: bytes)
    let (start, occurrences) = try occurrences(of: file, settings, wholeDay)
    let (span, zone) = (TimeSpan.days(Int64(settings.dayCount)), settings.zone)
    let (timeline, shown) = CalendarTimeline(zone: zone).placedTimeline(
      of: occurrences, from: start, to: start.advanced(by: span))
    let submitted = SubmittedTimeline(
      timeline.entries, policy: .after(start.advanced(by: min(span, .days(1)))))
    // Occurrences of an event share its line, which can be long.
    let lines = Set(shown.compactMap { $0?.line })
    let starts = Dictionary(uniqueKeysWithValues: lines.map { ($0, text.place(line: $0, afterDelimiters: 1)) })
    let first = SourcePlaces.Place(line: 1, column: 1)
    let places = SourcePlaces(first, items: shown.map { ($0?.line).flatMap { starts[$0] } ?? first })
    return Publication(at: start, submitted: submitted, places: places, titles: shown.map { $0?.summary ?? "" })
  }

  /// Returns the instant at which a calendar is published, and the occurrences that follow.
  private static func occurrences(
    of file: CalendarFile, _ settings: FeedSettings, _ wholeDay: Bool
  ) throws(FeedError) -> (start: Instant, occurrences: [CalendarOccurrence]) {
    let (span, clock) = (TimeSpan.days(Int64(settings.dayCount)), settings.clock)
    func occurrences(from start: Instant) throws(FeedError) -> [CalendarOccurrence] {
      let end = start.advanced(by: span)
      guard settings.isLimited else { return try file.occurrences(from: start, to: end, in: settings.zone) }
      return try file.occurrences(
        from: start, to: end, in: settings.zone, stepCountMax: FeedSettings.stepCountMax,
        occurrenceCountMax: FeedSettings.occurrenceCountMax)
    }
    let present = settings.from ?? settings.now
    let start = wholeDay ? clock.dayBounds(containing: present).start : present
    var found = (start: start, occurrences: try occurrences(from: start))
    if settings.from == nil, found.occurrences.isEmpty, let first = file.firstStart(in: settings.zone) {
      let start = clock.dayBounds(containing: first).start
      found = (start, try occurrences(from: start))
    }
    guard !settings.isLimited || found.occurrences.count <= FeedSettings.occurrenceCountMax else {
      throw FeedError(
        .limitExceeded,
        "too many occurrences: \(found.occurrences.count) "
          + "(feed-occurrence-count-max: \(FeedSettings.occurrenceCountMax))")
    }
    return found
  }
}
