import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import Testing

/// The donation commands. Clocks begin on 2021-06-07, a Monday, at 11:41 in Berlin.
@Suite("Donation commands over sockets", .timeLimit(.minutes(2)))
struct DonationCommandTests {
  private func run(_ body: (InProcessServer, Marquee) async throws -> Void) async throws {
    try await InProcessServer.run { server in
      try await Fixture.register(server.connection())
      let soup = Habits.provider(server.connection())
      let parameters: [String: IntentValueType] = ["soup": .object, "quantity": .integer]
      let type = Habits.type("OrderSoup", of: Habits.soupApp, parameters, [["soup"], ["soup", "quantity"]])
      try await soup.registerIntentTypes([type])
      try await body(server, Marquee(endpoint: server.endpoint, directory: server.directory))
    }
  }

  private static let tomato = "com.example.soup-chef/OrderSoup(quantity=1, soup=object:tomato)"

  @Test("Manual donations are listed with the combinations they satisfy, in local time")
  func list() async throws {
    try await run { server, marquee in
      #expect(try await marquee("donations", "phone") == ["No donations."])
      let first = try await marquee.json("donate", "phone", Self.tomato, "--group", "g", "--at", "-1h")
      #expect(first["donation"].text == Self.tomato && first["date"].text == "2021-06-07T10:41:00+02:00")
      let id = try #require(first["identifier"].text)
      #expect(!id.isEmpty && first["warnings"].list.isEmpty)
      try await server.display().report(.contextChanged(.routine(.morning)), on: Fixture.device)
      let screen = ["donate", "phone", "com.example.soup-chef/menu(page=3, soup=tomato)", "--activity"]
      let outcome = try await marquee.run(screen + ["--required-key", "soup", "--identifier", "screen"])
      #expect(
        outcome.exit == .code(0)
          && outcome.output == "Donated com.example.soup-chef/menu(page=3, soup=tomato) as screen.\n")
      let unknown = try await marquee("donate", "phone", "com.example.coffee/OrderCoffee()")
      #expect(unknown.last?.hasPrefix("intent-type-unregistered: donation 0 predicts nothing: ") == true)
      let rows = try await marquee("donations", "--app", "com.example.soup-chef")
      #expect(
        rows.map { $0.replacing(#/[ ]{2,}/#, with: " | ") } == [
          "WHEN | WHAT | TITLE | ID | GROUP | PERSISTENT ID | RELATED ITEM | SATISFIES | CONTEXT",
          "Mon 2021-06-07 11:41 | com.example.soup-chef/menu(page=3, soup=tomato) | menu(page: 3, soup: tomato) | "
            + "screen | soup (#2) | morning",
          "Mon 2021-06-07 10:41 | \(Self.tomato) | OrderSoup(quantity: 1, soup: tomato) | \(id) | g | "
            + "soup (#0); quantity, soup (#1)",
        ])
      let all = try await marquee.json("donations", "phone", "--count", "2")
      #expect(all["donation_count"].number == 3 && all["donations"].list.count == 2)
      let newest = all["donations"].list
      #expect(newest[0]["donation"].text == "com.example.coffee/OrderCoffee()" && newest[0]["kind"].text == "intent")
      #expect(newest[0]["satisfied"].list.isEmpty && newest[1]["kind"].text == "user_activity")
      #expect(newest[1]["satisfied"].list.map { $0["parameters"].list.map(\.text) } == [["soup"]])
      #expect(newest[1]["id"].text == "screen")
      #expect(newest[1]["routine"].text == "morning" && newest[1]["wall_time"].text == "2021-06-07T11:41")
    }
  }

  @Test("The user's place is printed by its name or, without one, by its coordinates")
  func places() async throws {
    try await run { server, marquee in
      _ = try await marquee("report-interaction", "place", "--latitude", "52.52", "--longitude", "13.40049")
      _ = try await marquee("donate", "phone", Self.tomato)
      let coordinates = "52.520, 13.400"
      #expect(try await marquee("donations", "phone").last?.hasSuffix("  at \(coordinates)") == true)
      let listed = try await marquee.json("donations", "phone")
      #expect(listed["donations"].list.map { $0["place"].text } == [coordinates])
      #expect(try await marquee("predict", "phone").first?.hasSuffix(", at \(coordinates)") == true)
      #expect(try await marquee.json("predict", "phone")["place"].text == coordinates)
      let office = try Place(latitude: 52.52, longitude: 13.4, display: "Office")
      try await server.display().report(.contextChanged(.place(office)), on: Fixture.device)
      #expect(try await marquee("predict", "phone").first?.hasSuffix(", at Office") == true)
    }
  }

  @Test("delete-donations prints the number of deletions, and requires a scope")
  func delete() async throws {
    try await run { server, marquee in
      for number in 1...6 {
        let names = ["--identifier", "\(number)", "--group", "\(number % 2)"]
        _ = try await marquee.run(["donate", "phone", Self.tomato] + names)
      }
      _ = try await marquee.run(["donate", "phone", "com.example.coffee/OrderCoffee()"])
      let app = "com.example.soup-chef"
      for wrong in [[], ["--app", app], ["--group", "1"], ["--everything", "--app", app, "--group", "1"]] {
        #expect(try await marquee.run(["delete-donations", "phone"] + wrong).exit == .code(64), "\(wrong)")
      }
      #expect(try await server.admin().donations(on: Fixture.device).donationCount == 7)
      #expect(
        try await marquee("delete-donations", "phone", "--app", app, "--identifier", "1", "--identifier", "2")
          == ["Deleted 2 donations of \(app) on phone."])
      let group = try await marquee.json("delete-donations", "phone", "--app", app, "--group", "1")
      #expect(group["deleted_count"].number == 2 && group["app"].text == app && group["device"].text == "phone")
      let rest = try await marquee("delete-donations", "phone", "--app", app, "--everything")
      #expect(rest.first?.hasPrefix("Deleted 2 ") == true)
      #expect(try await marquee("delete-donations", "phone", "--everything") == ["Deleted 1 donation on phone."])
      #expect(try await server.admin().donations(on: Fixture.device).donationCount == 0)
      let unknown = try await marquee.run(["delete-donations", "phon", "--everything"])
      #expect(unknown.errors.contains("Did you mean \"phone\"?"))
    }
  }

  @Test("User activities are listed with the values that select them, and deleted by each of these")
  func activities() async throws {
    try await run { server, marquee in
      let app = "com.example.soup-chef"
      func donate() async throws {
        let items = [("p1", "menu"), ("p2", "menu"), ("p3", "order")].map { persistent, item in
          let activity = valid {
            try UserActivity(
              type: .init("screen"), title: "Screen \(persistent)", persistentID: .init(persistent),
              relatedItem: SearchableItemID(item))
          }
          return Habits.donation(persistent, .userActivity(activity))
        }
        let intent = Habits.donation("i", Habits.intent("OrderSoup", ["soup": Habits.object("tomato")]))
        try await Habits.provider(server.connection()).donate(items + [intent])
      }
      try await donate()
      let rows = try await marquee("donations", "phone").map { $0.replacing(#/[ ]{2,}/#, with: " | ") }
      #expect(rows.contains { $0.contains("\(app)/screen() | Screen p3 | p3 | p3 | order | ") }, "\(rows)")
      let listed = try await marquee.json("donations", "phone")["donations"].list
      #expect(listed.count { $0["title"].isNull && $0["persistent_id"].isNull && $0["related_item"].isNull } == 1)
      let third = try #require(listed.first { $0["persistent_id"].text == "p3" })
      #expect(third["title"].text == "Screen p3" && third["related_item"].text == "order")
      let scopes: [([String], Int)] = [
        (["--persistent-id", "p1", "--persistent-id", "p3"], 2), (["--related-item", "menu"], 2),
        (["--activities"], 3), (["--intents"], 1),
      ]
      for (scope, count) in scopes {
        try await donate()
        let outcome = try await marquee.run(["delete-donations", "phone", "--app", app] + scope)
        #expect(outcome.output == "Deleted \(count) donation\(count == 1 ? "" : "s") of \(app) on phone.\n", "\(scope)")
        let unscoped = try await marquee.run(["delete-donations", "phone"] + scope)
        #expect(unscoped.exit == .code(64) && unscoped.errors.contains("--app is required"), "\(scope)")
        let two = try await marquee.run(["delete-donations", "phone", "--app", app, "--group", "g"] + scope)
        #expect(two.exit == .code(64) && two.errors.contains("exactly one of"), "\(scope)")
      }
    }
  }

  @Test("Predictions are printed with reasons, for now, the past and the future")
  func predict() async throws {
    try await run { server, marquee in
      let none = "No actions learned: no donation satisfies a combination of a type that is eligible for suggestions."
      #expect(try await marquee("predict", "phone").last == none)
      for day in 1...4 {
        _ = try await marquee("donate", "phone", Self.tomato, "--at", "2021-06-0\(day) 12:35")
        guard day == 1 else { continue }
        #expect(
          try await marquee("predict", "phone").last
            == "Nothing is predicted now: 2 actions are known, but each was done fewer than 3 times, on fewer than "
            + "2 days, or too recently.")
      }
      try await server.display().report(.contextChanged(.routine(.morning)), on: Fixture.device)
      let lunch = try await marquee("predict", "--at", "2021-06-07 12:30")
      #expect(lunch[0] == "phone  2021-06-07 12:30:00, Europe/Berlin, morning")
      #expect(lunch[1].split(separator: " ") == ["LIKELY", "WHAT", "APP", "WHY"] && lunch.count == 4)
      #expect(lunch[2].hasPrefix("●"))
      let order = "OrderSoup(quantity: 1, soup: tomato)  com.example.soup-chef"
      #expect(lunch[2].contains("% ") && lunch[2].hasSuffix("\(order)  12:30–13:00 on 4 of the last 4 active weekdays"))
      let all = try await marquee.json("predict", "phone", "--at", "2021-06-07 12:30")
      #expect(all["device"].text == "phone" && all["routine"].text == "morning" && all["action_count"].number == 2)
      #expect(all["at"].text == "2021-06-07T12:30:00+02:00" && all["evidence_probability_min"].number == 0.2)
      let (soup, anySoup) = (all["actions"].list[0], all["actions"].list[1])
      #expect(soup["action"].text == Self.tomato && soup["kind"].text == "intent")
      #expect(anySoup["action"].text == "com.example.soup-chef/OrderSoup(soup=object:tomato)")
      let probability = try #require(soup["probability"].number)
      #expect(probability > 0.4 && soup["evidence"].flag == true)
      #expect(soup["habit"]["done_day_count"].number == 4 && soup["habit"]["slot_minute"].number == 750)
      let night = try await marquee.json("predict", "--at", "2021-06-08 03:00", "--count", "1")
      let least = try #require(night["actions"].list[0]["probability"].number)
      #expect(least < 0.1 && night["actions"].list.count == 1 && night["actions"].list[0]["evidence"].flag == false)
      server.clock.advance(to: Fixture.after(.minutes(10)))
      _ = try await marquee("donate", "phone", "com.example.soup-chef/menu(page=3)", "--activity")
      #expect(try await marquee.json("predict")["action_count"].number == 3)
      #expect(try await marquee.json("predict", "--at", "2021-06-07 11:45")["action_count"].number == 2)
      #expect(try await marquee.run(["predict", "phone", "--count", "0"]).exit == .code(64))
    }
  }

  @Test("An invalid donation is a usage error with a hint")
  func wrong() async throws {
    try await run { _, marquee in
      let nobody = try await marquee.run(["donate", "phone", "OrderTea(soup=tomato)"])
      #expect(nobody.exit == .code(1) && nobody.errors.contains("Write APP/TYPE(PARAMETER=VALUE, …)"))
      for text in ["", "T(a=1, a=2)", "T(a=date:x)"].map({ "com.example.soup-chef/\($0)" }) {
        #expect(try await marquee.run(["donate", "phone", text]).exit == .code(64), "\(text)")
      }
      #expect(try await marquee.run(["donate", "phone", "soup/T"]).exit == .code(64))
      #expect(try await marquee.run(["donate", "phone", Self.tomato, "--required-key", "soup"]).exit == .code(64))
      let early = try await marquee.run(["donate", "phone", Self.tomato, "--at", "+1h"])
      #expect(early.exit == .code(1) && early.errors.contains("donations[0].date_ms: 1 h in the future"))
    }
  }
}
