import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// The texts of apps (rules X1, X2) through the protocol and the commands. Clocks begin on a Monday at 11:41 in Berlin.
@Suite("Texts of actions over sockets", .timeLimit(.minutes(2)))
struct ActionTextTests {
  private static let app = Relevance.cardsApp
  private static let words = ["View ${card} purchases", "Spending-31f", "ledger-77aa", "Shows purchases-90c"]

  /// A type whose texts are ``words``.
  private static func type(_ title: String = words[0]) throws -> IntentTypeDescriptor {
    let card = try IntentParameter.Name("card")
    let texts = try ActionTexts(
      title: TextFormat(title), subtitle: TextFormat("of this week"), category: words[1], keywords: [words[2]])
    return try IntentTypeDescriptor(
      app: app, type: IntentType("ViewPurchases"),
      parameters: [.init(name: card, type: .object, findDescription: "Finds cards.")],
      combinations: [.init(parameters: [card], texts: texts)], title: "Purchases", descriptionText: words[3])
  }

  private static func view(_ number: Int, _ display: DonationDisplay? = nil) throws -> Donation {
    let card = IntentValue.object(DisplayIdentity(identifier: "amex", display: "American Express"))
    let activity = Habits.intent("ViewPurchases", ["card": card])
    let date = Fixture.start.advanced(by: .days(-Int64(number)))
    return Donation(id: try .init("\(number)"), date: date, activity: activity, display: display)
  }

