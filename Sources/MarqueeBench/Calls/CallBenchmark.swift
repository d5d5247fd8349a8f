import Foundation

/// Echo calls of several contenders, by turns, each between two processes with one event loop each.
struct CallBenchmark {
  /// One table's work.
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

  private let rounds: Int
  private let seconds: Double
  private let contenders: [EchoContender]
  private let cases: [Case]

  /// The cases whose name contains `only`, so many rounds and seconds each; with the peers that were built in the
  /// folder `peers`, if it is given.
  init(rounds: Int, seconds: Double, peers: String?, only: String? = nil) {
    self.rounds = rounds
    self.seconds = seconds
    let own = [EchoContender.own(.bare, "bare NIO"), .own(.marquee, "Marquee")]
    contenders = own + (peers.map(EchoContender.peers(in:)) ?? [])
    cases = Self.cases.filter { work in only.map(work.name.contains) ?? true }
  }

  /// Markdown tables, one for each case; the first contender is what the others are compared with.
  func text() throws -> String {
    try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: Self.folder) }  // it is the system's folder for what is temporary
    for payload in EchoPayload.allCases { try Data(payload.encoded).write(to: Self.file(payload)) }
    return try cases.map(table).joined(separator: "\n\n")
  }

  private func table(_ work: Case) throws -> String {
    let servers = try contenders.enumerated().map { index, contender in
      let path = "\(Self.folder.path)/\(index)-\(work.inFlight)\(work.mode)\(work.payload)"
      return try contender.serve(
        work.transport == "tcp" ? "tcp:127.0.0.1:0" : "unix:\(path)", alone: work.inFlight == 1)
    }
    defer { for server in servers { try? server.stop() } }  // one that has ended needs no stop
    var reports = contenders.map { _ in [LoadMeter.Report]() }
    for _ in 0..<rounds {
      for (index, contender) in contenders.enumerated() {
        reports[index].append(try contender.load(options(work, servers[index]), alone: work.inFlight == 1))
      }
    }
    let base = Spread(reports[0].map(\.rate)).median
    let rows = zip(contenders, reports).map { contender, reports in
      [
        contender.name, Spread(reports.map(\.rate)).whole, Spread(reports.map { $0.rate / base }).hundredths,
        Spread(reports.map(\.p50)).text, Spread(reports.map(\.p99)).text, Spread(reports.map(\.clientTime)).hundredths,
        Spread(reports.map(\.serverTime)).hundredths,
      ]
    }
    var table = MarkdownTable(
      [work.name, "calls/s", "of \(contenders[0].name)", "p50, µs", "p99, µs", "client CPU, µs", "server CPU, µs"])
    rows.forEach { table.add($0) }
    return table.text
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
  /// Calls a second.
  var rate: Double { Double(calls) / seconds }
  /// Microseconds of CPU time that a call takes its client.
  fileprivate var clientTime: Double { cpuSeconds * 1e6 / Double(calls) }
  /// Microseconds of CPU time that a call takes its server.
  fileprivate var serverTime: Double { (serverSeconds ?? .nan) * 1e6 / Double(calls) }
}
