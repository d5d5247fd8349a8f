import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import ServerProcess
import Testing

@Suite("A history that begins later", .timeLimit(.minutes(2)))
struct HistoryTests {
  @Test("With --history-days, what is older than that cannot be asked for, and all else is as it was")
  func days() async throws {
    let directory = try TemporaryDirectory()
    let arguments = [
      "--data-dir", directory.file("data"), "--listen", "unix:\(directory.file("socket"))", "--clock",
      "manual=\(Home.start)",
    ]
    let later = Home.after(.days(10))
    let stack = try await Daemon.run(arguments) { _, endpoints in
      try await Home.build(RPCClient(endpoints[0]))
      let admin = OperatorClient(RPCClient(endpoints[0]))
      for hour in 1...240 {
        try await admin.advanceClock(to: Home.after(.hours(Int64(hour))))
        try await admin.setDeveloperMode(hour % 2 == 0, on: Home.device)
      }
      return try await admin.inspect(Home.stack, on: Home.device)
    }
    try await Daemon.run(arguments + ["--history-days", "2"]) { daemon, endpoints in
      _ = try await daemon.log.line(with: "history let go")
      let admin = OperatorClient(RPCClient(endpoints[0]))
      #expect(try await admin.inspect(Home.stack, on: Home.device) == stack)
      let kept = try await admin.explanation(of: Home.stack, on: Home.device, at: Home.after(.days(9)))
      #expect(kept.explanation.at == Home.after(.days(9)))
      let refusal = try await status {
        _ = try await admin.explanation(of: Home.stack, on: Home.device, at: Home.after(.days(7)))
      }
      let beginning = Home.after(.hours(191))
      #expect(
        refusal == RPCStatus(.outOfRange, "the history of device '\(Home.device)' before \(beginning) is not kept"))
      let marquee = Marquee(endpoint: endpoints[0], directory: directory)
      let record = try await marquee.run(["record", Home.device.text])
      #expect(record.exit == .code(1) && record.errors.contains("is not kept"))
      try await admin.advanceClock(to: later.advanced(by: .hours(1)))
      try await admin.setDeveloperMode(true, on: Home.device)
      #expect(try await marquee("verify", directory.file("data"))[0].contains("intact"))
    }
  }

  @Test("A number of days must be above 0", arguments: ["0", "-1", "nan", "many"])
  func refused(days: String) async throws {
    let directory = try TemporaryDirectory()
    let daemon = try Daemon([
      "--data-dir", directory.file("data"), "--listen", "unix:\(directory.file("socket"))", "--history-days", days,
    ])
    #expect(try await daemon.wait() == .code(64))
    #expect(daemon.log.text.contains("history-days"))
  }
}
