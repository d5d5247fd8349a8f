import ArgumentParser

/// Measures, and writes Markdown tables: fixed, seeded work, the same in every run.
@main
struct MarqueeBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "MarqueeBench",
    abstract: "Measures the predictor on made-up histories.",
    discussion: """
      Times are of this process on one core, in CPU time, the median of several rounds with the least and the greatest \
      behind it. Only builds for speed are worth a look.
      """)

  @Option(help: "Rounds of each measurement.")
  var rounds = 9

  func validate() throws {
    guard rounds > 0 else { throw ValidationError("--rounds is at least 1") }
  }

  func run() {
    print(PredictorBenchmark(rounds: rounds).table)
  }
}
