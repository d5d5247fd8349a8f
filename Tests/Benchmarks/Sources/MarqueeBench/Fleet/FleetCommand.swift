import ArgumentParser

/// Measures a server with very many devices.
struct FleetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet", abstract: "Measure a server with a large number of mostly idle devices.",
    discussion: "A million devices take several minutes and 7 GB of disk space.",
    subcommands: [Measure.self, ServeFleet.self],
    defaultSubcommand: Measure.self)

  /// Runs the measurement.
  struct Measure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)

    @Option(help: "The number of devices.")
    var devices = 1_000_000
    @Option(help: "The number of devices that are watched by a display.")
    var watched = 10_000
    @Option(help: "The number of rotations per second, over all watched stacks.")
    var rate = 3_000
    @Option(help: "A folder on the disk to use; data is written to a new folder inside it.")
    var folder = "/tmp"

    func validate() throws {
      guard watched > 0, rate > 0, devices >= watched + 20_000 else {
        throw ValidationError("--watched and --rate must be at least 1, --devices at least 20,000 more than --watched")
      }
    }

    func run() async throws {
      print(
        try await FleetBenchmark(deviceCount: devices, watchedCount: watched, rate: rate, folder: folder).report().text)
    }
  }
}
