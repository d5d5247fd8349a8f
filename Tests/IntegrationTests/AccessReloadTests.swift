import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@Suite("Access policy reload on SIGHUP", .serialized, .timeLimit(.minutes(3)))
struct AccessReloadTests {
  private static let again = "access policy and certificates reloaded"
  private static let asBefore = "access policy and certificates not reloaded"

  /// Rules that grant the weather and sport apps and the phone to the token subjects of these names.
  private static func policy(_ subjects: [String]) -> String {
    let rules = [
      "weather": "role: provider, apps: [\(Fixture.weatherApp)]",
      "sport": "role: provider, apps: [\(Fixture.sportApp)]",
      "phone": "role: display, devices: [\(Fixture.device)]",
    ]
    return """
      tokens: [{issuer: "\(TokenMint.issuer)", audience: marquee, keys: keys.json}]
      rules:
      \(subjects.map { "- {token: {iss: \"\(TokenMint.issuer)\", sub: \($0)}, \(rules[$0] ?? "")}" }
        .joined(separator: "\n"))
      """
  }

  @Test("SIGHUP applies a changed policy and keys: streams whose permission was revoked end, others continue")
  func policyAndKeys() async throws {
    let directory = try TemporaryDirectory()
    let (mint, newMint) = (try TokenMint(), try TokenMint("second"))
    let policy = try mint.write(Self.policy(["weather", "sport", "phone"]), to: directory)
    try await Daemon.run(DaemonTests.arguments(directory) + ["--access-policy", policy]) { daemon, endpoints in
      try await Fixture.build(RPCClient(endpoints[0]))
      func connection(_ subject: String, _ mint: TokenMint = mint) async throws -> RPCClient {
        RPCClient(endpoints[0], configuration: .bearing(try await mint.token(.init(sub: subject))))
      }
      var weather = try await ProviderStream(try await connection("weather"), app: Fixture.weatherApp)
      var sport = try await ProviderStream(try await connection("sport"), app: Fixture.sportApp)
      let watch = try await connection("phone").serverStreaming(
        DisplayService.watch, WatchRequest(device: Fixture.device))
      var updates = watch.responses.makeAsyncIterator()
      _ = try await updates.nextInTime()
      _ = try mint.write(Self.policy(["sport", "phone"]), to: directory)
      daemon.send(signal: SIGHUP)
      let end = try await callStatus { _ = try await weather.next() }
      #expect(end == RPCStatus(.permissionDenied, "permission denied: this method requires the provider role"))
      #expect(try await sport.publish(1, Fixture.score, [Fixture.entry(Fixture.start)]) == .accepted(1))
      _ = try await daemon.log.line(with: Self.again)
      _ = try mint.write("rules: [{sub: sport}]", to: directory)
      daemon.send(signal: SIGHUP)
      _ = try await daemon.log.line(with: Self.asBefore)
      #expect(daemon.log.text.contains("access-policy: line 1, column 10: rules[0].sub: unknown key"))
      #expect(try await sport.publish(2, Fixture.score, [Fixture.entry(Fixture.start)]) == .accepted(2))
      _ = try newMint.write(Self.policy(["sport", "phone"]), to: directory)
      daemon.send(signal: SIGHUP)
      #expect(try await callStatus { _ = try await sport.next() }?.code == .unauthenticated)
      #expect(try await callStatus { while try await updates.nextInTime() != nil {} }?.code == .unauthenticated)
      let old = try await callStatus {
        _ = try await ProviderStream(try await connection("sport"), app: Fixture.sportApp)
      }
      #expect(old?.code == .unauthenticated)
      _ = try await ProviderStream(try await connection("sport", newMint), app: Fixture.sportApp)
    }
  }

  @Test(
    "An invalid policy is reported at once, and the previous policy stays in effect",
    arguments: [
      "rules: []\n" + (1...40).reduce("x0: &a0 {x: y}") { $0 + "\nx\($1): &a\($1) {? *a\($1 - 1) : *a\($1 - 1)}" },
      "\"" + String(repeating: "\u{301}\u{316}", count: 250_000) + "\": 1\nrules: []",
      "{}",
      "limits: {call-rate-max: 7}", "rules:", "", "# all gone", "rules: [{user: root, role: \u{1B}[2J\nx: y",
    ])
  func unusable(text: String) async throws {
    let directory = try TemporaryDirectory()
    let policy = try directory.write(InProcessServer.openPolicy, to: "access.yaml")
    let options = [
      "--listen", "tcp:127.0.0.1:0", "--access-policy", policy, "--metrics-listen", "tcp:127.0.0.1:0",
    ]
    try await Daemon.run(DaemonTests.arguments(directory) + options) { daemon, endpoints in
      let admin = OperatorClient(RPCClient(endpoints[1]))
      _ = try await admin.devices()
      _ = try directory.write(text, to: "access.yaml")
      daemon.send(signal: SIGHUP)
      _ = try await daemon.log.line(with: Self.asBefore)
      _ = try await admin.devices()
      #expect(!daemon.log.text.contains("\u{1B}"))
      _ = try directory.write(InProcessServer.openPolicy, to: "access.yaml")
      daemon.send(signal: SIGHUP)
      _ = try await daemon.log.line(with: Self.again)
      _ = try await admin.devices()
      let lines = try await MetricsTests.lines(at: try await MetricsTests.address(of: daemon))
      #expect(lines.contains("marquee_reloads_total{outcome=\"rejected\"} 1"))
      #expect(lines.contains("marquee_reloads_total{outcome=\"applied\"} 1"))
    }
  }

