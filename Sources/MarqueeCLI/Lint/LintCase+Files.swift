import MarqueeFeeds
import MarqueeModel
import MarqueeSimulator
import MarqueeYAML

extension LintCase {
  /// Reads the findings about a file, whose format follows from its extension: `.yaml` or `.yml`, `.csv`, `.ics`.
  static func report(path: String, _ settings: FeedSettings) throws(CommandFailure) -> LintReport {
    guard let format = SourceFormat(path: path) else {
      throw CommandFailure(.usage, "\(path): unsupported file extension; expected .yaml, .yml, .csv or .ics")
    }
    do throws(ScenarioError) {
      var linter: Linter
      if format == .yaml {
        linter = try Linter(yaml: text(path), .at(settings.from ?? settings.now))
      } else {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        linter = Linter([try LintCase(bytes(path, format), format, settings, name: name)])
      }
      while try linter.advance() {}
      return linter.report
    } catch {
      throw CommandFailure(.usage, "\(path): \(error)")
    }
  }

  private static func text(_ path: String) throws(ScenarioError) -> String {
    do { return try TextFile.text(path: path, sizeMax: LintCaseReader.fileSizeMax) } catch {
      throw ScenarioError(error.message)
    }
  }

  /// Reads a calendar or table.
  static func bytes(_ path: String, _ format: SourceFormat) throws(ScenarioError) -> [UInt8] {
    let sizeMax = format == .calendar ? CalendarFile.fileSizeMax : CSVTimeline.fileSizeMax
    do { return try FeedFile.bytes(path: path, sizeMax: sizeMax) } catch { throw ScenarioError("\(error)") }
  }

  /// Reads a file as text; invalid UTF-8 in a calendar or table is replaced by U+FFFD.
  static func text(path: String) throws(CommandFailure) -> String {
    do throws(ScenarioError) {
      guard let format = SourceFormat(path: path), format != .yaml else { return try text(path) }
      return String(decoding: try bytes(path, format), as: UTF8.self)
    } catch {
      throw CommandFailure(.usage, "\(path): \(error)")
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
