import ArgumentParser

/// Measures what a day of a device stores in PostgreSQL.
struct StorageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "storage", abstract: "Measure the rows and bytes that a day of a device adds to PostgreSQL.",
    discussion: """
      The devices are those of "scheduler": 3 stacks of 8 widgets, and 200 events a day, of which 24 are timelines of \
      24 entries. PostgreSQL, which must be installed, is started for the measurement, with its files in /tmp.
      """)

  @Option(help: "The number of devices.")
  var devices = 20
  @Option(help: "The number of days, after a first one that is not counted.")
  var days = 7

  func validate() throws {
    guard devices > 0, days > 0 else { throw ValidationError("--devices and --days must be at least 1") }
  }

  func run() async throws { print(try await StorageBenchmark(deviceCount: devices, dayCount: days).report().text) }
}
