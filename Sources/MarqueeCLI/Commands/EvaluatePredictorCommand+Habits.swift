import MarqueeEvaluation
import MarqueeTerminal

/// The report of all tasks, and the JSON of early calibration, sharp habits and triggers.
extension EvaluatePredictorCommand {
  static func lines(_ report: EvaluationReport) -> [String] {
    var table = Table(
      .init("TASK"), .init("FIGURE"), .init("COUNT", .right), .init("VALUE", .right), .init("95%", .right),
      .init("AIM", .right))
    for row in report.rows {
      let interval = row.interval.map { "\(text($0.lowerBound))–\(text($0.upperBound))" }
      let aim: String? =
        switch row.aim {
        case .atMost(let limit): "≤ \(text(limit))"
        case .atLeast(let limit): "≥ \(text(limit))"
        case nil: nil
        }
      table.append(row.task, row.figure, "\(row.count)", text(row.value), interval ?? "-", aim ?? "-")
    }
    return table.lines
  }

  static func json(_ report: EvaluationReport) -> JSONValue {
    .array(
      report.rows.map { row in
        let (least, most): (Double?, Double?) =
          switch row.aim {
          case .atLeast(let limit): (limit, nil)
          case .atMost(let limit): (nil, limit)
          case nil: (nil, nil)
          }
        return .object([
          .init("task", .string(row.task)), .init("figure", .string(row.figure)),
          .init("count", .integer(Int64(row.count))), .init("value", number(row.value)),
          .init("low", number(row.interval?.lowerBound)), .init("high", number(row.interval?.upperBound)),
          .init("aim_min", number(least)), .init("aim_max", number(most)),
        ])
      })
  }

  static func json(_ task: EarlyTask) -> JSONValue {
    let early = EarlyTask.limits.enumerated().map { index, limit in
      let range = task.interval(limit: index)
      return JSONValue.object([
        .init("action_count_max", .integer(Int64(limit))),
        .init("prediction_count", .integer(Int64(task.early[index].count))),
        .init("ece", number(task.early[index].error)), .init("ece_low", number(range?.lowerBound)),
        .init("ece_high", number(range?.upperBound)),
      ])
    }
    let experienced = task.experienced.enumerated().map { index, reliability in
      JSONValue.object([
        .init("occurrence_count_max", .integer(Int64(EarlyTask.experiences[index]))),
        .init("prediction_count", .integer(Int64(reliability.count))), .init("ece", number(reliability.error)),
        .init("bins", .array(reliability.bins.map(json))),
      ])
    }
    return .object([.init("first_actions", .array(early)), .init("experience", .array(experienced))])
  }

  private static func json(_ bin: Reliability.Bin) -> JSONValue {
    .object([
      .init("prediction_count", .integer(Int64(bin.count))),
      .init("claimed", number(bin.count == 0 ? nil : bin.claimed / Double(bin.count))),
      .init("true_share", number(bin.count == 0 ? nil : Double(bin.trueCount) / Double(bin.count))),
    ])
  }

  static func json(_ task: SharpHabitTask) -> JSONValue {
    .array(
      task.rows.map { row in
        .object([
          .init("occurrence_count", .integer(Int64(row.variant.occurrences))),
          .init("spread_min", .integer(Int64(row.variant.spread))),
          .init("weekdays", .boolean(row.variant.isWeekdays)), .init("other_actions", .boolean(row.variant.isBusy)),
          .init("mean_error", number(row.error)), .init("late_claim", number(row.lateClaim)),
          .init("claims", .array(row.claims.map(number))), .init("truths", .array(row.truths.map(number))),
        ])
      })
  }

  static func json(_ task: TriggerTask) -> JSONValue {
    .array(
      task.rows.map { row in
        .object([
          .init("trigger", .string(row.trigger.rawValue)), .init("with", number(row.with)),
          .init("without", number(row.without)),
        ])
      })
  }
}
