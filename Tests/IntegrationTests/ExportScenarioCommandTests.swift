import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// Checks that the simulation of an exported scenario gives the decisions that the server made.
@Suite("Scenario export over sockets", .timeLimit(.minutes(2)))
struct ExportScenarioCommandTests {
  /// The properties of a decision that must be equal, live and simulated.
  private struct Made: Hashable {
    let number: Double?
    let at: Double?
    let stack: String?
    let what: String?
    let widget: String?
    let reason: String?
    let evidence: [Double?]

    init(_ decision: JSONDocument, widget: JSONDocument) {
      (number, at) = (decision["number"].number, decision["at_ms"].number)
      (stack, what, reason) = (decision["stack"].text, decision["kind"].text, decision["reason"].text)
      self.widget = widget.text
      evidence = decision["explanation"]["candidates"].list.map { $0["evidence"].number }
    }
  }

  /// Exports a device's scenario, simulates it, compares with the stored decisions, and returns the decisions.
  private func compare(_ marquee: Marquee) async throws -> [Made] {
    let file = marquee.directory.file("record.yaml")
    let record = try await marquee.json("export-scenario", Fixture.device.text, "--output", file)
    let until = try #require(record["to"].text)
    let day = try await marquee.json("simulate", file, "--until", until)
    let simulated = day["events"].list.filter { !$0["number"].isNull }.map { Made($0, widget: $0["widget"]) }
    let log = try await marquee.json("decisions", "--device", Fixture.device.text, "--count", "1000")
    let live = log["decisions"].list.reversed().map { Made($0, widget: $0["to"]) }
    #expect(simulated == live)
    // The simulated final state equals the server's state.
    let device = try await marquee.json("stacks", Fixture.device.text)["stacks"].list
    let spans = day["stacks"].list.map { $0["spans"].list.last }
    #expect(device.map { $0["front"].text } == spans.map { $0?["front"].text })
    return live
  }

  private func pass(to instant: Instant, on server: InProcessServer) async throws {
    try await server.clock.sleeper(until: instant)
    server.clock.advance(to: instant)
  }

