import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire
import ServerProcess
import Testing

@Suite("Access of marqueed, and SIGHUP", .serialized, .timeLimit(.minutes(3)))
struct AccessReloadTests {
  private static let again = "access policy and certificates read again"
  private static let asBefore = "access policy and certificates stay as they were"

  /// Rules that give the apps of weather and sport, and the phone, to the token's subjects of these names.
  private static func policy(_ subjects: [String]) -> String {
    let rules = [
      "weather": "role: provider, apps: [\(Home.weatherApp)]", "sport": "role: provider, apps: [\(Home.sportApp)]",
      "phone": "role: display, devices: [\(Home.device)]",
    ]
    return """
      tokens: [{issuer: "\(TokenMint.issuer)", audience: marquee, keys: keys.json}]
      rules:
      \(subjects.map { "- {token: {iss: \"\(TokenMint.issuer)\", sub: \($0)}, \(rules[$0] ?? "")}" }
        .joined(separator: "\n"))
      """
  }

  @Test("After SIGHUP another policy and other keys are in force: streams end whose right has gone, others go on")
  func policyAndKeys() async throws {
    let directory = try TemporaryDirectory()
    let (mint, newMint) = (try TokenMint(), try TokenMint("second"))
    let policy = try mint.write(Self.policy(["weather", "sport", "phone"]), to: directory)
    try await Daemon.run(DaemonTests.arguments(directory) + ["--access-policy", policy]) { daemon, endpoints in
      try await Home.build(RPCClient(endpoints[0]))
      func connection(_ subject: String, _ mint: TokenMint = mint) async throws -> RPCClient {
        RPCClient(endpoints[0], configuration: .bearing(try await mint.token(.init(sub: subject))))
      }
      var weather = try await ProviderStream(try await connection("weather"), app: Home.weatherApp)
      var sport = try await ProviderStream(try await connection("sport"), app: Home.sportApp)
      let watch = try await connection("phone").serverStreaming(
        DisplayService.watch, WatchRequest(device: Home.device))
      var updates = watch.responses.makeAsyncIterator()
      _ = try await updates.next()
      _ = try mint.write(Self.policy(["sport", "phone"]), to: directory)
      daemon.send(signal: SIGHUP)
      let end = try await status { _ = try await weather.next() }
      #expect(end == RPCStatus(.permissionDenied, "the call is for providers, and the caller is none"))
      #expect(try await sport.publish(1, Home.score, [Home.entry(Home.start)]) == .accepted(1))
      _ = try await daemon.log.line(with: Self.again)
      _ = try mint.write("rules: [{sub: sport}]", to: directory)
      daemon.send(signal: SIGHUP)
      _ = try await daemon.log.line(with: Self.asBefore)
      #expect(daemon.log.text.contains("access-policy: line 1: rules[0].sub: unknown key"))
      #expect(try await sport.publish(2, Home.score, [Home.entry(Home.start)]) == .accepted(2))
      _ = try newMint.write(Self.policy(["sport", "phone"]), to: directory)
      daemon.send(signal: SIGHUP)
      #expect(try await status { _ = try await sport.next() }?.code == .unauthenticated)
      #expect(try await status { while try await updates.next() != nil {} }?.code == .unauthenticated)
      let old = try await status { _ = try await ProviderStream(try await connection("sport"), app: Home.sportApp) }
      #expect(old?.code == .unauthenticated)
      _ = try await ProviderStream(try await connection("sport", newMint), app: Home.sportApp)
    }
  }

  @Test("Certificates say who calls; on SIGHUP the server shows a new one, and those of old roots have to go")
  func certificates() async throws {
    let directory = try TemporaryDirectory()
    let authority = try await CertificateAuthority("authority", in: directory)
    let other = try await CertificateAuthority("other", in: directory)
    let server = try await authority.identity("localhost", file: "server")
    let (weather, stranger) = (
      try await authority.identity("weather.example.com"), try await other.identity("weather.example.com", file: "x")
    )
    let mint = try TokenMint()
    let rule = "\n- {certificate: weather.example.com, role: provider, apps: [\(Home.weatherApp)]}\n"
    let policy = try mint.write(Self.policy(["phone"]) + rule, to: directory)
    let roots = directory.file("roots.pem")
    try FileManager.default.copyItem(atPath: authority.root, toPath: roots)
    let arguments =
      DaemonTests.arguments(directory) + [
        "--listen", "tcp:127.0.0.1:0", "--tls-certificate-chain", server.chain, "--tls-private-key", server.key,
        "--tls-client-roots", roots, "--access-policy", policy,
      ]
    try await Daemon.run(arguments) { daemon, endpoints in
      try await Home.build(RPCClient(endpoints[0]))
      let connection = try authority.connection(to: endpoints[1], as: weather)
      var provider = try await ProviderStream(connection, app: Home.weatherApp)
      let denied = try await status { _ = try await ProviderStream(connection, app: Home.sportApp) }
      #expect(denied?.code == .permissionDenied)
      let nobody = try authority.connection(to: endpoints[1])
      #expect(try await HealthClient(nobody).check() == .serving)
      #expect(try await status { _ = try await OperatorClient(nobody).devices() }?.code == .unauthenticated)
      let token = try await mint.token(.init(sub: "phone"))
      let display = DisplayClient(try authority.connection(to: endpoints[1], token: token))
      try await display.report(.shown(Home.stack), on: Home.device)
      let untrusted = try authority.connection(to: endpoints[1], as: stranger)
      #expect(try await status { _ = try await HealthClient(untrusted).check() }?.code == .unavailable)
      #expect(try await provider.publish(1, Home.forecast, [Home.entry(Home.start)]) == .accepted(1))

      // The server's own certificate: whoever trusts the other authority alone gets through from now on.
      let renewed = try await other.identity("localhost", file: "server")
      #expect(renewed.chain == server.chain)
      daemon.send(signal: SIGHUP)
      _ = try await daemon.log.line(with: Self.again)
      #expect(try await HealthClient(try other.connection(to: endpoints[1])).check() == .serving)
      #expect(try await provider.publish(2, Home.forecast, [Home.entry(Home.start)]) == .accepted(2))

      // Whom it trusts: whoever came with a certificate of the old authority is sent away.
      try FileManager.default.removeItem(atPath: roots)
      try FileManager.default.copyItem(atPath: other.root, toPath: roots)
      daemon.send(signal: SIGHUP)
      #expect(try await status { _ = try await provider.next() }?.code == .unavailable)
      let trusted = try other.connection(to: endpoints[1], as: stranger)
      _ = try await ProviderStream(trusted, app: Home.weatherApp)
    }
  }

  @Test("Without a policy, the server's own user may do everything on its socket, and others over TCP nothing")
  func standard() async throws {
    let directory = try TemporaryDirectory()
    let arguments = DaemonTests.arguments(directory) + ["--listen", "tcp:127.0.0.1:0"]
    try await Daemon.run(arguments) { daemon, endpoints in
      #expect(daemon.log.text.contains("without an access policy, nobody may do anything over TCP"))
      try await Home.build(RPCClient(endpoints[0]))
      let connection = RPCClient(endpoints[1])
      #expect(try await HealthClient(connection).check() == .serving)
      let end = try await status { _ = try await OperatorClient(connection).devices() }
      #expect(end?.code == .unauthenticated && end?.message.contains("present a token") == true)
      daemon.send(signal: SIGHUP)
      #expect(try await daemon.wait() == .signal(SIGHUP))
    }
  }
}
