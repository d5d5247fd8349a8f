import Foundation
import FoundationNetworking
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeServer
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import PostgresProcess
import Testing

/// The Prometheus metrics of `marqueed`, and its log of slow calls.
@Suite("Metrics", .serialized, .timeLimit(.minutes(2)))
struct MetricsTests {
  private static let deploy = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Deploy").path

  /// The URL of the metrics, from the log.
  static func address(of daemon: Daemon) async throws -> URL {
    let line = try await daemon.log.line(with: "serving metrics")
    let text = try #require(line.firstMatch(of: #/http://[^ \]"]+/#)).output
    return try #require(URL(string: String(text)))
  }

  private static func shell(_ command: String) throws -> Daemon {
    try Daemon(["-c", command], program: "/bin/bash")
  }

  static func lines(at address: URL) async throws -> [String] {
    let (body, response) = try await URLSession.shared.data(from: address)
    let answer = try #require(response as? HTTPURLResponse)
    #expect(answer.statusCode == 200)
    #expect(answer.value(forHTTPHeaderField: "Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
    return try #require(String(data: body, encoding: .utf8)).components(separatedBy: "\n")
  }

  @Test("Metrics count calls by method and code, connections, commits and devices, and slow calls are logged")
  func metrics() async throws {
    let directory = try TemporaryDirectory()
    let options = ["--metrics-listen", "tcp:127.0.0.1:0", "--slow-call-threshold", "0"]
    try await Daemon.run(DaemonTests.arguments(directory) + options) { daemon, endpoints in
      let connection = RPCClient(endpoints[0])
      try await Fixture.build(connection, members: [])
      let missing = ListStacksRequest(device: try DeviceID("nobody"))
      await #expect(throws: RPCStatus.self) { try await connection.unary(AdminService.listStacks, missing) }
      let lines = try await Self.lines(at: try await Self.address(of: daemon))
      let method = "marquee.v1.Display/RegisterDevice"
      #expect(lines.contains("marquee_calls_total{method=\"\(method)\",protocol=\"native\",code=\"OK\"} 1"))
      #expect(lines.contains("marquee_call_duration_seconds_count{method=\"\(method)\",protocol=\"native\"} 1"))
      let missed = "method=\"marquee.v1.Admin/ListStacks\",protocol=\"native\",code=\"NOT_FOUND\""
      #expect(lines.contains("marquee_calls_total{\(missed)} 1"))
      #expect(lines.contains("marquee_connections_by_protocol{protocol=\"native\"} 1.0"))
      #expect(lines.contains("marquee_connections_by_protocol{protocol=\"http2\"} 0.0"))
      #expect(lines.contains("marquee_connections_open 1.0") && lines.contains("marquee_connections_total 1"))
      #expect(lines.contains("marquee_limits_rejected_total{reason=\"connections\"} 0"))
      #expect(lines.contains("marquee_write_failures_total 0"))
      let names = Set(lines.filter { $0.hasPrefix("# HELP ") }.map { String($0.split(separator: " ")[2]) })
      #expect(names == Set(MarqueeServer.metricHelp.keys).subtracting(Self.ofNodes))
      let commits = try #require(lines.first { $0.hasPrefix("marquee_commit_duration_seconds_count ") })
      #expect(try #require(Int(commits.split(separator: " ")[1])) >= 2)
      #expect(lines.count { $0.hasPrefix("marquee_devices_loaded{") && !$0.hasSuffix(" 0.0") } == 1)
      #expect(daemon.log.text.contains("a slow call") && daemon.log.text.contains("method=\(method)"))
      daemon.send(signal: SIGTERM)
      #expect(try await daemon.wait() == .code(0))
    }
  }

  @Test("Silent connections to the metrics endpoint do not lock out others")
  func silence() async throws {
    let directory = try TemporaryDirectory()
    let options = ["--metrics-listen", "tcp:127.0.0.1:0"]
    try await Daemon.run(DaemonTests.arguments(directory) + options) { daemon, _ in
      let address = try await Self.address(of: daemon)
      let port = try #require(address.port)
      let crowd = try Self.shell(
        "for i in {1..400}; do exec {file}<>/dev/tcp/127.0.0.1/\(port); done; echo all are there >&2; exec sleep 60")
      defer { crowd.send(signal: SIGKILL) }
      _ = try await crowd.log.line(with: "all are there")
      let begin = ContinuousClock.now
      #expect(try await Self.lines(at: address).contains { $0.hasPrefix("marquee_connections_open ") })
      #expect(begin.duration(to: .now) < .seconds(4))
    }
  }

