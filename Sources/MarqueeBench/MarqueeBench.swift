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
    subcommands: [
      AllCommand.self, CallsCommand.self, CodecCommand.self, PredictorCommand.self, SchedulerCommand.self,
      RuntimeCommand.self, StoreCommand.self, FanOutCommand.self, FleetCommand.self, EchoCommand.self,
    ],
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
  @Option(help: "The folder with what Sources/MarqueeBench/Peers/build.sh has built.")
  var peers: String?

  func run() async throws {
    print("## Calls\n\n\(try CallBenchmark(rounds: options.rounds, seconds: 0.5, peers: peers).text())\n")
    print("\(try ConnectionBenchmark(rounds: options.rounds, seconds: 0.5).table())\n")
    print("## Messages\n\n\(try CodecBenchmark(rounds: options.rounds, peers: peers).table())\n")
    print("## Predictor\n\n\(PredictorBenchmark(rounds: options.rounds).table)\n")
    print("## Scheduler\n\n\(try SchedulerBenchmark(days: options.rounds, milestones: [1, 10, 100]).text())\n")
    print("## Runtime\n\n\(try await RuntimeBenchmark(deviceCounts: [1_000]).table())\n")
    print("## Fan-out\n\n\(try await FanOutBenchmark(watcherCounts: [1_000], rounds: options.rounds).text())")
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

/// Measures what the scheduler costs.
struct SchedulerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scheduler", abstract: "Measure one event on a device with 3 stacks of 8 widgets.",
    discussion: "A round is a day of 200 events. Times are by the clock on the wall, event by event.")

  @OptionGroup var options: RoundOptions
  @Option(parsing: .upToNextOption, help: "Days after which one more is measured, in their order.")
  var daysLived = [1, 10, 100]

  func run() async throws {
    print(try SchedulerBenchmark(days: options.rounds, milestones: daysLived).text())
  }
}

/// Measures what an event costs in the runtime.
struct RuntimeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "runtime", abstract: "Measure a day of many devices, 200 events each, in virtual time on two shards.",
    discussion: """
      Nothing is written and nobody watches: neither disk nor sockets are in it. Without a subcommand of MarqueeBench, \
      only the day of 1,000 devices is measured; that of 100,000 takes gigabytes of memory and most of an hour.
      """)

  @Option(help: "Devices of the greatest of the days of 1,000, 10,000 and 100,000.")
  var devicesMax = 10_000

  func run() async throws {
    let counts = [1_000, 10_000, 100_000].filter { $0 <= devicesMax }
    print(try await RuntimeBenchmark(deviceCounts: counts).table())
  }
}
