import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@Suite("Manual clock", .timeLimit(.minutes(2)))
struct ClockTests {
  @Test("R9 Advancing the clock returns once all due decisions are made at their own times, stored, and displayed")
  func day() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let admin = server.admin()
      #expect(try await admin.clock() == ClockStatus(now: Fixture.start, isManual: true, nextChange: nil))
      var sport = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      var weather = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      let hours = (1...12).map { Fixture.after(.hours($0)) }
      let entries = hours.map { Fixture.entry($0, score: 5, for: .minutes(30)) }
      _ = try await sport.publish(1, Fixture.score, entries.enumerated().filter { $0.offset % 2 == 0 }.map(\.element))
      _ = try await weather.publish(
        1, Fixture.forecast, entries.enumerated().filter { $0.offset % 2 == 1 }.map(\.element))
      var watcher = try await Watcher(server.display())
      #expect(try await admin.clock().nextChange == hours[0])
      let noon = Fixture.after(.minutes(12 * 60 + 10))
      let clock = try await admin.advanceClock(to: noon)
      #expect(clock.now == noon && clock.isManual && clock.nextChange == Fixture.after(.minutes(12 * 60 + 30)))
      #expect(try await admin.decisions(on: Fixture.device).decisions.map(\.at) == hours.reversed())
      var shown: [Instant] = []
      while shown.count < hours.count {
        let update = try await watcher.next()
        if case .front(let change) = update.change {
          #expect(change.decision == UInt64(shown.count + 1))
          shown.append(update.at)
        }
      }
      #expect(shown == hours)
    }
  }

  @Test("The clock never goes back, and stops at the time it is advanced to")
  func backwards() async throws {
    try await InProcessServer.run { server in
      let (admin, later) = (server.admin(), Fixture.after(.hours(1)))
      try await admin.advanceClock(to: later)
      try await admin.advanceClock(to: later)
      let rejection = try await callStatus { try await admin.advanceClock(to: Fixture.after(.minutes(59))) }
      #expect(rejection == RPCStatus(.invalidArgument, field: "to_ms", "1 min before the server's current time"))
      #expect(try await admin.clock().now == later)
    }
  }

  @Test("A server with the system clock shows it and does not advance it")
  func system() async throws {
    let directory = try TemporaryDirectory()
    let arguments = ["--data-dir", directory.file("data"), "--listen", "unix:\(directory.file("socket"))"]
    try await Daemon.run(arguments) { _, endpoints in
      let admin = OperatorClient(RPCClient(endpoints[0]))
      let clock = try await admin.clock()
      #expect(!clock.isManual && clock.now > Fixture.start && clock.nextChange == nil)
      let rejection = try await callStatus { try await admin.advanceClock(to: .max) }
      #expect(rejection?.code == .failedPrecondition)
      let outcome = try await Marquee(endpoint: endpoints[0], directory: directory).run(["clock", "advance", "+1h"])
      #expect(outcome.exit == .code(1) && outcome.errors.contains("FAILED_PRECONDITION"))
    }
  }

  @Test("device reset-clock --all-ahead resets the clocks of all devices that are ahead, and no others")
  func resetAll() async throws {
    try await InProcessServer.run { server in
      try await Fixture.register(server.connection())
      let future = Fixture.after(.days(30))
      server.clock.advance(to: future)
      _ = try await server.admin().stacks(of: Fixture.device)
      server.clock.setBack(to: Fixture.start)
      try await Fixture.register(server.connection(), device: Fixture.otherDevice)
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let lines = try await marquee("device", "reset-clock", "--all-ahead")
      #expect(lines == ["The clock of \(Fixture.device) was at \(future), and is at \(Fixture.start)."])
      let devices = try await server.admin().devices().devices
      #expect(devices.count == 2 && devices.allSatisfy { $0.clockAheadMilliseconds == 0 })
      let again = try await marquee.json("device", "reset-clock", "--all-ahead")
      #expect(again["devices"].list.isEmpty)
      for arguments in [[], ["phone", "--all-ahead"]] {
        #expect(try await marquee.run(["device", "reset-clock"] + arguments).exit == .code(64))
      }
    }
  }

  @Test("marqueed starts at the configured time or, if later, at the last stored time")
  func restart() async throws {
    let directory = try TemporaryDirectory()
    let arguments = ["--data-dir", directory.file("data"), "--listen", "unix:\(directory.file("socket"))", "--clock"]
    try await Daemon.run(arguments + ["manual=2026-03-04T08:00:00Z"]) { _, endpoints in
      let marquee = Marquee(endpoint: endpoints[0], directory: directory)
      #expect(try await marquee("clock") == ["2026-03-04T08:00:00Z, manual", "No change is scheduled."])
      #expect(try await marquee("clock", "advance", "+1d2h30m").first == "2026-03-05T10:30:00Z, manual")
      try await Fixture.register(RPCClient(endpoints[0]))
      let moved = try await marquee.json("clock", "advance", "2026-03-06 09:00")
      #expect(moved["now"].text == "2026-03-06T09:00:00+00:00" && moved["manual"].flag == true)
      #expect(moved["next_change"].isNull && moved["next_change_ms"].isNull)
    }
    for (start, shown) in [
      ("manual", "2026-03-05T10:30:00"), ("manual=2026-03-05T10:29:59Z", "2026-03-05T10:30:00"),
      ("manual=2026-03-05T12:00:00+01:00", "2026-03-05T11:00:00"),
    ] {
      try await Daemon.run(arguments + [start]) { _, endpoints in
        let clock = try await Marquee(endpoint: endpoints[0], directory: directory).json("clock")
        #expect(clock["now"].text == "\(shown)+00:00")
      }
    }
  }
}
