import Foundation
import MarqueeModel
import MarqueeTestSupport
import Testing

/// `marquee suggest --watch` against a server.
@Suite("suggest --watch", .timeLimit(.minutes(2)))
struct SuggestCommandTests {
  @Test("S9 suggest --watch prints every list, as text or as a line of JSON with the next possible change")
  func watch() async throws {
    try await InProcessServer.run { server in
      try await Fixture.register(server.connection())
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let arguments = ["suggest", "phone", "--on", "notifications", "--watch"]
      let watching = try marquee.start(arguments)
      let watchingJSON = try marquee.start(arguments + ["--json"])
      defer { for process in [watching, watchingJSON] { process.send(signal: SIGKILL) } }
      func list(_ part: String) async throws -> JSONDocument {
        let line = try await watchingJSON.log.line(with: part)
        return JSONDocument(try JSONSerialization.jsonObject(with: Data(line.utf8)))
      }
      _ = try await watching.log.line(with: "11:41:00  phone  notifications")
      _ = try await watching.log.line(with: "  No suggestions.")
      let empty = try await list("notifications")
      #expect(empty["surface"].text == "notifications" && empty["suggestions"].list.isEmpty)
      #expect(empty["at"].text == "2021-06-07T11:41:00+02:00" && empty["next_change"].isNull)
      let table = try Reservation(
        item: DisplayIdentity(identifier: "table", display: "A table"), start: Fixture.after(.hours(2)),
        place: Place(latitude: 52.52, longitude: 13.4, display: "Trattoria"), travelTime: .minutes(30))
      let activity = Donation.Activity.reservations(try Intent(type: .reservationDetails), [table])
      try await Habits.provider(server.connection()).donate([Habits.donation("1", activity)])
      // The list is still empty, but its next change is known.
      let later = try await list("13:11:00")
      #expect(later["suggestions"].list.isEmpty && later["next_change"].text == "2021-06-07T13:11:00+02:00")
      server.clock.advance(to: Fixture.after(.minutes(90)))
      _ = try await watching.log.line(with: "13:11:00  phone  notifications")
      _ = try await watching.log.line(with: "100 %  Leave for A table")
      let due = try await list("leave for A table")
      #expect(due["suggestions"].list.map { $0["kind"].text } == ["leave"])
      #expect(due["next_change"].text == "2021-06-07T13:41:00+02:00")
      #expect(watching.log.text.components(separatedBy: "No suggestions.").count == 2)
    }
  }

  @Test("D3 An empty list says which probable actions are of a type that is not discoverable, and so does its donation")
  func notDiscoverable() async throws {
    try await InProcessServer.run { server in
      try await Fixture.register(server.connection())
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let soup = Habits.provider(server.connection())
      try await soup.registerIntentTypes([
        Habits.type("Order", of: Habits.soupApp, ["soup": .object], [["soup"]], isDiscoverable: false)
      ])
      let order = Habits.intent("Order", ["soup": Habits.object("tomato")])
      let donations = (1...14).reversed().map { day in
        Habits.donation("\(day)", order, at: Fixture.start.advanced(by: .minutes(Int64(10 - day * 1_440))))
      }
      let warnings = try await soup.donate(donations)
      #expect(Habits.codes(warnings) == ["type-not-discoverable 0"])
      let lines = try await marquee("suggest", "phone", "--on", "search")
      #expect(lines.count == 2 && lines.first == "No suggestions.")
      #expect(lines.last?.hasPrefix("Not suggested: ") == true)
      #expect(lines.last?.hasSuffix("since its type com.example.soup-chef/Order is not discoverable.") == true)
      let types = try await marquee("shortcuts", "phone")
      #expect(types.contains { $0.contains("Order") && $0.hasSuffix("not discoverable: on no surface") })
    }
  }
}
