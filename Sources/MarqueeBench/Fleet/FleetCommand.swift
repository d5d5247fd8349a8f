import ArgumentParser

/// Measures a server with very many devices.
struct FleetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet", abstract: "Measure a server with very many devices, of which few are used.",
    discussion: "A million devices take some minutes and 7 GB of the disk.",
    subcommands: [Measure.self, ServeFleet.self],
    defaultSubcommand: Measure.self)

  /// The measurement itself.
  struct Measure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)

    @Option(help: "How many devices there are.")
    var devices = 1_000_000
    @Option(help: "How many of them have a display that watches.")
    var watched = 10_000
    @Option(help: "Turns of the watched stacks in a second, all together.")
    var rate = 3_000
    @Option(help: "Where a folder for the data is made.")
    var folder = "/tmp"

    func validate() throws {
      guard watched > 0, rate > 0, devices >= watched + 20_000 else {
        throw ValidationError("--watched and --rate are at least 1, --devices 20,000 more than --watched")
      }
    }

    func run() async throws {
      print(
        try await FleetBenchmark(deviceCount: devices, watchedCount: watched, rate: rate, folder: folder).report().text)
    }
  }
}
