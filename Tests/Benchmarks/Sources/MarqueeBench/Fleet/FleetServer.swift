import ArgumentParser
import Foundation
import Logging
import MarqueeServer
import MarqueeTransport
import Metrics

/// Serves a data directory until standard input ends, like marqueed.
struct ServeFleet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "serve", shouldDisplay: false)

  @Option var directory: String
  @Option var listen: Endpoint

  func run() async throws {
    let configuration = MarqueeConfiguration(dataDirectory: directory, endpoints: [listen])
    let server = try MarqueeServer(
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

/// A server in its own process.
struct FleetServer {
  let endpoint: Endpoint
  private let process = Process()
  private let input = Pipe()

  /// Starts the process; it may not listen yet.
  init(_ directory: String) throws {
    endpoint = .unix(path: directory + ".socket")
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    process.arguments = ["fleet", "serve", "--directory", directory, "--listen", "\(endpoint)"]
    process.standardInput = input
    try process.run()
  }

  /// Stops the server and waits for it to exit.
  func stop() throws {
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Returns the CPU time so far, in seconds.
  var cpuSeconds: Double { LoadMeter.cpuSeconds(of: process.processIdentifier) }

  /// Returns the resident memory, in MiB.
  func residentMebibytes() throws -> Double {
    try ResidentMemory.kibibytes(of: process.processIdentifier) / 1_024
  }
}
