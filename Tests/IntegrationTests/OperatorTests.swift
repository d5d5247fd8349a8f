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
    try await TestServer.run { server in
      try await Home.build(server.connection())
      let admin = server.admin()
      var watcher = try await Watcher(server.display())
      var provider = try await ProviderStream(server.connection(), app: Home.sportApp)
      let kickOff = Home.after(.minutes(20))
      _ = try await provider.publish(1, Home.score, [Home.entry(kickOff, score: 5)])
      let future = try await admin.explanation(of: Home.stack, on: Home.device, at: kickOff).explanation
      #expect(future.at == kickOff && future.front == Home.score)
      let present = try await admin.explanation(of: Home.stack, on: Home.device)
      #expect(present.explanation.at == Home.start && present.explanation.front == Home.forecast)
      #expect(present.timeZone == Home.berlin)
      server.clock.advance(to: kickOff)
      _ = try await watcher.nextEntry()
      _ = try await watcher.nextFront()
      let now = try await admin.explanation(of: Home.stack, on: Home.device).explanation
      #expect(now.front == Home.score && now.candidates.count == 2)
      let earlier = Home.after(.minutes(10))
      let past = try await admin.explanation(of: Home.stack, on: Home.device, at: earlier).explanation
      #expect(past.at == earlier && past.front == Home.forecast)
      let before = try await callStatus {
        _ = try await admin.explanation(of: Home.stack, on: Home.device, at: Home.after(.hours(-1)))
      }
      #expect(before?.code == .notFound && before?.message.hasPrefix("at: ") == true)
    }
  }

  @Test("R7 Developer mode lifts dwell and budgets; R10 decisions are listed newest first, paged")
  func decisions() async throws {
    try await TestServer.run({ $0.policy.rotationCountMax = 1 }) { server in
      try await Home.build(server.connection())
      let admin = server.admin()
      try await admin.setDeveloperMode(true, on: Home.device)
      #expect(try await admin.inspect(Home.stack, on: Home.device).isDeveloperModeOn)
      var weather = try await ProviderStream(server.connection(), app: Home.weatherApp)
      var sport = try await ProviderStream(server.connection(), app: Home.sportApp)
      let minutes = (1...10).map { Home.after(.minutes($0)) }
      let entries = minutes.map { Home.entry($0, score: 5, for: .minutes(1)) }
      _ = try await sport.publish(1, Home.score, entries.enumerated().filter { $0.offset % 2 == 0 }.map(\.element))
      _ = try await weather.publish(1, Home.forecast, entries.enumerated().filter { $0.offset % 2 == 1 }.map(\.element))
      server.clock.advance(to: Home.after(.minutes(10)))
      let first = try await admin.decisions(on: Home.device, count: 4).decisions
      let second = try await admin.decisions(on: Home.device, before: first.last?.number, count: 4).decisions
      let third = try await admin.decisions(on: Home.device, stack: Home.stack, before: 3).decisions
      #expect((first + second + third).map(\.number) == (1...10).reversed())
      #expect((first + second + third).map(\.at) == minutes.reversed())
      #expect(first.first?.to == Home.forecast && first.first?.from == Home.score)
      #expect(try await admin.decisions(on: Home.device, before: 1).decisions.isEmpty)
      try await server.restart()
      #expect(try await server.admin().decisions(on: Home.device, count: 4).decisions == first)
    }
  }

  @Test("Without developer mode, the same timelines rotate within dwell and budget")
  func gated() async throws {
    try await TestServer.run({ $0.policy.rotationCountMax = 2 }) { server in
      try await Home.build(server.connection())
      var weather = try await ProviderStream(server.connection(), app: Home.weatherApp)
      var sport = try await ProviderStream(server.connection(), app: Home.sportApp)
      let entry = { (minute: Int64) in Home.entry(Home.after(.minutes(minute)), score: 5, for: .minutes(2)) }
      _ = try await sport.publish(1, Home.score, [entry(1), entry(5), entry(9)])
      _ = try await weather.publish(1, Home.forecast, [entry(3), entry(7), entry(11)])
      server.clock.advance(to: Home.after(.hours(1)))
      let decisions = try await server.admin().decisions(on: Home.device).decisions
      #expect(decisions.map(\.at) == [Home.after(.minutes(7)), Home.after(.minutes(1))])
    }
  }

  @Test("Devices are listed in name order, paged, with their counts")
  func devices() async throws {
    try await TestServer.run { server in
      try await Home.build(server.connection())
      let display = server.display()
      let names = try ["a", "b", "c", "d"].map { try DeviceID($0) }
      for name in names.reversed() { #expect(try await display.registerDevice(name, timeZone: Home.berlin)) }
      #expect(try await !display.registerDevice(names[0], timeZone: TimeZoneID("Asia/Tokyo")))
      let admin = server.admin()
      let first = try await admin.devices(count: 2)
      let second = try await admin.devices(after: first.devices.last?.device, count: 2)
      let third = try await admin.devices(after: second.devices.last?.device, count: 2)
      let all = [first, second, third].flatMap(\.devices)
      #expect(all.map(\.device) == names + [Home.device])
      #expect([first, second, third].map(\.hasMore) == [true, true, false])
      #expect(all.first?.timeZone.text == "Asia/Tokyo")
      #expect(all.last?.stackCount == 1 && all.last?.timeZone == Home.berlin)
    }
  }

  @Test("Unknown objects are NOT_FOUND with the path of the field")
  func notFound() async throws {
    try await TestServer.run { server in
      try await Home.build(server.connection())
      let (admin, display, connection) = (server.admin(), server.display(), server.connection())
      let (nobody, nowhere) = (Home.otherDevice, try StackID("nowhere"))
      let unknown = Home.widget("Unknown", of: Home.weatherApp)
      let calls: [(String, () async throws -> Void)] = [
        ("device", { _ = try await admin.stacks(of: nobody) }),
        ("device", { _ = try await admin.widgets(of: nobody) }),
        ("device", { _ = try await admin.decisions(on: nobody) }),
        ("device", { _ = try await admin.explanation(of: Home.stack, on: nobody) }),
        ("device", { try await admin.setDeveloperMode(true, on: nobody) }),
        ("device", { try await display.report(.shown(Home.stack), on: nobody) }),
        ("device", { _ = try await Watcher(display, nobody) }),
        ("device", { _ = try await ProviderStream(connection, device: nobody, app: Home.weatherApp) }),
        (
          "device",
          {
            _ = try await connection.unary(
              ProviderService.registerKinds, RegisterKindsRequest(device: nobody, app: Home.weatherApp, kinds: []))
          }
        ),
        ("stack", { _ = try await admin.inspect(nowhere, on: Home.device) }),
        ("stack", { _ = try await admin.explanation(of: nowhere, on: Home.device) }),
        ("stack", { try await display.report(.shown(nowhere), on: Home.device) }),
        ("stack", { _ = try await display.edit(nowhere, on: Home.device, .removeStack) }),
        ("stacks", { _ = try await Watcher(display, stacks: [nowhere]) }),
        ("widget", { _ = try await admin.timeline(of: unknown, on: Home.device) }),
        ("widget", { try await display.report(.reload(unknown), on: Home.device) }),
        ("widget", { _ = try await display.edit(Home.stack, on: Home.device, .remove(unknown)) }),
        ("widget.kind", { _ = try await display.edit(Home.stack, on: Home.device, .add(unknown, at: nil)) }),
      ]
      for (index, (field, call)) in calls.enumerated() {
        let end = try await callStatus(call)
        #expect(end?.code == .notFound && end?.message.hasPrefix("\(field): ") == true, "call \(index): \(end as Any)")
      }
      var provider = try await ProviderStream(server.connection(), app: Home.weatherApp)
      guard case .refused(_, .notFound, let message) = try await provider.publish(1, unknown, []) else {
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
      configuration.limits.timelineSizeMax = 12
      configuration.limits.timelineCountMax = 1
      configuration.limits.kindCountMax = 2
      configuration.limits.appCountMax = 2
      configuration.limits.stackCountMax = 1
      configuration.limits.memberCountMax = 2
    }
    try await TestServer.run(change) { server in
      try await Home.build(server.connection())
      try await Home.register(server.connection(), widgets: [Home.forecast, Home.rain])
      let (display, connection) = (server.display(), server.connection())
      let before = try await server.admin().widgets(of: Home.device)
      let calls: [(String, () async throws -> Void)] = [
        ("stack-count-max", { _ = try await display.edit(StackID("x"), on: Home.device, .create(.systemSmall)) }),
        ("member-count-max", { _ = try await display.edit(Home.stack, on: Home.device, .add(Home.rain, at: nil)) }),
        ("kind-count-max", { try await Home.register(connection, widgets: [Home.widget("3", of: Home.weatherApp)]) }),
        ("app-count-max", { try await Home.register(connection, widgets: [Home.widget("1", of: AppID("com.c"))]) }),
      ]
      for (limit, call) in calls {
        let end = try await callStatus(call)
        #expect(end?.code == .resourceExhausted && end?.message.contains("exceeds \(limit) (") == true, "\(end as Any)")
      }
      var provider = try await ProviderStream(connection, app: Home.weatherApp)
      #expect(try await provider.publish(1, Home.forecast, [Home.entry(Home.start, "kept")]) == .accepted(1))
      let (entry, date) = (Home.entry(Home.start, "7 bytes"), Home.after(.hours(1)))
      let publications: [(String, Widget, [TimelineEntry])] = [
        ("entry-count-max", Home.forecast, (0..<3).map { Home.entry(Home.after(.seconds($0))) }),
        ("content-size-max", Home.forecast, [Home.entry(date, "nine byte")]),
        ("timeline-size-max", Home.forecast, [entry, Home.entry(date, "7 bytes")]),
        ("timeline-count-max", Home.rain, [entry]),
      ]
      for (index, (limit, widget, entries)) in publications.enumerated() {
        let answer = try await provider.publish(UInt64(index) + 2, widget, entries)
        guard case .refused(_, .resourceExhausted, let message) = answer else { throw UnexpectedEvent() }
        #expect(message.contains("exceeds \(limit) ("), "\(message)")
      }
      #expect(try await server.dates(of: Home.forecast) == [Home.start])
      #expect(try await server.admin().widgets(of: Home.device) == before)
    }
  }
}
