import ArgumentParser
import Foundation
import MarqueeLint
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal

/// `marquee lint`
struct LintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Check the timelines and shortcuts in a file, as a server does when they are sent.",
    discussion: """
      FILE is YAML with consecutive timelines, relevant shortcuts and relevant intents; a CSV table as for "publish \
      csv"; or a calendar as for "publish calendar". No server is needed: reloads are compared with the budget of a \
      widget that is often in front.

      The exit status is 0 without findings, 1 with findings, and 64 if the file cannot be read.
      """)

  @Argument(
    help: "A file whose name ends in .yaml, .yml, .csv or .ics.",
    completion: .file(extensions: ["yaml", "yml", "csv", "ics"]))
  var file: String

  @Flag(help: "Write JSON.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "The time zone of local times in a table or calendar; defaults to this machine's.",
      valueName: "zone"))
  var timeZone: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "When a calendar is published, and the default start of YAML cases; defaults to now.",
      valueName: "time"),
    transform: { text in try TimeArgument(text) })
  var from: TimeArgument?

  @Option(help: "The number of days of a calendar to publish.")
  var days = 7

  func validate() throws {
    guard (1...366).contains(days) else { throw ValidationError("--days must be from 1 to 366") }
  }

  func run() throws {
    let clock = try timeZone.map { (name) throws(CommandFailure) in try DeviceClock(name) } ?? .system
    let now = Instant.systemNow
    let progress = ProgressMeter("Reading \(file)")
    defer { progress.end() }
    let cases = try LintCase.cases(
      path: file,
      LintCase.Defaults(
        zone: try TimelinePublisher.zone(named: clock.zone.identifier),
        now: try from?.instant(now: now, clock: clock) ?? now,
        span: .days(Int64(days))),
      note: Terminal.standard.warn)
    progress.begin("Checking \(file)")
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

  /// Returns a line for each finding: the case, the number of the timeline or set if there are several, the code, the
  /// entry and the message.
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
      return "\(found.name): \(place)\(finding.message) [\(finding.code)]"
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
