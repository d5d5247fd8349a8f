import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@Suite("Surfaces over sockets", .timeLimit(.minutes(2)))
struct SurfaceTests {
  private static func episode(_ name: String) -> Intent {
    valid {
      try Intent(
        type: .playMedia,
        parameters: Habits.values(["mediaItem": Habits.object(name), "mediaContainer": Habits.object("news")]))
    }
  }

  private static func playing(_ server: InProcessServer) async throws -> [SurfaceSuggestion.Subject] {
    try await server.display().suggestions(on: .nowPlaying, of: Fixture.device).suggestions.map(\.subject)
  }

  @Test("D7 An app's upcoming media are suggested until they are played, across a restart")
  func media() async throws {
    try await InProcessServer.run { server in
      try await Fixture.register(server.connection())
      let provider = Habits.provider(server.connection())
      let items = ["a", "b"].map(Self.episode)
      try await provider.setUpcomingMedia(try UpcomingMedia(intents: items))
      let listed = items.map { SurfaceSuggestion.Subject.upcomingMedia(Habits.soupApp, $0) }
      #expect(try await Self.playing(server) == listed)
      try await provider.donate([Habits.donation("1", .intent(items[0]))])
      #expect(try await Self.playing(server) == [listed[1]])
      try await server.restart()
      #expect(try await Self.playing(server) == [listed[1]])
      let other = try Intent(type: IntentType("OrderSoup"))
      let rejected = #expect(throws: RequestError.self) { try UpcomingMedia(intents: [other]) }
      #expect(rejected?.field == "intents[0]")
    }
  }

  @Test("D8 R11 A reservation's check-in is suggested until done, its departure until the donation is deleted")
  func reservation() async throws {
    try await InProcessServer.run { server in
      try await Fixture.register(server.connection())
      // Connections end with the server.
      let provider = { Habits.provider(server.connection()) }
      let table = try Reservation(
        item: DisplayIdentity(identifier: "table seven", display: "A table"), start: Fixture.after(.hours(3)),
        place: Place(latitude: 52.52, longitude: 13.4, display: "Trattoria"),
        checkIn: DateWindow(start: Fixture.after(.hours(1))))
      let activity = Donation.Activity.reservations(try Intent(type: .reservationDetails), [table])
      try await provider().donate([Habits.donation("1", activity)])
      let errands = { () async throws -> [ListedSuggestion] in
        try await server.display().suggestions(on: .lockScreen, of: Fixture.device).suggestions
      }
      #expect(try await errands().isEmpty)
      server.clock.advance(to: Fixture.after(.hours(1)))
      let checkIn = try #require(try await errands().first)
      #expect(checkIn.subject == .reservation(Habits.soupApp, table, .checkIn) && checkIn.confidence == 1)
      #expect(checkIn.until == table.start && checkIn.id == checkIn.subject.id)
      #expect(checkIn.reason == "it begins at 14:41:00")
      for outcome in [SuggestionOutcome.shown, .acted] {
        try await server.display().report(.surfaceSuggestion(.lockScreen, checkIn.id, outcome), on: Fixture.device)
      }
      #expect(try await errands().isEmpty)
      try await server.restart()
      server.clock.advance(to: Fixture.after(.hours(2)))
      #expect(try await errands().map(\.subject) == [.reservation(Habits.soupApp, table, .leave)])
      try await provider().deleteDonations(.identifiers([try Donation.ID("1")]))
      #expect(try await errands().isEmpty)
    }
  }

  @Test("D8 The reason for a reservation states its start in the device's local time, with the date of another day")
  func localTime() async throws {
    try await InProcessServer.run { server in
      try await Fixture.register(server.connection())
      let hotel = try Reservation(
        item: DisplayIdentity(identifier: "hotel", display: "Hotel"), start: Fixture.after(.hours(13)),
        checkIn: DateWindow(start: Fixture.start))
      let activity = Donation.Activity.reservations(try Intent(type: .reservationDetails), [hotel])
      try await Habits.provider(server.connection()).donate([Habits.donation("1", activity)])
      let suggestions = try await server.display().suggestions(on: .lockScreen, of: Fixture.device).suggestions
      // 22:41 UTC on 2021-06-07.
      #expect(suggestions.map(\.reason) == ["it begins at 2021-06-08 00:41:00"])
    }
  }

  @Test("D8 The recipients of messages at work are listed for that focus and on the share sheet")
  func people() async throws {
    try await InProcessServer.run { server in
      try await Fixture.register(server.connection())
      let (provider, display) = (Habits.provider(server.connection()), server.display())
      let (work, aga) = (try FocusID("work"), DisplayIdentity(identifier: "aga", display: "Aga"))
      try await display.report(.contextChanged(.focus(work)), on: Fixture.device)
      for number in 1...3 {
        let message = Habits.intent("INSendMessageIntent", ["recipients": .person(aga)])
        try await provider.donate([Habits.donation("\(number)", message)])
      }
      let people = try await display.people(allowedIn: work, on: Fixture.device)
      #expect(people == [AssociatedPerson(person: aga, sentCount: 3, messageCount: 3)])
      let shared = try await display.suggestions(on: .shareSheet, of: Fixture.device)
      #expect(shared.suggestions.map(\.subject) == [.person(Habits.soupApp, aga)])
      #expect(shared.suggestions.first?.reason == "3 of the last 3 messages sent in the focus work went to this person")
      #expect(try await display.people(allowedIn: try FocusID("sleep"), on: Fixture.device).isEmpty)
    }
  }
}
