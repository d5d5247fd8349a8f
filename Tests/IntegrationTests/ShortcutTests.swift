import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestKit
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@Suite("Relevant shortcuts and intents over sockets", .timeLimit(.minutes(2)))
struct ShortcutTests {
  private static let hour: [(start: Instant, end: Instant?)] = [(Fixture.start, Fixture.after(.hours(1)))]

  private func intent(_ parameters: [String: String], type: String = "ViewPurchases") throws -> Intent {
    let parameters = try parameters.sorted { $0.key < $1.key }.map { name, identifier in
      IntentParameter(
        name: try .init(name), value: .single(.object(DisplayIdentity(identifier: identifier, display: ""))))
    }
    return try Intent(type: IntentType(type), parameters: parameters)
  }

  @Test("S1 S2 The rejection of a set names the field, and changes neither the previous set nor the stacks")
  func rejections() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let cards = try await Relevance.provider(server.connection(), of: Relevance.amex)
      let good = Relevance.shortcut(Relevance.amex, Self.hour)
      try await cards.setRelevantShortcuts([good])
      let kind = Relevance.amex.kind.name
      let before = try await server.admin().shortcuts(on: Fixture.device)
      let stacks = try await server.admin().stacks(of: Fixture.device)
      let bad: [(StatusCode, String, RelevantShortcut)] = [
        (.notFound, "kind", try RelevantShortcut(kind: KindName("Unknown"))),
        (.invalidArgument, "intent", try RelevantShortcut(kind: kind)),
        (.invalidArgument, "intent", try RelevantShortcut(kind: kind, intent: intent(["card": "a"], type: "Pay"))),
        (.invalidArgument, "intent.parameters", try RelevantShortcut(kind: kind, intent: intent([:]))),
        (
          .invalidArgument, "intent.parameters.bank",
          try RelevantShortcut(kind: kind, intent: intent(["bank": "b", "card": "a"]))
        ),
      ]
      for (code, field, shortcut) in bad {
        let end = try await callStatus { try await cards.setRelevantShortcuts([good, good, shortcut]) }
        #expect(end?.code == code && end?.message.hasPrefix("shortcuts[2].\(field): ") == true, "\(end as Any)")
      }
      let neither = try await callStatus { try await cards.setRelevantShortcuts([RelevantShortcut()]) }
      #expect(neither?.code == .invalidArgument && neither?.message.hasPrefix("shortcuts[0]: ") == true)
      let window = try DateWindow(start: Fixture.start)
      let wrong = RelevantIntent(intent: try intent(["bank": "b"]), kind: kind, window: window)
      let end = try await callStatus { try await cards.setRelevantIntents([wrong]) }
      #expect(end?.message.hasPrefix("intents[0].intent.parameters.bank: ") == true)
      #expect(try await server.admin().shortcuts(on: Fixture.device) == before)
      #expect(try await server.admin().stacks(of: Fixture.device) == stacks && stacks[0].hasSuggestion)
    }
  }

  @Test("S2 An intent's type must be registered and eligible")
  func types() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let kind = Relevance.amex.kind
      let descriptor = try WidgetDescriptor(
        kind: kind, displayName: "", families: [.systemSmall], configuration: .intent(IntentType("ViewPurchases")))
      let cards = try ProviderClient(server.connection(), device: Fixture.device, app: kind.app, kinds: [descriptor])
      let set = { _ = try await cards.setRelevantShortcuts([Relevance.shortcut(Relevance.amex, Self.hour)]) }
      #expect(try await callStatus(set)?.code == .failedPrecondition)
      let type = Relevance.purchasesType
      let hidden = try IntentTypeDescriptor(
        app: type.app, type: type.type, parameters: type.parameters, combinations: type.combinations,
        isEligibleForWidgets: false)
      try await cards.registerIntentTypes([hidden])
      #expect(try await callStatus(set)?.code == .failedPrecondition)
      try await cards.registerIntentTypes([type])
      try await set()
      #expect(try await server.admin().shortcuts(on: Fixture.device).apps.map(\.intentTypes) == [[type]])
    }
  }

  @Test("Exceeding a limit is RESOURCE_EXHAUSTED, names the limit and changes nothing")
  func limits() async throws {
    try await InProcessServer.run({
      $0.limits.shortcutCountMax = 1
      $0.limits.intentTypeCountMax = 1
    }) { server in
      try await Fixture.build(server.connection())
      let news = try await Relevance.provider(server.connection(), of: Relevance.news)
      let shortcut = Relevance.shortcut(Relevance.news, Self.hour)
      try await news.setRelevantShortcuts([shortcut])
      let app = Relevance.news.kind.app
      let types = try ["A", "B"].map {
        try IntentTypeDescriptor(app: app, type: IntentType($0), parameters: [], combinations: [])
      }
      let calls: [(String, () async throws -> Void)] = [
        ("shortcut-count-max", { _ = try await news.setRelevantShortcuts([shortcut, shortcut]) }),
        ("intent-type-count-max", { _ = try await news.registerIntentTypes(types) }),
      ]
      for (limit, call) in calls {
        let end = try await callStatus(call)
        #expect(end?.code == .resourceExhausted, "\(end as Any)")
        #expect(end?.message.contains("exceeds \(limit) (1)") == true, "\(end as Any)")
      }
      let long = try (0..<60).map { index in
        IntentParameter(name: try .init("p\(index)"), value: .single(.string(String(repeating: "x", count: 4_000))))
      }
      let large = try RelevantShortcut(intent: Intent(type: IntentType("Large"), parameters: long))
      let end = try await callStatus { try await news.setRelevantShortcuts([large, large, large]) }
      #expect(end?.code == .resourceExhausted)
      let listed = try await server.admin().shortcuts(on: Fixture.device).apps
      #expect(listed.map { $0.shortcuts.map(\.shortcut) } == [[shortcut]] && listed[0].intentTypes.isEmpty)
    }
  }

  @Test("Shortcuts and intents are listed unchanged, in name order, with each window's state, also after a restart")
  func listing() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let news = try await Relevance.provider(server.connection(), of: Relevance.news)
      _ = try await Relevance.provider(server.connection(), of: Relevance.amex)
      let windows: [(start: Instant, end: Instant?)] = [
        (Fixture.after(.hours(5)), nil), (Fixture.start, Fixture.after(.hours(1))),
        (Fixture.after(.hours(-2)), Fixture.start),
      ]
      let providers: [RelevanceProvider] = [
        .location(try PlaceRegion(center: Place(latitude: 52.5, longitude: 13.4, display: "Berlin"), radius: 150)),
        .dailyRoutine(.gym), .other,
      ]
      let face = try RelevantShortcut(kind: Relevance.news.kind.name, providers: providers)
      let shortcuts = [Relevance.shortcut(Relevance.news, windows, role: .information), face]
      try await news.setRelevantShortcuts(shortcuts)
      try await server.restart()
      let answer = try await server.admin().shortcuts(on: Fixture.device)
      #expect(answer.at == Fixture.start && answer.timeZone == Fixture.berlin && !answer.hasMore)
      #expect(answer.apps.map(\.app) == [Relevance.cardsApp, Relevance.news.kind.app])
      #expect(answer.apps[0].intentTypes == [Relevance.purchasesType] && answer.apps[0].shortcuts.isEmpty)
      #expect(answer.apps[1].shortcuts.map(\.shortcut) == shortcuts)
      let readings = answer.apps[1].shortcuts[0].windows
      #expect(readings.map(\.state) == [.ahead, .open, .ended])
      #expect(readings[0].end == Fixture.after(.minutes(330)) && answer.apps[1].shortcuts[1].windows.isEmpty)
      let admin = server.admin()
      #expect(try await admin.shortcuts(on: Fixture.device, after: Relevance.cardsApp).apps == [answer.apps[1]])
      #expect(try await admin.shortcuts(on: Fixture.device, of: Relevance.cardsApp).apps == [answer.apps[0]])
      let empty = try await admin.shortcuts(on: Fixture.device, of: Fixture.weatherApp).apps
      #expect(empty == [AppShortcuts(app: Fixture.weatherApp, intentTypes: [], shortcuts: [], intents: [])])
      let unknown = try await callStatus { _ = try await admin.shortcuts(on: Fixture.device, of: AppID("com.nobody")) }
      #expect(unknown?.code == .notFound && unknown?.message.hasPrefix("app: ") == true)
    }
  }

  @Test("Sets that exceed one response are paged, none lost or duplicated")
  func pages() async throws {
    try await InProcessServer.run { server in
      try await Fixture.register(server.connection())
      let parameters = try (0..<60).map { index in
        IntentParameter(name: try .init("p\(index)"), value: .single(.string(String(repeating: "x", count: 4_000))))
      }
      let large = try RelevantShortcut(intent: Intent(type: IntentType("Large"), parameters: parameters))
      let apps = try ["a", "b", "c", "d", "e"].map { try AppID("com.example.\($0)") }
      for app in apps {
        let provider = try ProviderClient(server.connection(), device: Fixture.device, app: app, kinds: [])
        try await provider.setRelevantShortcuts([large, large])
      }
      var pages: [ListShortcutsResponse] = []
      while pages.last?.hasMore ?? true {
        pages.append(try await server.admin().shortcuts(on: Fixture.device, after: pages.last?.apps.last?.app))
      }
      #expect(pages.map { $0.apps.map(\.app) } == apps.map { [$0] })
      #expect(pages.allSatisfy { $0.apps.allSatisfy { $0.shortcuts.map(\.shortcut) == [large, large] } })
    }
  }

  @Test("A running provider can set shortcuts at once, and they stay when the connection is lost")
  func running() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let shortcut = Relevance.shortcut(Relevance.news, Self.hour)
      let kinds = Fixture.descriptors(of: [Relevance.news])
      try await ServerLink.run(from: server.directory.file("relay"), to: server.directory.file("socket")) { relay in
        let connection = relay.connection()
        try await ProviderClient.run(
          connection, device: Fixture.device, app: Relevance.news.kind.app, kinds: kinds, reconnection: .eager
        ) { provider in
          try await provider.setRelevantShortcuts([shortcut])
          await relay.cut()
          // The provider has reconnected when this call returns.
          try await provider.publish([Fixture.entry(Fixture.start)], for: Relevance.news)
        }
      }
      let listed = try await server.admin().shortcuts(on: Fixture.device).apps
      #expect(listed.map { $0.shortcuts.map(\.shortcut) } == [[shortcut]])
      var sets = 0
      for try await record in server.admin().history(of: Fixture.device) {
        if case .relevantShortcutsSet = record.step { sets += 1 }
      }
      #expect(sets == 1)
    }
  }

  @Test("L Warnings about shortcuts, intents and types are part of the response, and the data still takes effect")
  func warnings() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let cards = try await Relevance.provider(server.connection(), of: Relevance.amex)
      let kind = Relevance.amex.kind.name
      let brief = Relevance.shortcut(Relevance.amex, [(Fixture.start, Fixture.after(.minutes(1)))])
      let routine = try RelevantShortcut(
        kind: kind, intent: Relevance.amex.configuration, providers: [.dailyRoutine(.morning)])
      let found = try await cards.setRelevantShortcuts([brief, routine])
      #expect(found.map(\.code) == ["only-watch-face", "window-too-short"] && found.map(\.index) == [1, 0])
      let over = RelevantIntent(
        intent: try #require(Relevance.amex.configuration), kind: kind,
        window: try DateWindow(
          start: Fixture.start.advanced(by: .hours(-2)), end: Fixture.start.advanced(by: .hours(-1))))
      #expect(try await cards.setRelevantIntents([over]).map(\.code) == ["window-over"])
      let day = try IntentParameter.Name("day")
      let dated = try IntentTypeDescriptor(
        app: Relevance.cardsApp, type: IntentType("PayBill"), parameters: [.init(name: day, type: .date)],
        combinations: [.init(parameters: [day])])
      #expect(try await cards.registerIntentTypes([dated]).map(\.code) == ["date-in-every-combination"])
      #expect(try await server.admin().stacks(of: Fixture.device)[0].hasSuggestion)
    }
  }
}
