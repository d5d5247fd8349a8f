import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeServer
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

extension LimitCase {
  /// A case of a connection that sends these frames after its settings.
  private static func ending(
    _ name: String, _ frames: [UInt8], isOverTCP: Bool = false,
    _ change: @escaping @Sendable (inout MarqueeConfiguration) -> Void = { _ in }
  ) -> LimitCase {
    LimitCase(name: name, change: change) { server in
      var raw = try await RawClient(isOverTCP ? server.tcpEndpoint : server.endpoint)
      raw.push(RawFrame.hello + frames)
      return await raw.frames { $0.status?.message.contains(name) == true }.last?.status
    }
  }

  /// A case of a timeline in two pieces, of which the first is rejected.
  private static func pieces(
    _ name: String, _ path: WritableKeyPath<MarqueeConfiguration, Int> & Sendable
  ) -> LimitCase {
    LimitCase(name: name, change: { $0[keyPath: path] = 100 }) { server in
      try await Fixture.register(server.connection())
      var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      try await provider.send(
        1, Fixture.forecast, [Fixture.entry(Fixture.start, "rain")], policy: .never, commits: false)
      let rejection = try await provider.next().rejection
      // The stream continues, and accepts a complete timeline.
      try await provider.send(1, nil, [])
      let accepted = try await provider.publish(2, Fixture.forecast, [Fixture.entry(Fixture.start, "sun")])
      guard accepted == .accepted(2) else { throw UnexpectedEvent() }
      return rejection
    }
  }

  /// A part of a message of 16 385 bytes.
  private static let half =
    RawFrame.open(1, ProviderService.provide.path)
    + RawFrame(type: 4, flags: 2, stream: 1, payload: Array(repeating: 0, count: 16_385)).bytes

  private static func watch(_ stream: UInt32) -> [UInt8] {
    RawFrame.open(stream, HealthService.watch.path) + RawFrame.message(stream, [])
  }

  private static let opens: [UInt8] = [1, 3, 5, 7, 9].flatMap { RawFrame.open($0, HealthService.check.path) }

  private static let isLate: @Sendable (inout MarqueeConfiguration) -> Void = { configuration in
    configuration.transport.limits.messageTimeMax = .milliseconds(50)
    configuration.transport.limits.messageRateMin = 1 << 20
  }

  /// A request for the future state of two widgets, one of whose entries begins every half minute.
  private static let ahead = LimitCase(name: "ahead-wake-count-max") { server in
    try await Fixture.build(server.connection())
    for (widget, offset) in [(Fixture.forecast, 0), (Fixture.score, 30)] as [(Widget, Int64)] {
      var provider = try await ProviderStream(server.connection(), app: widget.kind.app)
      let entries = (1...2_500 as ClosedRange<Int64>).map { number in
        Fixture.entry(Fixture.after(.seconds(60 * number + offset)), score: Double(number % 2))
      }
      _ = try await provider.publish(1, widget, entries)
    }
    let admin = server.admin()
    _ = try await admin.explanation(of: Fixture.stack, on: Fixture.device, at: Fixture.after(.hours(1)))
    return try await callStatus {
      _ = try await admin.explanation(of: Fixture.stack, on: Fixture.device, at: Fixture.after(.days(2)))
    }
  }

  /// A request for the timelines of three days.
  private static let period = LimitCase(name: "past-period-max", code: .invalidArgument) { server in
    try await Fixture.build(server.connection())
    server.clock.advance(to: Fixture.after(.days(3)))
    return try await callStatus {
      _ = try await server.admin().timeline(of: Fixture.forecast, on: Fixture.device, since: Fixture.start)
    }
  }

  /// Many concurrent requests for past states.
  private static let past = LimitCase(name: "past-read-count-max") { server in
    try await Fixture.build(server.connection())
    server.clock.advance(to: Fixture.after(.hours(1)))
    let admin = server.admin()
    let end = try await withThrowingTaskGroup(of: RPCStatus?.self) { group in
      for _ in 1...200 {
        group.addTask {
          try await callStatus {
            _ = try await admin.explanation(of: Fixture.stack, on: Fixture.device, at: Fixture.start)
          }
        }
      }
      return try await group.reduce(nil) { $0 ?? $1 }
    }
    // Rejected requests do not count afterwards.
    _ = try await admin.explanation(of: Fixture.stack, on: Fixture.device, at: Fixture.start)
    return end
  }