  private func run(_ body: (InProcessServer, Marquee) async throws -> Void) async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      try await Habits.provider(server.connection(), Self.app).registerIntentTypes([Self.type()])
      try await body(server, Marquee(endpoint: server.endpoint, directory: server.directory))
    }
  }

  @Test("X1 The actions of apps are listed with their texts, and found by words of these, across a restart")
  func actions() async throws {
    try await run { server, marquee in
      let lines = try await marquee("actions", "phone").map { $0.replacing(#/[ ]{2,}/#, with: " | ") }
      #expect(
        lines == [
          "ACTION | CATEGORY | APP | INTENT TYPE | PARAMETERS | KEYWORDS | FIND",
          "View (card) purchases | Spending-31f | com.example.cards | ViewPurchases | card | ledger-77aa | "
            + "card: Finds cards.",
        ])
      try await server.restart()
      let found = try await marquee.json("actions", "phone", Self.app.text, "--search", "LEDGER view")
      let action = try #require(found["actions"].list.first)
      #expect(action["title"].text == Self.words[0] && action["shown_title"].text == "View (card) purchases")
      #expect(action["description"].text == Self.words[3] && action["keywords"].list.map(\.text) == [Self.words[2]])
      let find = try #require(action["finds"].list.first)
      #expect(find["parameter"].text == "card" && find["description"].text == "Finds cards.")
      #expect(try await marquee("actions", "phone", "--search", "weather") == ["No actions."])
      #expect(try await marquee.run(["actions", "phone", "--search", " "]).exit == .code(64))
      #expect(try await marquee.run(["actions", "phone", "com.example.card"]).exit == .code(1))
    }
  }

  @Test("X1 X2 Predictions and donations show the type's format, or else the latest donation's own representation")
  func displays() async throws {
    try await run { server, marquee in
      let provider = Habits.provider(server.connection(), Self.app)
      try await provider.donate((1...4).map { try Self.view($0) })
      func title() async throws -> String? {
        try await marquee.json("predict", "phone")["actions"].list.first?["display"]["title"].text
      }
      #expect(try await title() == "View American Express purchases")
      let row = try #require(try await marquee("predict", "phone").dropFirst(2).first)
      #expect(row.contains("View American Express purchases – of this week  com.example.cards"))
      #expect(!row.contains("amex"))
      let own = try DonationDisplay(title: "Secret card-55dd", imageKey: "card")
      try await provider.donate([try Self.view(0, own)])
      // Not at once: an action is not predicted just after it (rule P4).
      server.clock.advance(to: Fixture.after(.hours(23)))
      #expect(try await title() == own.title)
      let listed = try await marquee.json("donations", "phone")["donations"].list
      #expect(listed.first?["display"]["title"].text == own.title)
      #expect(listed.last?["display"]["subtitle"].text == "of this week")
      try await provider.deleteDonations(.identifiers([Donation.ID("0")]))
      #expect(try await title() == "View American Express purchases")
      #expect(try Habits.found(["card-55dd"], in: server.configuration.dataDirectory).isEmpty)
    }
  }

  @Test("X1 A display receives the reason for a suggestion with the format of the configuration's type")
  func reasons() async throws {
    try await run { server, marquee in
      let cards = try await Relevance.provider(server.connection(), of: Relevance.amex)
      try await Habits.provider(server.connection(), Self.app).registerIntentTypes([Self.type("${card} purchases")])
      var watcher = try await Watcher(server.display())
      try await cards.setRelevantShortcuts([
        Relevance.shortcut(Relevance.amex, [(Fixture.start, Fixture.after(.hours(1)))])
      ])
      let reason = try await watcher.next().suggestion?.reason
      #expect(reason?.hasPrefix("amex purchases leads: ") == true, "\(reason ?? "none")")
      let top = try await marquee("top", "--once").joined(separator: "\n")
      #expect(top.contains("amex purchases is suggested: "), "\(top)")
    }
  }

  @Test("X1 Widgets and reasons show the format of the configuration's type")
  func widgets() async throws {
    try await run { server, marquee in
      let cards = try await Relevance.provider(server.connection(), of: Relevance.amex)
      try await Habits.provider(server.connection(), Self.app).registerIntentTypes([Self.type("${card} purchases")])
      try await cards.setRelevantShortcuts([
        Relevance.shortcut(Relevance.amex, [(Fixture.start, Fixture.after(.hours(1)))])
      ])
      #expect(try await marquee("widgets").contains { $0.contains("  amex purchases – of this week  ") })
      let decision = try await marquee.json("decisions", "home")["decisions"].list.first
      #expect(decision?["reason"].text?.hasPrefix("amex purchases leads: ") == true)
      let shortcut = try await marquee.json("shortcuts", "phone", "--app", Self.app.text)["apps"].list.first
      #expect(shortcut?["shortcuts"].list.first?["display"]["title"].text == "amex purchases")
    }
  }

  @Test("X1 R10 Summaries for clients that do not compute their own show the format of the configuration's type")
  func summaries() async throws {
    try await run { server, _ in
      let connection = server.connection()
      let cards = try await Relevance.provider(connection, of: Relevance.amex)
      try await Habits.provider(connection, Self.app).registerIntentTypes([Self.type("${card} purchases")])
      try await cards.setRelevantShortcuts([
        Relevance.shortcut(Relevance.amex, [(Fixture.start, Fixture.after(.hours(1)))])
      ])
      let stack = WireBytes.field(1, Fixture.device.text) + WireBytes.field(2, Fixture.stack.text)
      let covered = stack + WireBytes.field(3, WireBytes.widget(Fixture.forecast))
      for (path, request, words) in [
        (AdminService.explain.path, stack, "amex purchases stays: "),
        (AdminService.explain.path, stack, "amex purchases is in front: "),
        (AdminService.whyNot.path, covered, "Forecast: it is behind the suggestion amex purchases"),
        (AdminService.listDecisions.path, stack, "amex purchases leads: "),
      ] {
        let answer = String(decoding: try await connection.unary(WireBytes.unary(path), request), as: UTF8.self)
        #expect(answer.contains(words), "\(path)")
        #expect(!answer.contains("(card: amex)"), "\(path)")
      }
    }
  }

  @Test("X1 Invalid texts are refused with their field, and the registered type stays")
  func refused() async throws {
    try await run { server, _ in
      let connection = server.connection()
      let format = WireBytes.field(3, WireBytes.field(3, WireBytes.field(1, "${card")))
      let request =
        WireBytes.field(1, Fixture.device.text) + WireBytes.field(2, Self.app.text)
        + WireBytes.field(3, WireBytes.field(1, "ViewPurchases") + format)
      let method = WireBytes.unary(ProviderService.registerIntentTypes.path)
      let status = try await callStatus { _ = try await connection.unary(method, request) }
      #expect(status?.code == .invalidArgument)
      #expect(status?.message.hasPrefix("intent_types[0].combinations[0].texts.title: ") == true)
      let types = try await server.admin().shortcuts(on: Fixture.device).apps.flatMap(\.intentTypes)
      #expect(types == [try Self.type()])
    }
  }

  @Test("W6 D5 Nothing of the texts of a removed intent type or a removed app is in any file")
  func removed() async throws {
    try await run { server, _ in
      let provider = Habits.provider(server.connection(), Self.app)
      try await provider.donate([Self.view(0, try DonationDisplay(title: "Secret card-55dd"))])
      let texts = Self.words + ["card-55dd", "American Express"]
      #expect(try Habits.found(texts, in: server.configuration.dataDirectory).count == texts.count)
      #expect(try await provider.removeIntentTypes([IntentType("ViewPurchases")]) == 1)
      #expect(try Habits.found(texts, in: server.configuration.dataDirectory).isEmpty)
    }
  }
}
