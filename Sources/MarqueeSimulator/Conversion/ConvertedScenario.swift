import MarqueeModel

/// The scenario to which cases are converted: a stack of a clock and of a widget for each case that has timelines, and
/// an app for each case that has sets of relevant shortcuts or intents, whose widgets the stack can suggest.
struct ConvertedScenario {
  /// The maximum number of cases with timelines, and of those with sets.
  static let caseCountMax = 32
  /// The maximum size of the text, in bytes.
  static let textSizeMax = 1 << 20
  /// The maximum number of entries of the clock.
  private static let clockEntryCountMax = 4_000
  /// The maximum size of an entry's title, in bytes.
  private static let titleSizeMax = 64
  private static let family = WidgetFamily.systemSmall
  private static let clockApp = "com.example.clock"

  private let cases: [(widget: Widget, title: String, publications: [LintCase.Publication])]
  private let sets: [ConvertedSets]
  /// The number of sets that are left out.
  private let setCount: Int
  private let timeZone: TimeZoneID
  private let begin: Instant
  private let until: Instant
  private let clock: DeviceClock

  /// Creates the scenario of cases.
  ///
  /// - Parameters:
  ///   - cases: The cases.
  ///   - kind: The kind of the widget of a single case; the widgets of several are numbered.
  ///   - settings: The time zone.
  /// - Throws: ``ScenarioError`` if no case has a timeline or such a set, or too many have one.
  init(_ cases: [LintCase], kind: String, _ settings: FeedSettings) throws(ScenarioError) {
    let published = cases.filter { !$0.publications.isEmpty }
    let setting = cases.filter { !$0.shortcutSets.isEmpty || !$0.intentSets.isEmpty }
    for (found, noun) in [(published, "timelines"), (setting, "shortcuts or intents")] {
      guard found.count <= Self.caseCountMax else {
        throw ScenarioError("too many cases with \(noun): \(found.count) (maximum: \(Self.caseCountMax))")
      }
    }
    var sets: [ConvertedSets] = []
    for (index, one) in setting.enumerated() {
      sets.append(try ConvertedSets(one, number: setting.count == 1 ? nil : index + 1))
    }
    let sent = published.flatMap(\.publications).map(\.at) + sets.flatMap(\.sendingDates)
    guard let begin = sent.min() else { throw ScenarioError("there is no timeline, shortcut or intent to simulate") }
    var numbered: [(widget: Widget, title: String, publications: [LintCase.Publication])] = []
    for (index, one) in published.enumerated() {
      let name = published.count == 1 ? kind : "\(kind)\(index + 1)"
      do throws(RequestError) {
        let widget = Widget(kind: WidgetKind(app: try AppID("com.example.app"), name: try KindName(name)))
        numbered.append((widget, one.name.visible(sizeMax: Self.titleSizeMax), one.publications))
      } catch {
        preconditionFailure("a built-in name is invalid: \(error)")
      }
    }
    self.cases = numbered
    self.sets = sets
    setCount = cases.count { !$0.donations.isEmpty }
    (timeZone, clock) = (settings.timeZone, settings.clock)
    self.begin = clock.dayBounds(containing: begin).start
    until = Self.end(of: published, sets, after: self.begin, clock)
  }

  /// Returns the end of the local day of the last entry or window, within the maximum span.
  private static func end(
    of cases: [LintCase], _ sets: [ConvertedSets], after begin: Instant, _ clock: DeviceClock
  ) -> Instant {
    let publications = cases.flatMap(\.publications)
    let dates =
      publications.map(\.at) + publications.compactMap { $0.submitted.timeline.entries.last?.date }
      + sets.flatMap(\.dates)
    let last = min(dates.max() ?? begin, begin.advanced(by: SimulatedDecisions.spanMax))
    let end = clock.dayBounds(containing: max(last, begin)).end
    return min(end, begin.advanced(by: SimulatedDecisions.spanMax))
  }
}

// MARK: Text

