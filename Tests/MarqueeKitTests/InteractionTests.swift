import Foundation
import MarqueeKit
import MarqueeModel
import MarqueeTestKit
import Testing

/// Interactions in both directions, and the deletion of donations by predicates.
@Suite("Interactions with Apple's API", .timeLimit(.minutes(2)))
struct InteractionTests {
  private func donations(in day: StackSimulator) async throws -> [DonationStatus] {
    try await day.admin.donations(on: DeviceID(day.device)).donations
  }

  @Test("D9 Interactions are donated with their dates, incoming ones as received; all can be deleted")
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
        #expect(held.map(\.date) == [day.server.now, day.server.now.advanced(by: .hours(-1))])
        #expect(held.map(\.activity.isReceived) == [true, false])
        #expect(held[1].activity.intent?.parameters.map { "\($0.value)" } == ["Berlin"])
        try await INInteraction.deleteAll()
        #expect(try await donations(in: day).isEmpty)
      }
    }
  }

  @Test("D9 A received message has its sender suggested on the share sheet, and is not an action")
  func received() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.run(as: "com.example.chat") {
        let aga = INPerson(
          personHandle: INPersonHandle(value: "aga@example.com", type: .emailAddress), nameComponents: nil,
          displayName: "Aga", contactIdentifier: nil, customIdentifier: nil)
        let message = INSendMessageIntent(recipients: nil, content: "Lunch?", sender: aga)
        let interaction = INInteraction(intent: message, response: nil)
        interaction.direction = .incoming
        try await interaction.donate()
      }
      let app = try AppID("com.example.chat")
      let held = try await day.admin.donations(on: DeviceID(day.device), of: app).donations
      #expect(held.map(\.activity.isReceived) == [true] && held.allSatisfy(\.satisfied.isEmpty))
      #expect(held.first?.activity.interaction?.sender?.identifier == "aga@example.com")
      let listed = try await day.display.suggestions(on: .shareSheet, of: DeviceID(day.device), count: 9)
      #expect(listed.suggestions.map(\.reason) == ["1 unanswered message came from this person"])
      let actions = try await day.display.suggestions(on: .search, of: DeviceID(day.device), count: 9)
      #expect(actions.suggestions.isEmpty)
    }
  }

  @Test("App intents are deleted by the identifiers of their donations, and by their type")
  func predicates() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.run(as: Weather.app) {
        let forecast = ShowForecast()
        forecast.city = City(id: "berlin")
        let ids = [
          try await IntentDonationManager.shared.donate(intent: forecast),
          try await IntentDonationManager.shared.donate(intent: forecast),
        ]
        let rain = ShowRainIntent()
        rain.city = INObject(identifier: nil, display: "Berlin")
        try await INInteraction(intent: rain, response: nil).donate()
        try await IntentDonationManager.shared.deleteDonations(matching: .identifiers([ids[0]]))
        #expect(try await donations(in: day).count == 2)
        try await IntentDonationManager.shared.deleteDonations(matching: .intentType(ShowForecast.self))
        #expect(try await donations(in: day).map { $0.activity.intent?.type.text } == ["ShowRainIntent"])
      }
    }
  }
}
