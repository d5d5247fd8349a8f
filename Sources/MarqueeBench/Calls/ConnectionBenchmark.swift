import Foundation

/// What many connections cost beside one: the same server and client, by turns. The bare sockets tell what of that the
/// system takes.
struct ConnectionBenchmark {
  /// How many connections, with how many calls under way on each.
  private static let loads: [(connections: Int, inFlight: Int)] = [(1, 64), (1, 1_600), (200, 8)]

  private static let ownName = "Marquee"

  let rounds: Int
  let seconds: Double

  /// A table with a row for each contender and load.
  func report() throws -> BenchmarkReport {
    var table = MarkdownTable(
      [
        "connections", "in flight on each", "calls/s", "of one's", "client CPU, µs a call", "p50, µs", "p99, µs",
        "p99 of p50",
      ])
    var findings: [Finding] = []
    for contender in [EchoContender.own(.marquee, Self.ownName), .own(.bare, "bare NIO")] {
      let reports = try measure(contender)
      let base = Spread(reports[0].map(\.rate)).median
      for (load, reports) in zip(Self.loads, reports) {
        let figures = [
          Spread(reports.map(\.rate)).whole, Spread(reports.map { $0.rate / base }).hundredths,
          Spread(reports.map { $0.cpuSeconds * 1e6 / Double($0.calls) }).hundredths,
          Spread(reports.map(\.p50)).text, Spread(reports.map(\.p99)).text,
          Spread(reports.map { $0.p99 / $0.p50 }).hundredths,
        ]
        table.add(["\(contender.name), \(load.connections)", "\(load.inFlight)"] + figures)
      }
      guard contender.name == Self.ownName, let many = reports.last else { continue }
      let ratio = Spread(many.map { $0.rate / base }).median
      findings.append(Finding("calls on 200 connections, of one's rate", ratio, "times", .atLeast(0.8)))
      let spread = Spread(many.map { $0.p99 / $0.p50 }).median
      findings.append(Finding("calls on 200 connections, p99 of p50", spread, "times", .atMost(5)))
    }
    return BenchmarkReport(text: table.text, findings: findings)
  }

  /// What its client measured under each load, round by round, by turns.
  private func measure(_ contender: EchoContender) throws -> [[LoadMeter.Report]] {
    let server = try contender.serve("tcp:127.0.0.1:0")
    defer { try? server.stop() }  // one that has ended needs no stop
    var reports = Self.loads.map { _ in [LoadMeter.Report]() }
    for _ in 0..<rounds {
      for (index, load) in Self.loads.enumerated() {
        let options = [
          "--connect", server.endpoint, "--payload", EchoPayload.small.rawValue, "--mode", EchoLoad.Mode.unary.rawValue,
          "--in-flight", "\(load.inFlight)", "--connections", "\(load.connections)", "--seconds", "\(seconds)",
          "--server", "\(server.pid)",
        ]
        reports[index].append(try contender.load(options))
      }
    }
    return reports
  }
}