extension ConvertedScenario {
  /// The scenario in YAML.
  ///
  /// - Throws: ``ScenarioError`` if it would be larger than ``textSizeMax``.
  func text() throws(ScenarioError) -> String {
    var text =
      cases.isEmpty
      ? "# The shortcuts and intents of the file, and a stack of a clock.\n"
      : """
      # The timelines of the file and a clock in one stack. The clock has a low score, so that it comes back after them.

      """
    if setCount > 0 { text += "# Left out: \(setCount) sets of donations.\n" }
    let context = ScenarioContext(clock: clock, begin: begin, policy: .default)
    let families = YAMLText.list([.text(Self.family.description)])
    let kinds = cases.map { one in
      YAMLText.Field(
        one.widget.kind.name.text, .record([.init("families", families), .init("display", .text(one.title))]))
    }
    let members = cases.map { YAMLText.text($0.widget.kind.name.text) }
    let writer = ScenarioWriter(context: context)
    var apps = [YAMLText.Field(Self.clockApp, .fields([.init("kinds", .record([.init("Clock", families)]))]))]
    if let app = cases.first?.widget.kind.app {
      apps.append(.init(app.text, .fields([.init("kinds", .fields(kinds))])))
    }
    for one in sets { apps.append(try one.registered(Self.family, writer)) }
    let stack = YAMLText.record([
      .init("family", .text(Self.family.description)), .init("widgets", .list([.text("Clock")] + members)),
    ])
    let parts: [YAMLText.Field] = [
      .init("device", .text("phone")), .init("time-zone", .text(timeZone.text)),
      .init("begin", .text(context.fullText(begin))), .init("until", .text(context.fullText(until))),
      .init("apps", .fields(apps)), .init("stacks", .fields([.init("home", stack)])),
    ]
    for part in parts {
      text += part.key + ":"
      part.value.write(to: &text, indent: 0)
      text += "\n"
    }
    text += "events:"
    let head: [YAMLText.Field] = [.init("at", .text(context.text(begin))), .init("publish", .text("Clock"))]
    write(head + writer.fields(of: ofClock), to: &text)
    try writeEvents(to: &text, writer)
    return text + "\n"
  }

  /// The timeline of the clock: a low score from the beginning on, and again whenever one of the file can end, since an
  /// entry moves a stack only once (rule R4). The high score, with which scores are compared, is after the end.
  private var ofClock: Timeline {
    var dates: Set<Instant> = [begin]
    for entry in cases.flatMap(\.publications).flatMap(\.submitted.entries) {
      if let expiry = entry.expiry { dates.insert(expiry) }
      guard let relevance = entry.relevance else { continue }
      if relevance.score <= 0 {
        dates.insert(entry.date)
      } else if relevance.duration > .zero {
        dates.insert(entry.date.advanced(by: relevance.duration))
      }
    }
    let low = dates.filter { begin <= $0 && $0 < until }.sorted().prefix(Self.clockEntryCountMax)
    do throws(RequestError) {
      var entries: [TimelineEntry] = []
      for date in low { entries.append(TimelineEntry(date: date, relevance: try TimelineEntryRelevance(score: 0.06))) }
      let high = TimelineEntry(date: until.advanced(by: .days(1)), relevance: try TimelineEntryRelevance(score: 1))
      return Timeline(submitted: entries + [high], policy: .never)
    } catch {
      preconditionFailure("a built-in score is invalid: \(error)")
    }
  }

  private func write(_ fields: [YAMLText.Field], to text: inout String) {
    var mark = "\n  - "
    for field in fields {
      text += "\(mark)\(field.key):"
      field.value.write(to: &text, indent: 4)
      mark = "\n    "
    }
  }

  private func writeEvents(to text: inout String, _ writer: ScenarioWriter) throws(ScenarioError) {
    let published = cases.flatMap { one in
      one.publications.map { publication in
        let verb = YAMLText.Field("publish", .text(one.widget.kind.name.text))
        return (at: publication.at, fields: [verb] + writer.fields(of: Self.timeline(publication)))
      }
    }
    // Events at the same instant keep the order of the cases.
    let all = (published + sets.flatMap { $0.events(writer) }).enumerated()
    for (_, event) in all.sorted(by: { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }) {
      write([.init("at", .text(writer.context.text(event.at)))] + event.fields, to: &text)
      guard text.utf8.count <= Self.textSizeMax else {
        throw ScenarioError("the scenario would be too large (maximum: \(Self.textSizeMax) bytes)")
      }
    }
  }

  /// Returns the timeline without reloads, which nothing would answer, and with titles as contents.
  private static func timeline(_ publication: LintCase.Publication) -> Timeline {
    let submitted = publication.submitted
    let entries = submitted.timeline.entries.indices.map { position in
      let entry = submitted.timeline.entries[position]
      let index = submitted.sentIndex(ofEntryAt: position)
      let title = publication.titles.indices.contains(index) ? publication.titles[index] : ""
      return self.entry(entry, title: title)
    }
    return Timeline(submitted: entries, policy: .never)
  }

  private static func entry(_ entry: TimelineEntry, title: String) -> TimelineEntry {
    do throws(RequestError) {
      let content =
        try title.isEmpty
        ? EntryContent.empty
        : EntryContent(mediaType: "text/plain", bytes: Array(title.visible(sizeMax: titleSizeMax).utf8))
      return try TimelineEntry(
        date: entry.date, relevance: entry.relevance, content: content, details: EntryDetails(expiry: entry.expiry))
    } catch {
      preconditionFailure("an entry became invalid: \(error)")
    }
  }
}
