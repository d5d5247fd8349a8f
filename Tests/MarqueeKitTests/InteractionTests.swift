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

  @Test("D8 A donated reservation is suggested for checking in and for leaving, and not once it is canceled")
  func reservations() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      let start = Weather.date + 6 * 3_600
      try await day.run(as: "com.example.tables") {
        try await Self.donate(start: start, .confirmed)
        let held = try await donations(in: day)
        guard case .reservations(let intent, let reservations)? = held.first?.activity else {
          Issue.record("not a reservation: \(held)")
          return
        }
        #expect(intent.type.text == "INGetReservationDetailsIntent" && held.allSatisfy(\.satisfied.isEmpty))
        #expect(reservations.map(\.item.display) == ["A table for two"])
        #expect(reservations.map(\.travelTime) == [.minutes(30)] && reservations.first?.place?.display == "Mitte")
        try await day.advance(to: "13:15")
        #expect(try await notifications(in: day) == ["Check in for A table for two"])
        try await day.advance(to: "14:45")
        #expect(try await notifications(in: day) == ["Leave for A table for two"])
        try await Self.donate(start: start, .canceled)
        #expect(try await notifications(in: day) == [])
      }
    }
  }

  @Test("D8 A reservation without a beginning is rejected with the name of the field")
  func reservationWithoutBeginning() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.run(as: "com.example.tables") {
        let error = await #expect(throws: RequestError.self) { try await Self.donate(start: nil, .confirmed) }
        #expect(error?.field == "reservations[0].reservationDuration.start")
        let stored = try await donations(in: day)
        #expect(stored.isEmpty)
      }
    }
  }

  private func notifications(in day: StackSimulator) async throws -> [String] {
    let listed = try await day.display.suggestions(on: .notifications, of: DeviceID(day.device), count: 9)
    return listed.suggestions.map(\.display.title)
  }

  /// Donates a reservation to which the user travels for half an hour, with a check-in from two hours before it to one.
  private static func donate(start: Date?, _ status: INReservationStatus) async throws {
    func components(_ date: Date?) throws -> DateComponents? {
      let zone = try #require(TimeZone(identifier: "America/New_York"))
      return date.map { Calendar(identifier: .gregorian).dateComponents(in: zone, from: $0) }
    }
    let table = INSpeakableString(
      vocabularyIdentifier: "table", spokenPhrase: "A table for two", pronunciationHint: nil)
    let checkIn = INReservationAction(
      type: .checkIn,
      validDuration: INDateComponentsRange(
        start: try components(start.map { $0 - 7_200 }), end: try components(start.map { $0 - 3_600 })),
      userActivity: NSUserActivity(activityType: "com.example.tables.check-in"))
    let reservation = INRestaurantReservation(
      itemReference: table, reservationStatus: status, reservationHolderName: "Aga", actions: [checkIn],
      reservationDuration: INDateComponentsRange(start: try components(start), end: nil), partySize: 2,
      restaurantLocation: CLPlacemark(location: CLLocation(latitude: 52.5, longitude: 13.4), name: "Mitte"))
    reservation.travelTime = 1_800
    let response = INGetReservationDetailsIntentResponse(code: .success)
    response.reservations = [reservation]
    let intent = INGetReservationDetailsIntent(
      reservationContainerReference: nil, reservationItemReferences: [table])
    try await INInteraction(intent: intent, response: response).donate()
  }

  @Test("D2 Intents run in the background unless they open the app or configure widgets")
  func background() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.run(as: Weather.app) {
        try await BuyTicket(Line.all[0]).donate()
        try await CheckNetwork().donate()
        let forecast = ShowForecast()
        forecast.city = City(id: "berlin")
        try await forecast.donate()
        let rain = ShowRainIntent()
        rain.city = INObject(identifier: nil, display: "Berlin")
        try await INInteraction(intent: rain, response: nil).donate()
      }
      let held = try await donations(in: day)
      let background = held.filter { $0.satisfied.contains(where: \.isBackground) }
      #expect(Set(background.compactMap { $0.activity.intent?.type.text }) == ["BuyTicket", "ShowRainIntent"])
      #expect(held.count == 4 && held.allSatisfy { !$0.satisfied.isEmpty })
    }
  }

  @Test("X1 The donation of an interaction registers the texts of its intent's class")
  func texts() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.run(as: SoupChef.app) {
        try await INInteraction(intent: SoupChef.OrderSoupIntent(), response: nil).donate()
      }
      let app = try #require(try await day.admin.shortcuts(on: DeviceID(day.device)).apps.first)
      #expect(app.intentTypes.map(\.title) == ["Order Soup"])
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