  /// Many recordings that nobody reads.
  private static let record = LimitCase(name: "export-count-max") { server in
    try await Fixture.build(server.connection())
    // More than a client that grants no credit receives.
    let content = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: 7, count: 60_000))
    let entries = (0..<5 as Range<Int64>).map { TimelineEntry(date: Fixture.after(.minutes($0)), content: content) }
    var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
    guard try await provider.publish(1, Fixture.forecast, entries) == .accepted(1) else { throw UnexpectedEvent() }
    var raw = try await RawClient(server.endpoint)
    let request = WireBytes.field(1, Fixture.device.text)
    let calls = (0..<40).flatMap { index -> [UInt8] in
      let stream = UInt32(2 * index + 1)
      return RawFrame.open(stream, AdminService.exportDevice.path) + RawFrame.message(stream, request)
    }
    raw.push(RawFrame.hello + calls)
    let end = await raw.frames { $0.status?.message.contains("export-count-max") == true }.last?.status
    try await raw.close()
    // Recordings that have ended do not count.
    try await wait(for: "the end of the recordings") {
      try await callStatus { for try await _ in server.admin().history(of: Fixture.device) {} } == nil
    }
    return end
  }

  /// More foresights at the same time than permitted, of a device with many wakes.
  private static let foresight = LimitCase(name: "foresight-count-max") { server in
    try await Fixture.build(server.connection())
    let entries = (0..<1_440 as Range<Int64>).map { Fixture.entry(Fixture.after(.minutes($0)), score: 1) }
    var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
    guard try await provider.publish(1, Fixture.forecast, entries) == .accepted(1) else { throw UnexpectedEvent() }
    var raw = try await RawClient(server.endpoint)
    let calls = (0..<40).flatMap { index -> [UInt8] in
      let stream = UInt32(2 * index + 1)
      return RawFrame.open(stream, AdminService.foresee.path)
        + RawFrame.message(stream, WireBytes.field(1, Fixture.device.text))
    }
    raw.push(RawFrame.hello + calls)
    let end = await raw.frames { $0.status?.message.contains("foresight-count-max") == true }.last?.status
    try await raw.close()
    return end
  }

  /// A text of more than 1 MiB, a scenario that takes too long, and more of them at the same time than permitted.
  private static let simulation = [
    LimitCase(name: "simulation-size-max") { server in
      let text = String(repeating: "#", count: SimulateRequest.textSizeMax + 1)
      return try await rejection { _ = try await server.admin().simulate(text) }
    },
    LimitCase(name: "lint-size-max") { server in
      let text = String(repeating: "#", count: LintRequest.textSizeMax + 1)
      return try await rejection { _ = try await server.admin().lint(text) }
    },
    LimitCase(name: "feed-line-count-max", code: .invalidArgument) { server in
      let text = "date,score\n" + String(repeating: "\n", count: 65_536)
      return try await callStatus { _ = try await server.admin().simulate(text) }
    },
    LimitCase(name: "feed-occurrence-count-max", code: .invalidArgument) { server in
      let event = "BEGIN:VEVENT\nDTSTART:20210608T100000Z\nRRULE:FREQ=MINUTELY\nEND:VEVENT\n"
      return try await callStatus {
        _ = try await server.admin().lint("BEGIN:VCALENDAR\n\(event)END:VCALENDAR\n")
      }
    },
    LimitCase(name: "feed-step-count-max", code: .invalidArgument) { server in
      // Each rule is expanded over the days of a year.
      let rule = "DTSTART:20210105T100000Z\nRRULE:FREQ=YEARLY;BYMONTH=1;BYDAY=TU"
      let events = (0..<4_000).map { "BEGIN:VEVENT\nUID:\($0)\n\(rule)\nEND:VEVENT\n" }.joined()
      return try await callStatus {
        _ = try await server.admin().lint("BEGIN:VCALENDAR\n\(events)END:VCALENDAR\n")
      }
    },
    LimitCase(name: "simulation-time-max") { server in
      // Each event changes the context of 40 stacks of 20 widgets.
      let kinds = (0..<20).map { "K\($0)" }
      let stacks = (0..<40).map { "  s\($0): {family: systemSmall, widgets: [\(kinds.joined(separator: ", "))]}\n" }
      let events = (0..<15_000).map { second in
        let time = String(format: "%02d:%02d:%02d", 4 + second / 3_600, second / 60 % 60, second % 60)
        return "- {at: \(time), focus: f\(second % 2)}\n"
      }
      let text =
        head + "apps: {com.example.a: {kinds: {"
        + kinds.map { "\($0): [systemSmall]" }.joined(separator: ", ") + "}}}\nstacks:\n" + stacks.joined()
        + "events:\n" + events.joined()
      return try await callStatus { _ = try await server.admin().simulate(text) }
    },
    LimitCase(name: "simulation-count-max") { server in
      var raw = try await RawClient(server.endpoint)
      let calls = (0..<8).flatMap { index -> [UInt8] in
        let stream = UInt32(2 * index + 1)
        return RawFrame.open(stream, AdminService.simulate.path)
          + RawFrame.message(stream, WireBytes.field(1, head + String(repeating: "# \n", count: 4_000)))
      }
      raw.push(RawFrame.hello + calls)
      let end = await raw.frames { $0.status?.message.contains("simulation-count-max") == true }.last?.status
      try await raw.close()
      return end
    },
  ]

  private static let head = "device: phone\ntime-zone: UTC\nbegin: 2021-06-07\n"

  /// Returns the error of a request that cannot be made, as a status.
  private static func rejection(_ body: () async throws -> Void) async throws -> RPCStatus? {
    do { try await body() } catch let error as RequestError { return RPCStatus(.resourceExhausted, "\(error)") }
    return nil
  }

  /// More streams of changes than permitted, and one of too many devices.
  private static let activity = [
    LimitCase(name: "activity-stream-count-max") { server in
      let connection = server.connection()
      var calls: [ClientCall<WatchActivityRequest, WatchActivityResponse>] = []
      defer { withExtendedLifetime(connection) { for call in calls { call.cancel() } } }
      for _ in 0..<32 {
        let call = try await connection.serverStreaming(AdminService.watchActivity, WatchActivityRequest())
        calls.append(call)
        var responses = call.responses.makeAsyncIterator()
        guard try await responses.nextInTime() == .started else { return nil }
      }
      return try await callStatus {
        let call = try await connection.serverStreaming(AdminService.watchActivity, WatchActivityRequest())
        for try await _ in call.responses {}
      }
    },
    LimitCase(name: "activity-device-count-max") { server in
      var raw = try await RawClient(server.endpoint)
      let devices = (0...WatchActivityRequest.deviceCountMax).flatMap { WireBytes.field(1, "device-\($0)") }
      raw.push(RawFrame.hello + RawFrame.open(1, AdminService.watchActivity.path) + RawFrame.message(1, devices))
      let end = await raw.frames { $0.status != nil }.last?.status
      try await raw.close()
      return end
    },
  ]

  /// More calls of one principal than its share.
  private static let shares = [
    share("activity-stream-count-max") { client in
      var calls: [ClientCall<WatchActivityRequest, WatchActivityResponse>] = []
      defer { withExtendedLifetime(client) { for call in calls { call.cancel() } } }
      for _ in 0...8 {
        let call = try await client.serverStreaming(AdminService.watchActivity, WatchActivityRequest())
        calls.append(call)
        var responses = call.responses.makeAsyncIterator()
        guard try await responses.nextInTime() == .started else { return }
      }
    },
    share("foresight-count-max") { client in
      try await withThrowingTaskGroup { group in
        for _ in 0..<40 {
          group.addTask {
            _ = try await client.unary(AdminService.foresee, ForeseeRequest(device: Fixture.device))
          }
        }
        try await group.waitForAll()
      }
    },
    share("simulation-count-max") { client in
      let operators = OperatorClient(client)
      try await withThrowingTaskGroup { group in
        let text = head + String(repeating: "# \n", count: 4_000)
        for _ in 0..<8 { group.addTask { _ = try await operators.simulate(text) } }
        try await group.waitForAll()
      }
    },
    share("export-count-max") { client in
      let operators = OperatorClient(client)
      try await withThrowingTaskGroup { group in
        for _ in 0..<100 { group.addTask { for try await _ in operators.history(of: Fixture.device) {} } }
        try await group.waitForAll()
      }
    },
  ]

  /// A case of a principal that makes calls with a session's token.
  private static func share(
    _ quota: String, _ pass: @escaping @Sendable (RPCClient) async throws -> Void
  ) -> LimitCase {
    LimitCase(name: "principal-\(quota)") { server in
      try await Fixture.build(server.connection())
      let entries = (0..<1_440 as Range<Int64>).map { Fixture.entry(Fixture.after(.minutes($0)), score: 1) }
      var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      guard try await provider.publish(1, Fixture.forecast, entries) == .accepted(1) else { throw UnexpectedEvent() }
      let request = try CreateSessionRequest(role: .viewer, lifetime: .hours(1))
      let token = try await server.admin().createSession(request).token
      let client = RPCClient(server.tcpEndpoint, configuration: .bearing(token))
      return try await callStatus { try await pass(client) }
    }
  }

  /// A stream with more reflection requests than permitted.
  private static let reflection = LimitCase(name: "reflection-request-count-max") { server in
    let call = try await server.connection().bidirectional(ReflectionService.serverReflectionInfo)
    return try await callStatus {
      var responses = call.responses.makeAsyncIterator()
      repeat { try await call.send(.init(.listServices())) } while try await responses.next() != nil
    }
  }

  static let ofBudgets =
    [
      ending("peer-assembly-size-max", half) { $0.transport.peerAssemblySizeMax = 16_384 },
      ending("server-assembly-size-max", half) { $0.transport.serverAssemblySizeMax = 16_384 },
      pieces("connection-timeline-size-max", \.timelineSizes.connection),
      pieces("principal-timeline-size-max", \.timelineSizes.principal),
      pieces("server-timeline-size-max", \.timelineSizes.server),
      ending("request-time-max", RawFrame.open(1, AdminService.getClock.path)) {
        $0.transport.limits.requestTimeMax = .milliseconds(50)
      },
      ending("message-time-max", half, isLate), ending("message-rate-min", half, isLate),
      // Without a policy, TCP clients are unauthenticated.
      ending("anonymous-call-count-max", opens, isOverTCP: true),
      ahead, period, past, record, foresight, reflection,
    ] + activity + shares + simulation
}
