import ArgumentParser
import Foundation
import MarqueeModel

/// Runs benchmarks and prints Markdown tables. Workloads are generated from fixed seeds and identical in every run.
struct MarqueeBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "MarqueeBench",
    abstract: "Benchmark parts of Marquee on synthetic workloads.",
    discussion: """
      Without a subcommand, all benchmarks run except "growth" and "storage"; "fleet" requires --devices. Each time is \
      the median of several rounds, followed by the minimum and the maximum. Times are CPU times unless the table says \
      otherwise. Only release builds give meaningful results.
      """,
    version: MarqueeVersion.current,
    subcommands: [
      AllCommand.self, CallsCommand.self, ProtocolsCommand.self, CodecCommand.self, PredictorCommand.self,
      SchedulerCommand.self, RuntimeCommand.self, StoreCommand.self, StorageCommand.self, ClusterCommand.self,
      FanOutCommand.self, WatchersCommand.self, FleetCommand.self, GrowthCommand.self, EchoCommand.self,
    ],
    defaultSubcommand: AllCommand.self)
}

/// The option for the number of rounds.
struct RoundOptions: ParsableArguments {
  @Option(help: "The number of rounds per measurement.")
  var rounds = 9

  func validate() throws {
    guard rounds > 0 else { throw ValidationError("--rounds must be at least 1") }
  }
}

/// Runs all benchmarks except the growth curves and the storage of a day.
struct AllCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "all", abstract: "Run all benchmarks except \"growth\" and \"storage\".")

  @OptionGroup var options: RoundOptions
  @Option(help: "The output folder of Tests/Benchmarks/Peers/build.sh; other RPC systems are skipped if omitted.")
  var peers: String?

  @Option(help: "The number of devices of the fleet benchmark; 0 to skip it.")
  var devices = 0
  @Option(help: "The file of goals.")
  var goals = "Tests/Benchmarks/Thresholds/goals.tsv"

  func run() async throws {
    let goals = try Goal.goals(parsing: String(contentsOfFile: goals, encoding: .utf8))
    let rounds = options.rounds
    var parts = [
      ("Calls", try CallBenchmark(rounds: rounds, seconds: 0.5, peers: peers).report()),
      ("Connections", try ConnectionBenchmark(rounds: rounds, seconds: 0.5).report()),
      ("Protocols", try ProtocolBenchmark(rounds: rounds, seconds: 0.5, peers: peers).report()),
      ("Messages", try CodecBenchmark(rounds: rounds, peers: peers).report()),
      (
        "Store",
        try await StoreBenchmark(rounds: rounds, seconds: 0.5, publisherCounts: [1, 64], folder: "/tmp").report()
      ),
      ("Store with PostgreSQL", try await EngineBenchmark.reportIfInstalled(rounds: rounds, seconds: 0.5)),
      ("Cluster", try await ClusterBenchmark.reportIfInstalled(rounds: rounds, seconds: 0.5)),
      ("Predictor", PredictorBenchmark(rounds: rounds).report),
      ("Scheduler", try SchedulerBenchmark(days: rounds, milestones: [1, 10, 100]).report()),
      ("Runtime", try await RuntimeBenchmark(deviceCounts: [1_000, 10_000]).report()),
      ("Fan-out", try await FanOutBenchmark(watcherCounts: [10_000], rounds: rounds).report()),
      ("Watchers", try await WatchProtocolBenchmark(count: 10_000, rounds: rounds).report()),
    ]
    if devices > 0 { parts.append(("Fleet", try await FleetBenchmark(deviceCount: devices).report())) }
    print(Goal.table(goals, parts.flatMap(\.1.figures)))
    for (name, report) in parts { print("\n## \(name)\n\n\(report.text)") }
  }
}

/// Benchmarks the predictor.
struct PredictorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "predictor", abstract: "Measure the predictor on histories of several lengths.")

  @OptionGroup var options: RoundOptions

  func run() async throws {
    print(PredictorBenchmark(rounds: options.rounds).report.text)
  }
}

/// Benchmarks the scheduler.
struct SchedulerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scheduler", abstract: "Measure one event on a device with 3 stacks of 8 widgets.",
    discussion: "A round is a day of 200 events. Times are wall-clock times per event.")

  @OptionGroup var options: RoundOptions
  @Option(parsing: .upToNextOption, help: "The ascending numbers of days after which another day is measured.")
  var elapsedDays = [1, 10, 100]

  func run() async throws {
    print(try SchedulerBenchmark(days: options.rounds, milestones: elapsedDays).report().text)
  }
}

/// Benchmarks the runtime.
struct RuntimeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "runtime", abstract: "Measure a day of many devices, 200 events each, in virtual time on two shards.",
    discussion: """
      No disk or socket is involved: the journal discards all writes, and no display watches. 100,000 devices take \
      gigabytes of memory and most of an hour.
      """)

  @Option(help: "The maximum number of devices; of 1,000, 10,000 and 100,000, larger ones are skipped.")
  var devicesMax = 10_000

  func run() async throws {
    let counts = [1_000, 10_000, 100_000].filter { $0 <= devicesMax }
    print(try await RuntimeBenchmark(deviceCounts: counts).report().text)
  }
}
