import MarqueeFeeds
import MarqueeLint
import MarqueeModel

/// What is sent for one widget or app: timelines one after another, sets of shortcuts, intent types and donations.
struct LintCase {
  /// A timeline as it is sent at an instant.
  struct Publication {
    let at: Instant
    let entries: [TimelineEntry]
    let policy: TimelineReloadPolicy
  }

  /// A set as it is sent at an instant, in place of the one before.
  struct SentSet<Element> {
    let at: Instant
    let elements: [Element]
  }

  let name: String
  /// In the order of their instants.
  var publications: [Publication] = []
  /// In the order of their instants.
  var shortcutSets: [SentSet<RelevantShortcut>] = []
  /// In the order of their instants.
  var intentSets: [SentSet<RelevantIntent>] = []
  var types: [IntentTypeDescriptor] = []
  var donations: [Intent] = []

  /// How many sets there are beside timelines; types are one, donations another.
  var setCount: Int {
    shortcutSets.count + intentSets.count + (types.isEmpty ? 0 : 1) + (donations.isEmpty ? 0 : 1)
  }
}

extension LintCase {
  /// What a finding is about.
  enum Subject: String {
    case timeline
    case relevantShortcuts = "relevant_shortcuts"
    case relevantIntents = "relevant_intents"
    case intentTypes = "intent_types"
    case donations
  }

  /// A finding on the timeline or set of that number among those of the subject.
  struct Finding {
    let subject: Subject
    let number: Int
    let code: String
    let message: String
    /// The entry or item meant; `nil` when the whole is.
    let index: Int?

    init(_ number: Int, _ warning: LintWarning) {
      (subject, self.number, code, message) = (.timeline, number, warning.code, warning.message)
      index = warning.index
    }

    init(_ subject: Subject, _ number: Int, _ warning: LintWarning) {
      (self.subject, self.number, code, message) = (subject, number, warning.code, warning.message)
      index = warning.index
    }
  }

  /// What is found on each timeline, as the earlier ones leave the widget, and then on each set.
  var findings: [Finding] {
    var rehearsal = TimelineRehearsal()
    let timelines = publications.enumerated().flatMap { number, publication in
      rehearsal.publish(submitted: publication.entries, policy: publication.policy, at: publication.at)
        .map { Finding(number, $0) }
    }
    let shortcuts = shortcutSets.enumerated().flatMap { number, set in
      ShortcutLint.warnings(set: set.elements, context: ShortcutLintContext(now: set.at))
        .map { Finding(.relevantShortcuts, number, $0) }
    }
    let intents = intentSets.enumerated().flatMap { number, set in
      ShortcutLint.warnings(set: set.elements, context: ShortcutLintContext(now: set.at))
        .map { Finding(.relevantIntents, number, $0) }
    }
    let types = IntentTypeLint.warnings(registered: types).map { Finding(.intentTypes, 0, $0) }
    let donations = IntentTypeLint.warnings(donated: donations, of: self.types).map { Finding(.donations, 0, $0) }
    return timelines + shortcuts + intents + types + donations
  }
}

extension LintCase {
  /// How the files that do not say it themselves are meant.
  struct Reading {
    /// The zone of dates without an offset.
    let zone: CalendarZone
    /// When a calendar is published.
    let now: Instant
    /// How far a calendar is published.
    let span: TimeSpan
  }

  /// The cases of a file, whose kind its name tells: `.yaml` or `.yml`, `.csv`, `.ics`; `note` gets what was passed
  /// over in it.
  static func cases(path: String, _ reading: Reading, note: (String) -> Void) throws(CommandFailure) -> [LintCase] {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    switch name.split(separator: ".").last?.lowercased() {
    case "yaml", "yml":
      return try cases(path: path, LintCaseReader(standardStart: reading.now), note: note)
    case "csv", "ics":
      do throws(FeedError) {
        let publication = name.lowercased().hasSuffix("csv") ? try table(path, reading) : try calendar(path, reading)
        return [LintCase(name: name, publications: [publication])]
      } catch {
        throw CommandFailure(.usage, "\(path): \(error)")
      }
    default:
      throw CommandFailure(.usage, "\(path): the name ends in none of .yaml, .yml, .csv and .ics")
    }
  }

  /// The cases of a file of YAML.
  static func cases(
    path: String, _ reader: LintCaseReader, note: (String) -> Void
  ) throws(CommandFailure) -> [LintCase] {
    var reader = reader
    do {
      let cases = try reader.cases(path: path)
      for text in reader.notes { note("\(path): \(text)") }
      return cases
    } catch {
      throw CommandFailure(.usage, "\(path): \(error)")
    }
  }

  /// The file does not say when it is published; since it asks for nothing more, its first date serves as well as any.
  private static func table(_ path: String, _ reading: Reading) throws(FeedError) -> Publication {
    let entries = try CSVTimeline.entries(path: path, zone: reading.zone)
    return Publication(at: entries.map(\.date).min() ?? reading.now, entries: entries, policy: .never)
  }

  private static func calendar(_ path: String, _ reading: Reading) throws(FeedError) -> Publication {
    let timeline = try Feed.calendarTimeline(path: path, zone: reading.zone, span: reading.span, at: reading.now)
    return Publication(at: reading.now, entries: timeline.entries, policy: timeline.policy)
  }
}
