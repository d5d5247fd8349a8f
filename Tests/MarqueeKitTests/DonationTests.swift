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

  @Test("An outgoing interaction is donated with its date; incoming ones are not; all can be deleted")
  func interactions() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.run(as: Weather.app) {
        let rain = ShowRainIntent()
        rain.city = INObject(identifier: nil, display: "Berlin")
        let interaction = INInteraction(intent: rain, response: nil)
        interaction.dateInterval = DateInterval(start: Weather.date - 3_600, duration: 60)
        try await interaction.donate()
        let incoming = INInteraction(intent: rain, response: nil)
        incoming.direction = .incoming
        try await incoming.donate()
        let held = try await donations(in: day)
        #expect(held.map(\.date) == [day.server.now.advanced(by: .hours(-1))])
        #expect(held[0].activity.intent?.parameters.map { "\($0.value)" } == ["Berlin"])
        try await INInteraction.deleteAll()
        #expect(try await donations(in: day).isEmpty)
      }
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