  @Test("A day of timelines, shortcuts, reports and policy changes replays identically, also after a restart")
  func day() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      var watcher = try await Watcher(server.display())
      let (kickOff, purchase) = (Fixture.after(.minutes(20)), Fixture.after(.hours(2)))
      var sport = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      let goals = [
        Fixture.entry(kickOff, "0:0", score: 5.25),
        Fixture.entry(Fixture.after(.hours(3)), "1:0\n\u{1}", score: 0.1 + 0.2),
      ]
      _ = try await sport.publish(1, Fixture.score, goals)
      let cards = try await Relevance.provider(server.connection(), of: Relevance.amex)
      let windows = [(purchase, Fixture.after(.minutes(150))), (Fixture.after(.hours(5)), Fixture.after(.hours(6)))]
      try await cards.setRelevantShortcuts([Relevance.shortcut(Relevance.amex, windows.map { ($0.0, $0.1) })])
      try await pass(to: kickOff, on: server)
      _ = try await watcher.nextEntry()
      #expect(try await watcher.nextFront().change.widget == Fixture.score)
      server.clock.advance(to: Fixture.after(.minutes(21)).advanced(by: TimeSpan(milliseconds: 7)))
      try await server.display().report(.scrolled(Fixture.stack, to: Fixture.forecast), on: Fixture.device)
      try await server.display().report(.contextChanged(.routine(.work)), on: Fixture.device)
      let soup = Habits.provider(server.connection())
      try await soup.registerIntentTypes([Habits.type("T", of: Habits.soupApp, ["n": .integer], [["n"]])])
      try await soup.donate(
        (1...4).map { Habits.donation("\($0)", Habits.intent("T", ["n": .integer($0)]), group: "\($0 % 2)") })
      try await soup.deleteDonations(.group(.init("1")))
      let set = [PolicyNumber(name: "hold", value: 61.5), PolicyNumber(name: "prior_bad", value: 2)]
      try await server.admin().setPolicy(set, on: Fixture.device)
      try await pass(to: purchase, on: server)
      while watcher.screen.stacks[Fixture.stack]?.hasSuggestion != true { _ = try await watcher.next() }
      try await server.restart()
      try await server.display().report(.suggestionDismissed(Fixture.stack), on: Fixture.device)
      try await server.admin().setPolicy(reset: ["hold"], on: Fixture.device)
      try await server.admin().setDeveloperMode(true, on: Fixture.device)
      #expect(try await !server.display().registerDevice(Fixture.device, timeZone: TimeZoneID("America/New_York")))
      watcher = try await Watcher(server.display())
      try await pass(to: Fixture.after(.hours(3)), on: server)
      #expect(try await watcher.nextEntry().entry == goals[1])
      #expect(try await watcher.nextFront().change.widget == Fixture.score)
      try await pass(to: Fixture.after(.hours(5)), on: server)
      #expect(try await watcher.nextStack().stack.suggestedWidget == Relevance.amex)
      server.clock.advance(to: Fixture.after(.minutes(319)))
      let made = try await compare(marquee)
      #expect(made.map(\.what) == ["rotation", "suggestion", "rotation", "suggestion"])
      #expect(made.last?.reason?.contains("by past reactions") == true)
    }
  }

  @Test("R12 A day with a pin and a rotation rule replays identically, and both survive a restart")
  func pins() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      _ = try await marquee("stack", "pin", "home", "Score", "--times", "12:00-13:00")
      _ = try await marquee("stack", "rotation-rule", "home", "Forecast", "--no-to")
      let before = try await server.admin().stacks(of: Fixture.device)
      #expect(before[0].settings.count == 2)
      try await server.restart()
      let after = try await server.admin().stacks(of: Fixture.device)
      #expect(after == before)
      try await pass(to: Fixture.after(.minutes(19)), on: server)
      server.clock.advance(to: Fixture.after(.minutes(80)))
      _ = try await marquee("stack", "unpin", "home", "Score")
      let made = try await compare(marquee)
      #expect(made.map(\.what) == ["pin", "rest"])
    }
  }

  @Test("The decisions of a killed process and its successor replay identically from the exported scenario")
  func killed() async throws {
    let directory = try TemporaryDirectory()
    let arguments = ["--data-dir", directory.file("data"), "--listen", "unix:\(directory.file("socket"))"]
    try await Daemon.run(arguments) { daemon, endpoints in
      let connection = RPCClient(endpoints[0])
      try await Fixture.build(connection)
      try await OperatorClient(connection).setPolicy(
        [PolicyNumber(name: "dwell", value: 0), PolicyNumber(name: "hold", value: 0)], on: Fixture.device)
      var watcher = try await Watcher(DisplayClient(connection))
      var sport = try await ProviderStream(connection, app: Fixture.sportApp)
      _ = try await sport.publish(1, Fixture.score, [Fixture.entry(Fixture.start, "0:0", score: 5, for: .zero)])
      while watcher.screen.stacks[Fixture.stack]?.frontWidget != Fixture.score { _ = try await watcher.next() }
      #expect(try await daemon.kill() == .signal(SIGKILL))
    }
    try await Daemon.run(arguments) { _, endpoints in
      let connection = RPCClient(endpoints[0])
      var watcher = try await Watcher(DisplayClient(connection))
      let cards = try await Relevance.provider(connection, of: Relevance.amex)
      let shortcut = Relevance.shortcut(Relevance.amex, [(Fixture.start, .max)])
      try await cards.setRelevantShortcuts([shortcut])
      while watcher.screen.stacks[Fixture.stack]?.hasSuggestion != true { _ = try await watcher.next() }
      try await DisplayClient(connection).report(.suggestionKept(Fixture.stack), on: Fixture.device)
      let marquee = Marquee(endpoint: endpoints[0], directory: directory)
      let made = try await compare(marquee)
      #expect(made.map(\.what) == ["rotation", "suggestion"] && made.map(\.number) == [1, 2])
      let printed = try await marquee("export-scenario", Fixture.device.text).joined(separator: "\n") + "\n"
      #expect(try String(contentsOfFile: directory.file("record.yaml"), encoding: .utf8) == printed)
    }
  }
}
