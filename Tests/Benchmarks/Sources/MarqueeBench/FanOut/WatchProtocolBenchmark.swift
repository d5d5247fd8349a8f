import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeTransport
import MarqueeWire
import NIOPosix

/// A benchmark of many watchers in each protocol: the memory of a server in a process of its own, and the time until
/// one change has reached all of them.
struct WatchProtocolBenchmark {
  let count: Int
  let rounds: Int

  /// The number of file descriptors that are left for other purposes.
  private static let otherDescriptorCount = 1_000

  private struct Row {
    let name: String
    let memory: Double
    let changes: [[Double]]
    let serverTime: Double
  }

  /// Returns a table with a row per protocol.
  func report() async throws -> BenchmarkReport {
    let count = IdleConnections.raisedCountMax(wanted: count)
    var table = MarkdownTable([
      "\(count) watchers", "server memory, KiB each", "ms to half", "to 99 %", "to all", "server CPU, µs each",
    ])
    var figures: [Figure] = []
    for row in [try await native(count)] + (try await raw(count)) {
      let columns = [0.5, 0.99, 1].map { part in
        Spread(row.changes.map { $0[max(0, Int((Double($0.count) * part).rounded(.up)) - 1)] })
      }
      table.add([row.name, Spread.rounded(row.memory)] + columns.map(\.text) + [Spread.rounded(row.serverTime, 2)])
      figures.append(Figure("one change to \(count) watchers in \(row.name), until all have it", columns[2].median))
      figures.append(Figure("a watcher in \(row.name)", row.memory))
    }
    return BenchmarkReport(text: table.text + "\n\n" + Self.notes, figures: figures)
  }

  /// Measures watchers in the native protocol, all on one event loop.
  private func native(_ count: Int) async throws -> Row {
    try await withServer { server in
      let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
      let crowd = WatchingCrowd(server.endpoint, loop)
      let memory = try server.residentMebibytes()
      let (size, changes, cpu) = try await Task(executorPreference: LoopExecutor(loop)) { [rounds] in
        var (size, cpu) = (0.0, 0.0)
        let changes = try await crowd.changes(rounds, seenBy: count) {
          (size, cpu) = (try server.residentMebibytes(), server.cpuSeconds)
        }
        return (size, changes, server.cpuSeconds - cpu)
      }.value
      // The warm-up is a change, too.
      return Row(
        name: "the native protocol", memory: (size - memory) * 1_024 / Double(count), changes: changes.map(\.delays),
        serverTime: cpu * 1e6 / Double(count * (rounds + 1)))
    }
  }

  private func raw(_ count: Int) async throws -> [Row] {
    var rows: [Row] = []
    for form in RawWatchers.Form.allCases {
      rows.append(try await withServer { try await self.row(form, count, $0) })
    }
    return rows
  }

  private func row(_ form: RawWatchers.Form, _ count: Int, _ server: FleetServer) async throws -> Row {
    guard case .unix(let path) = server.endpoint else { throw BenchmarkError("not a Unix socket") }
    let (stage, person) = (try FanOutStage(), RPCClient(server.endpoint))
    try await stage.build(person)
    let watchers = try RawWatchers(form, of: stage.device, at: path)
    let memory = try server.residentMebibytes()
    try watchers.start(count)
    let size = try server.residentMebibytes()
    let cpu = server.cpuSeconds
    var changes: [[Double]] = []
    // The first round is a warm-up, in which memory grows.
    for round in 0...rounds {
      let widget = stage.widgets[(round + 1) % stage.widgets.count]
      let begin = LoadMeter.now
      var report: Task<Void, any Error>?
      let arrivals = try watchers.arrivals(of: widget) {
        report = Task { try await DisplayClient(person).report(.scrolled(stage.stack, to: widget), on: stage.device) }
      }
      try await report?.value
      if round > 0 { changes.append(arrivals.map { Double($0 - begin) / 1e6 }) }
    }
    return Row(
      name: form.name, memory: (size - memory) * 1_024 / Double(count), changes: changes,
      serverTime: (server.cpuSeconds - cpu) * 1e6 / Double(count * (rounds + 1)))
  }

  private func withServer(_ body: (FleetServer) async throws -> Row) async throws -> Row {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "marquee-watch-\(ProcessInfo.processInfo.processIdentifier)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }  // best effort
    let server = try FleetServer(folder)
    defer { try? server.stop() }  // it may have exited
    let (client, options) = (RPCClient(server.endpoint), CallOptions(timeout: .seconds(30), waitsForReady: true))
    _ = try await client.unary(HealthService.check, HealthCheckRequest(service: ""), options: options)
    return try await body(server)
  }

  private static let notes = """
    The server is a process of its own, on a Unix socket. Watchers start in groups of 500, of which each has received \
    the state before the next one starts; the memory is that of the process after the start of all, without the state \
    of the device. 250 watchers share a connection of the native protocol and of HTTP/2; in HTTP/1.1, each has its \
    own. The time is that from the user's scroll report, which is written to the disk first, until a watcher has \
    decoded the update. The watchers are on one thread, and share the server's cores. The CPU time of the server is \
    that of one change for one watcher.
    """
}
