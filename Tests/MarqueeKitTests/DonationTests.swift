import Foundation
import MarqueeKit
import MarqueeModel
import MarqueeTestKit
import Testing

@Suite("Donations with Apple's API", .timeLimit(.minutes(2)))
struct DonationTests {
  private func donations(in day: StackSimulator) async throws -> [DonationStatus] {
    try await day.admin.donations(on: DeviceID(day.device)).donations
  }

  @Test("An app intent is donated with its parameters, and deleted by its identifier")
  func intents() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.run(as: Weather.app) {
        let intent = ShowForecast()
        intent.city = City(id: "berlin")
        let first = try await intent.donate()
        intent.unit = "°F"
        try await IntentDonationManager.shared.donate(intent: intent)
        #expect(try await donations(in: day).map { $0.activity.intent?.parameters.count } == [3, 2])
        #expect(try await donations(in: day).allSatisfy { $0.date == day.server.now })
        try await IntentDonationManager.shared.deleteDonations(matching: .identifiers([first]))
        #expect(try await donations(in: day).map { $0.activity.intent?.parameters.count } == [3])
      }
    }
  }

  @Test("X1 X2 A donated intent brings its own representation and display strings, and its type the texts")
  func texts() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.run(as: Weather.app) {
        let intent = ShowForecast()
        intent.city = City(id: "berlin")
        try await intent.donate()
        let held = try #require(try await donations(in: day).first)
        #expect(held.display.title == "3 days in berlin")
        #expect(held.satisfied.map(\.action.parameters).first?.first?.value.displayText == "Berlin")
        let order = OrderTea()
        order.size = .large
        try await order.donate()
      }
      let device = try DeviceID(day.device)
      let donated = try #require(try await donations(in: day).first)
      #expect(donated.display.title == "Order Tea" && donated.display.summary == "A Large cup, $$ 3")
      let types = try await day.admin.shortcuts(on: device).apps.flatMap(\.intentTypes)
      let order = try #require(types.first { $0.type.text == "OrderTea" })
      #expect(order.title == "Order Tea" && order.descriptionText == "Orders a cup of tea.")
      #expect(order.combinations.map(\.texts.category) == ["Drinks"])
      #expect(order.combinations.map(\.texts.keywords) == [["chai", "brew"]])
      #expect(order.parameters.map { $0.caseTitles.map(\.title) } == [["Large", "Small"]])
      #expect(order.combinations.map(\.texts.summary.text) == ["A ${size} cup, $$$$ 3"])
    }
  }

  @Test("X1 X2 Blank titles of cases are not sent, and long representations are shortened, so that a donation succeeds")
  func lenient() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.run(as: Weather.app) {
        let note = OpenNote()
        (note.name, note.mode) = (String(repeating: "é", count: 1_500), .unnamed)
        try await note.donate()
      }
      let held = try #require(try await donations(in: day).first)
      #expect(held.display.title.utf8.count <= 1_024 && held.display.title.hasSuffix("é…"))
      let types = try await day.admin.shortcuts(on: DeviceID(day.device)).apps.flatMap(\.intentTypes)
      let titles = types.flatMap(\.parameters).flatMap(\.caseTitles).map(\.title)
      #expect(titles == ["Named"])
    }
  }

  @Test("X1 Texts of a type beyond the server's limits are shortened or omitted, so that a donation succeeds")
  func lenientType() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.run(as: Weather.app) {
        let conversion = ConvertMoney()
        conversion.currency = Currency(rawValue: "")
        try await conversion.donate()
      }
      let types = try await day.admin.shortcuts(on: DeviceID(day.device)).apps.flatMap(\.intentTypes)
      let type = try #require(types.first)
      #expect(type.title.utf8.count <= 1_024 && type.title.hasSuffix("é…"))
      #expect(type.descriptionText.utf8.count <= 1_024 && type.descriptionText.hasSuffix("é…"))
      let texts = try #require(type.combinations.first).texts
      #expect(texts.category.hasSuffix("é…") && texts.summary.isEmpty)
      #expect(texts.keywords == (1...32).map { "keyword \($0)" })
      let titles = try #require(type.parameters.first).caseTitles
      #expect(titles.map(\.name) == (1_000..<1_256).map { "\($0)" })
      #expect(titles.first?.title.hasSuffix("é…") == true && titles.last?.title == "Currency 1255")
    }
  }

  @Test("X2 The representation of a donation is that of its most specific combination, in any declared order")
  func specific() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.run(as: Weather.app) {
        for toppings in [["Milk"], []] {
          let order = OrderEspresso()
          (order.size, order.toppings) = ("Small", toppings)
          try await order.donate()
        }
      }
      let titles = try await donations(in: day).map(\.display.title)
      #expect(Set(titles) == ["Small with Milk", "Small"])
    }
  }

  @Test("X1 An invalid format is refused with the name of its field")
  func invalidFormat() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.run(as: Weather.app) {
        let error = await #expect(throws: RequestError.self) {
          try await INInteraction(intent: BrokenIntent(), response: nil).donate()
        }
        #expect(error?.description == "title: a parameter reference is not closed")
      }
    }
  }

  @Test("X1 The settings of an intent definition file are the texts of the type")
  func definitions() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.run(as: Weather.app) {
        let soup = OrderSoupIntent()
        soup.soup = INObject(identifier: "tomato", display: "Tomato Soup")
        try await INInteraction(intent: soup, response: nil).donate()
      }
      let held = try #require(try await donations(in: day).first)
      #expect(held.display == ActionDisplay(title: "Order Tomato Soup", subtitle: "from Soup Chef"))
      let types = try await day.admin.shortcuts(on: DeviceID(day.device)).apps.flatMap(\.intentTypes)
      let type = try #require(types.first)
      #expect(type.title == "Order Soup" && type.descriptionText == "Order a soup from Soup Chef.")
      #expect(type.combinations.map(\.texts.category) == ["Order"])
    }
  }

  @Test("A donation is durable when the asynchronous call returns, also over a slow connection")
  func durability() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      day.providerLink.delay = .milliseconds(30)
      try await day.run(as: Weather.app) {
        let intent = ShowForecast()
        intent.city = City(id: "berlin")
        try await intent.donate()
        #expect(try await donations(in: day).count == 1)
        let rain = ShowRainIntent()
        rain.city = INObject(identifier: "berlin", display: "Berlin")
        try await INInteraction(intent: rain, response: nil).donate()
        #expect(try await donations(in: day).count == 2)
        let activity = NSUserActivity(activityType: "com.example.weather.map")
        activity.userInfo = ["city": "berlin"]
        (activity.isEligibleForSearch, activity.isEligibleForPrediction) = (true, true)
        try await activity.donate()
        #expect(try await donations(in: day).count == 3)
      }
      try await day.restartServer()
      #expect(try await donations(in: day).count == 3)
    }
  }

  @Test("A donation that is dated in the future is refused with a reason, and the others of the app are stored")
  func future() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.run(as: Weather.app) {
        let (errors, completion) = AsyncStream.makeStream(of: String?.self)
        // The calls are made at the same time, and take effect in their order.
        for start in [Weather.date - 60, Weather.date + 7_200, Weather.date] {
          let rain = ShowRainIntent()
          rain.city = INObject(identifier: "berlin", display: "Berlin")
          let interaction = INInteraction(intent: rain, response: nil)
          interaction.dateInterval = DateInterval(start: start, duration: 0)
          interaction.donate { error in completion.yield(error.map { "\($0)" }) }
        }
        var found: [String?] = []
        for await error in errors.prefix(3) { found.append(error) }
        let refused = found.compactMap(\.self)
        #expect(found.count == 3 && refused.count == 1, "\(found)")
        #expect(refused.first?.contains("date_ms: 2 h in the future") == true, "\(refused)")
      }
      let dates = try await donations(in: day).map { Date(timeIntervalSince1970: Double($0.date.milliseconds) / 1_000) }
      #expect(dates.sorted() == [Weather.date - 60, Weather.date])
    }
  }

  @Test("D4 An eligible activity is donated when it becomes current, and deleted by its identifier")
  func activities() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.run(as: Weather.app) {
        let activity = NSUserActivity(activityType: "com.example.weather.map")
        activity.title = "Rain radar"
        activity.addUserInfoEntries(from: ["city": "berlin", "zoom": 3])
        activity.requiredUserInfoKeys = ["city"]
        activity.persistentIdentifier = "radar"
        #expect(activity.isEligibleForHandoff)
        activity.isEligibleForHandoff = false
        activity.becomeCurrent()
        activity.isEligibleForSearch = true
        activity.isEligibleForPrediction = true
        activity.becomeCurrent()
        // Later calls take effect after earlier ones.
        try await activity.donate()
        let held = try await donations(in: day)
        guard held.count == 2, case .userActivity(let told) = held[0].activity else {
          Issue.record("\(held)")
          return
        }
        #expect(told.userInfo.map { "\($0.name)=\($0.value)" } == ["city=berlin", "zoom=3"])
        #expect(told.title == "Rain radar" && told.requiredUserInfoKeys.map(\.text) == ["city"])
        activity.userInfo = ["shape": Set<Int>()]
        await #expect(throws: RequestError.self) { try await activity.donate() }
        try await NSUserActivity.deleteSavedUserActivities(withPersistentIdentifiers: ["radar"])
        #expect(try await donations(in: day).isEmpty)
      }
    }
  }

  @Test("D7 Upcoming media are sent in order, with the prediction mode")
  func media() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.run(as: "com.example.music") {
        let songs = ["one", "two"].map { name in
          INPlayMediaIntent(mediaItems: [INMediaItem(identifier: name, title: name, type: .song)])
        }
        INUpcomingMediaManager.shared.setSuggestedMediaIntents(NSOrderedSet(array: songs))
        INUpcomingMediaManager.shared.setPredictionMode(.onlyPredictSuggestedIntents, for: .song)
        try await INUpcomingMediaManager.shared.updateSuggestedMediaIntents(songs.reversed())
        try await INInteraction(intent: songs[0], response: nil).donate()
        #expect(try await donations(in: day).map { $0.activity.intent?.type } == [.playMedia])
      }
      var told: [SetUpcoming] = []
      for try await record in day.admin.history(of: try DeviceID(day.device)) {
        if case .upcomingMediaSet(let request) = record.step {
          let items = request.media.intents.map { "\($0.parameters[0].value)" }
          told.append(SetUpcoming(items: items, mode: request.media.mode))
        }
      }
      #expect(
        told == [
          SetUpcoming(items: ["[one]", "[two]"], mode: .predictive),
          SetUpcoming(items: ["[one]", "[two]"], mode: .onlySuggested),
          SetUpcoming(items: ["[two]", "[one]"], mode: .onlySuggested),
        ])
    }
  }

  private struct SetUpcoming: Equatable {
    let items: [String]
    let mode: UpcomingMedia.Mode
  }

  @Test("The current time is that of the enclosing connection, or else of the system, and needs no server")
  func time() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      #expect(try await day.run(as: Weather.app) { AppConnection.now } == Weather.date)
      try await day.advance(to: "09:30")
      #expect(try await day.run(as: Weather.app) { AppConnection.now } == Weather.date + 1_800)
    }
    #expect(AppConnection.now.timeIntervalSinceNow.magnitude < 60)
  }

  @Test("Missing environment variables and an unreachable server are reported")
  func errors() async throws {
    let missing = #expect(throws: AppConnection.Unconfigured.self) {
      try AppConnection(environment: ["MARQUEE_DEVICE": "phone"])
    }
    #expect(missing?.description == "MARQUEE_APP is not set in the environment")
    #expect(throws: AppConnection.Unconfigured.self) {
      try AppConnection(environment: ["MARQUEE_DEVICE": "phone", "MARQUEE_APP": "weather", "MARQUEE_SERVER": "unix:/x"])
    }
    let nobody = try AppConnection(
      environment: ["MARQUEE_DEVICE": "phone", "MARQUEE_APP": Weather.app, "MARQUEE_SERVER": "unix:/tmp/nobody.sock"])
    await nobody.run {
      let error = await #expect(throws: (any Error).self) { try await INInteraction.deleteAll() }
      #expect("\(error as Any)".contains("UNAVAILABLE") || "\(error as Any)".contains("unavailable"))
    }
  }
}

