import Foundation
import MarqueeClient
import MarqueeKit
import MarqueeModel
import MarqueeRPC
import MarqueeTestKit
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// Texts in the language of a device (rule X3), through the protocol and the commands.
@Suite("Localized texts over sockets", .timeLimit(.minutes(2)))
struct LocalizationTests {
  private static let stack = "com.example.tea/Tea(tea=enum:green)"

  private func run(_ body: (StackSimulator, Marquee) async throws -> Void) async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00", in: "Europe/Vienna", language: "de-AT") { day in
      try await day.host(TeaWidgets(), app: TeaWidgets.app)
      try await day.addStack("home", [Self.stack])
      try await body(day, Marquee(endpoint: day.server.endpoint, directory: try TemporaryDirectory()))
    }
  }

  private func phrases(_ text: String, _ day: StackSimulator) async throws -> [String] {
    try await day.phrases(matching: text).map(\.phrase)
  }

  @Test("X3 Texts are registered in the device's language, and again in another one without a restart")
  func actions() async throws {
    try await run { day, marquee in
      func action(_ title: String) async throws -> JSONDocument? {
        try await marquee.json("actions", day.device)["actions"].list.first { $0["type_title"].text == title }
      }
      let german = try #require(try await action("Tee bestellen"))
      #expect(german["category"].text == "Heißgetränke" && german["description"].text == "Bestellt Tee.")
      #expect(german["keywords"].list.map(\.text) == ["heiß"])
      #expect(try await marquee("widgets").contains { $0.contains("Tee des Tages(tea: Grüntee)") })
      let widgets = try await day.admin.widgets(of: DeviceID(day.device))
      #expect(widgets.kinds.map(\.displayName) == ["Tee des Tages"])
      #expect(widgets.displays.map(\.summary) == ["Eine Kanne Grüntee"])
      #expect(try await day.content(of: "Tea") == "Frischer Grüntee")
      try await day.setLanguage("en")
      try await wait(for: "the English texts") { try await day.content(of: "Tea") == "Fresh Green Tea" }
      let english = try #require(try await action("Order Tea"))
      #expect(english["category"].text == "Drinks" && english["description"].text == "Orders tea.")
      #expect(try await marquee("widgets").contains { $0.contains("Tea of the Day(tea: Green Tea)") })
    }
  }

  @Test("X3 A change of the language renames the widgets on the displays that watch them, and in marquee watch")
  func labels() async throws {
    try await run { day, marquee in
      let watching = try marquee.start(["watch", "home"])
      defer { watching.send(signal: SIGKILL) }
      var updates = try day.display.watch(DeviceID(day.device)).makeAsyncIterator()
      var labels = DisplayLabels()
      guard let first = try await updates.nextInTime(), case .state(let state) = first.change else {
        throw UnexpectedEvent()
      }
      labels.apply(first)
      let tea = state.stacks[0].members[0]
      #expect(labels[tea]?.kindName == "Tee des Tages" && labels[tea]?.display.summary == "Eine Kanne Grüntee")
      #expect(labels[tea]?.accessibilityLabel == "Tee des Tages, Eine Kanne Grüntee, tea")
      #expect(try await watching.log.line(with: "is named").hasSuffix(" is named Tee des Tages(tea: Grüntee)"))
      try await day.setLanguage("en")
      while labels[tea]?.accessibilityLabel != "Tea of the Day, A pot of Green Tea, tea" {
        guard let update = try await updates.nextInTime() else { throw UnexpectedEvent() }
        labels.apply(update)
      }
      #expect(labels.name(of: tea) == "Tea of the Day(tea: Green Tea)")
      _ = try await watching.log.line(with: "is named Tea of the Day(tea: Green Tea)")
    }
  }

  @Test("X3 A change of the language makes the timelines of every host of the app's connection again")
  func twoHosts() async throws {
    try await run { day, _ in
      try await day.host(CupWidgets(), app: TeaWidgets.app)
      try await day.addStack("cups", ["com.example.tea/Cup"])
      try await wait(for: "the cup") { try await day.content(of: "Cup") == "Grüntee" }
      for (language, tea, cup) in [
        ("en", "Fresh Green Tea", "Green Tea"), ("de", "Frischer Grüntee", "Grüntee"),
        ("en", "Fresh Green Tea", "Green Tea"),
      ] {
        try await day.setLanguage(language)
        try await wait(for: tea) { try await day.content(of: "Tea") == tea }
        try await wait(for: cup) { try await day.content(of: "Cup") == cup }
      }
    }
  }

  @Test("X3 A change of the language makes no timelines of widgets that were removed")
  func removed() async throws {
    try await run { day, _ in
      try await day.addStack("other", ["com.example.tea/Tea(tea=enum:black)"])
      try await wait(for: "the German timeline") { TeaProvider.made.withLock { $0.contains("Frischer Schwarztee") } }
      try await day.display.edit(StackID("other"), on: DeviceID(day.device), .removeStack)
      for (language, text) in [("en", "Fresh Green Tea"), ("de", "Frischer Grüntee"), ("en", "Fresh Green Tea")] {
        try await day.setLanguage(language)
        try await wait(for: text) { try await day.content(of: "Tea") == text }
      }
      let made = TeaProvider.made.withLock(\.self)
      #expect(made.contains("Fresh Green Tea") && !made.contains("Fresh Black Tea"))
    }
  }

  @Test("X3 Phrases match in the device's language and in the development language")
  func phrases() async throws {
    try await run { day, _ in
      try await wait(for: "queries") { try await !phrases("Bestelle Grüntee bei tea", day).isEmpty }
      #expect(try await phrases("bestelle SCHWARZTEE bei Tea", day) == ["Bestelle Schwarztee bei tea"])
      #expect(try await phrases("Order Schwarztee from tea", day) == ["Order Schwarztee from tea"])
      var prompts: [String] = []
      let outcome = try await day.say(
        "Bestelle Grüntee bei tea",
        agree: { prompt in
          prompts.append(prompt.dialog)
          return true
        })
      #expect(prompts == ["Bestellen?"] && outcome.dialog == "1 bestellt.")
      #expect(try await day.options(for: "tea", of: OrderTea(), app: TeaWidgets.app) == ["Grüntee", "Schwarztee"])
      try await day.setLanguage("en-GB")
      try await wait(for: "the English phrases") { try await !phrases("Order Black Tea from tea", day).isEmpty }
      #expect(try await phrases("Bestelle Grüntee bei tea", day).isEmpty)
    }
  }

  @Test("X3 A process without the app's texts donates without replacing those of intent types")
  func otherProcess() async throws {
    try await run { day, marquee in
      let other = try AppConnection(
        app: TeaWidgets.app, device: day.device, client: RPCClient(day.server.endpoint),
        now: { Date(timeIntervalSince1970: 1_623_049_200) })
      try await other.run { _ = try await OrderTea(.green, 2).donate() }
      let actions = try await marquee.json("actions", day.device)["actions"].list
      #expect(actions.contains { $0["type_title"].text == "Tee bestellen" })
    }
  }

  @Test("X3 A donation is represented in the language of its time, and a change of the language relearns nothing")
  func donations() async throws {
    try await run { day, marquee in
      for date in ["07", "08", "09", "10"] {
        try await day.advance(to: "2021-06-\(date) 10:00")
        try await day.run(as: TeaWidgets.app) { _ = try await OrderTea(.green, 2).donate() }
      }
      try await day.advance(to: "2021-06-11 09:50")
      func titles() async throws -> [String?] {
        try await marquee.json("donations", day.device)["donations"].list.map { $0["display"]["title"].text }
      }
      func predictions() async throws -> [Double] {
        try await day.admin.prediction(on: DeviceID(day.device)).actions.map(\.probability)
      }
      #expect(try await titles() == Array(repeating: "2 Tassen Grüntee", count: 4))
      let learned = try await predictions()
      #expect(!learned.isEmpty)
      try await day.setLanguage("en")
      try await wait(for: "the English texts") { try await day.content(of: "Tea") == "Fresh Green Tea" }
      #expect(try await predictions() == learned)
      #expect(try await titles() == Array(repeating: "2 Tassen Grüntee", count: 4))
      try await day.run(as: TeaWidgets.app) { _ = try await OrderTea(.black, 1).donate() }
      #expect(try await titles().contains("1 cups of Black Tea"))
    }
  }

  @Test("X3 A process without a host donates in the device's present language")
  func withoutHost() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00", language: "de") { day in
      func titles() async throws -> [String] {
        try await day.admin.donations(on: DeviceID(day.device)).donations.map(\.display.title)
      }
      try await day.run(as: TeaWidgets.app) {
        try AppConnection.current.use(try TeaWidgets.localizations)
        _ = try await OrderTea(.green, 2).donate()
        #expect(try await titles() == ["2 Tassen Grüntee"])
        try await day.setLanguage("fr")
        try await day.advance(to: "09:01")
        _ = try await OrderTea(.green, 3).donate()
      }
      #expect(try await Set(titles()) == ["2 Tassen Grüntee", "3 cups of Green Tea"])
      let types = try await day.admin.shortcuts(on: DeviceID(day.device)).apps[0].intentTypes
      #expect(types.map(\.title) == ["Order Tea"])
    }
  }

  @Test("X3 A localized phrase that is invalid is an error at the host's start that names language and phrase")
  func invalidPhrase() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      let error = await #expect(throws: RequestError.self) {
        try await day.host(MistranslatedTeaWidgets(), app: TeaWidgets.app)
      }
      #expect(error?.field == "localizations.de.appShortcuts")
      #expect(error?.reason.contains("the phrase in code has no parameter kanne") == true)
    }
  }

  @Test("X3 A device's language is set when it is added, kept by a call without one, listed, and kept by a restart")
  func devices() async throws {
    try await InProcessServer.run { server in
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let added = try await marquee.json(
        "device", "add", "phone", "--time-zone", "Europe/Vienna", "--language", "DE-at")
      #expect(added["language"].text == "de-AT" && added["created"].flag == true)
      #expect(try await marquee("device", "add", "phone", "--time-zone", "Europe/Rome").joined().hasSuffix("de-AT."))
      #expect(try await marquee("device", "add", "watch", "--time-zone", "UTC").joined().hasSuffix("language is en."))
      try await server.restart()
      let devices = try await marquee.json("devices")["devices"].list
      #expect(devices.map { $0["language"].text } == ["de-AT", "en"])
      #expect(try await marquee("devices").dropFirst().map { $0.contains(" de-AT ") } == [true, false])
      for tag in ["de_AT", "d", "1234", "deutsch-", String(repeating: "a", count: 36)] {
        let invalid = try await marquee.run(["device", "add", "phone", "--language", tag])
        #expect(invalid.exit == .code(64) && invalid.errors.contains("language"), "\(invalid.errors)")
      }
    }
  }

  @Test("X3 A provider's stream begins with the device's language, and carries each change of it")
  func streams() async throws {
    try await InProcessServer.run { server in
      try await Fixture.register(server.connection())
      let display = DisplayClient(server.connection())
      try await display.registerDevice(Fixture.device, timeZone: Fixture.berlin, language: LanguageTag("fr-CA"))
      let call = try await server.connection().bidirectional(ProviderService.provide)
      var events = call.responses.makeAsyncIterator()
      try await call.send(.attach(Fixture.device, Fixture.weatherApp))
      #expect(try await events.nextInTime() == .attached(try LanguageTag("fr-CA")))
      try await display.registerDevice(Fixture.device, timeZone: Fixture.berlin)
      try await display.registerDevice(Fixture.device, timeZone: Fixture.berlin, language: LanguageTag("it"))
      #expect(try await events.nextInTime() == .language(try LanguageTag("it")))
      #expect(try await display.time(of: Fixture.device).language.text == "it")
      let status = try await callStatus {
        let method = WireBytes.unary(DisplayService.registerDevice.path)
        let request = WireBytes.field(1, "phone") + WireBytes.field(2, "UTC") + WireBytes.field(3, "x")
        _ = try await server.connection().unary(method, request)
      }
      #expect(status?.message == "language: not a BCP 47 language tag, such as en or de-AT")
      #expect(try await display.time(of: Fixture.device).timeZone == Fixture.berlin)
    }
  }
}
