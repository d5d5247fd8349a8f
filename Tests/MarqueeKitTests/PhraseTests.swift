import Foundation
import MarqueeKit
import MarqueeModel
import MarqueeTestKit
import MarqueeTestSupport
import Testing

@Suite("Spoken phrases", .timeLimit(.minutes(2)), .serialized)
struct PhraseTests {
  private func run(_ body: (StackSimulator) async throws -> Void) async throws {
    try await run(SpokenTransitWidgets(), body)
  }

  private func run(_ bundle: some WidgetBundle, _ body: (StackSimulator) async throws -> Void) async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(bundle, app: TransitWidgets.app)
      try await day.addStack("home", family: .systemMedium, ["\(TransitWidgets.app)/Departures(line=object:u2)"])
      // The stream of queries is attached after that of timelines.
      try await wait(for: "the stream of queries") { try await !day.phrases(matching: "Open the transit map").isEmpty }
      try await body(day)
    }
  }

  @Test("A phrase with a parameter is resolved through the entity's query, and performed")
  func entity() async throws {
    try await run { day in
      let matches = try await day.phrases(matching: "buy a ticket for u2 PANKOW, in transit!")
      #expect(matches.map(\.phrase) == ["Buy a ticket for U2 Pankow in transit"])
      #expect(matches.first?.shortTitle == "Ticket" && matches.first?.imageName == "ticket")
      let count = Tickets.count.value
      var prompts: [String] = []
      let outcome = try await day.say(
        "u6 tegel with transit",
        agree: { prompt in
          prompts.append(prompt.dialog)
          return true
        })
      #expect(outcome.value == .single(.string("u6-1")) && outcome.dialog == "Bought.")
      #expect(prompts == ["Buy a ticket for U6 Tegel?"] && Tickets.count.value == count + 1)
      let none = await #expect(throws: RequestError.self) { try await day.say("buy a ticket for u9 in transit") }
      #expect(none?.code == .notFound)
    }
  }

  @Test("A phrase with an enumeration's case, and one without a parameter and with the title of its intent")
  func others() async throws {
    try await run { day in
      let arrivals = try await day.phrases(matching: "Transit, arrivals as departures")
      let values = arrivals.map { $0.invocation.intent.parameters.map(\.value) }
      #expect(values == [[.single(.enumCase("departures"))]])
      let map = try await day.phrases(matching: "open the TRANSIT map")
      #expect(map.map(\.shortTitle) == ["Open Map"] && map.first?.invocation.intent.type.text == "OpenMap")
    }
  }

  @Test("The intents of packages, and of packages within them, are performed")
  func packages() async throws {
    try await run { day in
      var isReported = false
      try await day.perform(CheckNetwork(), app: TransitWidgets.app, progress: { _ in isReported = true })
      #expect(isReported)
      let outcome = try await day.perform(OpenMap(), app: TransitWidgets.app, agree: { _ in true })
      #expect(outcome.dialog == "The map is open.")
    }
  }

  @Test("A bundle that is itself a package performs the intents of the packages that it includes")
  func bundleAsPackage() async throws {
    try await run(PackagedWidgets()) { day in
      var isReported = false
      try await day.perform(CheckNetwork(), app: TransitWidgets.app, progress: { _ in isReported = true })
      #expect(isReported)
    }
  }

  @Test("A phrase without the app's name, or with two parameters, is an error at start that names the phrase")
  func invalidPhrases() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      let nameless = await #expect(throws: RequestError.self) {
        try await day.host(NamelessWidgets(), app: TransitWidgets.app)
      }
      #expect(
        nameless?.description
          == "appShortcuts: the phrase \"Open the map\" of OpenMap: the application name must occur exactly once, "
          + "not 0 times")
      let crowded = await #expect(throws: RequestError.self) {
        try await day.host(CrowdedWidgets(), app: TransitWidgets.app)
      }
      #expect(
        crowded?.description
          == "appShortcuts: the phrase \"${line} ${mode} ${applicationName}\" of BuyTicket: 2 parameters; at most one "
          + "is allowed")
    }
  }

  @Test("The app's name is that of the environment, or else the last component of its identifier")
  func applicationName() throws {
    var environment = [
      "MARQUEE_APP": "com.example.transit", "MARQUEE_DEVICE": "phone", "MARQUEE_SERVER": "unix:/tmp/none.sock",
    ]
    #expect(try AppConnection(environment: environment).applicationName == "transit")
    environment["MARQUEE_APP_NAME"] = "City Transit"
    #expect(try AppConnection(environment: environment).applicationName == "City Transit")
  }
}