private enum CupSize: String, AppEnum {
  case small
  case large

  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Size"
  static let caseDisplayRepresentations: [CupSize: DisplayRepresentation] = [.small: "Small", .large: "Large"]
}

private struct OrderTea: AppIntent {
  static let title: LocalizedStringResource = "Order Tea"
  static let description = IntentDescription(
    "Orders a cup of tea.", categoryName: "Drinks", searchKeywords: ["chai", "brew"])

  @Parameter(title: "Size") var size: CupSize

  static var parameterSummary: some ParameterSummary { Summary("A \(\.$size) cup, $$ 3") }

  func perform() async throws -> some IntentResult { .result() }
}

private struct Currency: AppEnum {
  let rawValue: String

  init(rawValue: String) { self.rawValue = rawValue }

  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Currency"
  static var caseDisplayRepresentations: [Currency: DisplayRepresentation] {
    let many = (1_000..<1_300).map { (Currency(rawValue: "\($0)"), "Currency \($0)" as DisplayRepresentation) }
    return Dictionary(uniqueKeysWithValues: many).merging([
      Currency(rawValue: ""): "None", Currency(rawValue: "1000"): "\(String(repeating: "é", count: 600))",
    ]) { $1 }
  }
}

private struct ConvertMoney: AppIntent {
  private static let long = String(repeating: "é", count: 600)

