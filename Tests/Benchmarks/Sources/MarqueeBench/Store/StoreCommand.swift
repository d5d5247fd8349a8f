import ArgumentParser
import Foundation

/// Benchmarks durable publishing.
struct StoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Measure durable publishing of timelines, compared with bare SQLite.",
    discussion: "Times are wall-clock times, dominated by the disk.")

  @OptionGroup var options: RoundOptions
  @Option(help: "The duration of each measurement, in seconds.")
  var seconds = 1.0
  @Option(parsing: .upToNextOption, help: "The numbers of concurrent publishers; each is measured separately.")
  var publishers = [1, 64]
  @Option(help: "A folder on the disk to measure; data is written to a new folder inside it.")
  var folder = FileManager.default.temporaryDirectory.path

  func validate() throws {
    guard publishers.allSatisfy({ $0 > 0 }) else { throw ValidationError("--publishers must be at least 1") }
  }

  func run() async throws {
    let benchmark = StoreBenchmark(
      rounds: options.rounds, seconds: seconds, publisherCounts: publishers, folder: folder)
    print(try await benchmark.report().text)
  }
}
