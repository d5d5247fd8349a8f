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

/// Measures watchers in each protocol.
struct WatchersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watchers", abstract: "Measure the memory of many watchers in each protocol, and one change to all.",
    discussion: "Times are wall-clock times.")

  @OptionGroup var options: RoundOptions
  @Option(help: "The number of watchers.")
  var watchers = 10_000

  func validate() throws {
    guard watchers > 0 else { throw ValidationError("--watchers must be at least 1") }
  }

  func run() async throws {
    print(try await WatchProtocolBenchmark(count: watchers, rounds: options.rounds).report().text)
  }
}
