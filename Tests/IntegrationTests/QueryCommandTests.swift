import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeTestKit
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// The commands that query apps as displays do.
@Suite("App query commands over sockets", .timeLimit(.minutes(2)))
struct QueryCommandTests {
  /// An app with a widget that shows a city.
  private struct Cities: QueryHandler {
    static let type = Result { try IntentType("ShowCity") }

    static func phrases() throws -> PhraseBook {
      let city = PhraseTemplate.Parameter(try .init("city"), type: .object, hasOptions: true)
      let phrase = try PhraseTemplate([.text("Weather for "), .parameter(city), .text(" in "), .applicationName])
      let shortcut = try AppShortcutDescriptor(
        intent: Intent(type: type.get()), phrases: [phrase], shortTitle: "Show City")
      return try PhraseBook(applicationName: "Cities", shortcuts: [shortcut])
    }

    func options(_ query: OptionsQuery) async throws -> ParameterOptions {
      let cities = ["berlin", "bern", "rome"].map { city in
        ParameterOption(
          .object(DisplayIdentity(identifier: city, display: city.capitalized)), title: city.capitalized,
          section: city == "rome" ? "South" : "North")
      }
      return ParameterOptions(cities, isSelected: false, defaultValue: .single(cities[0].value))
    }

    func form(_ query: FormQuery) async throws -> ConfigurationForm {
      let configuration = try query.configuration ?? Intent(type: Self.type.get())
      let city = configuration.parameters.first { $0.name.text == "city" }?.value
      let isKnown = city == .single(.object(DisplayIdentity(identifier: "rome", display: "Rome")))
      return try ConfigurationForm(
        configuration: configuration, summary: [.text("Weather in "), .parameter(.init("city"))],
        fields: [FormField(name: .init("city"), title: "City", type: .object, isRequired: true, hasOptions: true)],
        problems: isKnown ? [] : [.init(.init("city"), "there is no such city")])
    }

    func perform(_ run: IntentInvocation, _ steps: IntentSteps, timeLeft: Duration) async throws -> IntentOutcome {
      let isWrong = run.intent.parameters.contains { $0.name.text == "wrong" }
      try await steps.report(IntentProgress(completedUnitCount: isWrong ? -1 : 1, totalUnitCount: 2))
      guard try await steps.ask(IntentPrompt(.confirmation, dialog: "Really?")) else {
        throw RequestError(.failedPrecondition, "not wanted")
      }
      return IntentOutcome(value: .single(.integer(7)), valueName: "Number", dialog: "Done it.")
    }

    func handle(_ continuation: Continuation) async throws -> ContinuationOutcome {
      switch continuation {
      case .intent: .performIntent
      case .userActivity(let activity): activity.userInfo.contains { $0.name.text == "note" } ? .handled : .notHandled
      case .widget(_, _, let link): link?.text == "cities://berlin" ? .handled : .notHandled
      case .person, .reservation: throw RequestError(.failedPrecondition, "not an activity")
      }
    }
  }

  private static let app = "com.example.cities"

  private func run(_ body: @escaping @Sendable (InProcessServer, Marquee) async throws -> Void) async throws {
    try await InProcessServer.run { server in
      try await server.display().registerDevice(Fixture.device, timeZone: Fixture.berlin)
      let (app, type) = (try AppID(Self.app), try Cities.type.get())
      let kind = WidgetKind(app: app, name: try KindName("Weather"))
      let provider = try ProviderClient(
        server.connection(), device: Fixture.device, app: app,
        kinds: [
          WidgetDescriptor(kind: kind, displayName: "Weather", families: [.systemSmall], configuration: .intent(type))
        ],
        intentTypes: [
          IntentTypeDescriptor(
            app: app, type: type,
            parameters: [.init(name: .init("city"), type: .object), .init(name: .init("wrong"), type: .boolean)],
            combinations: [.init(parameters: [.init("city")])])
        ], answering: Cities(), phrases: Cities.phrases())
      let task = Task { try await provider.run() }
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      try await wait(for: "the stream of queries") {
        try await marquee.run(["options", "phone", "\(Self.app)/ShowCity()", "city"]).exit == .code(0)
      }
      _ = try await marquee("stack", "create", "phone/home", "--family", "systemSmall")
      _ = try await marquee("stack", "add", "phone/home", "\(Self.app)/Weather(city=object:berlin)")
      try await body(server, marquee)
      task.cancel()
      _ = await task.result
    }
  }

