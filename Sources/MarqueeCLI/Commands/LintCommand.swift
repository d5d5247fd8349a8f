import ArgumentParser
import Foundation
import MarqueeLint
import MarqueeModel
import MarqueeSimulator

/// `marquee lint`
struct LintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Says what is doubtful about the timelines or shortcuts of a file, as a server would when they are sent.",
    discussion: """
      FILE is YAML with timelines, relevant shortcuts and relevant intents as they are sent one after another, a table \
      as "feed csv" takes it, or a calendar as "feed calendar" would publish it. No server is asked: reloads are \
      measured against the budget of a widget that is often in front.

      The exit status is 0 when nothing is found, 1 when something is, and 64 for a file that cannot be read.
      """)

  @Argument(
    help: "A file whose name ends in .yaml, .yml, .csv or .ics.",
    completion: .file(extensions: ["yaml", "yml", "csv", "ics"]))
  var file: String

  @Flag(help: "Write JSON.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "Where times without a zone are meant in a table or a calendar; this machine's zone unless given.",
      valueName: "zone"))
  var timeZone: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "When a calendar is published, and from when YAML counts that does not say it; now unless given.",
      valueName: "time"),
    transform: { text in try TimeArgument(text) })
  var from: TimeArgument?

  @Option(help: "How many days of a calendar are published.")
  var days = 7

  func validate() throws {
    guard (1...366).contains(days) else { throw ValidationError("--days is from 1 to 366") }
  }

  func run() throws {
    let clock = try timeZone.map { (name) throws(CommandFailure) in try DeviceClock(name) } ?? .system
    let now = Instant.systemNow
    let progress = ProgressMeter("Reading \(file)")
    defer { progress.end() }
    let cases = try LintCase.cases(
      path: file,
      LintCase.Reading(
        zone: try Feed.zone(named: clock.zone.identifier), now: try from?.instant(now: now, clock: clock) ?? now,
        span: .days(Int64(days))),
      note: Terminal.standard.warn)
    progress.begin("Looking through \(file)")
    let findings = cases.enumerated().map { index, found in
      progress.note(.count(index, of: cases.count, "cases"))
      return (found: found, findings: found.findings)
    }
    progress.end()
    if json {
      Terminal.standard.write(Self.json(findings))
    } else {
      Terminal.standard.write(findings.flatMap { Self.lines($0.found, $0.findings) })
    }
    guard findings.allSatisfy(\.findings.isEmpty) else { throw ExitCode.failure }
  }

  /// A line for each finding: the case, the timeline or set when there are several, the code, the entry and the text.
  private static func lines(_ found: LintCase, _ findings: [LintCase.Finding]) -> [String] {
    findings.map { finding in
      let place =
        switch finding.subject {
        case .timeline:
          (found.publications.count > 1 ? "timeline \(finding.number): " : "")
            + (finding.index.map { "entry \($0): " } ?? "")
        case .relevantShortcuts: found.shortcutSets.count > 1 ? "shortcut set \(finding.number): " : ""
        case .relevantIntents: found.intentSets.count > 1 ? "intent set \(finding.number): " : ""
        case .intentTypes, .donations: ""
        }
      return Terminal.printable("\(found.name): \(place)\(finding.message) [\(finding.code)]")
    }
  }

  private static func json(_ findings: [(found: LintCase, findings: [LintCase.Finding])]) -> JSONValue {
    let objects = findings.flatMap { found, findings in findings.map { json($0, of: found) } }
    let timelineCount = findings.reduce(0) { $0 + $1.found.publications.count }
    let setCount = findings.reduce(0) { $0 + $1.found.setCount }
    return .object([
      .init("case_count", .integer(Int64(findings.count))), .init("timeline_count", .integer(Int64(timelineCount))),
      .init("set_count", .integer(Int64(setCount))), .init("findings", .array(objects)),
    ])
  }

  private static func json(_ finding: LintCase.Finding, of found: LintCase) -> JSONValue {
    let (number, index) = (JSONValue.integer(Int64(finding.number)), finding.index.map { JSONValue.integer(Int64($0)) })
    let isTimeline = finding.subject == .timeline
    return .object([
      .init("case", .string(found.name)), .init("subject", .string(finding.subject.rawValue)),
      .init("timeline", isTimeline ? number : .null), .init("set", isTimeline ? .null : number),
      .init("code", .string(finding.code)),
      .init("name", LintCode(rawValue: finding.code).map { .string($0.name) } ?? .null),
      .init("entry", isTimeline ? index ?? .null : .null), .init("item", isTimeline ? .null : index ?? .null),
      .init("message", .string(finding.message)),
    ])
  }
}
