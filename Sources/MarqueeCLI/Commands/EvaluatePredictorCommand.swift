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
      Without FILE, synthetic people are generated from a seed, so that anybody can repeat the evaluation. FILE has \
      one line per completed action, with tab-separated fields: person, local time such as 2013-11-11T09:35:09, \
      action, parameter and place; the last two can be empty or missing. Each person's model \
      starts empty, and every action is predicted before it is learned.

      "Next action" ranks the next action, without repeats, over the last fifth of each person's actions. "Half hour" \
      predicts every 15 minutes which actions follow within 30 minutes, on days with any action, from the sixth such \
      day; for people with more than 500 such days, on the last 250. It runs first with the time alone, then also with \
      the preceding actions.

      "All tasks" has the predictor's figures with 95 % intervals from resampling people, or the days of a single \
      person. Early calibration compares the probability of the first prediction with its outcomes over each person's \
      first actions, and by experience. The replay shows the most probable action at every instant of the last days, \
      without the gates of a device. Sharp habits are asked for at every five-minute offset, and triggers at an event \
      at varying hours and without it; both are synthetic and independent of FILE.

      No server is needed. The exit status is 64 if the file cannot be read.
      """)

  @Argument(help: "A file of tab-separated lines.", completion: .file(extensions: ["tsv"]))
  var file: String?

  @Option(help: "The seed of the synthetic people, if no file is given.")
  var seed = 1

  @Option(
    help: ArgumentHelp("The number of synthetic people, at most \(HabitLog.syntheticPersonCountMax).", valueName: "n"))
  var people = SharpHabitTask.personCount

  @Option(
    help: ArgumentHelp("The number of days of their logs, at most \(HabitLog.syntheticDayCountMax).", valueName: "n"))
  var days = 42

  func validate() throws {
    for (name, count, limit) in [
      ("people", people, HabitLog.syntheticPersonCountMax), ("days", days, HabitLog.syntheticDayCountMax),
    ] where !(1...limit).contains(count) {
      throw ValidationError("--\(name) must be in 1…\(limit)")
    }
  }

  @Option(
    help: ArgumentHelp("Write a reliability diagram by experience to this SVG file.", valueName: "file"),
    completion: .file())
  var svg: String?

  @Flag(help: "Write JSON.")
  var json = false

  func run() throws {
    let progress = ProgressMeter(file.map { "Reading \($0)" } ?? "Generating people")
    defer { progress.end() }
    let log: HabitLog
    if let file {
      log = try HabitLog(path: file)
    } else {
      log = HabitLog(
        syntheticSeed: UInt64(bitPattern: Int64(seed)), personCount: people, dayCount: days)
    }
    let evaluation = Evaluation(log, syntheticPeople: people, progress)
    progress.end()
    if let svg {
      let curves = evaluation.early.experienced.enumerated().map { index, reliability in
        ReliabilityDiagram.Curve(label: EarlyTask.experienceLabel(index), reliability: reliability)
      }
      try OutputFile.write(Array(ReliabilityDiagram(curves: curves).svg.utf8), to: svg)
    }
    if json {
      Terminal.standard.write(Self.json(evaluation, seed: file == nil ? seed : nil))
    } else {
      Terminal.standard.write(Self.lines(evaluation.next))
      Terminal.standard.write(["", "Half hour, time alone"] + Self.lines(evaluation.clock))
      Terminal.standard.write(["", "Half hour, with preceding actions"] + Self.lines(evaluation.recent))
      Terminal.standard.write(["", "All tasks"] + Self.lines(evaluation.report))
    }
  }

  /// The tasks, evaluated on one log.
  struct Evaluation {
    let log: HabitLog
    let next: NextActionTask
    let clock: HalfHourTask
    let recent: HalfHourTask
    let early: EarlyTask
    let sharp: SharpHabitTask
    let triggers: TriggerTask
    let report: EvaluationReport

    init(_ log: HabitLog, syntheticPeople: Int, _ progress: ProgressMeter) {
      func note(_ share: Double) { progress.note(.share(share)) }
      self.log = log
      progress.begin("Ranking next actions")
      next = NextActionTask(log, progress: note)
      progress.begin("Predicting half hours, time alone")
      clock = HalfHourTask(log, basis: .timeAlone, progress: note)
      progress.begin("Predicting half hours, with preceding actions")
      recent = HalfHourTask(log, basis: .everything, progress: note)
      progress.begin("Calibrating first actions")
      early = EarlyTask(log, basis: .everything, progress: note)
      progress.begin("Predicting a sharp habit")
      sharp = SharpHabitTask(.everything, personCount: syntheticPeople)
      triggers = TriggerTask(.everything, personCount: syntheticPeople)
      progress.begin("Replaying the last days")
      let replay = ReplayTask(log, progress: note)
      report = EvaluationReport(
        next: next, clock: clock, recent: recent, sharp: sharp, early: early, triggers: triggers, replay: replay)
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
    let persons = "\(task.personCount) \(task.personCount == 1 ? "person" : "people")"
    let people = "\(persons), \(task.useCount) actions without repeats"
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
  static func text(_ number: Double?) -> String {
    number.map { String(format: "%.3f", $0) } ?? "-"
  }

  private static func json(_ evaluation: Evaluation, seed: Int?) -> JSONValue {
    let ranks = Method.allCases.compactMap { method in
      evaluation.next.scores[method].map { scores in
        JSONValue.object([
          .init("method", .string(method.rawValue)), .init("scored_count", .integer(Int64(scores.count))),
          .init("unseen_share", number(scores.unseenShare)), .init("hr_1", number(scores.hitRate1)),
          .init("hr_3", number(scores.hitRate3)), .init("hr_5", number(scores.hitRate5)),
          .init("mrr", number(scores.meanReciprocalRank)),
        ])
      }
    }
    let slots = [("time_alone", evaluation.clock), ("everything", evaluation.recent)]
    return .object([
      .init("synthetic_seed", seed.map { .integer(Int64($0)) } ?? .null),
      .init("person_count", .integer(Int64(evaluation.log.people.count))),
      .init("action_count", .integer(Int64(evaluation.log.useCount))),
      .init("report", json(evaluation.report)), .init("next_action", .array(ranks)),
      .init("half_hour", .object(slots.map { .init($0.0, json($0.1)) })),
      .init("early_calibration", json(evaluation.early)), .init("sharp_habit", json(evaluation.sharp)),
      .init("triggers", json(evaluation.triggers)),
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

  static func number(_ number: Double?) -> JSONValue { number.map(JSONValue.number) ?? .null }
}
