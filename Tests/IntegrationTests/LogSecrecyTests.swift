import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@Suite("Log confidentiality", .timeLimit(.minutes(2)))
struct LogSecrecyTests {
  /// A unique word for secret data.
  private static let secret = "Qx7Vantablack"

  @Test("Even at level trace, the log contains no parameters, contents or tokens, for successful and failed calls")
  func log() async throws {
    let directory = try TemporaryDirectory()
    let mint = try TokenMint()
    let policy = try mint.write(to: directory)
    let tokens = try await [
      // The log names the principals of audited calls.
      mint.token(.init(sub: "clerk", role: "operator")),
      TokenMint().token(.init(sub: Self.secret, role: "operator")),
      mint.token(.init(sub: Self.secret, role: "operator", exp: 1)),
    ]
    let arguments =
      DaemonTests.arguments(directory) + [
        "--access-policy", policy, "--log-level", "trace", "--listen", "tcp:127.0.0.1:0",
      ]
    try await Daemon.run(arguments) { daemon, endpoints in
      try await Fixture.build(RPCClient(endpoints[0]))
      for token in tokens {
        // Calls with an invalid token are rejected, which is part of the test.
        try? await Self.live(RPCClient(endpoints[1], configuration: .bearing(token)))
      }
      var raw = try await RawClient(endpoints[0])
      raw.push(Array(Self.secret.utf8) + [0] + Array(tokens[0].utf8))
      _ = await raw.frames()
      _ = try mint.write("rules: [{\(Self.secret): \(Self.secret)}]", to: directory)
      daemon.send(signal: SIGHUP)
      _ = try await daemon.log.line(with: "not reloaded")
      daemon.send(signal: SIGTERM)
      #expect(try await daemon.wait() == .code(0))
      let log = daemon.log.text
      // Keys of a policy are not secret, and errors name them; values are not named.
      let shown = log.replacing("rules[0].\(Self.secret)", with: "")
      #expect(!shown.contains(Self.secret), "\(log)")
      for token in tokens {
        for part in token.split(separator: ".") { #expect(!log.contains(part)) }
      }
      #expect(log.contains("connection ended") && log.contains("listening"))
      for method in ["Admin/RemoveDevice", "Provider/RemoveKinds", "Provider/RemoveIntentTypes"] {
        let line = log.split(separator: "\n").first { $0.contains("audited call") && $0.contains(method) }
        #expect(line?.contains("clerk of ") == true, "\(method): \(log)")
      }
    }
  }

  /// Makes all kinds of calls with user data, some of them invalid.
  private static func live(_ connection: RPCClient) async throws {
    let (display, habits) = (DisplayClient(connection), Habits.provider(connection, Fixture.weatherApp))
    let activity = Habits.intent("com.example.ShowRain", ["place": Habits.object(secret)])
    _ = try? await habits.donate([Habits.donation(secret, activity, group: secret)])
    _ = try? await habits.donate([
      Habits.donation(secret, activity), Habits.donation("x", Habits.intent("T-\(secret)")),
    ])
    _ = try? await display.report(
      .scrolled(Fixture.stack, to: Fixture.widget(secret, of: Fixture.weatherApp)), on: Fixture.device)
    _ = try? await OperatorClient(connection).timeline(
      of: Fixture.widget(secret, of: Fixture.weatherApp), on: Fixture.device)
    let unknown = try DeviceID(secret)
    _ = try? await OperatorClient(connection).stacks(of: unknown)
    var provider = try await ProviderStream(connection, app: Fixture.weatherApp)
    _ = try await provider.publish(1, Fixture.forecast, [Fixture.entry(Fixture.start, secret, score: 5)])
    _ = try await provider.publish(
      2, Fixture.widget(secret, of: Fixture.sportApp), [Fixture.entry(Fixture.start, secret)])
    _ = try await OperatorClient(connection).donations(on: Fixture.device)
    for try await _ in OperatorClient(connection).history(of: Fixture.device) {}
    provider.call.cancel()
    _ = try? await habits.removeKinds([KindName(secret)])
    _ = try? await habits.removeIntentTypes([IntentType("T-\(secret)"), IntentType(secret)])
    _ = try? await OperatorClient(connection).removeDevice(unknown)
  }
}
