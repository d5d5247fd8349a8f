import MarqueeFeeds
import MarqueeLint
import MarqueeModel

/// What one widget is published, one timeline after another.
struct LintCase {
  /// A timeline as it is sent at an instant.
  struct Publication {
    let at: Instant
    let entries: [TimelineEntry]
    let policy: TimelineReloadPolicy
  }

  /// A finding on the timeline of that index.
  struct Finding {
    let timeline: Int
    let warning: TimelineWarning
  }

  let name: String
  /// In the order of their instants.
  let publications: [Publication]

  /// What is found on each timeline, as the earlier ones leave the widget.
  var findings: [Finding] {
    var rehearsal = TimelineRehearsal()
    return publications.enumerated().flatMap { index, publication in
      rehearsal.publish(submitted: publication.entries, policy: publication.policy, at: publication.at)
        .map { Finding(timeline: index, warning: $0) }
    }
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

  /// The cases of a file, whose kind its name tells: `.yaml` or `.yml`, `.csv`, `.ics`.
  static func cases(path: String, _ reading: Reading) throws(CommandFailure) -> [LintCase] {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    switch name.split(separator: ".").last?.lowercased() {
    case "yaml", "yml":
      do { return try LintCaseReader.cases(path: path) } catch { throw CommandFailure(.usage, "\(path): \(error)") }
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
