import Foundation
import Logging
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeServer
import MarqueeTransport
import MarqueeWire
import Metrics
import NIOCore
import NIOPosix

/// A benchmark of the fan-out of one stack change: a complete server on a Unix socket, and watching displays in one
/// process, on as many connections as the limit of calls per connection requires.
struct FanOutBenchmark {
  let watcherCounts: [Int]
  let rounds: Int

  /// Returns a table with a row per number of watchers.
  func report() async throws -> BenchmarkReport {
    var table = MarkdownTable([
      "watchers", "ms to the first", "to half", "to 99 %", "to all", "to the answer", "server CPU, ms",
      "watchers' CPU, ms",
    ])
    var figures: [Figure] = []
    for count in watcherCounts {
      let changes = try await changes(to: count)
      let columns: [(FanOutChange) -> Double] = [
        { $0.delay(of: 0) }, { $0.delay(of: 0.5) }, { $0.delay(of: 0.99) }, { $0.delay(of: 1) }, { $0.answer },
        { $0.serverCPU }, { $0.watcherCPU },
      ]
      let last = Spread(changes.map { $0.delay(of: 1) }).median
      figures.append(Figure("one change to \(count) watchers, until all have it", last))
      table.add(["\(count)"] + columns.map { Spread(changes.map($0)).text })
    }
    return BenchmarkReport(text: table.text + "\n\n" + Self.notes, figures: figures)
  }

  /// Measures the fan-out of several changes to `count` watchers.
  func changes(to count: Int) async throws -> [FanOutChange] {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "marquee-bench-\(ProcessInfo.processInfo.processIdentifier)-\(count)")
    defer { try? FileManager.default.removeItem(at: folder) }  // best effort
    let endpoint = Endpoint.unix(path: folder.path + ".socket")
    var configuration = MarqueeConfiguration(dataDirectory: folder.path, endpoints: [endpoint])
    configuration.shutdownGrace = .zero
    let server = try MarqueeServer(
      configuration: configuration, logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() },
      metrics: NOOPMetricsHandler.instance)
    let running = Task { try await server.run() }
    guard await server.listening() != nil else {
      try await running.value
      throw BenchmarkError("the server failed to start")
    }
    let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    let crowd = WatchingCrowd(endpoint, loop)
    let rounds = rounds
    let changes = try await Task(executorPreference: LoopExecutor(loop)) {
      try await crowd.changes(rounds, seenBy: count)
    }.value
    running.cancel()
    do { try await running.value } catch is CancellationError {
      // Cancellation is the regular end.
    }
    return changes
  }

  private static let notes = """
    The time from the user's scroll report until a watcher has decoded the update. The scroll is written to the disk \
    first. The hub encodes an update once, for all of its watchers. All watchers are on one event loop in the \
    server's process, and share its cores: their CPU time is that of this loop's thread, the server's is the rest of \
    the process. Not measured: other machines, TCP and TLS, slow readers, and the start of watchers.
    """
}

/// The measurement of one change.
struct FanOutChange: Sendable {
  /// The sorted latencies of the watchers, in milliseconds.
  let delays: [Double]
  /// The latency of the durable acknowledgement, in milliseconds.
  let answer: Double
  /// The CPU time, in milliseconds.
  let serverCPU: Double
  let watcherCPU: Double

  /// Returns the latency within which a fraction of the watchers received the change.
  func delay(of part: Double) -> Double {
    delays[max(0, Int((Double(delays.count) * part).rounded(.up)) - 1)]
  }
}