  @Test("Options are listed with their values, and found by text and identifier")
  func options() async throws {
    try await run { _, marquee in
      let rows = try await marquee("options", "phone", "\(Self.app)/ShowCity()", "city")
      #expect(
        rows.map { $0.replacing(#/[ ]{2,}/#, with: " | ") } == [
          "VALUE | TITLE | SUBTITLE | SECTION", "object:berlin | Berlin (default) | North",
          "object:bern | Bern | North",
          "object:rome | Rome | South",
        ])
      let found = try await marquee.json("options", "phone", "\(Self.app)/ShowCity()", "city", "--matching", "BER")
      #expect(found["options"].list.map { $0["title"].text } == ["Berlin", "Bern"])
      #expect(found["default"].text == "object:berlin" && found["parameter"].text == "city")
      let one = try await marquee.json("options", "phone", "\(Self.app)/ShowCity()", "city", "--identifier", "rome")
      #expect(one["options"].list.map { $0["value"].text } == ["object:rome"])
    }
  }

  @Test("An intent type's name is sufficient if only one app has it")
  func shortNames() async throws {
    try await run { server, marquee in
      let short = try await marquee.json("options", "phone", "ShowCity", "city", "--matching", "BER")
      #expect(short["options"].list.map { $0["title"].text } == ["Berlin", "Bern"])
      let performed = try await marquee.run(["perform", "phone", "ShowCity()", "--yes"])
      #expect(performed.exit == .code(0), "\(performed.errors)")
      let unknown = try await marquee.run(["options", "phone", "ShowCty", "city"])
      #expect(unknown.exit == .code(1) && unknown.errors.contains("no intent type is called \"ShowCty\""))
      #expect(unknown.errors.contains("ShowCity") && unknown.errors.contains("Write APP/TYPE"))
      let other = try AppID("com.example.towns")
      let provider = try ProviderClient(server.connection(), device: Fixture.device, app: other, kinds: [])
      try await provider.registerIntentTypes([
        IntentTypeDescriptor(app: other, type: Cities.type.get(), parameters: [], combinations: [])
      ])
      let ambiguous = try await marquee.run(["donate", "phone", "ShowCity()"])
      #expect(ambiguous.exit == .code(1) && ambiguous.errors.contains("matches 2 intent types"))
      #expect(ambiguous.errors.contains("com.example.towns/ShowCity"), "\(ambiguous.errors)")
    }
  }

