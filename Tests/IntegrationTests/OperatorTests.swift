import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeServer
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@Suite("Operators over sockets", .timeLimit(.minutes(2)))
struct OperatorTests {
  @Test("R10 A stack is explained in the past, now, and in the future without further events")
  func explain() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let admin = server.admin()
      var watcher = try await Watcher(server.display())
      var provider = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      let kickOff = Fixture.after(.minutes(20))
      _ = try await provider.publish(1, Fixture.score, [Fixture.entry(kickOff, score: 5)])
      let future = try await admin.explanation(of: Fixture.stack, on: Fixture.device, at: kickOff).explanation
      #expect(future.at == kickOff && future.front == Fixture.score)
      let present = try await admin.explanation(of: Fixture.stack, on: Fixture.device)
      #expect(present.explanation.at == Fixture.start && present.explanation.front == Fixture.forecast)
      #expect(present.timeZone == Fixture.berlin)
      server.clock.advance(to: kickOff)
      _ = try await watcher.nextEntry()
      _ = try await watcher.nextFront()
      let now = try await admin.explanation(of: Fixture.stack, on: Fixture.device).explanation
      #expect(now.front == Fixture.score && now.candidates.count == 2)
      let earlier = Fixture.after(.minutes(10))
      let past = try await admin.explanation(of: Fixture.stack, on: Fixture.device, at: earlier).explanation
      #expect(past.at == earlier && past.front == Fixture.forecast)
      let before = try await callStatus {
        _ = try await admin.explanation(of: Fixture.stack, on: Fixture.device, at: Fixture.after(.hours(-1)))
      }
      #expect(before?.code == .notFound && before?.message.hasPrefix("at: ") == true)
    }
  }

  @Test("R7 Developer mode lifts dwell and budgets; R10 decisions are listed newest first, paged")
  func decisions() async throws {
    try await InProcessServer.run({ $0.policy.rotationCountMax = 1 }) { server in
      try await Fixture.build(server.connection())
      let admin = server.admin()
      try await admin.setDeveloperMode(true, on: Fixture.device)
      #expect(try await admin.inspect(Fixture.stack, on: Fixture.device).isDeveloperModeOn)
      var weather = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      var sport = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      let minutes = (1...10).map { Fixture.after(.minutes($0)) }
      let entries = minutes.map { Fixture.entry($0, score: 5, for: .minutes(1)) }
      _ = try await sport.publish(1, Fixture.score, entries.enumerated().filter { $0.offset % 2 == 0 }.map(\.element))
      _ = try await weather.publish(
        1, Fixture.forecast, entries.enumerated().filter { $0.offset % 2 == 1 }.map(\.element))
      server.clock.advance(to: Fixture.after(.minutes(10)))
      let first = try await admin.decisions(on: Fixture.device, count: 4).decisions
      let second = try await admin.decisions(on: Fixture.device, before: first.last?.number, count: 4).decisions
      let third = try await admin.decisions(on: Fixture.device, stack: Fixture.stack, before: 3).decisions
      #expect((first + second + third).map(\.number) == (1...10).reversed())
      #expect((first + second + third).map(\.at) == minutes.reversed())
      #expect(first.first?.to == Fixture.forecast && first.first?.from == Fixture.score)
      #expect(try await admin.decisions(on: Fixture.device, before: 1).decisions.isEmpty)
      try await server.restart()
      #expect(try await server.admin().decisions(on: Fixture.device, count: 4).decisions == first)
    }
  }

  @Test("Without developer mode, the same timelines rotate within dwell and budget")
  func gated() async throws {
    try await InProcessServer.run({ $0.policy.rotationCountMax = 2 }) { server in
      try await Fixture.build(server.connection())
      var weather = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      var sport = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      let entry = { (minute: Int64) in Fixture.entry(Fixture.after(.minutes(minute)), score: 5, for: .minutes(2)) }
      _ = try await sport.publish(1, Fixture.score, [entry(1), entry(5), entry(9)])
      _ = try await weather.publish(1, Fixture.forecast, [entry(3), entry(7), entry(11)])
      server.clock.advance(to: Fixture.after(.hours(1)))
      let decisions = try await server.admin().decisions(on: Fixture.device).decisions
      #expect(decisions.map(\.at) == [Fixture.after(.minutes(7)), Fixture.after(.minutes(1))])
    }
  }

  @Test("Devices are listed in name order, paged, with their counts")
  func devices() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let display = server.display()
      let names = try ["a", "b", "c", "d"].map { try DeviceID($0) }
      for name in names.reversed() { #expect(try await display.registerDevice(name, timeZone: Fixture.berlin)) }
      #expect(try await !display.registerDevice(names[0], timeZone: TimeZoneID("Asia/Tokyo")))
      let admin = server.admin()
      let first = try await admin.devices(count: 2)
      let second = try await admin.devices(after: first.devices.last?.device, count: 2)
      let third = try await admin.devices(after: second.devices.last?.device, count: 2)
      let all = [first, second, third].flatMap(\.devices)
      #expect(all.map(\.device) == names + [Fixture.device])
      #expect([first, second, third].map(\.hasMore) == [true, true, false])
      #expect(all.first?.timeZone.text == "Asia/Tokyo")
      #expect(all.last?.stackCount == 1 && all.last?.timeZone == Fixture.berlin)
    }
  }

  @Test("Unknown objects are NOT_FOUND with the path of the field")
  func notFound() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let (admin, display, connection) = (server.admin(), server.display(), server.connection())
      let (nobody, nowhere) = (Fixture.otherDevice, try StackID("nowhere"))
      let unknown = Fixture.widget("Unknown", of: Fixture.weatherApp)
      let calls: [(String, () async throws -> Void)] = [
        ("device", { _ = try await admin.stacks(of: nobody) }),
        ("device", { _ = try await admin.widgets(of: nobody) }),
        ("device", { _ = try await admin.decisions(on: nobody) }),
        ("device", { _ = try await admin.explanation(of: Fixture.stack, on: nobody) }),
        ("device", { try await admin.setDeveloperMode(true, on: nobody) }),
        ("device", { try await display.report(.shown(Fixture.stack), on: nobody) }),
        ("device", { _ = try await Watcher(display, nobody) }),
        ("device", { _ = try await ProviderStream(connection, device: nobody, app: Fixture.weatherApp) }),
        (
          "device",
          {
            _ = try await connection.unary(
              ProviderService.registerKinds, RegisterKindsRequest(device: nobody, app: Fixture.weatherApp, kinds: []))
          }
        ),
        ("stack", { _ = try await admin.inspect(nowhere, on: Fixture.device) }),
        ("stack", { _ = try await admin.explanation(of: nowhere, on: Fixture.device) }),
        ("stack_shown", { try await display.report(.shown(nowhere), on: Fixture.device) }),
        ("stack", { _ = try await display.edit(nowhere, on: Fixture.device, .removeStack) }),
        ("stacks", { _ = try await Watcher(display, stacks: [nowhere]) }),
        ("widget", { _ = try await admin.timeline(of: unknown, on: Fixture.device) }),
        ("reload", { try await display.report(.reload(unknown), on: Fixture.device) }),
        (
          "scrolled.widget",
          { try await display.report(.scrolled(Fixture.stack, to: unknown), on: Fixture.device) }
        ),
        ("remove", { _ = try await display.edit(Fixture.stack, on: Fixture.device, .remove(unknown)) }),
        ("add.widget.kind", { _ = try await display.edit(Fixture.stack, on: Fixture.device, .add(unknown, at: nil)) }),
      ]
      for (index, (field, call)) in calls.enumerated() {
        let end = try await callStatus(call)
        #expect(end?.code == .notFound && end?.message.hasPrefix("\(field): ") == true, "call \(index): \(end as Any)")
      }
      var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      guard case .rejected(_, .notFound, let message, _) = try await provider.publish(1, unknown, []) else {
        throw UnexpectedEvent()
      }
      #expect(message.contains("widget.kind: "))
    }
  }

  @Test("Exceeding a limit is RESOURCE_EXHAUSTED, names the limit and changes nothing")
  func limits() async throws {
    let change = { @Sendable (configuration: inout MarqueeConfiguration) in
      configuration.limits.entryCountMax = 2
      configuration.limits.contentSizeMax = 8
      configuration.limits.timelineSizeMax = 32
      configuration.limits.kindCountMax = 2
      configuration.limits.appCountMax = 2
      configuration.limits.stackCountMax = 1
      configuration.limits.memberCountMax = 2
    }
    try await InProcessServer.run(change) { server in
      try await Fixture.build(server.connection())
      try await Fixture.register(server.connection(), widgets: [Fixture.forecast, Fixture.rain])
      let (display, connection) = (server.display(), server.connection())
      let before = try await server.admin().widgets(of: Fixture.device)
      let calls: [(String, () async throws -> Void)] = [
        ("stack-count-max", { _ = try await display.edit(StackID("x"), on: Fixture.device, .create(.systemSmall)) }),
        (
          "member-count-max",
          { _ = try await display.edit(Fixture.stack, on: Fixture.device, .add(Fixture.rain, at: nil)) }
        ),
        (
          "kind-count-max",
          { try await Fixture.register(connection, widgets: [Fixture.widget("3", of: Fixture.weatherApp)]) }
        ),
        (
          "app-count-max",
          { try await Fixture.register(connection, widgets: [Fixture.widget("1", of: AppID("com.c"))]) }
        ),
      ]
      for (limit, call) in calls {
        let end = try await callStatus(call)
        #expect(end?.code == .resourceExhausted && end?.message.contains("exceeds \(limit) (") == true, "\(end as Any)")
      }
      var provider = try await ProviderStream(connection, app: Fixture.weatherApp)
      #expect(try await provider.publish(1, Fixture.forecast, [Fixture.entry(Fixture.start, "kept")]) == .accepted(1))
      let (entry, date) = (Fixture.entry(Fixture.start, "7 bytes"), Fixture.after(.hours(1)))
      let publications: [(String, Widget, [TimelineEntry])] = [
        (
          "entries: 3 exceeds entry-count-max", Fixture.forecast,
          (0..<3).map { Fixture.entry(Fixture.after(.seconds($0))) }
        ),
        ("exceeds content-size-max", Fixture.forecast, [Fixture.entry(date, "nine byte")]),
        ("entries: 34 exceeds timeline-size-max", Fixture.forecast, [entry, Fixture.entry(date, "7 bytes")]),
      ]
      for (index, (limit, widget, entries)) in publications.enumerated() {
        let answer = try await provider.publish(UInt64(index) + 2, widget, entries)
        guard case .rejected(_, .resourceExhausted, let message, let delay) = answer else { throw UnexpectedEvent() }
        #expect(message.contains("\(limit) (") && delay == nil, "\(message)")
      }
      #expect(try await server.dates(of: Fixture.forecast) == [Fixture.start])
      #expect(try await server.admin().widgets(of: Fixture.device) == before)
    }
  }
}
