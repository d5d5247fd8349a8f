import MarqueePredictor

/// A benchmark of the predictor, by the length of the learned history and the number of actions.
struct PredictorBenchmark {
  /// The number of predictions per round.
  private static let predictionCount = 100

  let rounds: Int
  var histories: [(donations: Int, actions: Int)] = [
    (1_000, 100), (5_000, 100), (20_000, 100), (50_000, 100), (50_000, 400),
  ]

  /// Returns a table with a row per history.
  var report: BenchmarkReport {
    var table = MarkdownTable([
      "donations", "actions", "learn one, µs", "next action, µs", "half hour, µs", "bytes a donation",
    ])
    var (predictions, lessons): ([Double], [Double]) = ([], [])
    for history in histories {
      let (row, learning, slower) = measure(donations: history.donations, actions: history.actions)
      table.add(row)
      guard history.actions == 100 else { continue }
      predictions.append(slower)
      lessons.append(learning)
    }
    return BenchmarkReport(
      text: table.text,
      figures: [
        Figure("prediction over 100 actions", predictions.max() ?? 0),
        Figure("donation learned by the predictor", lessons.max() ?? 0),
      ])
  }

  private func measure(donations: Int, actions: Int) -> (row: [String], learning: Double, slower: Double) {
    let person = BusyPerson(count: donations, actions: actions)
    let predictor = person.predictor
    let moment = person.tomorrow
    let learning = Spread.microseconds(rounds: rounds, count: 1) { keep(person.predictor.actionCount) }
    let next = prediction { keep(predictor.next(at: moment).sum) }
    let soon = prediction { keep(predictor.soon(.everything, at: moment).sum) }
    let row = [
      "\(donations)", "\(actions)", learning.divided(by: donations).text, next.text, soon.text,
      "\(predictor.byteCount / donations)",
    ]
    return (row, learning.divided(by: donations).median, max(next.median, soon.median))
  }

  private func prediction(_ body: () -> Void) -> Spread {
    Spread.microseconds(rounds: rounds, count: Self.predictionCount, body)
  }
}
