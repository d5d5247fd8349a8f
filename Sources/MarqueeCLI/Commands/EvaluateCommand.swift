import ArgumentParser
import Foundation
import MarqueeEvaluation

/// `marquee evaluate`
struct EvaluateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate",
    abstract: "Measures the predictor on a log of what people did, beside simple methods.",
    discussion: """
      FILE has a line for each completed action, in fields separated by tabs: person, local time such as \
      2013-11-11T09:35:09, action, parameter and place; the last two may be empty or missing. Every person is learned \
      from nothing, one action after another, each predicted before it is learned.

      "Next action" ranks what comes next, without repeats, over the last fifth of each person's actions. "Half hour" \
      asks every 15 minutes what is done within 30, on all days with any action from the sixth on, and of people with \
      more than 500 such days on the last 250: from time alone, then with the last actions known.

      No server is asked. The exit status is 64 for a file that cannot be read.
      """)

  @Argument(help: "A file of tab-separated lines.", completion: .file(extensions: ["tsv"]))
  var file: String

  @Flag(help: "Write JSON.")
  var json = false

  func run() throws {
    let progress = ProgressMeter("Reading \(file)")
    defer { progress.end() }
    func note(_ share: Double) { progress.note(.share(share)) }
    let log = try HabitLog(path: file)
    progress.begin("Ranking what comes next")
    let next = NextActionTask(log, progress: note)
    progress.begin("Asking for half hours, from time alone")
    let clock = HalfHourTask(log, basis: .timeAlone, progress: note)
    progress.begin("Asking for half hours, with the last actions")
    let recent = HalfHourTask(log, basis: .everything, progress: note)
    progress.end()
    if json {
      Terminal.standard.write(Self.json(log, next, [("time_alone", clock), ("everything", recent)]))
    } else {
      Terminal.standard.write(Self.lines(next))
      Terminal.standard.write(["", "Half hour, from time alone"] + Self.lines(clock))
      Terminal.standard.write(["", "Half hour, with the last actions"] + Self.lines(recent))
    }
  }

  private static func lines(_ task: NextActionTask) -> [String] {
    let scored = task.scores[.marquee] ?? RankScores()
    var table = Table(
      .init("METHOD"), .init("HR@1", .right), .init("HR@3", .right), .init("HR@5", .right), .init("MRR", .right))
    for method in Method.allCases {
      guard let scores = task.scores[method] else { continue }
      table.append(
        method.rawValue, text(scores.hitRate1), text(scores.hitRate3), text(scores.hitRate5),
        text(scores.meanReciprocalRank))
    }
    let people = "\(task.personCount) people, \(task.useCount) actions without repeats"
    return ["Next action: \(people), \(scored.count) scored, \(text(scored.unseenShare)) of them new"] + table.lines
  }

  private static func lines(_ task: HalfHourTask) -> [String] {
    var table = Table(
      .init("METHOD"), .init("P@1", .right), .init("P@3", .right), .init("P@1 ALL", .right), .init("BRIER", .right),
      .init("ECE", .right), .init("TOP 10%", .right), .init("25%", .right), .init("50%", .right),
      .init("CHANGES/DAY", .right))
    for method in Method.allCases {
      guard let scores = task.scores[method] else { continue }
      table.append(
        method.rawValue, text(scores.precision1), text(scores.precision3), text(scores.precision1OfAll),
        text(scores.brier), text(scores.calibrationError), text(scores.precision(ofMostConfident: 0.1)),
        text(scores.precision(ofMostConfident: 0.25)), text(scores.precision(ofMostConfident: 0.5)),
        text(scores.changesPerDay))
    }
    return table.lines
  }

  /// Three digits after the point, as results are compared; nothing for what a method does not give.
  private static func text(_ number: Double?) -> String {
    number.map { String(format: "%.3f", $0) } ?? ""
  }

  private static func json(
    _ log: HabitLog, _ next: NextActionTask, _ slots: [(name: String, task: HalfHourTask)]
  ) -> JSONValue {
    let ranks = Method.allCases.compactMap { method in
      next.scores[method].map { scores in
        JSONValue.object([
          .init("method", .string(method.rawValue)), .init("scored_count", .integer(Int64(scores.count))),
          .init("unseen_share", .number(scores.unseenShare)), .init("hr_1", .number(scores.hitRate1)),
          .init("hr_3", .number(scores.hitRate3)), .init("hr_5", .number(scores.hitRate5)),
          .init("mrr", .number(scores.meanReciprocalRank)),
        ])
      }
    }
    return .object([
      .init("person_count", .integer(Int64(log.people.count))), .init("action_count", .integer(Int64(log.useCount))),
      .init("next_action", .array(ranks)),
      .init("half_hour", .object(slots.map { .init($0.name, json($0.task)) })),
    ])
  }

  private static func json(_ task: HalfHourTask) -> JSONValue {
    .array(
      Method.allCases.compactMap { method in
        task.scores[method].map { scores in
          .object([
            .init("method", .string(method.rawValue)), .init("slot_count", .integer(Int64(scores.slotCount))),
            .init("active_count", .integer(Int64(scores.activeCount))), .init("p_1", .number(scores.precision1)),
            .init("p_3", .number(scores.precision3)), .init("p_1_all", .number(scores.precision1OfAll)),
            .init("brier", number(scores.brier)), .init("ece", number(scores.calibrationError)),
            .init("p_1_top_10", number(scores.precision(ofMostConfident: 0.1))),
            .init("p_1_top_25", number(scores.precision(ofMostConfident: 0.25))),
            .init("p_1_top_50", number(scores.precision(ofMostConfident: 0.5))),
            .init("changes_per_day", .number(scores.changesPerDay)),
          ])
        }
      })
  }

  private static func number(_ number: Double?) -> JSONValue { number.map(JSONValue.number) ?? .null }
}
