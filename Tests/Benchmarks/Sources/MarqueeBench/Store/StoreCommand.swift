import ArgumentParser
import Foundation

/// Benchmarks durable publishing.
struct StoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Measure durable publishing of timelines, compared with bare SQLite.",
    discussion: """
      Times are wall-clock times, dominated by the disk. With --engine postgres, publishing and loading with \
      PostgreSQL are compared with SQLite; PostgreSQL, which must be installed, is started for the measurement, with \
      its files in /tmp.
      """)

  /// The engine to measure.
  enum Engine: String, ExpressibleByArgument, CaseIterable {
    case sqlite
    case postgres
  }

  @OptionGroup var options: RoundOptions
  @Option(help: "The engine to measure.")
  var engine = Engine.sqlite
  @Flag(help: "Also measure PostgreSQL with a synchronous standby on this machine.")
  var standby = false
  @Option(help: "The days of the histories from which PostgreSQL deletes donations.")
  var historyDays = 45
  @Option(help: "The duration of each measurement, in seconds.")
  var seconds = 1.0
  @Option(parsing: .upToNextOption, help: "The numbers of concurrent publishers; each is measured separately.")
  var publishers = [1, 64]
  @Option(help: "A folder on the disk to measure; data is written to a new folder inside it.")
  var folder: String?

  func validate() throws {
    guard publishers.allSatisfy({ $0 > 0 }) else { throw ValidationError("--publishers must be at least 1") }
    guard historyDays > 0 else { throw ValidationError("--history-days must be at least 1") }
    guard engine == .postgres || !standby else { throw ValidationError("--standby requires --engine postgres") }
    guard engine == .sqlite || folder == nil else {
      throw ValidationError("--folder cannot be combined with --engine postgres")
    }
  }

  func run() async throws {
    let report =
      switch engine {
      case .sqlite:
        try await StoreBenchmark(
          rounds: options.rounds, seconds: seconds, publisherCounts: publishers,
          folder: folder ?? FileManager.default.temporaryDirectory.path
        ).report()
      case .postgres:
        try await EngineBenchmark(
          rounds: options.rounds, seconds: seconds, publisherCounts: publishers, hasStandby: standby,
          historyDays: historyDays
        ).report()
      }
    print(report.text)
  }
}
