import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import Testing

@Suite("History retention", .timeLimit(.minutes(2)))
struct HistoryTests {
  @Test("With --retention-days, older history is not available, and everything else is unchanged")
  func days() async throws {
    let directory = try TemporaryDirectory()
    let arguments = [
      "--data-dir", directory.file("data"), "--listen", "unix:\(directory.file("socket"))", "--clock",
      "manual=\(Fixture.start)",
    ]
    let later = Fixture.after(.days(10))
    let stack = try await Daemon.run(arguments) { _, endpoints in
      try await Fixture.build(RPCClient(endpoints[0]))
      let admin = OperatorClient(RPCClient(endpoints[0]))
      for hour in 1...240 {
        try await admin.advanceClock(to: Fixture.after(.hours(Int64(hour))))
        try await admin.setDeveloperMode(hour % 2 == 0, on: Fixture.device)
      }
      return try await admin.inspect(Fixture.stack, on: Fixture.device)
    }
    try await Daemon.run(arguments + ["--retention-days", "2"]) { daemon, endpoints in
      _ = try await daemon.log.line(with: "history compacted")
      let admin = OperatorClient(RPCClient(endpoints[0]))
      #expect(try await admin.inspect(Fixture.stack, on: Fixture.device) == stack)
      let kept = try await admin.explanation(of: Fixture.stack, on: Fixture.device, at: Fixture.after(.days(9)))
      #expect(kept.explanation.at == Fixture.after(.days(9)))
      let rejection = try await callStatus {
        _ = try await admin.explanation(of: Fixture.stack, on: Fixture.device, at: Fixture.after(.days(7)))
      }
      let beginning = Fixture.after(.hours(191))
      #expect(
        rejection
          == RPCStatus(.outOfRange, "the history of device '\(Fixture.device)' before \(beginning) is not retained"))
      let marquee = Marquee(endpoint: endpoints[0], directory: directory)
      let record = try await marquee.run(["export-scenario", Fixture.device.text])
      #expect(record.exit == .code(1) && record.errors.contains("is not retained"))
      try await admin.advanceClock(to: later.advanced(by: .hours(1)))
      try await admin.setDeveloperMode(true, on: Fixture.device)
      #expect(try await marquee.daemon("verify", directory.file("data"))[0].contains("intact"))
    }
  }

  @Test("The number of days must be positive", arguments: ["0", "-1", "nan", "many"])
  func rejected(days: String) async throws {
    let directory = try TemporaryDirectory()
    let daemon = try Daemon([
      "--data-dir", directory.file("data"), "--listen", "unix:\(directory.file("socket"))", "--retention-days", days,
    ])
    #expect(try await daemon.wait() == .code(64))
    #expect(daemon.log.text.contains("retention-days"))
  }
}
