import Foundation
import FoundationNetworking
import MarqueeClient
import MarqueeModel
import MarqueeTransport
import ServerProcess

/// A running `marqueed` that is ill-treated, and a bystander whom that must not disturb.
struct Siege: Sendable {
  /// Everybody on this machine may do everything over TCP too, and more often than one caller should: attackers and
  /// bystander are one here.
  private static let openPolicy = """
    rules: [{loopback: true, role: operator}]
    limits: {call-rate-max: 1000000, call-burst-max: 1000000}

    """

  let daemon: Daemon
  let unix: Endpoint
  let tcp: Endpoint
  let directory: TemporaryDirectory
  let bystander: Bystander
  private let metrics: URL

  /// Starts a server with further options, and a limit of open files if one is given; ends it when `body` has ended.
  /// The bystander's device has a stack of two widgets.
  static func run<Result>(
    _ options: [String] = [], fileCountMax: Int? = nil, environment: [String: String] = [:],
    in directory: TemporaryDirectory? = nil, _ body: (Siege) async throws -> Result
  ) async throws -> Result {
    let directory = try directory ?? TemporaryDirectory()
    let arguments = try arguments(in: directory) + options
    let limit = fileCountMax.map { "ulimit -n \($0); " } ?? ""
    // The library that shifts the clock, loaded by the shell first, leaves the server's arguments alone.
    let daemon = try Daemon(
      ["-c", "\(limit)exec \"$@\"", "bash", Daemon.program] + arguments, environment: environment,
      program: "/bin/bash")
    // Whatever comes, no server is left behind.
    defer { daemon.send(signal: SIGKILL) }
    do {
      let siege = try await Siege(daemon, directory)
      defer { siege.bystander.end() }
      return try await body(siege)
    } catch {
      let exit = try await daemon.kill()
      throw Finding("\(error); the server ended with \(exit) and said at last: \(daemon.log.text.suffix(500))")
    }
  }

  /// What a server in that directory is started with.
  static func arguments(in directory: TemporaryDirectory) throws -> [String] {
    [
      "--data-dir", directory.file("data"), "--listen", "unix:\(directory.file("socket"))",
      "--listen", "tcp:127.0.0.1:0", "--metrics-listen", "tcp:127.0.0.1:0",
      "--access-policy", try directory.write(openPolicy, to: "access.yaml"),
    ]
  }

  private init(_ daemon: Daemon, _ directory: TemporaryDirectory) async throws {
    let endpoints = try await daemon.listening()
    let line = try await daemon.log.line(with: "metrics can be read")
    guard let text = line.firstMatch(of: #/http://[^ \]"]+/#)?.output, let url = URL(string: String(text)) else {
      throw Finding("no address of metrics in: \(line)")
    }
    (self.daemon, self.directory, metrics) = (daemon, directory, url)
    (unix, tcp) = (endpoints[0], endpoints[1])
    let client = RPCClient(unix)
    if try await OperatorClient(client).devices().devices.isEmpty {
      try await Home.build(client)
      var provider = try await ProviderStream(client, app: Home.weatherApp)
      _ = try await provider.publish(1, Home.forecast, [Home.entry(Home.start, "kept")])
    }
    bystander = try Bystander(directory.file("socket"))
  }

  /// An ordinary client on a connection of its own.
  func client(_ endpoint: Endpoint? = nil) -> RPCClient { RPCClient(endpoint ?? unix) }

  /// What it cost since a mark: the server's memory, and the bystander's time.
  func toll(since mark: (reads: Int, reports: Int) = (0, 0)) throws -> String {
    let size = String(format: "%.1f", Double(try daemon.greatestResidentSize()) / 1_024)
    let spell = try bystander.spell(since: mark)
    return "memory \(size) MiB at most; p99 \(spell.p99.words), \(spell.callCount) reads, \(spell.reportCount) reports"
  }

  /// What the server tells of itself: the sum of a metric's values whose dimensions have these words.
  func metric(_ name: String, _ words: String = "") async throws -> Int {
    let (body, _) = try await URLSession.shared.data(from: metrics)
    let lines = String(decoding: body, as: UTF8.self).split(separator: "\n")
    let values = lines.filter { line in
      (line.hasPrefix("\(name){") || line.hasPrefix("\(name) ")) && (words.isEmpty || line.contains(words))
    }
    try require(!values.isEmpty || !words.isEmpty, "the server tells nothing of \(name)")
    return values.compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0) { $0 + Int($1) }
  }

  /// Waits until a metric is at most `value`, and gives how long that took.
  func wait(until name: String, isAtMost value: Int, within limit: Duration) async throws -> Duration {
    let begin = ContinuousClock.now
    while true {
      let current = try await metric(name)
      let time = begin.duration(to: .now)
      if current <= value { return time }
      try require(time < limit, "\(name) is \(current) after \(time.words), not \(value)")
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
