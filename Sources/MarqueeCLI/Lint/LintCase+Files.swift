import MarqueeFeeds
import MarqueeModel
import MarqueeSimulator
import MarqueeYAML

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

  /// Whether a file has YAML, by the extension of its name.
  static func isYAML(path: String) -> Bool { ["yaml", "yml"].contains(fileExtension(of: path)) }

  private static func fileExtension(of path: String) -> String? {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return name.split(separator: ".").last?.lowercased()
  }

  /// Reads the findings about a file, whose format follows from its extension: `.yaml` or `.yml`, `.csv`, `.ics`.
  static func report(path: String, _ defaults: Defaults) throws(CommandFailure) -> LintReport {
    if isYAML(path: path) { return try report(yaml: path, defaults) }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let form = fileExtension(of: path), ["csv", "ics"].contains(form) else {
      throw CommandFailure(.usage, "\(path): unsupported file extension; expected .yaml, .yml, .csv or .ics")
    }
    do throws(FeedError) {
      let publication = form == "csv" ? try table(path, defaults) : try calendar(path, defaults)
      let findings = LintCase(name: name, publications: [publication]).findings
      return LintReport(findings: findings, caseCount: 1, timelineCount: 1)
    } catch {
      throw CommandFailure(.usage, "\(path): \(error)")
    }
  }

  /// Reads the findings about a YAML file.
  private static func report(yaml path: String, _ defaults: Defaults) throws(CommandFailure) -> LintReport {
    let text = try text(path: path)
    do {
      var linter = try Linter(yaml: text, .at(defaults.now))
      while try linter.advance() {}
      return linter.report
    } catch {
      throw CommandFailure(.usage, "\(path): \(error)")
    }
  }

  /// Reads a YAML file.
  static func text(path: String) throws(CommandFailure) -> String {
    do { return try TextFile.text(path: path, sizeMax: LintCaseReader.fileSizeMax) } catch {
      throw CommandFailure(.usage, "\(path): \(error.message)")
    }
  }

  /// Reads the cases of a YAML file. Calls `note` for each ignored key.
  static func cases(
    path: String, _ reader: LintCaseReader, note: (String) -> Void
  ) throws(CommandFailure) -> [LintCase] {
    var reader = reader
    let text = try text(path: path)
    do {
      let cases = try reader.cases(yaml: text)
      for finding in reader.notes { note("\(path): \(finding.note)") }
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

extension LintCaseReader {
  /// Returns a reader of cases that start at an instant if they do not specify one, with times on a clock.
  static func at(_ now: Instant, clock: DeviceClock = .utc) -> LintCaseReader {
    LintCaseReader(standardStart: now) { text in
      // `nil` is an error with the place of the text.
      try? TimeArgument(text).instant(now: now, clock: clock)
    }
  }
}

extension LintFinding {
  /// The text of a note.
  var note: String { "line \(line ?? 1): \(message)" }
}
