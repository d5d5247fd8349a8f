import Foundation
import FoundationNetworking
import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport

/// A running `marqueed` under attack, with a latency probe that the attack must not affect.
struct AttackHarness: Sendable {
  /// Grants all permissions over TCP, too, with high rate limits, since attackers and probe are one principal here.
  static let openPolicy = """
    rules: [{loopback: true, role: operator}]
    limits: {call-rate-max: 1000000, call-burst-max: 1000000}

    """

  let daemon: Daemon
  let unix: Endpoint
  let tcp: Endpoint
  let directory: TemporaryDirectory
  let probe: LatencyProbe
  let control: SchedulingProbe
  private let metrics: URL

  /// Grants permissions only to the server's user: attackers are unauthenticated.
  static let closedPolicy = "rules: []\n"

  /// The same, with high rate limits for unauthenticated calls.
  static let healthPolicy = closedPolicy + "limits: {call-rate-max: 1000000, call-burst-max: 1000000}\n"

  /// Runs a server with additional options and an optional file-descriptor limit while `body` runs. The probe's device
  /// has a stack of two widgets.
  static func run<Result>(
    _ options: [String] = [], fileCountMax: Int? = nil, environment: [String: String] = [:],
    in directory: TemporaryDirectory? = nil, policy: String = openPolicy, _ body: (AttackHarness) async throws -> Result
  ) async throws -> Result {
    let directory = try directory ?? TemporaryDirectory()
    let arguments = try arguments(in: directory, policy: policy) + options
    let limit = fileCountMax.map { "ulimit -n \($0); " } ?? ""
    // The shell loads the libfaketime library first, which leaves the server's arguments alone.
    let daemon = try Daemon(
      ["-c", "\(limit)exec \"$@\"", "bash", Daemon.program] + arguments, environment: environment,
      program: "/bin/bash")
    // Kill the server in every case.
    defer { daemon.send(signal: SIGKILL) }
    do {
      let harness = try await AttackHarness(daemon, directory)
      defer {
        harness.probe.end()
        harness.control.end()
      }
      return try await body(harness)
    } catch {
      let exit = try await daemon.kill()
      throw RequirementFailure("\(error); the server exited with \(exit); last output: \(daemon.log.text.suffix(500))")
    }
  }

  /// Returns the arguments of a server in a directory.
  static func arguments(in directory: TemporaryDirectory, policy: String = openPolicy) throws -> [String] {
    [
      "--data-dir", directory.file("data"), "--listen", "unix:\(directory.file("socket"))",
      "--listen", "tcp:127.0.0.1:0", "--metrics-listen", "tcp:127.0.0.1:0",
      "--access-policy", try directory.write(policy, to: "access.yaml"),
    ]
  }

  private init(_ daemon: Daemon, _ directory: TemporaryDirectory) async throws {
    let endpoints = try await daemon.listening()
    let line = try await daemon.log.line(with: "serving metrics")
    guard let text = line.firstMatch(of: #/http://[^ \]"]+/#)?.output, let url = URL(string: String(text)) else {
      throw RequirementFailure("no metrics URL in: \(line)")
    }
    (self.daemon, self.directory, metrics) = (daemon, directory, url)
    (unix, tcp) = (endpoints[0], endpoints[1])
    let client = RPCClient(unix)
    if try await OperatorClient(client).devices().devices.isEmpty {
      try await Fixture.build(client)
      var provider = try await ProviderStream(client, app: Fixture.weatherApp)
      _ = try await provider.publish(1, Fixture.forecast, [Fixture.entry(Fixture.start, "kept")])
    }
    probe = try LatencyProbe(directory.file("socket"))
    control = try SchedulingProbe()
  }

  /// Returns an ordinary client on its own connection.
  func client(_ endpoint: Endpoint? = nil) -> RPCClient { RPCClient(endpoint ?? unix) }

  /// Returns the server's peak memory and the probe's latency since a mark.
  func toll(since mark: (reads: Int, reports: Int) = (0, 0)) throws -> String {
    let size = String(format: "%.1f", Double(try daemon.peakResidentSize()) / 1_024)
    let reads = try probe.interval(since: mark)
    return "memory \(size) MiB at most; p99 \(reads.p99.words), \(reads.callCount) reads, \(reads.reportCount) reports"
  }

  /// Returns the sum of a metric's values whose labels contain `words`.
  func metric(_ name: String, _ words: String = "") async throws -> Int {
    let (body, _) = try await URLSession.shared.data(from: metrics)
    let lines = String(decoding: body, as: UTF8.self).split(separator: "\n")
    let values = lines.filter { line in
      (line.hasPrefix("\(name){") || line.hasPrefix("\(name) ")) && (words.isEmpty || line.contains(words))
    }
    try require(!values.isEmpty || !words.isEmpty, "unknown metric \(name)")
    return values.compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0) { $0 + Int($1) }
  }

  /// Waits until a metric is at most `value`, and returns the time it took.
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
