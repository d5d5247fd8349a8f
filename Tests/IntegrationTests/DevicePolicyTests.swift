import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeScheduler
import MarqueeServer
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Synchronization
import Testing

@Suite("Device policy overrides over sockets", .timeLimit(.minutes(2)))
struct DevicePolicyTests {
  /// The overridden settings, by name.
  private func own(_ settings: [PolicySetting]) -> [String: Double] {
    Dictionary(uniqueKeysWithValues: settings.filter(\.isOverridden).map { ($0.name, $0.value) })
  }

  /// A setting that changes between two runs of the server.
  private final class Setting: Sendable {
    private let state = Mutex(TimeSpan.minutes(5))

    var span: TimeSpan {
      get { state.withLock(\.self) }
      set { state.withLock { $0 = newValue } }
    }
  }

  @Test("A new device has the configured settings, each with its unit")
  func beginning() async throws {
    try await InProcessServer.run({ $0.policy.dwell = .minutes(7) }) { server in
      try await Fixture.build(server.connection())
      let settings = try await server.admin().policy(on: Fixture.device)
      #expect(settings.map(\.name) == PolicyField.all.map(\.name) && own(settings).isEmpty)
      var configured = Policy()
      configured.dwell = .minutes(7)
      #expect(try Policy(settings.map { PolicyNumber(name: $0.name, value: $0.value) }) == configured)
      let units = Dictionary(uniqueKeysWithValues: settings.map { ($0.name, $0.unit) })
      #expect(units["dwell"] == "seconds" && units["threshold"] == "number" && units["rotation_count_max"] == "count")
    }
  }

  @Test("R3 An override takes effect at once, on this device only, and timers are rescheduled")
  func effect() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      try await Fixture.build(server.connection(), device: Fixture.otherDevice)
      var watcher = try await Watcher(server.display())
      var provider = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      _ = try await provider.publish(
        1, Fixture.score, [Fixture.entry(Fixture.after(.minutes(1)), score: 5, for: .hours(1))])
      try await server.display().report(.tapped(Fixture.stack, Fixture.forecast), on: Fixture.device)
      let set = [PolicyNumber(name: "hold", value: 300), PolicyNumber(name: "point_length", value: 60)]
      let settings = try await server.admin().setPolicy(set, on: Fixture.device)
      #expect(own(settings) == ["hold": 300, "point_length": 60])
      #expect(settings.first { $0.name == "hold" }?.configured == 900)
      #expect(try await server.admin().policy(on: Fixture.device) == settings)
      #expect(own(try await server.admin().policy(on: Fixture.otherDevice)).isEmpty)
      server.clock.advance(to: Fixture.after(.minutes(1)))
      #expect(try await watcher.nextEntry().widget == Fixture.score)
      try await server.clock.sleeper(until: Fixture.after(.minutes(5)))
      server.clock.advance(to: Fixture.after(.minutes(5)))
      #expect(try await watcher.nextFront().at == Fixture.after(.minutes(5)))
      let reset = try await server.admin().setPolicy(
        [PolicyNumber(name: "dwell", value: 0.25)], reset: ["hold"], on: Fixture.device)
      #expect(own(reset) == ["dwell": 0.25, "point_length": 60])
    }
  }

  @Test("A device's overrides survive a restart with another configuration")
  func restart() async throws {
    let dwell = Setting()
    try await InProcessServer.run({ $0.policy.dwell = dwell.span }) { server in
      try await Fixture.build(server.connection())
      try await server.admin().setPolicy([PolicyNumber(name: "hold", value: 60)], on: Fixture.device)
      try await server.restart { dwell.span = .minutes(9) }
      let settings = try await server.admin().policy(on: Fixture.device)
      #expect(own(settings) == ["hold": 60])
      #expect(settings.first { $0.name == "dwell" }?.value == 540)
      try await server.display().report(.tapped(Fixture.stack, Fixture.forecast), on: Fixture.device)
      let explanation = try await server.admin().explanation(of: Fixture.stack, on: Fixture.device).explanation
      let gates = try #require(explanation.candidates.first { !$0.isInFront }).gates
      #expect(gates.first { $0.gate == .hold }?.required == 60 && gates.first { $0.gate == .dwell }?.required == 540)
    }
  }

  @Test("A change with one invalid value is rejected as a whole, and the error names the setting")
  func rejections() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let admin = server.admin()
      let good = PolicyNumber(name: "hold", value: 60)
      let before = try await admin.setPolicy([PolicyNumber(name: "margin", value: 0.5)], on: Fixture.device)
      let changes: [(String, [PolicyNumber], [String])] = [
        ("dwell", [good, PolicyNumber(name: "dwell", value: -1)], []),
        ("rotation_count_max", [good, PolicyNumber(name: "rotation_count_max", value: 1.5)], ["margin"]),
        ("reload_count_min", [PolicyNumber(name: "reload_count_min", value: 71)], ["margin"]),
        ("set[1].name", [good, PolicyNumber(name: "patience", value: 1)], []),
        ("set[1].value", [good, PolicyNumber(name: "dwell", value: .nan)], []),
        ("reset[1]", [good], ["margin", "patience"]),
        ("hold", [good], ["hold"]),
        ("set", [], []),
      ]
      for (field, set, reset) in changes {
        let end = try await callStatus { try await admin.setPolicy(set, reset: reset, on: Fixture.device) }
        #expect(end?.code == .invalidArgument && end?.message.hasPrefix("\(field): ") == true, "\(end as Any)")
      }
      #expect(try await admin.policy(on: Fixture.device) == before)
      await #expect(throws: RequestError.self) { try await admin.setPolicy([good, good], on: Fixture.device) }
    }
  }
}
