import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeServer
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// Donations (rules D) over sockets, with the examples of WWDC18 211 and WWDC21 10231.
@Suite("Donations over sockets", .timeLimit(.minutes(2)))
struct DonationTests {
  @Test("D2 Soup Chef's orders are listed with the parameter combinations that each satisfies")
  func soupChef() async throws {
    try await InProcessServer.run { server in
      try await Fixture.register(server.connection())
      let soup = Habits.provider(server.connection())
      let parameters: [String: IntentValueType] = ["soup": .object, "quantity": .integer, "options": .enumCase]
      let combinations = [["soup", "quantity"], ["soup", "options"], ["soup", "quantity", "options"]]
      try await soup.registerIntentTypes([Habits.type("OrderSoup", of: Habits.soupApp, parameters, combinations)])
      // Monday and Tuesday, at lunch and in the evening.
      let options = ["croutons", "red pepper", "croutons", nil]
      for (index, option) in options.enumerated() {
        var values: [String: IntentValue] = ["soup": Habits.object("tomato"), "quantity": .integer(1)]
        values["options"] = option.map { .enumCase($0) }
        server.clock.advance(to: Fixture.after(.hours(12 * Int64(index))))
        let order = Habits.donation(
          "order \(index)", Habits.intent("OrderSoup", values), at: Fixture.after(.hours(12 * Int64(index))))
        #expect(try await soup.donate([order]).isEmpty)
      }
      let answer = try await server.admin().donations(on: Fixture.device)
      #expect(
        answer.donations.map(Habits.satisfied) == [
          ["quantity+soup:0"], ["quantity+soup:0", "options+soup:1", "options+quantity+soup:2 in background"],
          ["quantity+soup:0", "options+soup:3", "options+quantity+soup:4 in background"],
          ["quantity+soup:0", "options+soup:1", "options+quantity+soup:2 in background"],
        ])
      #expect(answer.donationCount == 4 && !answer.hasMore && answer.timeZone == Fixture.berlin)
      // 09:41 in UTC is 11:41 in Berlin in June.
      #expect(answer.donations.last?.wallTime.minute == 11 * 60 + 41 && answer.donations.last?.wallTime.weekday == 0)
    }
  }

  @Test("D2 An order with its date in the combination never repeats and causes a warning; without the date, it repeats")
  func latte() async throws {
    try await InProcessServer.run { server in
      try await Fixture.register(server.connection())
      let coffee = Habits.provider(server.connection(), Habits.coffeeApp)
      let parameters: [String: IntentValueType] = ["item": .object, "size": .enumCase, "date": .date]
      func register(_ combination: [String]) async throws -> [String] {
        let type = Habits.type("OrderCoffee", of: Habits.coffeeApp, parameters, [combination])
        return Habits.codes(try await coffee.registerIntentTypes([type]))
      }
      func order(_ day: Int) async throws -> [String] {
        let date = Fixture.after(.days(Int64(day)))
        server.clock.advance(to: date)
        let latte = Habits.intent(
          "OrderCoffee", ["item": Habits.object("iced latte"), "size": .enumCase("large"), "date": .date(date)])
        return Habits.codes(try await coffee.donate([Habits.donation("day \(day)", latte, at: date)]))
      }
      #expect(try await register(["item", "size", "date"]) == ["date-in-every-combination 0"])
      for day in 0..<7 { #expect(try await order(day).isEmpty) }
      #expect(try await order(7) == ["payload-never-repeats 0"])
      let dated = try await server.admin().donations(on: Fixture.device).donations
      #expect(Set(dated.flatMap(\.satisfied).map(\.actionIndex)).count == 8)
      #expect(try await register(["item", "size"]).isEmpty)
      #expect(try await order(8).isEmpty)
      let undated = try await server.admin().donations(on: Fixture.device).donations
      #expect(undated.map(Habits.satisfied) == Array(repeating: ["item+size:0"], count: 9))
    }
  }

  @Test("D4 A scroll position distinguishes activities unless required keys exclude it; a missing key causes a warning")
  func scrollPosition() async throws {
    try await InProcessServer.run { server in
      try await Fixture.register(server.connection())
      let soup = Habits.provider(server.connection())
      func activity(_ scroll: Int64, _ keys: [String], isEligible: Bool = true) throws -> Donation.Activity {
        .userActivity(
          try UserActivity(
            type: .init("place-order"), title: "Order soup",
            userInfo: Habits.values(["soup": .string("tomato"), "quantity": .integer(1), "scroll": .integer(scroll)]),
            requiredUserInfoKeys: keys.map { try .init($0) }, isEligibleForSearch: isEligible))
      }
      let scrolled = try (0..<8).map { Habits.donation("free \($0)", try activity(Int64(79 + 31 * $0), [])) }
      #expect(Habits.codes(try await soup.donate(scrolled)) == ["payload-never-repeats 7"])
      let required = try (0..<8).map {
        Habits.donation("required \($0)", try activity(Int64(79 + 31 * $0), ["soup", "quantity"]))
      }
      #expect(try await soup.donate(required).isEmpty)
      let lacking = [
        Habits.donation("fine", try activity(1, ["soup"])), Habits.donation("lacks", try activity(1, ["size"])),
        Habits.donation("hidden", try activity(1, [], isEligible: false)),
      ]
      #expect(
        Habits.codes(try await soup.donate(lacking)) == ["activity-not-eligible 2", "required-key-missing 1"])
      let found = try await server.admin().donations(on: Fixture.device).donations
      let actions = found.dropFirst(3).map { $0.satisfied.map(\.actionIndex) }
      #expect(Set(actions.prefix(8)).count == 1 && Set(actions.suffix(8)).count == 8)
      #expect(found.prefix(3).filter(\.satisfied.isEmpty).count == 2)
    }
  }

  @Test("D3 A donation that predicts nothing is accepted with a warning")
  func nothing() async throws {
    try await InProcessServer.run { server in
      try await Fixture.register(server.connection())
      let soup = Habits.provider(server.connection())
      try await soup.registerIntentTypes([
        Habits.type("Hidden", of: Habits.soupApp, [:], [[]], isEligibleForSuggestions: false),
        Habits.type("Order", of: Habits.soupApp, ["soup": .object, "note": .string], [["soup"]]),
      ])
      let donations = [
        Habits.donation("1", Habits.intent("Unknown")), Habits.donation("2", Habits.intent("Hidden")),
        Habits.donation("3", Habits.intent("Order", ["note": .string("hot")])),
        Habits.donation("4", Habits.intent("Order", ["soup": Habits.object("a"), "note": .string("the a")])),
      ]
      #expect(
        Habits.codes(try await soup.donate(donations)) == [
          "display-string-parameter 3", "intent-type-unregistered 0", "type-not-eligible 1",
          "no-combination-satisfied 2",
        ])
      // None of the many donations of the type has both parameters.
      try await soup.registerIntentTypes([
        Habits.type("Order", of: Habits.soupApp, ["soup": .object, "note": .string], [["soup"], ["soup", "note"]])
      ])
      let plain = (10..<20).map { Habits.donation("\($0)", Habits.intent("Order", ["soup": Habits.object("a")])) }
      #expect(try await soup.donate(Array(plain)).isEmpty)
      let answer = try await soup.donate([Habits.donation("20", Habits.intent("Order", ["soup": Habits.object("b")]))])
      #expect(answer.isEmpty, "donation 4 satisfies it")
      #expect(try await soup.deleteDonations(.identifiers([donations[3].id])) == 1)
      let last = try await soup.donate([Habits.donation("21", Habits.intent("Order", ["soup": Habits.object("b")]))])
      #expect(Habits.codes(last) == ["combination-never-satisfied"])
      #expect(try await server.admin().donations(on: Fixture.device).donationCount == 15)
    }
  }

  @Test("The rejection of a batch names donation and field, and nothing of the batch is stored")
  func rejections() async throws {
    let change = { @Sendable (configuration: inout MarqueeConfiguration) in
      configuration.limits.donationBatchCountMax = 3
      configuration.limits.donationSizeMax = 200
    }
    try await InProcessServer.run(change) { server in
      try await Fixture.register(server.connection())
      let soup = Habits.provider(server.connection())
      let fine = Habits.donation("fine", Habits.intent("T"))
      func rejection(_ donations: [Donation]) async throws -> String {
        "\(try #require(try await callStatus { try await soup.donate(donations) }))"
      }
      let early = Habits.donation("early", Habits.intent("T"), at: Fixture.after(.seconds(61)))
      #expect(
        try await rejection([fine, early])
          == "INVALID_ARGUMENT: donations[1].date_ms: 1 min 1 s in the future, more than 1 min")
      let large = Habits.donation("large", Habits.intent("T", ["p": .string(String(repeating: "a", count: 200))]))
      #expect(try await rejection([fine, large]).hasSuffix(" exceeds donation-size-max (200)"))
      let many = (0..<4).map { Habits.donation("\($0)", Habits.intent("T")) }
      #expect(
        try await rejection(many) == "RESOURCE_EXHAUSTED: donations: 4 exceeds donation-batch-count-max (3)")
      #expect(try await rejection([]) == "INVALID_ARGUMENT: donations: must not be empty")
      await #expect(throws: RequestError(.invalidArgument, field: "donations[1]", "duplicate value")) {
        try await soup.donate([fine, fine])
      }
      let nowhere = Habits.provider(server.connection(), device: Fixture.otherDevice)
      #expect(try await callStatus { try await nowhere.donate([fine]) }?.code == .notFound)
      #expect(try await callStatus { _ = try await nowhere.deleteDonations(.everything) }?.code == .notFound)
      #expect(try await server.admin().donations(on: Fixture.device).donationCount == 0)
    }
  }

  @Test("The list is paged, newest first, and each page continues after the previous one despite new donations")
  func pages() async throws {
    try await InProcessServer.run { server in
      try await Fixture.register(server.connection())
      let (soup, admin) = (Habits.provider(server.connection()), server.admin())
      let text = String(repeating: "a", count: 4_000)
      server.clock.advance(to: Fixture.after(.hours(10)))
      // 1.6 MB exceeds one response.
      let all = (0..<400).map { index in
        Habits.donation(
          "\(index)", Habits.intent("T", ["p": .string("\(index) \(text)")]), at: Fixture.after(.minutes(Int64(index))),
          group: "g")
      }
      for start in stride(from: 0, to: 400, by: 100) { try await soup.donate(Array(all[start..<start + 100])) }
      let coffee = Habits.provider(server.connection(), Habits.coffeeApp)
      try await coffee.donate([Habits.donation("latte", Habits.intent("L"))])
      var page = try await admin.donations(on: Fixture.device, of: Habits.soupApp, count: 1_000)
      #expect((50..<400).contains(page.donations.count) && page.hasMore && page.donationCount == 400)
      let until = page.at
      var found = page.donations
      server.clock.advance(to: Fixture.after(.hours(11)))
      try await soup.donate([Habits.donation("later", Habits.intent("T"), at: Fixture.after(.hours(11)))])
      while page.hasMore {
        page = try await admin.donations(
          on: Fixture.device, of: Habits.soupApp, until: until, skipping: found.count, count: 1_000)
        found += page.donations
      }
      #expect(found.map(\.date) == all.reversed().map(\.date))
      #expect(found.map(\.activity) == all.reversed().map(\.activity))
      #expect(found.allSatisfy { $0.group?.text == "g" && $0.app == Habits.soupApp })
      let two = try await admin.donations(on: Fixture.device, count: 2)
      #expect(two.donations.map(\.date) == [Fixture.after(.hours(11)), all[399].date] && two.donationCount == 402)
    }
  }
}
