import ArgumentParser
import Foundation

/// Measures how soon what is published is durable.
struct StoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Measure publishing timelines, durable, beside bare SQLite.",
    discussion: "Times are by the clock on the wall: mostly those of a disk.")

  @OptionGroup var options: RoundOptions
  @Option(help: "Seconds of each measurement.")
  var seconds = 1.0
  @Option(parsing: .upToNextOption, help: "How many publish at the same time.")
  var publishers = [1, 64]
  @Option(help: "A folder on the disk that is meant; files are made in a new one there.")
  var folder = FileManager.default.temporaryDirectory.path

  func validate() throws {
    guard publishers.allSatisfy({ $0 > 0 }) else { throw ValidationError("--publishers are at least 1") }
  }

  func run() async throws {
    let benchmark = StoreBenchmark(
      rounds: options.rounds, seconds: seconds, publisherCounts: publishers, folder: folder)
    print(try await benchmark.report().text)
  }
}
