import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// `WatchActivity` and `marquee activity`. Clocks begin on 2021-06-07 at 11:41 in Berlin.
@Suite("Activity over sockets", .timeLimit(.minutes(2)))
struct ActivityTests {
  /// Reads the next change.
  private static func next(_ updates: inout ActivityUpdates.AsyncIterator) async throws -> Activity {
    while let update = try await updates.next() {
      if case .activity(let activity) = update { return activity }
    }
    throw UnexpectedEvent()
  }

  @Test("Changes of all devices arrive in order: stacks, providers, timelines, decisions and scrolls")
  func changes() async throws {
    try await InProcessServer.run { server in
      var updates = try server.admin().activity().makeAsyncIterator()
      #expect(try await updates.next() == .started)
      try await Fixture.build(server.connection())
      var change = try await Self.next(&updates)
      guard case .stack(let created) = change.change else { throw UnexpectedEvent() }
      #expect(created.id == Fixture.stack && change.device == Fixture.device && change.at == Fixture.start)
      var sport = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      repeat { change = try await Self.next(&updates) } while change.change != .attached(Fixture.sportApp)
      _ = try await sport.publish(1, Fixture.score, [Fixture.entry(Fixture.start, score: 5, for: .hours(1))])
      var (decision, timeline): (DecisionActivity?, TimelineActivity?)
      while decision == nil || timeline == nil {
        change = try await Self.next(&updates)
        switch change.change {
        case .decision(let made): decision = made
        case .timeline(let published): timeline = published
        default: throw UnexpectedEvent()
        }
      }
      #expect(decision?.widget == Fixture.score && decision?.kind == .rotation && decision?.number == 1)
      #expect(decision?.reason.isEmpty == false && decision?.stack == Fixture.stack)
      #expect(timeline == TimelineActivity(widget: Fixture.score, family: nil, entryCount: 1))
      try await server.display().report(.scrolled(Fixture.stack, to: Fixture.forecast), on: Fixture.device)
      change = try await Self.next(&updates)
      #expect(change.change == .scroll(ScrollActivity(stack: Fixture.stack, widget: Fixture.forecast)))
      try await server.display().edit(Fixture.stack, on: Fixture.device, .removeStack)
      change = try await Self.next(&updates)
      #expect(change.change == .removedStack(Fixture.stack))
    }
  }

  @Test("A stream of some devices has no changes of others, and an unknown device is watched once it exists")
  func devices() async throws {
    try await InProcessServer.run { server in
      var updates = try server.admin().activity(of: [Fixture.otherDevice]).makeAsyncIterator()
      #expect(try await updates.next() == .started)
      try await Fixture.build(server.connection())
      try await Fixture.build(server.connection(), device: Fixture.otherDevice)
      #expect(try await Self.next(&updates).device == Fixture.otherDevice)
    }
  }

  @Test("More streams than activity-stream-count-max, and a device that is named twice, are rejected")
  func limits() async throws {
    try await InProcessServer.run { server in
      let connection = server.connection()
      var open: [ActivityUpdates.AsyncIterator] = []
      for _ in 0..<32 {
        var updates = try OperatorClient(connection).activity().makeAsyncIterator()
        #expect(try await updates.next() == .started)
        open.append(updates)
      }
      let status = try await callStatus {
        let call = try await connection.serverStreaming(AdminService.watchActivity, WatchActivityRequest())
        for try await _ in call.responses {}
      }
      #expect(status?.code == .resourceExhausted && status?.message.contains("activity-stream-count-max: 32") == true)
      let error = #expect(throws: RequestError.self) {
        try OperatorClient(connection).activity(of: [Fixture.device, Fixture.device])
      }
      #expect(error?.field == "devices[1]")
      withExtendedLifetime(open) {}
    }
  }

  @Test("marquee activity follows changes as text and as JSON")
  func command() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let (following, followingJSON) = (
        try marquee.start(["activity"]), try marquee.start(["activity", "phone", "--json"])
      )
      defer { for process in [following, followingJSON] { process.send(signal: SIGKILL) } }
      // The command prints nothing until a change occurs, so the changes are repeated until both follow.
      try await wait(for: "both commands to follow") {
        try await server.display().report(.scrolled(Fixture.stack, to: Fixture.score), on: Fixture.device)
        try await server.display().report(.scrolled(Fixture.stack, to: Fixture.forecast), on: Fixture.device)
        return following.log.text.contains("scrolled") && followingJSON.log.text.contains("scroll")
      }
      let line = try await following.log.line(with: "scrolled to com.example.weather/Forecast")
      #expect(line == "2021-06-07 11:41:00  phone/home  was scrolled to com.example.weather/Forecast")
      var sport = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      _ = try await sport.publish(1, Fixture.score, [Fixture.entry(Fixture.start)])
      let published = try await following.log.line(with: "timeline")
      #expect(published == "2021-06-07 11:41:00  phone  com.example.sport/Score has a timeline of 1 entry")
      let text = try await followingJSON.log.line(with: "\"timeline\"")
      let document = JSONDocument(try JSONSerialization.jsonObject(with: Data(text.utf8)))
      #expect(document["change"].text == "timeline" && document["entry_count"].number == 1)
      #expect(document["device"].text == "phone" && document["at"].text == "2021-06-07T11:41:00+02:00")
      following.send(signal: SIGINT)
      #expect(try await following.wait() == .code(0))
    }
  }
}
