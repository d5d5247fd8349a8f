import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// `Foresee` and `marquee foresee`. Clocks begin on 2021-06-07, a Monday, at 11:41 in Berlin.
@Suite("Foresight over sockets", .timeLimit(.minutes(2)))
struct ForesightTests {
  @Test("Foreseen decisions, fronts and evidence are those that the device then has")
  func decisions() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let admin = server.admin()
      var sport = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      let kickOff = Fixture.after(.minutes(20))
      _ = try await sport.publish(1, Fixture.score, [Fixture.entry(kickOff, score: 5, for: .minutes(90))])
      let until = Fixture.after(.hours(3))
      let foreseen = try await admin.foresight(of: Fixture.device, until: until)
      #expect(foreseen.at == Fixture.start && foreseen.until == until && foreseen.timeZone == Fixture.berlin)
      #expect(foreseen.decisions.map(\.to) == [Fixture.score])
      let stack = try #require(foreseen.stacks.first)
      #expect(foreseen.stacks.count == 1 && stack.stack == Fixture.stack)
      #expect(
        stack.fronts == [.init(at: Fixture.start, widget: Fixture.forecast), .init(at: kickOff, widget: Fixture.score)])
      let curve = try #require(stack.curves.first { $0.widget == Fixture.score })
      #expect(curve.points.map(\.at) == [Fixture.start, kickOff, kickOff.advanced(by: .minutes(90))])
      #expect(curve.points.map { $0.evidence > 0 } == [false, true, false])
      let before = try await admin.decisions(on: Fixture.device).decisions
      #expect(before.isEmpty, "a foresight changes nothing")
      server.clock.advance(to: until)
      _ = try await admin.advanceClock(to: until)
      let made = try await admin.decisions(on: Fixture.device).decisions
      #expect(made == foreseen.decisions)
    }
  }

  @Test("A foresight of an unknown device, of the past or of more than 48 hours is rejected with the field")
  func rejected() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let admin = server.admin()
      let whole = try await admin.foresight(of: Fixture.device)
      #expect(whole.until == Fixture.after(.hours(24)))
      for hours in [-1, 49] as [Int64] {
        let status = try await callStatus {
          _ = try await admin.foresight(of: Fixture.device, until: Fixture.after(.hours(hours)))
        }
        #expect(status?.code == .invalidArgument && status?.message.hasPrefix("until_ms: ") == true)
      }
      let unknown = try await callStatus { _ = try await admin.foresight(of: Fixture.otherDevice) }
      #expect(unknown?.code == .notFound)
    }
  }

  @Test("marquee foresee lists the changes of fronts with their reasons, and the evidence as JSON")
  func command() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let nothing = try await marquee("foresee")
      #expect(nothing == ["No stack changes.", "Until 2021-06-08 11:41:00, if nothing happens."])
      var sport = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      let kickOff = Fixture.after(.minutes(20))
      _ = try await sport.publish(1, Fixture.score, [Fixture.entry(kickOff, score: 5, for: .minutes(90))])
      let lines = try await marquee("foresee", "home", "--until", "+3h")
      #expect(lines.count == 3 && lines[0].hasPrefix("TIME"))
      #expect(lines[1].contains("12:01") && lines[1].contains("rotation") && lines[1].contains("Score"))
      #expect(lines[2].hasSuffix("if nothing happens.") && lines[2].contains("14:41"))
      let answer = try await marquee.json("foresee", "home", "--until", "+3h")
      #expect(answer["until"].text == "2021-06-07T14:41:00+02:00" && answer["device"].text == "phone")
      #expect(answer["decisions"].list[0]["kind"].text == "rotation")
      #expect(answer["stacks"].list[0]["fronts"].list[1]["widget"].text == "com.example.sport/Score")
      #expect(answer["stacks"].list[0]["curves"].list[0]["points"].list[0]["evidence"].number == 0)
      let wrong = try await marquee.run(["foresee", "--until", "-1h"])
      #expect(wrong.errors.contains("until"), "\(wrong.errors)")
    }
  }
}
