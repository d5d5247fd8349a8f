import Foundation

/// A benchmark of the protocols of a server: unary calls in gRPC and in JSON by `h2load`, compared with the native
/// protocol and with gRPC C++, interleaved; and the memory of idle HTTP/2 connections.
struct ProtocolBenchmark {
  /// The workload of a row.
  private enum Work: CaseIterable {
    case native64, grpc64, native1, grpc1, json64

    var name: String {
      switch self {
      case .native64: "native protocol, 64 calls in flight"
      case .grpc64: "gRPC by h2load, 64 streams"
      case .native1: "native protocol, one call at a time"
      case .grpc1: "gRPC by h2load, one stream at a time"
      case .json64: "JSON over HTTP/1.1 by h2load, 64 connections"
      }
    }
  }

  /// A measured system; gRPC C++ is measured in its own protocol only.
  private struct Contender {
    let system: EchoSystem
    let works: [Work]
  }

  /// The number of idle connections, fewer if the limit of file descriptors requires it.
  private static let idleCount = 10_000

  private let rounds: Int
  private let seconds: Double
  private let contenders: [Contender]

  /// Creates a benchmark. gRPC C++ is included if `peers` is the folder in which the peers were built.
  init(rounds: Int, seconds: Double, peers: String?) {
    self.rounds = rounds
    self.seconds = seconds
    let others = (peers.map(EchoSystem.peers(in:)) ?? []).filter { $0.name == Self.peerName }
    contenders =
      [Contender(system: .own(.marquee, Self.ownName), works: Work.allCases)]
      + others.map { Contender(system: $0, works: [.grpc64, .grpc1]) }
  }

  private static let ownName = "Marquee"
  private static let peerName = "gRPC C++"

  /// Returns a table of calls and one of idle connections.
  func report() throws -> BenchmarkReport {
    try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: Self.folder) }  // best effort: it is in the temporary folder
    let message = EchoPayload.small.encoded
    let length = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: message.count >> $0) }
    try Data([0] + length + message).write(to: Self.grpcBody)
    try Data(Self.json.utf8).write(to: Self.jsonBody)
    var calls = MarkdownTable(["unary, small, tcp", "calls/s", "mean, µs", "server CPU, µs a call", "of gRPC C++"])
    var figures: [Figure] = []
    for work in Work.allCases {
      let all = try measure(work)
      for (contender, reports) in all {
        calls.add([
          "\(contender), \(work.name)", Spread(reports.map(\.rate)).whole, Spread(reports.map(\.mean)).text,
          Spread(reports.map(\.serverTime)).hundredths,
          contender == Self.ownName ? Self.ratios(all)?.hundredths ?? "" : "",
        ])
      }
      figures += Self.figures(work, all)
    }
    let (idle, idleFigures) = try idleConnections()
    return BenchmarkReport(text: calls.text + "\n\n" + idle, figures: figures + idleFigures)
  }

  /// Returns the measurements of each system that has the work, by round, interleaved.
  private func measure(_ work: Work) throws -> [(String, [HTTPLoad.Report])] {
    let systems = contenders.filter { $0.works.contains(work) }.map(\.system)
    var servers: [RunningEcho] = []
    defer { for server in servers { try? server.stop() } }  // it may have exited
    for system in systems { servers.append(try system.serve("tcp:127.0.0.1:0")) }
    var reports = systems.map { ($0.name, [HTTPLoad.Report]()) }
    for _ in 0..<rounds {
      for index in systems.indices {
        reports[index].1.append(try run(work, systems[index], servers[index]))
      }
    }
    return reports
  }

  private func run(_ work: Work, _ system: EchoSystem, _ server: RunningEcho) throws -> HTTPLoad.Report {
    let message = EchoPayload.small.encoded.count
    switch work {
    case .native64: return try native(64, system, server)
    case .native1: return try native(1, system, server)
    case .grpc64:
      let load = HTTPLoad(form: .grpc(streams: 64), body: Self.grpcBody, responseSize: 5 + message)
      return try load.run(server, seconds: seconds)
    case .grpc1:
      let load = HTTPLoad(form: .grpc(streams: 1), body: Self.grpcBody, responseSize: 5 + message)
      return try load.run(server, seconds: seconds)
    case .json64:
      let load = HTTPLoad(form: .json(connections: 64), body: Self.jsonBody, responseSize: Self.json.utf8.count)
      return try load.run(server, seconds: seconds)
    }
  }

  /// Measures with the system's own client. The latency is the median.
  private func native(_ inFlight: Int, _ system: EchoSystem, _ server: RunningEcho) throws -> HTTPLoad.Report {
    let report = try system.load([
      "--connect", server.endpoint, "--payload", EchoPayload.small.rawValue, "--mode", EchoLoad.Mode.unary.rawValue,
      "--in-flight", "\(inFlight)", "--seconds", "\(seconds)", "--server", "\(server.pid)",
    ])
    let serverTime = (report.serverSeconds ?? .nan) * 1e6 / Double(report.calls)
    return HTTPLoad.Report(rate: report.rate, mean: report.p50, serverTime: serverTime)
  }

  /// Returns the ratios of Marquee's rate to that of gRPC C++, by round; `nil` if it was not measured.
  private static func ratios(_ reports: [(String, [HTTPLoad.Report])]) -> Spread? {
    guard let own = reports.first(where: { $0.0 == ownName })?.1,
      let peer = reports.first(where: { $0.0 == peerName })?.1
    else { return nil }
    return Spread(zip(own, peer).map { $0.rate / $1.rate })
  }

  private static func figures(_ work: Work, _ reports: [(String, [HTTPLoad.Report])]) -> [Figure] {
    guard let own = reports.first(where: { $0.0 == ownName })?.1 else { return [] }
    let ratio = ratios(reports)?.median
    switch work {
    case .native64, .native1: return []
    case .grpc64:
      let time = Figure("\(work.name), server CPU", Spread(own.map(\.serverTime)).median)
      return [time] + (ratio.map { [Figure("\(work.name), of gRPC C++'s rate", $0)] } ?? [])
    case .grpc1: return ratio.map { [Figure("\(work.name), of gRPC C++'s rate", $0)] } ?? []
    case .json64: return [Figure(work.name, Spread(own.map(\.rate)).median)]
    }
  }

  // MARK: Idle connections

  private func idleConnections() throws -> (String, [Figure]) {
    let count = IdleConnections.raisedCountMax(wanted: Self.idleCount)
    var table = MarkdownTable(["\(count) idle HTTP/2 connections, each after one call", "server memory, KiB each"])
    var figures: [Figure] = []
    for contender in contenders {
      let server = try contender.system.serve("tcp:127.0.0.1:0")
      defer { try? server.stop() }  // it may have exited
      let size = try IdleConnections(server, message: EchoPayload.small.encoded).memory(count: count)
      table.add([contender.system.name, Spread.rounded(size)])
      if contender.system.name == Self.ownName { figures.append(Figure("an idle HTTP/2 connection", size)) }
    }
    return (table.text, figures)
  }

  private static let json = #"{"service":"\#(EchoPayload.smallMessage.service)"}"#
  private static let folder = FileManager.default.temporaryDirectory
    .appending(path: "marquee-bench-protocols-\(ProcessInfo.processInfo.processIdentifier)")
  private static let grpcBody = folder.appending(path: "small.grpc")
  private static let jsonBody = folder.appending(path: "small.json")
}