  @Test("Decision outcomes in the metrics equal those of the backtest, and predictions are scored")
  func outcomes() async throws {
    let directory = try TemporaryDirectory()
    // Habits are broken now and then, so that some predictions fail.
    let days = BacktestCommandTests.log.split(separator: "\n").filter {
      !$0.contains("-26T12") && !$0.contains("-24T18")
    }
    let log = try directory.write(days.joined(separator: "\n"), to: "log.tsv")
    let options = ["--metrics-listen", "tcp:127.0.0.1:0", "--clock", "manual=2024-01-01T00:00:00Z"]
    try await Daemon.run(DaemonTests.arguments(directory) + options) { daemon, endpoints in
      let marquee = Marquee(endpoint: endpoints[0], directory: directory)
      let told = try await marquee.json("backtest", log, "--widgets", "4")["all"]
      // After half an hour, any event completes the last outcomes.
      _ = try await marquee("clock", "advance", "+1h")
      _ = try await marquee("developer-mode", "regular", "on")
      let lines = try await Self.lines(at: try await Self.address(of: daemon))
      func count(_ name: String, _ labels: String = "") throws -> Double {
        let found = lines.filter { $0.hasPrefix("\(name){\(labels)") || $0.hasPrefix("\(name) ") }
        return try found.reduce(0) { $0 + (try #require(Double($1.split(separator: " ")[1]))) }
      }
      let rotation = "kind=\"rotation\",outcome="
      let outcomes = try ["used", "used_later", "unused"].map {
        try count("marquee_decision_outcomes_total", "\(rotation)\"\($0)\"")
      }
      let (rotations, seen) = (try #require(told["rotation_count"].number), try #require(told["seen_share"].number))
      let precision = try #require(told["choices"].list[0]["true_share"].number)
      #expect(rotations > 14 && precision > 0 && precision < 1)
      #expect(outcomes.reduce(0, +) == rotations)
      #expect(abs(outcomes[0] - seen * rotations) < 1e-9)
      #expect(abs(outcomes[0] + outcomes[1] - precision * rotations) < 1e-9)
      let (evaluated, cameTrue) = (
        try count("marquee_predictions_evaluated_total"), try count("marquee_predictions_true_total")
      )
      #expect(evaluated > cameTrue && cameTrue > 14)
      let (stated, squaredError) = (
        try count("marquee_predictions_stated_total"), try count("marquee_predictions_squared_error_total")
      )
      #expect(stated > 0.2 * evaluated && stated < evaluated && squaredError > 0 && squaredError < evaluated)
    }
  }

  /// The metrics that only a server of a cluster has.
  private static let ofNodes: Set = [
    "marquee_forwarded_calls_total", "marquee_lease_seconds", "marquee_redirects_total", "marquee_shards",
    "marquee_shards_served",
  ]

  @Test(
    "A server of a cluster has metrics of its lease, its shards and the calls that it passes on",
    .enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"))
  func node() async throws {
    let servers = try ClusterServers()
    let options = ["--metrics-listen", "tcp:127.0.0.1:0"]
    try await Daemon.run(servers.arguments("a") + options) { daemon, _ in
      try await servers.waitUntilBalanced(1)
      let address = try await Self.address(of: daemon)
      // The node serves the shards a moment after it owns them.
      var lines: [String] = []
      while !lines.contains("marquee_shards_served 64.0") { lines = try await Self.lines(at: address) }
      #expect(lines.contains("marquee_shards 64.0") && lines.contains("marquee_forwarded_calls_total 0"))
      let lease = try #require(lines.first { $0.hasPrefix("marquee_lease_seconds ") })
      #expect(try #require(Double(lease.split(separator: " ")[1])) > 0)
    }
  }

  @Test("Alert rules use existing metrics, and pass their own tests")
  func rules() async throws {
    let directory = try TemporaryDirectory()
    let check = try Self.shell("exec promtool test rules '\(Self.deploy)/marquee.rules.test.yml' >&2")
    #expect(try await check.wait() == .code(0), "\(check.log.text)")
    let text = try String(contentsOfFile: "\(Self.deploy)/marquee.rules.yml", encoding: .utf8)
    let named = text.matches(of: #/marquee_\w+/#).map { String($0.output) }
    #expect(named.count > 7)
    let options = ["--metrics-listen", "tcp:127.0.0.1:0"]
    try await Daemon.run(DaemonTests.arguments(directory) + options) { daemon, _ in
      let lines = try await Self.lines(at: try await Self.address(of: daemon))
      try lines.joined(separator: "\n").write(toFile: directory.file("metrics"), atomically: true, encoding: .utf8)
      for name in Set(named).subtracting(Self.ofNodes) {
        #expect(lines.contains { $0.hasPrefix("\(name){") || $0.hasPrefix("\(name) ") }, "\(name)")
      }
    }
    let lint = try Self.shell("exec promtool check metrics <'\(directory.file("metrics"))' >&2")
    #expect(try await lint.wait() == .code(0), "\(lint.log.text)")
  }

  @Test("Metrics are served on loopback addresses only", arguments: ["tcp:0.0.0.0:0", "unix:metrics", "nowhere"])
  func rejected(endpoint: String) async throws {
    let directory = try TemporaryDirectory()
    let daemon = try Daemon(DaemonTests.arguments(directory) + ["--metrics-listen", endpoint])
    #expect(try await daemon.wait() != .code(0))
    #expect(daemon.log.text.contains("metrics-listen"))
  }
}
