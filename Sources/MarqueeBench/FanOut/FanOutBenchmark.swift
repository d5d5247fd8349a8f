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

/// One change of one stack to all who watch it: a whole server on a Unix socket, and watchers over as many connections
/// as the limit of calls on one asks for, in one process.
struct FanOutBenchmark {
  let watcherCounts: [Int]
  let rounds: Int

  /// A table with a row for each number of watchers.
  func report() async throws -> BenchmarkReport {
    var table = MarkdownTable([
      "watchers", "ms to the first", "to half", "to 99 %", "to all", "to the answer", "server CPU, ms",
      "watchers' CPU, ms",
    ])
    var findings: [Finding] = []
    for count in watcherCounts {
      let changes = try await changes(to: count)
      let columns: [(FanOutChange) -> Double] = [
        { $0.delay(of: 0) }, { $0.delay(of: 0.5) }, { $0.delay(of: 0.99) }, { $0.delay(of: 1) }, { $0.answer },
        { $0.serverCPU }, { $0.watcherCPU },
      ]
      let last = Spread(changes.map { $0.delay(of: 1) }).median
      findings.append(Finding("one change to \(count) watchers, until all have it", last, "ms", .atMost(100)))
      table.add(["\(count)"] + columns.map { Spread(changes.map($0)).text })
    }
    return BenchmarkReport(text: table.text + "\n\n" + Self.notes, findings: findings)
  }

  /// What each of some changes took until so many watchers had it.
  func changes(to count: Int) async throws -> [FanOutChange] {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "marquee-bench-\(ProcessInfo.processInfo.processIdentifier)-\(count)")
    defer { try? FileManager.default.removeItem(at: folder) }  // the measurement holds without this
    let endpoint = Endpoint.unix(path: folder.path + ".socket")
    var configuration = MarqueeConfiguration(dataDirectory: folder.path, endpoints: [endpoint])
    configuration.shutdownGrace = .zero
    let server = try MarqueeServer(
      configuration: configuration, logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() },
      metrics: NOOPMetricsHandler.instance)
    let running = Task { try await server.run() }
    guard await server.listening() != nil else {
      try await running.value
      throw BenchmarkError("the server does not listen")
    }
    let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    let crowd = WatchingCrowd(endpoint, loop)
    let rounds = rounds
    let changes = try await Task(executorPreference: LoopExecutor(loop)) {
      try await crowd.changes(rounds, seenBy: count)
    }.value
    running.cancel()
    do { try await running.value } catch is CancellationError {
      // That is how it was asked to end.
    }
    return changes
  }

  private static let notes = """
    From the person's report of a scroll being sent until a watcher has the decoded update in hand. That scroll is \
    written to the disk first. The hub encodes an update once, for all of its watchers. All watchers are on one event \
    loop in the server's process, and share its cores: their CPU time is that of this loop's thread, the server's is \
    all the rest. Not measured: machines beyond this one, TCP and TLS, slow readers, and how watchers begin.
    """
}

/// What one change took.
struct FanOutChange: Sendable {
  /// Milliseconds until each watcher had it, in order.
  let delays: [Double]
  /// Milliseconds until whoever asked for it was told that it is durable.
  let answer: Double
  /// Milliseconds of CPU time.
  let serverCPU: Double
  let watcherCPU: Double

  /// When that part of all watchers had it.
  func delay(of part: Double) -> Double {
    delays[max(0, Int((Double(delays.count) * part).rounded(.up)) - 1)]
  }
}
