import ArgumentParser
import Foundation
import MarqueeEvaluation
import MarqueeTerminal

/// `marquee evaluate-predictor`
struct EvaluatePredictorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate-predictor",
    abstract: "Evaluate the predictor on a log of user actions and compare it with baselines.",
    discussion: """
      FILE has one line per completed action, with tab-separated fields: person, local time such as \
      2013-11-11T09:35:09, action, parameter and place; the last two can be empty or missing. Each person's model \
      starts empty, and every action is predicted before it is learned.

      "Next action" ranks the next action, without repeats, over the last fifth of each person's actions. "Half hour" \
      predicts every 15 minutes which actions follow within 30 minutes, on days with any action, from the sixth such \
      day; for people with more than 500 such days, on the last 250. It runs first with the time alone, then also with \
      the preceding actions.

      No server is needed. The exit status is 64 if the file cannot be read.
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
    progress.begin("Ranking next actions")
    let next = NextActionTask(log, progress: note)
    progress.begin("Predicting half hours, time alone")
    let clock = HalfHourTask(log, basis: .timeAlone, progress: note)
    progress.begin("Predicting half hours, with preceding actions")
    let recent = HalfHourTask(log, basis: .everything, progress: note)
    progress.end()
    if json {
      Terminal.standard.write(Self.json(log, next, [("time_alone", clock), ("everything", recent)]))
    } else {
      Terminal.standard.write(Self.lines(next))
      Terminal.standard.write(["", "Half hour, time alone"] + Self.lines(clock))
      Terminal.standard.write(["", "Half hour, with preceding actions"] + Self.lines(recent))
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

  /// Returns the number with three decimal places, or a hyphen if nothing was scored or the method lacks the metric.
  private static func text(_ number: Double?) -> String {
    number.map { String(format: "%.3f", $0) } ?? "-"
  }

  private static func json(
    _ log: HabitLog, _ next: NextActionTask, _ slots: [(name: String, task: HalfHourTask)]
  ) -> JSONValue {
    let ranks = Method.allCases.compactMap { method in
      next.scores[method].map { scores in
        JSONValue.object([
          .init("method", .string(method.rawValue)), .init("scored_count", .integer(Int64(scores.count))),
          .init("unseen_share", number(scores.unseenShare)), .init("hr_1", number(scores.hitRate1)),
          .init("hr_3", number(scores.hitRate3)), .init("hr_5", number(scores.hitRate5)),
          .init("mrr", number(scores.meanReciprocalRank)),
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
            .init("active_count", .integer(Int64(scores.activeCount))), .init("p_1", number(scores.precision1)),
            .init("p_3", number(scores.precision3)), .init("p_1_all", number(scores.precision1OfAll)),
            .init("brier", number(scores.brier)), .init("ece", number(scores.calibrationError)),
            .init("p_1_top_10", number(scores.precision(ofMostConfident: 0.1))),
            .init("p_1_top_25", number(scores.precision(ofMostConfident: 0.25))),
            .init("p_1_top_50", number(scores.precision(ofMostConfident: 0.5))),
            .init("changes_per_day", number(scores.changesPerDay)),
          ])
        }
      })
  }

  private static func number(_ number: Double?) -> JSONValue { number.map(JSONValue.number) ?? .null }
}
