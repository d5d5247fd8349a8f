import MarqueeFeeds
import MarqueeLint
import MarqueeModel

/// The data sent for one widget or app: consecutive timelines, sets of shortcuts, intent types and donations.
struct LintCase {
  /// A timeline and the instant at which it is published.
  struct Publication {
    let at: Instant
    let submitted: SubmittedTimeline
  }

  /// A set and the instant at which it is sent; it replaces the previous set.
  struct SentSet<Element> {
    let at: Instant
    let elements: [Element]
  }

  let name: String
  /// In chronological order.
  var publications: [Publication] = []
  /// In chronological order.
  var shortcutSets: [SentSet<RelevantShortcut>] = []
  /// In chronological order.
  var intentSets: [SentSet<RelevantIntent>] = []
  var types: [IntentTypeDescriptor] = []
  var donations: [Intent] = []

  /// The number of sets besides timelines. Intent types count as one set, donations as another.
  var setCount: Int {
    shortcutSets.count + intentSets.count + (types.isEmpty ? 0 : 1) + (donations.isEmpty ? 0 : 1)
  }
}

extension LintCase {
  /// The subject of a finding.
  enum Subject: String {
    case timeline
    case relevantShortcuts = "relevant_shortcuts"
    case relevantIntents = "relevant_intents"
    case intentTypes = "intent_types"
    case donations
  }

  /// A finding about the timeline or set with that number among those of its subject.
  struct Finding {
    let subject: Subject
    let number: Int
    let code: String
    let message: String
    /// The index of the entry or item, or `nil` if the finding concerns the whole.
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

  /// The findings of each timeline, evaluated in order of publication, followed by the findings of each set.
  var findings: [Finding] {
    var rehearsal = TimelineRehearsal()
    let timelines = publications.enumerated().flatMap { number, publication in
      rehearsal.publish(publication.submitted, at: publication.at).map { Finding(number, $0) }
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
  /// Defaults for files that do not specify these values.
  struct Defaults {
    /// The time zone of dates without an offset.
    let zone: CalendarZone
    /// The instant at which a calendar is published.
    let now: Instant
    /// The span over which a calendar is published.
    let span: TimeSpan
  }

  /// Reads the cases of a file, whose format follows from its extension: `.yaml` or `.yml`, `.csv`, `.ics`. Calls
  /// `note` for each ignored key.
  static func cases(path: String, _ defaults: Defaults, note: (String) -> Void) throws(CommandFailure) -> [LintCase] {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    switch name.split(separator: ".").last?.lowercased() {
    case "yaml", "yml":
      return try cases(path: path, LintCaseReader(standardStart: defaults.now), note: note)
    case "csv", "ics":
      do throws(FeedError) {
        let publication = name.lowercased().hasSuffix("csv") ? try table(path, defaults) : try calendar(path, defaults)
        return [LintCase(name: name, publications: [publication])]
      } catch {
        throw CommandFailure(.usage, "\(path): \(error)")
      }
    default:
      throw CommandFailure(.usage, "\(path): unsupported file extension; expected .yaml, .yml, .csv or .ics")
    }
  }

  /// Reads the cases of a YAML file.
  static func cases(
    path: String, _ reader: LintCaseReader, note: (String) -> Void
  ) throws(CommandFailure) -> [LintCase] {
    let text: String
    do { text = try TextFile.text(path: path, sizeMax: LintCaseReader.fileSizeMax) } catch {
      throw CommandFailure(.usage, "\(path): \(error.message)")
    }
    var reader = reader
    do {
      let cases = try reader.cases(yaml: text)
      for text in reader.notes { note("\(path): \(text)") }
      return cases
    } catch {
      throw CommandFailure(.usage, "\(path): \(error)")
    }
  }

  /// The file does not specify a publication time. The first date is used, since the timeline requests no reload.
  private static func table(_ path: String, _ defaults: Defaults) throws(FeedError) -> Publication {
    let entries = try CSVTimeline.entries(path: path, zone: defaults.zone)
    let submitted = SubmittedTimeline(entries, policy: .never)
    return Publication(at: submitted.timeline.entries.first?.date ?? defaults.now, submitted: submitted)
  }

  private static func calendar(_ path: String, _ defaults: Defaults) throws(FeedError) -> Publication {
    let timeline = try TimelinePublisher.calendarTimeline(
      path: path, zone: defaults.zone, span: defaults.span, at: defaults.now)
    return Publication(at: defaults.now, submitted: SubmittedTimeline(timeline.entries, policy: timeline.policy))
  }
}
