import Foundation

/// A benchmark of many connections compared with one, interleaved, with the same server and client. The bare sockets
/// show the share of the operating system.
struct ConnectionBenchmark {
  /// A number of connections, and of calls in flight on each.
  private static let loads: [(connections: Int, inFlight: Int)] = [(1, 64), (1, 1_600), (200, 8)]

  private static let ownName = "Marquee"

  let rounds: Int
  let seconds: Double

  /// Returns a table with a row per system and load.
  func report() throws -> BenchmarkReport {
    var table = MarkdownTable(
      [
        "connections", "in flight on each", "calls/s", "of one's", "client CPU, µs a call", "p50, µs", "p99, µs",
        "p99 of p50",
      ])
    var figures: [Figure] = []
    for system in [EchoSystem.own(.marquee, Self.ownName), .own(.bare, "bare NIO")] {
      let reports = try measure(system)
      let base = Spread(reports[0].map(\.rate)).median
      for (load, reports) in zip(Self.loads, reports) {
        let cells = [
          Spread(reports.map(\.rate)).whole, Spread(reports.map { $0.rate / base }).hundredths,
          Spread(reports.map { $0.cpuSeconds * 1e6 / Double($0.calls) }).hundredths,
          Spread(reports.map(\.p50)).text, Spread(reports.map(\.p99)).text,
          Spread(reports.map { $0.p99 / $0.p50 }).hundredths,
        ]
        table.add(["\(system.name), \(load.connections)", "\(load.inFlight)"] + cells)
      }
      guard system.name == Self.ownName, let many = reports.last else { continue }
      let ratio = Spread(many.map { $0.rate / base }).median
      figures.append(Figure("calls on 200 connections, of one's rate", ratio))
      let spread = Spread(many.map { $0.p99 / $0.p50 }).median
      figures.append(Figure("calls on 200 connections, p99 of p50", spread))
    }
    return BenchmarkReport(text: table.text, figures: figures)
  }

  /// Returns the measurements of a system's client under each load, by round, interleaved.
  private func measure(_ system: EchoSystem) throws -> [[LoadMeter.Report]] {
    let server = try system.serve("tcp:127.0.0.1:0")
    defer { try? server.stop() }  // it may have exited
    var reports = Self.loads.map { _ in [LoadMeter.Report]() }
    for _ in 0..<rounds {
      for (index, load) in Self.loads.enumerated() {
        let options = [
          "--connect", server.endpoint, "--payload", EchoPayload.small.rawValue, "--mode", EchoLoad.Mode.unary.rawValue,
          "--in-flight", "\(load.inFlight)", "--connections", "\(load.connections)", "--seconds", "\(seconds)",
          "--server", "\(server.pid)",
        ]
        reports[index].append(try system.load(options))
      }
    }
    return reports
  }
}
