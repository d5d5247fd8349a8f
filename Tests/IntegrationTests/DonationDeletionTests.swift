import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// Deletion of donations (rule D5) over sockets, including the files.
@Suite("Deleted donations", .serialized, .timeLimit(.minutes(3)))
struct DonationDeletionTests {
  /// Texts that occur only in donations about San Diego.
  private static let sanDiego = ["san-diego-6f1c", "America's Finest City", "68753A44-4D6F-1226-9C60"]

  private static func check(
    _ place: String, _ shown: String, _ id: String, _ group: String, at date: Instant
  ) -> Donation {
    let location = IntentValue.object(DisplayIdentity(identifier: place, display: shown))
    return Habits.donation(id, Habits.intent("CheckWeather", ["location": location]), at: date, group: group)
  }

  /// Registers the app's intent, and donates weather intents for Cupertino and San Diego by call and by stream.
  private static func checkWeather(_ connection: RPCClient, at date: Instant) async throws -> ProviderClient {
    let weather = Habits.provider(connection, Fixture.weatherApp)
    try await weather.registerIntentTypes([
      Habits.type("CheckWeather", of: Fixture.weatherApp, ["location": .object], [["location"]])
    ])
    let cupertino = (0..<2).map { check("cupertino-02aa", "Cupertino", "c\($0)", "cupertino", at: date) }
    let diego = (0..<2).map { check(sanDiego[0], sanDiego[1], "\(sanDiego[2])-\($0)", "san-diego", at: date) }
    try await weather.donate([cupertino[0], diego[0]])
    let streamed = AsyncStream { continuation in
      for donation in [diego[1], cupertino[1]] { continuation.yield(donation) }
      continuation.finish()
    }
    _ = try await weather.donate(contentsOf: streamed)
    return weather
  }

  @Test("D5 After deletion of the group san-diego, two donations for Cupertino remain, and no file contains San Diego")
  func group() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let weather = try await Self.checkWeather(server.connection(), at: Fixture.start)
      let admin = server.admin()
      let before = try await admin.donations(on: Fixture.device).donations
      // Two donations are equivalent, and so are the other two.
      #expect(before.flatMap(\.satisfied).map(\.actionIndex).sorted() == [0, 0, 1, 1])
      let data = server.directory.file("data")
      #expect(try Habits.found(Self.sanDiego, in: data) == Self.sanDiego.sorted())
      #expect(try await weather.deleteDonations(.group(.init("san-diego"))) == 2)
      #expect(try Habits.found(Self.sanDiego, in: data).isEmpty)
      let after = try await admin.donations(on: Fixture.device)
      #expect(after.donations.map { $0.group?.text } == ["cupertino", "cupertino"])
      #expect(after.donations.flatMap(\.satisfied).map(\.actionIndex) == [0, 0])
      #expect(try Habits.found(["cupertino-02aa"], in: data) == ["cupertino-02aa"])
      #expect(try await weather.deleteDonations(.group(.init("san-diego"))) == 0)
      try await server.restart()
      #expect(try Habits.found(Self.sanDiego, in: data).isEmpty)
      #expect(try await server.admin().donations(on: Fixture.device).donations == after.donations)
    }
  }

  @Test("D5 Deleted data is in none of a server's files, right after kill -9 and after a restart")
  func killed() async throws {
    let directory = try TemporaryDirectory()
    let data = directory.file("data")
    try await Daemon.run(DaemonTests.arguments(directory)) { daemon, endpoints in
      let connection = RPCClient(endpoints[0])
      try await Fixture.build(connection)
      let weather = try await Self.checkWeather(connection, at: Fixture.start)
      #expect(try Habits.found(Self.sanDiego, in: data) == Self.sanDiego.sorted())
      #expect(try await weather.deleteDonations(.group(.init("san-diego"))) == 2)
      try await daemon.kill()
    }
    #expect(try Habits.found(Self.sanDiego, in: data).isEmpty)
    try await Daemon.run(DaemonTests.arguments(directory)) { _, endpoints in
      let admin = OperatorClient(RPCClient(endpoints[0]))
      let left = try await admin.donations(on: Fixture.device)
      #expect(left.donations.map { $0.group?.text } == ["cupertino", "cupertino"])
      #expect(try Habits.found(Self.sanDiego, in: data).isEmpty)
    }
  }

  @Test("D4 D5 Each selection deletes exactly the selected donations")
  func choices() async throws {
    try await InProcessServer.run { server in
      try await Fixture.register(server.connection())
      let soup = Habits.provider(server.connection())
      func activity(_ persistent: String, _ item: String) throws -> Donation.Activity {
        .userActivity(
          try UserActivity(type: .init("t"), persistentID: .init(persistent), relatedItem: SearchableItemID(item)))
      }
      let all = [
        Habits.donation("i1", Habits.intent("T"), group: "g"), Habits.donation("i2", Habits.intent("T")),
        Habits.donation("a1", try activity("p1", "menu"), group: "g"),
        Habits.donation("a2", try activity("p2", "menu")), Habits.donation("a3", try activity("p3", "other")),
      ]
      let choices: [(DonationSelection, Int)] = [
        (.identifiers([all[0].id, all[4].id, try .init("none")]), 2), (.group(try .init("g")), 2),
        (.persistentIDs([try .init("p2"), try .init("p9")]), 1), (.relatedItem(try SearchableItemID("menu")), 2),
        (.userActivities, 3), (.intents, 2), (.everything, 5),
      ]
      for (choice, count) in choices {
        try await soup.donate(all)
        #expect(try await soup.deleteDonations(choice) == count, "\(choice)")
        #expect(try await server.admin().donations(on: Fixture.device).donationCount == 5 - count)
      }
    }
  }

  @Test("D5 An operator deletes the donations of an app or a device, and other devices keep theirs")
  func deleteAll() async throws {
    try await InProcessServer.run { server in
      for device in [Fixture.device, Fixture.otherDevice] {
        try await Fixture.register(server.connection(), device: device)
      }
      let admin = server.admin()
      func donate() async throws {
        for device in [Fixture.device, Fixture.otherDevice] {
          for app in [Habits.soupApp, Habits.coffeeApp] {
            let activity = Habits.intent("T", ["p": .string("\(device)-\(app)")])
            let donations = (0..<3).map { Habits.donation("\($0)", activity) }
            try await Habits.provider(server.connection(), app, device: device).donate(donations)
          }
        }
      }
      try await donate()
      #expect(try await admin.deleteAllDonations(on: Fixture.device, of: Habits.coffeeApp) == 3)
      let left = try await admin.donations(on: Fixture.device).donations
      #expect(left.map(\.app) == Array(repeating: Habits.soupApp, count: 3))
      try await donate()
      #expect(try await admin.deleteAllDonations(on: Fixture.device) == 6)
      #expect(try await admin.donations(on: Fixture.device).donationCount == 0)
      #expect(try await admin.donations(on: Fixture.otherDevice).donationCount == 6)
      let texts = [Habits.soupApp, Habits.coffeeApp].map { "\(Fixture.device)-\($0)" }
      #expect(try Habits.found(texts, in: server.directory.file("data")).isEmpty)
      #expect(try await callStatus { try await admin.deleteAllDonations(on: DeviceID("nowhere")) }?.code == .notFound)
    }
  }
}