  static let title: LocalizedStringResource = "\(long)"
  static let description = IntentDescription(
    "\(long)", categoryName: "\(long)",
    searchKeywords: [" "] + (1...40).map { LocalizedStringResource("keyword \($0)") })

  @Parameter(title: "Currency") var currency: Currency

  static var parameterSummary: some ParameterSummary {
    // More references than a text can have.
    Summary(
      """
      \(\.$currency)\(\.$currency)\(\.$currency)\(\.$currency)\(\.$currency)\(\.$currency)\
      \(\.$currency)\(\.$currency)\(\.$currency)\(\.$currency)\(\.$currency)\(\.$currency)\
      \(\.$currency)\(\.$currency)\(\.$currency)\(\.$currency)\(\.$currency)
      """)
  }

  func perform() async throws -> some IntentResult { .result() }
}

private struct OrderEspresso: PredictableIntent {
  static let title: LocalizedStringResource = "Order Espresso"

  @Parameter(title: "Size") var size: String
  @Parameter(title: "Toppings") var toppings: [String]

  static var predictionConfiguration: some IntentPredictionConfiguration {
    IntentPrediction<OrderEspresso>(parameters: \.$size) { size in "\(size)" }
    IntentPrediction<OrderEspresso>(parameters: (\.$size, \.$toppings)) { size, toppings in
      "\(size) with \(toppings.joined())"
    }
  }

