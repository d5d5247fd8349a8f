import Foundation

/// A benchmark of echo calls of several systems, interleaved, each between two processes with one event loop each.
struct CallBenchmark {
  /// The workload of one table.
  private struct Case {
    let transport: String
    let payload: EchoPayload
    let mode: EchoLoad.Mode
    let inFlight: Int

    var name: String {
      let under = inFlight == 1 ? "alone" : "\(inFlight) in flight"
      return "\(mode.rawValue), \(payload.rawValue), \(transport), \(under)"
    }
  }

  private static let cases = ["tcp", "unix"].flatMap { transport in
    EchoPayload.allCases.flatMap { payload in
      [EchoLoad.Mode.unary, .stream].flatMap { mode in
        [1, 64].map { Case(transport: transport, payload: payload, mode: mode, inFlight: $0) }
      }
    }
  }

  private static let ownName = "Marquee"

  private let rounds: Int
  private let seconds: Double
  private let systems: [EchoSystem]
  private let cases: [Case]

  /// Creates a benchmark of the workloads whose name contains `only`. Peers are included if `peers` is the folder in
  /// which they were built.
  init(rounds: Int, seconds: Double, peers: String?, only: String? = nil) {
    self.rounds = rounds
    self.seconds = seconds
    systems =
      [EchoSystem.own(.bare, "bare NIO"), .own(.marquee, Self.ownName)] + (peers.map(EchoSystem.peers(in:)) ?? [])
    cases = Self.cases.filter { work in only.map(work.name.contains) ?? true }
  }

  /// Returns one summary table that compares Marquee with all others, and one table per workload.
  func report() throws -> BenchmarkReport {
    try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: Self.folder) }  // best effort: it is in the temporary folder
    for payload in EchoPayload.allCases { try Data(payload.encoded).write(to: Self.file(payload)) }
    let reports = try cases.map(measure)
    return BenchmarkReport(
      text: ([summary(reports)] + zip(cases, reports).map(table)).joined(separator: "\n\n"),
      figures: zip(cases, reports).flatMap(figures))
  }

  /// Returns the measurements of each system's client, by round, interleaved.
  private func measure(_ work: Case) throws -> [[LoadMeter.Report]] {
    let isAlone = work.inFlight == 1
    var servers: [RunningEcho] = []
    defer { for server in servers { try? server.stop() } }  // it may have exited
    for (index, system) in systems.enumerated() {
      let path = "\(Self.folder.path)/\(index)-\(work.inFlight)\(work.mode)\(work.payload)"
      let endpoint = work.transport == "tcp" ? "tcp:127.0.0.1:0" : "unix:\(path)"
      servers.append(try system.serve(endpoint, alone: isAlone))
    }
    var reports = systems.map { _ in [LoadMeter.Report]() }
    for _ in 0..<rounds {
      for (index, system) in systems.enumerated() {
        reports[index].append(try system.load(options(work, servers[index]), alone: isAlone))
      }
    }
    return reports
  }

  private func summary(_ reports: [[[LoadMeter.Report]]]) -> String {
    let others = systems.indices.filter { systems[$0].name != Self.ownName }
    var table = MarkdownTable(
      ["Marquee", "calls/s", "p50, µs", "p99, µs"] + others.map { "of \(systems[$0].name)" })
    for (work, reports) in zip(cases, reports) {
      guard let own = zip(systems, reports).first(where: { $0.0.name == Self.ownName })?.1 else { continue }
      let figures = [Spread(own.map(\.rate)).whole, Spread(own.map(\.p50)).text, Spread(own.map(\.p99)).text]
      let ratios = others.map { other in Spread(zip(own, reports[other]).map { $0.rate / $1.rate }).hundredths }
      table.add([work.name] + figures + ratios)
    }
    return table.text
  }

  private func table(_ work: Case, _ reports: [[LoadMeter.Report]]) -> String {
    var table = MarkdownTable(
      [work.name, "calls/s", "p50, µs", "p99, µs", "client CPU, µs", "server CPU, µs"])
    for (system, reports) in zip(systems, reports) {
      table.add([
        system.name, Spread(reports.map(\.rate)).whole, Spread(reports.map(\.p50)).text,
        Spread(reports.map(\.p99)).text, Spread(reports.map(\.clientTime)).hundredths,
        Spread(reports.map(\.serverTime)).hundredths,
      ])
    }
    return table.text
  }

  /// The ratios of Marquee to the other systems.
  private func figures(_ work: Case, _ reports: [[LoadMeter.Report]]) -> [Figure] {
    guard let own = zip(systems, reports).first(where: { $0.0.name == Self.ownName })?.1 else { return [] }
    return zip(systems, reports).compactMap { other, reports in
      guard other.name != Self.ownName else { return nil }
      let ratios = zip(own, reports).map { work.inFlight == 1 ? $1.p50 / $0.p50 : $0.rate / $1.rate }
      let name = "\(work.name), of \(other.name)'s \(work.inFlight == 1 ? "median speed" : "rate")"
      return Figure(name, Spread(ratios).median)
    }
  }

  private func options(_ work: Case, _ server: RunningEcho) -> [String] {
    [
      "--connect", server.endpoint, "--payload", work.payload.rawValue, "--mode", work.mode.rawValue,
      "--in-flight", "\(work.inFlight)", "--seconds", "\(seconds)", "--server", "\(server.pid)",
      "--message-file", Self.file(work.payload).path,
    ]
  }

  private static let folder = FileManager.default.temporaryDirectory
    .appending(path: "marquee-bench-\(ProcessInfo.processInfo.processIdentifier)")

  private static func file(_ payload: EchoPayload) -> URL { folder.appending(path: "\(payload.rawValue).bin") }
}

extension LoadMeter.Report {
  /// Calls per second.
  var rate: Double { Double(calls) / seconds }
  /// The client's CPU time per call, in microseconds.
  fileprivate var clientTime: Double { cpuSeconds * 1e6 / Double(calls) }
  /// The server's CPU time per call, in microseconds.
  fileprivate var serverTime: Double { (serverSeconds ?? .nan) * 1e6 / Double(calls) }
}