  @Test("S8 A suggestion and a widget are continued by their app; an unknown or invalid one is an error")
  func continuation() async throws {
    try await run { server, marquee in
      let note = "\(Self.app)/Note(note=x)"
      _ = try await marquee("donate", "phone", note, "--activity")
      let values = Habits.values(["note": .string("x")])
      let id = SurfaceSuggestion.Subject.action(.userActivity(try AppID(Self.app), try .init("Note"), values)).id
      #expect(
        try await marquee("continue", "suggestion", "\(id)", "--on", "search") == ["The app continues it."])
      let tapped = try await marquee.json(
        "continue", "widget", "phone/home", "Weather", "--link", "cities://berlin")
      #expect(tapped["outcome"].text == "handled" && tapped["device"].text == "phone")
      #expect(tapped["app"].text == Self.app && tapped["intent"].isNull)
      #expect(try await marquee("continue", "widget", "phone/home", "Weather") == ["The app does not handle it."])
      _ = try await marquee("report-interaction", "home", "Weather(city=object:berlin)")
      let home = try await marquee.json("continue", "home", "Weather", "--family", "systemSmall")
      #expect(home["outcome"].text == "not_handled")
      let show = "\(Self.app)/ShowCity(city=object:rome)"
      _ = try await marquee("donate", "phone", show)
      let city = Habits.values(["city": .object(DisplayIdentity(identifier: "rome", display: "rome"))])
      let intent = try Intent(type: Cities.type.get(), parameters: city)
      let action = SurfaceSuggestion.Subject.action(.intent(try AppID(Self.app), intent)).id
      let rows = try await marquee("continue", "suggestion", "\(action)", "--on", "search")
      #expect(rows == ["The app has the intent performed:", "marquee perform phone '\(show)'"])
      let performed = try await marquee.json("continue", "suggestion", "\(action)", "--on", "search")
      #expect(performed["outcome"].text == "perform_intent" && performed["intent"].text == show)
      for (arguments, status, message) in [
        (["home", "Weather(city=object:berlin)", "--family", "systemLarge"], Int32(1), "outside stacks"),
        (["suggestion", String(repeating: "0", count: 32), "--on", "search"], 1, "no such suggestion"),
        (["suggestion", "x", "--on", "search"], 64, "not a suggestion identifier"),
        (["widget", "phone/home", "Weather", "--link", "berlin"], 64, "link: must be an absolute URL"),
      ] {
        let outcome = try await marquee.run(["continue"] + arguments)
        #expect(outcome.exit == .code(status) && outcome.errors.contains(message), "\(arguments): \(outcome.errors)")
      }
    }
  }

  @Test("S8 A widget is continued with the link of the entry that it shows, unless another or none is given")
  func entryLink() async throws {
    try await run { server, marquee in
      let city = Habits.values(["city": .object(DisplayIdentity(identifier: "berlin", display: ""))])
      let kind = WidgetKind(app: try AppID(Self.app), name: try KindName("Weather"))
      let widget = Widget(kind: kind, configuration: try Intent(type: Cities.type.get(), parameters: city))
      let details = EntryDetails(link: try EntryLink("cities://berlin"))
      let entry = try TimelineEntry(date: Fixture.start, details: details)
      let request = try PublishTimelineRequest(
        device: Fixture.device, app: widget.kind.app, widget: widget, entries: [entry])
      _ = try await server.connection().unary(ProviderService.publishTimeline, request)
      let tap = ["continue", "widget", "phone/home", "Weather"]
      for (arguments, line) in [
        ([], "The app continues it."), (["--without-link"], "The app does not handle it."),
        (["--link", "cities://rome"], "The app does not handle it."),
      ] {
        let outcome = try await marquee.run(tap + arguments)
        #expect(outcome.output == line + "\n", "\(arguments): \(outcome.errors)")
      }
      let both = try await marquee.run(tap + ["--link", "cities://rome", "--without-link"])
      #expect(both.exit == .code(64) && both.errors.contains("exclude each other"), "\(both.errors)")
    }
  }

  @Test("A spoken text is listed with the command that performs its intent; invalid texts are usage errors")
  func phrase() async throws {
    try await run { _, marquee in
      let rows = try await marquee("phrase", "phone", "weather for ROME, in cities")
      #expect(
        rows.map { $0.replacing(#/[ ]{2,}/#, with: " | ") } == [
          "PHRASE | TITLE | COMMAND",
          "Weather for Rome in Cities | Show City | marquee perform phone '\(Self.app)/ShowCity(city=object:rome)'",
        ])
      let found = try await marquee.json("phrase", "phone", "weather for rome in cities")
      #expect(found["matches"].list.map { $0["app"].text } == [Self.app])
      let intent = try #require(found["matches"].list.first?["intent"].text)
      #expect(intent == "\(Self.app)/ShowCity(city=object:rome)" && found["device"].text == "phone")
      let performed = try await marquee.run(["perform", "phone", intent, "--yes"])
      #expect(performed.exit == .code(0) && performed.output.hasPrefix("Done it.\n"))
      #expect(try await marquee("phrase", "phone", "weather for rome") == ["No phrase matches."])
      for (text, message) in [
        ("", "text: must not be empty"),
        (String(repeating: "a", count: 1_001), "text: 1001 exceeds phrase-size-max (1000)"),
      ] {
        let invalid = try await marquee.run(["phrase", "phone", text])
        #expect(invalid.exit == .code(64) && invalid.errors.contains(message), "\(invalid.errors)")
      }
    }
  }

  @Test("Options are found and sorted by their properties; an error names the property and its type")
  func comparisons() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(CafeWidgets(), app: CafeWidgets.app)
      try await day.addStack("home", ["\(CafeWidgets.app)/Drink(drink=object:tea)"])
      let marquee = Marquee(endpoint: day.server.endpoint, directory: try TemporaryDirectory())
      let command = ["options", day.device, "\(CafeWidgets.app)/ShowDrink()", "drink"]
      func titles(_ arguments: String...) async throws -> [String?] {
        let outcome = try await marquee.run(command + arguments + ["--json"])
        #expect(outcome.exit == .code(0), "\(arguments): \(outcome.errors)")
        let document = JSONDocument(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)))
        return document["options"].list.map { $0["title"].text }
      }
      #expect(try await titles("--where", "price<3") == ["Tea", "Espresso"])
      #expect(try await titles("--where", "price < 3", "--where", "name*=TEA") == ["Tea"])
      #expect(
        try await titles("--where", "name^=e", "--where", "price>=4", "--any", "--sort", "price", "--descending")
          == ["Latte", "Espresso"])
      #expect(try await titles("--sort", "price", "--count", "2") == ["Espresso", "Tea"])
      for (text, status, message) in [
        ("size=3", 1, "Drink has no property size to compare (name: string, price: double)"),
        ("price=cheap", 1, "Drink.price (double) cannot be compared with a value of type string"),
        ("price*=2", 1, "Drink.price (double) does not support contains"),
        ("price", 64, "\"price\" is not a comparison"),
      ] as [(String, Int32, String)] {
        let outcome = try await marquee.run(command + ["--where", text])
        #expect(outcome.exit == .code(status) && outcome.errors.contains(message), "\(text): \(outcome.errors)")
      }
    }
  }

  @Test("A widget's form is shown, and another configuration is stored unless the app reports a problem")
  func configure() async throws {
    try await run { _, marquee in
      let form = try await marquee.run(["configure", "phone/home", "Weather"])
      #expect(form.exit == .code(0) && form.output.hasPrefix("Weather in [berlin]\n"))
      #expect(form.output.hasSuffix("city: there is no such city\n"))
      let rejected = try await marquee.run(["configure", "phone/home", "Weather", "city=object:oslo"])
      #expect(rejected.exit == .code(1) && rejected.errors.contains("the configuration is unchanged"))
      #expect(try await marquee.json("stacks")["stacks"].list[0]["members"].list[0].text?.contains("berlin") == true)
      let stored = try await marquee.json("configure", "phone/home", "Weather", "city=object:rome")
      #expect(stored["configuration"].text == "ShowCity(city=object:rome)" && stored["problems"].list.isEmpty)
      #expect(stored["parameters"].list.map { $0["value"].text } == ["object:rome"])
      #expect(try await marquee.json("stacks")["stacks"].list[0]["members"].list[0].text?.contains("rome") == true)
    }
  }

  @Test("An intent with invalid progress fails with an error of the app, and the server continues")
  func wrongProgress() async throws {
    try await run { _, marquee in
      let intent = "\(Self.app)/ShowCity(wrong=boolean:true)"
      let outcome = try await marquee.run(["perform", "phone", intent, "--yes"])
      #expect(outcome.exit == .code(1) && outcome.errors.contains("FAILED_PRECONDITION"), "\(outcome.errors)")
      #expect(outcome.errors.contains("invalid response from the app"))
      #expect(try await marquee.run(["perform", "phone", "\(Self.app)/ShowCity()", "--yes"]).exit == .code(0))
    }
  }

  @Test("A provider process continues its widget and performs an intent, and the widget shows the result")
  func process() async throws {
    try await InProcessServer.run { server in
      try await server.display().registerDevice(Fixture.device, timeZone: Fixture.berlin)
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let list = server.directory.file("reminders")
      try "2021-06-07T08:00:00Z\t1\t30\tBuy milk\n".write(toFile: list, atomically: true, encoding: .utf8)
      let app = "com.example.reminders"
      let process = try Daemon(
        [],
        environment: [
          "MARQUEE_APP": app, "MARQUEE_DEVICE": "phone", "MARQUEE_SERVER": "\(server.endpoint)", "REMINDERS": list,
        ], program: URL(filePath: Daemon.program).deletingLastPathComponent().appending(path: "marquee-reminders").path)
      let perform = ["perform", "phone", "\(app)/ClearReminders()"]
      try await wait(for: "the provider to respond") { try await marquee.run(perform).exit != .code(69) }
      #expect(try String(contentsOfFile: list, encoding: .utf8).contains("milk"))
      _ = try await marquee("stack", "create", "phone/home", "--family", "systemSmall")
      _ = try await marquee("stack", "add", "phone/home", "\(app)/Today")
      try await shown(marquee, entries: 1)
      #expect(try await marquee("continue", "widget", "phone/home", "Today") == ["The app continues it."])
      let done = try await marquee.run(perform + ["--from", "Today", "--yes"])
      #expect(done.exit == .code(0) && done.output == "The list is empty.\n")
      try await shown(marquee, entries: 0)
      #expect(try String(contentsOfFile: list, encoding: .utf8).isEmpty)
      process.send(signal: SIGTERM)
      #expect(try await process.wait() == .code(0))
    }
  }

  /// Waits until the widget has `count` entries.
  private func shown(_ marquee: Marquee, entries: Int) async throws {
    try await wait(for: "\(entries) entries") {
      try await marquee.json("inspect", "home")["widgets"].list[0]["entry_count"].number == Double(entries)
    }
  }

  @Test("An intent is performed after confirmation; without a provider, the exit status is 69")
  func perform() async throws {
    try await run { _, marquee in
      let intent = "\(Self.app)/ShowCity()"
      let done = try await marquee.run(["perform", "phone", intent, "--yes"])
      #expect(done.exit == .code(0) && done.output == "Done it.\nNumber: 7\n" && done.errors == "1 of 2\n")
      let rejected = try await marquee.run(["perform", "phone", intent])
      #expect(rejected.exit == .code(1) && rejected.errors.contains("Really? Declined: no terminal"))
      #expect(rejected.errors.contains("not wanted"))
      let nobody = try await marquee.run(["perform", "phone", "com.example.nobody/Act()"])
      #expect(nobody.exit == .code(69) && nobody.errors.contains("no provider of com.example.nobody serves queries"))
      #expect(!nobody.errors.contains("no server"))
    }
  }
}