  func perform() async throws -> some IntentResult { .result() }
}

private final class OrderSoupIntent: INIntent, @unchecked Sendable {
  @Parameter var soup: INObject?

  override class var title: String { "Order Soup" }
  override class var intentDescription: String { "Order a soup from Soup Chef." }
  override class var category: String { "Order" }
  override class func titleFormat(for combination: [String]) -> String { "Order ${soup}" }
  override class func subtitleFormat(for combination: [String]) -> String { "from Soup Chef" }
}

private enum OpenMode: String, AppEnum {
  case named
  case unnamed

  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Mode"
  static let caseDisplayRepresentations: [OpenMode: DisplayRepresentation] = [.named: "Named", .unnamed: ""]
}

private struct OpenNote: PredictableIntent {
  static let title: LocalizedStringResource = "Open Note"

  @Parameter(title: "Name") var name: String
  @Parameter(title: "Mode") var mode: OpenMode

  static var predictionConfiguration: some IntentPredictionConfiguration {
    IntentPrediction<OpenNote>(parameters: (\.$name, \.$mode)) { name, _ in "\(name)" }
  }

  func perform() async throws -> some IntentResult { .result() }
}

private final class BrokenIntent: INIntent, @unchecked Sendable {
  override class func titleFormat(for combination: [String]) -> String { "Order ${soup" }
}
