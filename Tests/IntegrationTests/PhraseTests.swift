import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeServer
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@Suite("Spoken phrases over sockets", .timeLimit(.minutes(2)))
struct PhraseTests {
  /// Attaches an app that serves queries with the phrases "Show PLACE in NAME" and "Show NAME".
  private func attach(_ server: InProcessServer, app: AppID, name: String) async throws -> QueryProvider {
    let place = PhraseTemplate.Parameter(try .init("place"), type: .object, hasOptions: true)
    let shortcut = try AppShortcutDescriptor(
      intent: Intent(type: IntentType("Show")),
      phrases: [
        PhraseTemplate([.text("Show "), .parameter(place), .text(" in "), .applicationName]),
        PhraseTemplate([.text("Show "), .applicationName]),
      ], shortTitle: "Show", imageName: "map")
    let phrases = try PhraseBook(applicationName: name, shortcuts: [shortcut])
    return try await QueryProvider(server.connection(), app: app, phrases: phrases)
  }

  private func run(_ body: @escaping (InProcessServer) async throws -> Void) async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      try await body(server)
    }
  }

  private func match(_ text: String, _ server: InProcessServer) -> Task<[PhraseMatch], any Error> {
    let display = server.display()
    return Task { try await display.matchPhrase(text, on: Fixture.device) }
  }

  @Test("The parameter is resolved with the options for the text, or else with the suggested ones")
  func resolved() async throws {
    try await run { server in
      var provider = try await attach(server, app: Fixture.weatherApp, name: "Weather")
      let task = match("show MUNCHEN in weather!", server)
      #expect(try await provider.respond(["Bern"]) == .matching("MUNCHEN"))
      #expect(try await provider.respond(["Bern", "München"]) == .suggested)
      let found = try await task.value
      #expect(found.map(\.phrase) == ["Show München in Weather"] && found.first?.app == Fixture.weatherApp)
      #expect(found.first?.shortTitle == "Show" && found.first?.imageName == "map")
      let value = found.first?.invocation.intent.parameters.first?.value
      #expect(value == .single(.object(DisplayIdentity(identifier: "münchen", display: ""))))
      // A response without selection contains all options.
      let second = match("show oslo in weather", server)
      #expect(try await provider.respond(["Bern"], isSelected: false) == .matching("oslo"))
      #expect(try await second.value.isEmpty)
    }
  }

  @Test("Matches of two apps are ordered; an app that disconnects has none")
  func apps() async throws {
    try await run { server in
      let weather = try await attach(server, app: Fixture.weatherApp, name: "Day")
      let sport = try await attach(server, app: Fixture.sportApp, name: "Day")
      let both = try await match("Show Day", server).value
      #expect(both.map(\.app) == [Fixture.sportApp, Fixture.weatherApp].sorted())
      let none = try await match("Hide Day", server).value
      #expect(none.isEmpty)
      sport.call.cancel()
      try await wait(for: "the end of one stream") { try await match("Show Day", server).value.count < 2 }
      let rest = try await match("Show Day", server).value
      #expect(rest.map(\.app) == [Fixture.weatherApp])
      weather.call.cancel()
      try await wait(for: "the end of both streams") { try await match("Show Day", server).value.isEmpty }
    }
  }

  @Test(
    "An app that does not respond is left out before the call's deadline and after 4 s, and its query is cancelled",
    arguments: [4, 60])
  func silentApp(_ timeMax: Int) async throws {
    try await run { server in
      var silent = try await attach(server, app: Fixture.sportApp, name: "Day")
      var weather = try await attach(server, app: Fixture.weatherApp, name: "Day")
      let display = DisplayClient(server.connection(), callTimeMax: .seconds(timeMax))
      let start = ContinuousClock.now
      let task = Task { try await display.matchPhrase("show Bern in Day", on: Fixture.device) }
      #expect(try await weather.respond(["Bern"]) == .matching("Bern"))
      let found = try await task.value
      #expect(found.map(\.app) == [Fixture.weatherApp] && ContinuousClock.now - start < .seconds(30))
      let number = try await silent.nextQuery().number
      #expect(try await silent.next() == .cancelled(number))
      // Phrases without a parameter do not wait for the app.
      let both = try await display.matchPhrase("show day", on: Fixture.device)
      #expect(both.count == 2)
    }
  }

  @Test("The second query is sent with the time that remains after the first")
  func timeLeft() async throws {
    try await run { server in
      var provider = try await attach(server, app: Fixture.weatherApp, name: "Weather")
      let task = match("show Bern in Weather", server)
      var times: [Int64] = []
      for _ in 1...2 {
        guard case .asked(let number, _, let timeLeft) = try await provider.next() else { break }
        times.append(timeLeft.milliseconds)
        try await Task.sleep(for: .milliseconds(100))
        try await provider.call.send(.response(number, .options(ParameterOptions([]))))
      }
      #expect(try await task.value.isEmpty)
      #expect(times.count == 2 && times[0] <= 4_000 && times[1] <= times[0] - 100, "\(times)")
    }
  }

  @Test("An app that rejects the query or responds with another type has no matches")
  func failures() async throws {
    try await run { server in
      var provider = try await attach(server, app: Fixture.weatherApp, name: "Weather")
      for response: QueryResponse in [.rejected(.failedPrecondition, message: "no"), .outcome(IntentOutcome())] {
        let task = match("show Bern in Weather", server)
        _ = try await provider.respond(response)
        #expect(try await task.value.isEmpty)
      }
    }
  }

  @Test("An unknown device, an empty text and a long text are rejected")
  func rejections() async throws {
    try await run { server in
      let display = server.display()
      let unknown = try await callStatus { _ = try await display.matchPhrase("show", on: DeviceID("none")) }
      #expect(unknown?.code == .notFound)
      let method = WireBytes.unary(DisplayService.matchPhrase.path)
      for (text, code) in [
        ("", StatusCode.invalidArgument), ("!", .invalidArgument),
        (String(repeating: "a", count: 1_001), .resourceExhausted),
      ] {
        let request = WireBytes.field(1, Fixture.device.text) + WireBytes.field(2, text)
        let status = try await callStatus { _ = try await server.connection().unary(method, request) }
        #expect(status?.code == code && status?.message.hasPrefix("text: ") == true, "\(status as Any)")
      }
    }
  }
}

extension QueryProvider {
  /// Responds to the next query with options, and returns its selection; `nil` for another query.
  fileprivate mutating func respond(_ titles: [String], isSelected: Bool = true) async throws -> OptionsQuery.Selection?
  {
    let options = titles.map {
      ParameterOption(.object(DisplayIdentity(identifier: $0.lowercased(), display: $0)), title: $0)
    }
    let subject = try await respond(.options(ParameterOptions(options, isSelected: isSelected)))
    return if case .options(let query) = subject { query.selection } else { nil }
  }
}
