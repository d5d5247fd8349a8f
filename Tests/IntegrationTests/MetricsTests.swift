import Foundation
import FoundationNetworking
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeServer
import MarqueeTransport
import MarqueeWire
import ServerProcess
import Testing

/// What `marqueed` tells Prometheus and the log of its calls.
@Suite("Metrics", .serialized, .timeLimit(.minutes(2)))
struct MetricsTests {
  private static let deploy = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Deploy").path

  /// Where the process says that metrics can be read.
  private static func address(of daemon: Daemon) async throws -> URL {
    let line = try await daemon.log.line(with: "metrics can be read")
    let text = try #require(line.firstMatch(of: #/http://[^ \]"]+/#)).output
    return try #require(URL(string: String(text)))
  }

  private static func shell(_ command: String) throws -> Daemon {
    try Daemon(["-c", command], program: "/bin/bash")
  }

  private static func lines(at address: URL) async throws -> [String] {
    let (body, response) = try await URLSession.shared.data(from: address)
    let answer = try #require(response as? HTTPURLResponse)
    #expect(answer.statusCode == 200)
    #expect(answer.value(forHTTPHeaderField: "Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
    return try #require(String(data: body, encoding: .utf8)).components(separatedBy: "\n")
  }

  @Test("Calls by method and code, connections, commits and devices can be read, and slow calls are logged")
  func metrics() async throws {
    let directory = try TemporaryDirectory()
    let options = ["--metrics-listen", "tcp:127.0.0.1:0", "--slow-call", "0"]
    try await Daemon.run(DaemonTests.arguments(directory) + options) { daemon, endpoints in
      let connection = RPCClient(endpoints[0])
      try await Home.build(connection, members: [])
      let missing = ListStacksRequest(device: try DeviceID("nobody"))
      await #expect(throws: RPCStatus.self) { try await connection.unary(AdminService.listStacks, missing) }
      let lines = try await Self.lines(at: try await Self.address(of: daemon))
      let method = "marquee.v1.Display/RegisterDevice"
      #expect(lines.contains("marquee_calls_total{method=\"\(method)\",code=\"OK\"} 1"))
      #expect(lines.contains("marquee_call_duration_seconds_count{method=\"\(method)\"} 1"))
      #expect(lines.contains("marquee_calls_total{method=\"marquee.v1.Admin/ListStacks\",code=\"NOT_FOUND\"} 1"))
      #expect(lines.contains("marquee_connections_open 1.0") && lines.contains("marquee_connections_total 1"))
      #expect(lines.contains("marquee_limits_refused_total{reason=\"connections\"} 0"))
      #expect(lines.contains("marquee_write_failures_total 0"))
      let names = Set(lines.filter { $0.hasPrefix("# HELP ") }.map { String($0.split(separator: " ")[2]) })
      #expect(names == Set(MarqueeServer.metricHelp.keys))
      let commits = try #require(lines.first { $0.hasPrefix("marquee_commit_duration_seconds_count ") })
      #expect(try #require(Int(commits.split(separator: " ")[1])) >= 2)
      #expect(lines.count { $0.hasPrefix("marquee_devices_loaded{") && !$0.hasSuffix(" 0.0") } == 1)
      #expect(daemon.log.text.contains("a slow call") && daemon.log.text.contains("method=\(method)"))
      daemon.send(signal: SIGTERM)
      #expect(try await daemon.wait() == .code(0))
    }
  }

  @Test("The rules that alert speak of metrics that are told, and do what their own tests say")
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
      for name in Set(named) {
        #expect(lines.contains { $0.hasPrefix("\(name){") || $0.hasPrefix("\(name) ") }, "\(name)")
      }
    }
    let lint = try Self.shell("exec promtool check metrics <'\(directory.file("metrics"))' >&2")
    #expect(try await lint.wait() == .code(0), "\(lint.log.text)")
  }

  @Test("Metrics are read on loopback alone", arguments: ["tcp:0.0.0.0:0", "unix:metrics", "nowhere"])
  func refused(endpoint: String) async throws {
    let directory = try TemporaryDirectory()
    let daemon = try Daemon(DaemonTests.arguments(directory) + ["--metrics-listen", endpoint])
    #expect(try await daemon.wait() != .code(0))
    #expect(daemon.log.text.contains("metrics-listen"))
  }
}
