import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import Testing

@Suite("Device cache", .timeLimit(.minutes(2)))
struct LoadedDevicesTests {
  @Test("With --cached-devices-max, an evicted device still decides when due, and its displays are updated")
  func letGo() async throws {
    let directory = try TemporaryDirectory()
    let arguments = [
      "--data-dir", directory.file("data"), "--listen", "unix:\(directory.file("socket"))", "--clock",
      "manual=\(Fixture.start)", "--cached-devices-max", "1",
    ]
    try await Daemon.run(arguments) { _, endpoints in
      let (client, admin) = (RPCClient(endpoints[0]), OperatorClient(RPCClient(endpoints[0])))
      try await Fixture.build(client)
      let others = try (1...12).map { try DeviceID("tablet \($0)") }
      for device in others { try await DisplayClient(client).registerDevice(device, timeZone: Fixture.berlin) }
      var sport = try await ProviderStream(client, app: Fixture.sportApp)
      let hours = (1...6).map { Fixture.after(.hours(2 * $0)) }
      _ = try await sport.publish(1, Fixture.score, hours.map { Fixture.entry($0, score: 5, for: .minutes(30)) })
      var watcher = try await Watcher(DisplayClient(RPCClient(endpoints[0])))
      var shown: [Instant] = []
      for hour in hours {
        // The others evict it from the cache.
        for device in others { try await admin.setDeveloperMode(false, on: device) }
        try await admin.advanceClock(to: hour)
        while shown.last != hour {
          let update = try await watcher.next()
          switch update.change {
          case .front, .entry: shown.append(update.at)
          case .state, .stack, .removed, .homeWidgetAdded, .homeWidgetRemoved, .heartbeat, .label, .timeZone:
            Issue.record("an update that nothing explains: \(update)")
          }
        }
      }
      #expect(Set(shown) == Set(hours))
    }
    let verified = try await Marquee(endpoint: .unix(path: directory.file("socket")), directory: directory).daemon(
      "verify", directory.file("data"))
    #expect(verified[0].contains("intact"))
  }

  @Test("cached-devices-max must be at least 1", arguments: ["0", "-1", "1.5", "many"])
  func rejected(count: String) async throws {
    let directory = try TemporaryDirectory()
    let daemon = try Daemon([
      "--data-dir", directory.file("data"), "--listen", "unix:\(directory.file("socket"))",
      "--cached-devices-max=\(count)",
    ])
    #expect(try await daemon.wait() == .code(64))
    #expect(daemon.log.text.contains("cached-devices-max"))
  }
}
