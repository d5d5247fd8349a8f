import ArgumentParser
import Foundation
import Logging
import MarqueeServer
import MarqueeTransport
import Metrics
import PostgresProcess

/// Measures what a cluster costs.
struct ClusterCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster", abstract: "Measure calls to nodes of a cluster, and three nodes compared with one.",
    discussion: """
      PostgreSQL, which must be installed, is started for the measurement, with its files in /tmp, and each node is a \
      process of its own. Times are wall-clock times.
      """,
    subcommands: [Measure.self, ServeNode.self],
    defaultSubcommand: Measure.self)

  /// Runs the measurement.
  struct Measure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)

    @OptionGroup var options: RoundOptions
    @Option(help: "The number of calls of each kind and round, one after the other.")
    var calls = 2_000
    @Option(help: "The duration of each measurement of a rate, in seconds.")
    var seconds = 2.0

    func validate() throws {
      guard calls >= ClusterBenchmark.turnCallCount, seconds > 0 else {
        throw ValidationError(
          "--calls must be at least \(ClusterBenchmark.turnCallCount), and --seconds must be positive")
      }
    }

    func run() async throws {
      print(
        try await ClusterBenchmark(rounds: options.rounds, callCount: calls, seconds: seconds).report().text)
    }
  }
}

/// Serves the devices of a cluster until standard input ends, like marqueed.
struct ServeNode: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "serve", shouldDisplay: false)

  @Option var name: String
  @Option var info: String
  @Option var keys: String
  @Option var directory: String
  @Option var listen: Endpoint

  func run() async throws {
    var configuration = MarqueeConfiguration(dataDirectory: directory, endpoints: [listen])
    configuration.postgres = try PostgresChoice("postgres:\(info)", keys: keys)
    configuration.cluster = try ClusterChoice(
      name, address: "\(listen)", advertisedAddress: "\(listen)", shardCount: ClusterBenchmark.shardCount)
    let server = try await MarqueeServer.open(
      configuration: configuration, logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() },
      metrics: NOOPMetricsHandler.instance)
    let running = Task { try await server.run() }
    // Only the end of input matters.
    while readLine() != nil {}
    running.cancel()
    do { try await running.value } catch is CancellationError {
      // Cancellation is the regular end.
    }
  }
}

/// The nodes of a cluster, each in its own process.
struct ClusterNodes {
  let endpoints: [Endpoint]
  private let processes: [(process: Process, input: Pipe)]

  /// Starts nodes on a database; they may not listen yet.
  ///
  /// - Parameter folder: The path of their directories, which is created.
  init(_ count: Int, info: String, folder: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder + "/keys", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    endpoints = (0..<count).map { .unix(path: "\(folder)/\($0).socket") }
    processes = try endpoints.enumerated().map { number, endpoint in
      let (process, input) = (Process(), Pipe())
      process.executableURL = URL(filePath: CommandLine.arguments[0])
      process.arguments = [
        "cluster", "serve", "--name", "node-\(number)", "--info", info, "--keys", folder + "/keys", "--directory",
        "\(folder)/\(number)", "--listen", "\(endpoint)",
      ]
      process.standardInput = input
      try process.run()
      return (process, input)
    }
  }

  /// Stops the nodes and waits for them to exit.
  func stop() throws {
    for (_, input) in processes { try input.fileHandleForWriting.close() }
    for (process, _) in processes { process.waitUntilExit() }
  }
}
