import ArgumentParser

/// Measures, and writes Markdown tables: fixed, seeded work, the same in every run.
struct MarqueeBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "MarqueeBench",
    abstract: "Measures parts of Marquee on made-up work.",
    discussion: """
      Without a subcommand, all is measured. Times are the median of several rounds with the least and the greatest \
      behind it, in CPU time unless the table says otherwise. Only builds for speed are worth a look.
      """,
    subcommands: [AllCommand.self, CallsCommand.self, EchoCommand.self, PredictorCommand.self],
    defaultSubcommand: AllCommand.self)
}

/// How often things are measured.
struct RoundOptions: ParsableArguments {
  @Option(help: "Rounds of each measurement.")
  var rounds = 9

  func validate() throws {
    guard rounds > 0 else { throw ValidationError("--rounds is at least 1") }
  }
}

/// Measures all there is, one table after another.
struct AllCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "all", abstract: "Measure all there is.")

  @OptionGroup var options: RoundOptions

  func run() async throws {
    print("## Predictor\n\n\(PredictorBenchmark(rounds: options.rounds).table)")
  }
}

/// Measures what the predictor costs.
struct PredictorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "predictor", abstract: "Measure the predictor on histories of several lengths.")

  @OptionGroup var options: RoundOptions

  func run() async throws {
    print(PredictorBenchmark(rounds: options.rounds).table)
  }
}
