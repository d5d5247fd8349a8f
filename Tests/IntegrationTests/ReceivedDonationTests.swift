import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import Testing

/// Received interactions, developer mode's recent donations, and sizes of widgets, through a server and its commands.
@Suite("Received donations and sizes over sockets", .timeLimit(.minutes(2)))
struct ReceivedDonationTests {
  private static let app = "com.example.soup-chef"

  private func run(_ body: (InProcessServer, Marquee) async throws -> Void) async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let parameters: [String: IntentValueType] = ["soup": .object]
      let type = Habits.type("OrderSoup", of: Habits.soupApp, parameters, [["soup"]])
      try await Habits.provider(server.connection()).registerIntentTypes([type])
      try await body(server, Marquee(endpoint: server.endpoint, directory: server.directory))
    }
  }

  @Test("D9 A received message is donated, listed, suggested on the share sheet with its reason, and deleted by type")
  func received() async throws {
    try await run { server, marquee in
      let message = "\(Self.app)/INSendMessageIntent(sender=person:aga)"
      let outcome = try await marquee.run(["donate", "phone", message, "--received", "--identifier", "m1"])
      #expect(outcome.output == "Donated \(message) as m1.\n", "\(outcome.errors)")
      let both = try await marquee.run(["donate", "phone", message, "--received", "--activity"])
      #expect(both.exit == .code(64) && both.errors.contains("exclude each other"))
      let listed = try await marquee.json("donations", "phone")["donations"].list
      #expect(listed.map { $0["kind"].text } == ["received"] && listed[0]["satisfied"].list.isEmpty)
      #expect(try await marquee("predict", "phone").last?.hasPrefix("No actions learned") == true)
      let shared = try await server.display().suggestions(on: .shareSheet, of: Fixture.device).suggestions
      #expect(shared.map(\.reason) == ["1 unanswered message came from this person"])
      #expect(shared.map(\.subject) == [.person(Habits.soupApp, DisplayIdentity(identifier: "aga", display: ""))])
      let deleted = try await marquee.run(
        ["delete-donations", "phone", "--app", Self.app, "--intent-type", "INSendMessageIntent"])
      #expect(deleted.output == "Deleted 1 donation of \(Self.app) on phone.\n")
      #expect(try await server.display().suggestions(on: .shareSheet, of: Fixture.device).suggestions.isEmpty)
    }
  }

  @Test("D4 Activities are deleted with several related items, and with all of them")
  func relatedItems() async throws {
    try await run { server, marquee in
      func donate() async throws {
        let activities = ["a", "b", "c"].map { item in
          valid { try UserActivity(type: .init("screen"), relatedItem: SearchableItemID(item)) }
        }
        let plain = valid { try UserActivity(type: .init("screen")) }
        let donations = (activities + [plain]).enumerated().map { Habits.donation("\($0)", .userActivity($1)) }
        try await Habits.provider(server.connection()).donate(donations)
      }
      for (scope, count) in [
        (["--related-item", "a", "--related-item", "c", "--related-item", "none"], 2), (["--all-related-items"], 3),
      ] {
        try await donate()
        let outcome = try await marquee.run(["delete-donations", "phone", "--app", Self.app] + scope)
        #expect(outcome.output == "Deleted \(count) donations of \(Self.app) on phone.\n", "\(scope)")
      }
    }
  }

  @Test("S12 A watched surface lists recent donations with developer mode, and not those that the user dismissed")
  func developerMode() async throws {
    try await run { server, marquee in
      let display = server.display()
      var lists = display.surfaceUpdates(on: .lockScreen, of: Fixture.device).makeAsyncIterator()
      #expect(try await lists.next()?.suggestions.isEmpty == true)
      let soup = Habits.intent("OrderSoup", ["soup": Habits.object("tomato")])
      try await Habits.provider(server.connection()).donate([Habits.donation("1", soup)])
      try await server.admin().setDeveloperMode(true, on: Fixture.device)
      // The list before may have a prediction of the donated action.
      var listed = try #require(try await lists.next()).suggestions
      while listed.first?.reason.hasPrefix("a recent donation") != true {
        listed = try #require(try await lists.next()).suggestions
      }
      let reason = try #require(listed.first?.reason)
      #expect(reason.wholeMatch(of: #/a recent donation, made at [0-9:]+, which developer mode shows/#) != nil)
      #expect(listed.count == 1)
      let id = try #require(listed.first).subject.id
      _ = try await marquee("report-interaction", "suggestion", "\(id)", "dismissed", "--on", "lock-screen")
      #expect(try await lists.next()?.suggestions.isEmpty == true)
      try await Habits.provider(server.connection()).donate([Habits.donation("1", soup)])
      #expect(try await display.suggestions(on: .lockScreen, of: Fixture.device).suggestions.isEmpty)
      #expect(try await display.suggestions(on: .search, of: Fixture.device).suggestions.count == 1)
    }
  }

  @Test("W8 A reported size reaches the provider with reload requests and placed widgets; invalid ones change nothing")
  func sizes() async throws {
    try await run { server, marquee in
      var stream = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      let outcome = try await marquee.run(["report-interaction", "resized", "systemSmall", "170", "169.5"])
      #expect(outcome.output == "Reported.\n", "\(outcome.errors)")
      let size = try WidgetSize(width: 170, height: 169.5)
      let provider = try ProviderClient(
        server.connection(), device: Fixture.device, app: Fixture.weatherApp, kinds: [])
      let placed = try await provider.listPlacedWidgets()
      #expect(!placed.isEmpty && placed.allSatisfy { $0.size == size })
      let request = try await stream.nextReload()
      #expect(request.reason == .resized && request.size == size && request.family == .systemSmall)
      for length in ["0", "-1", "nan", "4097"] {
        let wrong = try await marquee.run(["report-interaction", "resized", "systemSmall", "--", length, "10"])
        #expect(wrong.exit != .code(0) && wrong.errors.contains("width"), "\(wrong.errors)")
      }
      #expect(try await provider.listPlacedWidgets() == placed)
    }
  }
}
