import ArgumentParser
import Foundation

/// Benchmarks durable publishing.
struct StoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Measure durable publishing of timelines, compared with bare SQLite.",
    discussion: "Times are wall-clock times, dominated by the disk.")

  @OptionGroup var options: RoundOptions
  @Option(help: "Seconds per measurement.")
  var seconds = 1.0
  @Option(parsing: .upToNextOption, help: "The number of concurrent publishers; a group of rows for each.")
  var publishers = [1, 64]
  @Option(help: "A folder on the disk to measure; files are created in a new folder there.")
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
