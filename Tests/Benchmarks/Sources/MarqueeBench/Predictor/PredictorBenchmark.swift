import MarqueePredictor

/// A benchmark of the predictor, by the length of the learned history and the number of actions.
struct PredictorBenchmark {
  /// The number of predictions per round.
  private static let predictionCount = 100

  let rounds: Int
  var histories: [(donations: Int, actions: Int)] = [
    (1_000, 100), (5_000, 100), (20_000, 100), (50_000, 100), (5_000, 200), (50_000, 400),
  ]

  /// Returns a table with a row per history.
  var report: BenchmarkReport {
    var table = MarkdownTable([
      "donations", "actions", "learn one, µs", "next action, µs", "half hour, µs", "grid step, µs",
      "bytes a donation",
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
    let steps = Spread.microseconds(rounds: rounds, count: 1) { Self.walk(predictor, from: moment) }
    let row = [
      "\(donations)", "\(actions)", learning.divided(by: donations).text, next.text, soon.text,
      steps.divided(by: Self.predictionCount).text, "\(predictor.byteCount / donations)",
    ]
    return (row, learning.divided(by: donations).median, max(next.median, soon.median))
  }

  /// Computes the likely actions of consecutive grid steps, as a device does for its stacks.
  private static func walk(_ predictor: Predictor, from first: Moment) {
    var (count, moment) = (0, first)
    predictor.likelyActions(.everything, from: moment, atLeast: 1.0 / 32, where: { _ in true }) { found in
      keep(found.count)
      count += 1
      let seconds = moment.day * 86_400 + moment.second + Predictor.stepSeconds
      moment = moment.moved(to: seconds)
      return count < predictionCount ? moment : nil
    }
  }

  private func prediction(_ body: () -> Void) -> Spread {
    Spread.microseconds(rounds: rounds, count: Self.predictionCount, body)
  }
}
