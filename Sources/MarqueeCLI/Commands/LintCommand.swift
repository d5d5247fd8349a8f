import ArgumentParser
import MarqueeClient
import MarqueeLint
import MarqueeModel
import MarqueeRPC
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee lint`
struct LintCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Check the timelines and shortcuts in a file, as a server does when they are sent.",
    discussion: """
      FILE is YAML with consecutive timelines, relevant shortcuts and relevant intents; a scenario as for "simulate"; \
      a CSV table as for "publish csv"; or a calendar as for "publish calendar". No server is needed: except in a \
      scenario, reloads are compared with the budget of a widget that is often in front.

      The exit status is 0 without findings, 1 with findings, and 64 if the file cannot be read.
      """)

  @Argument(
    help: "A file whose name ends in .yaml, .yml, .csv or .ics.",
    completion: .file(extensions: ["yaml", "yml", "csv", "ics"]))
  var file: String

  @Flag(help: "Have the server check the file.")
  var remote = false

  @OptionGroup var feed: FeedFileOptions
  @OptionGroup var server: ServerOptions

  func validate() throws {
    try feed.validate(dayCountMax: remote ? FeedOptions.dayCountMax : 366)
    guard !remote || feed.from == nil || SourceFormat(path: file) != .yaml else {
      throw ValidationError("--remote and --from are mutually exclusive for a YAML file")
    }
  }

  func run() async throws {
    if remote {
      let (text, options) = (try LintCase.text(path: file), try feed.request())
      try await server.run { session in
        do {
          try write(try await session.operators.lint(text, feed: options))
        } catch let status as RPCStatus where status.code == .invalidArgument {
          throw CommandFailure(.usage, "\(file): \(status.message)")
        } catch let error as RequestError {
          throw CommandFailure(.usage, "\(file): \(error)")
        }
      }
    } else {
      let progress = ProgressMeter("Reading \(file)")
      defer { progress.end() }
      let report = try LintCase.report(path: file, try feed.settings())
      progress.end()
      try write(report)
    }
  }

  /// Writes the findings, and throws the exit status for warnings.
  private func write(_ report: LintReport) throws {
    let terminal = Terminal.standard
    let warnings = report.findings.filter { $0.severity == .warning }
    for finding in report.findings where finding.severity == .note { terminal.warn("\(file): \(finding.note)") }
    if server.json {
      terminal.write(Self.json(report, warnings))
    } else {
      terminal.write(warnings.isEmpty ? ["No findings."] : warnings.map(Self.line))
      if report.omittedCount > 0 { terminal.warn("\(report.omittedCount) more findings") }
    }
    guard warnings.isEmpty else { throw ExitCode.failure }
  }

  /// Returns a line for a finding: the case, the number of the timeline or set if there are several, the entry, the
  /// message and the code.
  private static func line(_ finding: LintFinding) -> String {
    let set =
      switch finding.subject {
      case .timeline: "timeline"
      case .relevantShortcuts: "shortcut set"
      case .relevantIntents: "intent set"
      case .text, .intentTypes, .donations: ""
      }
    let number = finding.number.map { "\(set) \($0): " } ?? ""
    let entry = finding.subject == .timeline ? finding.index.map { "entry \($0): " } ?? "" : ""
    return "\(finding.caseName): \(number)\(entry)\(finding.message) [\(finding.code)]"
  }

  private static func json(_ report: LintReport, _ warnings: [LintFinding]) -> JSONValue {
    .object([
      .init("case_count", .integer(Int64(report.caseCount))),
      .init("timeline_count", .integer(Int64(report.timelineCount))),
      .init("set_count", .integer(Int64(report.setCount))), .init("findings", .array(warnings.map(json))),
      .init("omitted_count", .integer(Int64(report.omittedCount))),
    ])
  }

  private static func json(_ finding: LintFinding) -> JSONValue {
    let (number, index) = (JSONValue.integer(Int64(finding.number ?? 0)), integer(finding.index))
    let isTimeline = finding.subject == .timeline
    return .object([
      .init("case", .string(finding.caseName)), .init("subject", .string(finding.subject.name)),
      .init("timeline", isTimeline ? number : .null), .init("set", isTimeline ? .null : number),
      .init("code", .string(finding.code)),
      .init("name", LintCode(rawValue: finding.code).map { .string($0.name) } ?? .null),
      .init("entry", isTimeline ? index : .null), .init("item", isTimeline ? .null : index),
      .init("line", integer(finding.line)), .init("column", integer(finding.column)),
      .init("message", .string(finding.message)),
    ])
  }

  private static func integer(_ number: Int?) -> JSONValue { number.map { .integer(Int64($0)) } ?? .null }
}

extension LintFinding.Subject {
  /// The name of the subject in JSON.
  fileprivate var name: String {
    switch self {
    case .text: "text"
    case .timeline: "timeline"
    case .relevantShortcuts: "relevant_shortcuts"
    case .relevantIntents: "relevant_intents"
    case .intentTypes: "intent_types"
    case .donations: "donations"
    }
  }
}