  @Test("Certificates authenticate; SIGHUP replaces the server certificate and disconnects clients of removed roots")
  func certificates() async throws {
    let directory = try TemporaryDirectory()
    let authority = try await CertificateAuthority("authority", in: directory)
    let other = try await CertificateAuthority("other", in: directory)
    let server = try await authority.identity("localhost", file: "server")
    let (weather, stranger) = (
      try await authority.identity("weather.example.com"), try await other.identity("weather.example.com", file: "x")
    )
    let mint = try TokenMint()
    let rule = "\n- {certificate: weather.example.com, role: provider, apps: [\(Fixture.weatherApp)]}\n"
    let policy = try mint.write(Self.policy(["phone"]) + rule, to: directory)
    let roots = directory.file("roots.pem")
    try FileManager.default.copyItem(atPath: authority.root, toPath: roots)
    let arguments =
      DaemonTests.arguments(directory) + [
        "--listen", "tcp:127.0.0.1:0", "--tls-certificate-chain", server.chain, "--tls-private-key", server.key,
        "--tls-client-roots", roots, "--access-policy", policy,
      ]
    try await Daemon.run(arguments) { daemon, endpoints in
      try await Fixture.build(RPCClient(endpoints[0]))
      let connection = try authority.connection(to: endpoints[1], as: weather)
      var provider = try await ProviderStream(connection, app: Fixture.weatherApp)
      let denied = try await callStatus { _ = try await ProviderStream(connection, app: Fixture.sportApp) }
      #expect(denied?.code == .permissionDenied)
      let nobody = try authority.connection(to: endpoints[1])
      #expect(try await HealthClient(nobody).check() == .serving)
      #expect(try await callStatus { _ = try await OperatorClient(nobody).devices() }?.code == .unauthenticated)
      let token = try await mint.token(.init(sub: "phone"))
      let display = DisplayClient(try authority.connection(to: endpoints[1], token: token))
      try await display.report(.shown(Fixture.stack), on: Fixture.device)
      let untrusted = try authority.connection(to: endpoints[1], as: stranger)
      #expect(try await callStatus { _ = try await HealthClient(untrusted).check() }?.code == .unavailable)
      #expect(try await provider.publish(1, Fixture.forecast, [Fixture.entry(Fixture.start)]) == .accepted(1))

      // The server's own certificate: clients that trust only the other authority can connect from now on.
      let renewed = try await other.identity("localhost", file: "server")
      #expect(renewed.chain == server.chain)
      daemon.send(signal: SIGHUP)
      _ = try await daemon.log.line(with: Self.again)
      #expect(try await HealthClient(try other.connection(to: endpoints[1])).check() == .serving)
      #expect(try await provider.publish(2, Fixture.forecast, [Fixture.entry(Fixture.start)]) == .accepted(2))

      // The client roots: clients with a certificate of the old authority are disconnected.
      try FileManager.default.removeItem(atPath: roots)
      try FileManager.default.copyItem(atPath: other.root, toPath: roots)
      daemon.send(signal: SIGHUP)
      #expect(try await callStatus { _ = try await provider.next() }?.code == .unavailable)
      let trusted = try other.connection(to: endpoints[1], as: stranger)
      _ = try await ProviderStream(trusted, app: Fixture.weatherApp)
    }
  }

  @Test("Without a policy, the server's user can call everything over the Unix socket, and TCP clients only health")
  func standard() async throws {
    let directory = try TemporaryDirectory()
    let arguments = DaemonTests.arguments(directory) + ["--listen", "tcp:127.0.0.1:0"]
    try await Daemon.run(arguments) { daemon, endpoints in
      #expect(daemon.log.text.contains("no access policy configured: TCP clients can only call grpc.health"))
      try await Fixture.build(RPCClient(endpoints[0]))
      let connection = RPCClient(endpoints[1])
      #expect(try await HealthClient(connection).check() == .serving)
      let end = try await callStatus { _ = try await OperatorClient(connection).devices() }
      #expect(end == .noAccessPolicy)
      let refused = try await Marquee(endpoint: endpoints[1], directory: directory).run(["devices"])
      #expect(refused.exit == .code(1) && refused.errors.contains("Start marqueed with --access-policy"))
      #expect(!refused.errors.contains("--token-file"))
      daemon.send(signal: SIGHUP)
      #expect(try await daemon.wait() == .signal(SIGHUP))
    }
  }
}
