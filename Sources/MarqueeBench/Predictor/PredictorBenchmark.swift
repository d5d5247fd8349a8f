import MarqueePredictor

/// What the predictor costs, by the length of the history that it has learned and the number of actions.
struct PredictorBenchmark {
  /// How often each prediction is made in a round.
  private static let predictionCount = 100

  let rounds: Int
  var histories: [(donations: Int, actions: Int)] = [
    (1_000, 100), (5_000, 100), (20_000, 100), (50_000, 100), (50_000, 400),
  ]

  /// A Markdown table with a row for each history.
  var table: String {
    var table = MarkdownTable([
      "donations", "actions", "learn one, µs", "next action, µs", "half hour, µs", "bytes a donation",
    ])
    for history in histories { table.add(row(donations: history.donations, actions: history.actions)) }
    return table.text
  }

  private func row(donations: Int, actions: Int) -> [String] {
    let person = BusyPerson(count: donations, actions: actions)
    let predictor = person.predictor
    let moment = person.tomorrow
    let learning = Spread.microseconds(rounds: rounds, count: 1) { keep(person.predictor.actionCount) }
    let next = prediction { keep(predictor.next(at: moment).sum) }
    let soon = prediction { keep(predictor.soon(.everything, at: moment).sum) }
    return [
      "\(donations)", "\(actions)", learning.divided(by: donations).text, next.text, soon.text,
      "\(predictor.byteCount / donations)",
    ]
  }

  private func prediction(_ body: () -> Void) -> Spread {
    Spread.microseconds(rounds: rounds, count: Self.predictionCount, body)
  }
}
