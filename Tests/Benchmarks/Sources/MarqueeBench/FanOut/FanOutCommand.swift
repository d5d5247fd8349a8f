import ArgumentParser

/// Measures the fan-out latency of a change.
struct FanOutCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fanout", abstract: "Measure the delivery of one change of a stack to many watching displays.",
    discussion: "Times are wall-clock times.")

  @OptionGroup var options: RoundOptions
  @Option(parsing: .upToNextOption, help: "The numbers of watchers; each is measured separately.")
  var watchers = [10_000]

  func validate() throws {
    guard watchers.allSatisfy({ $0 > 0 }) else { throw ValidationError("--watchers must be at least 1") }
  }

  func run() async throws {
    print(try await FanOutBenchmark(watcherCounts: watchers, rounds: options.rounds).report().text)
  }
}
