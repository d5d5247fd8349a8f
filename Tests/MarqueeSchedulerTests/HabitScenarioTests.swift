import MarqueeModel
import MarqueeScheduler
import Testing

/// The examples of WWDC18 211 and WWDC21 10231 on the Home Screen.
@Suite struct HabitScenarioTests {
  private static let tomato = ("soup", Habitat.object("tomato"))
  private static let one = ("quantity", IntentValue.integer(1))

  private static func soup(_ option: String) throws -> Widget {
    try Habitat.widget("soup", "OrderSoup", [tomato, one, ("options", .enumCase(option))])
  }

  /// A week of soup orders until Friday morning: tomato with croutons at lunch, and with red pepper in the evening.
  private static func soupWeek(_ combinations: [[String]], _ members: [Widget] = []) throws -> Habitat {
    var life = try Habitat()
    try life.register(
      "soup", "OrderSoup", [("soup", .object), ("quantity", .integer), ("options", .enumCase)], combinations)
    try life.stack(members)
    for day in 0..<4 {
      for (hour, option) in [(12, "croutons"), (19, "red pepper")] {
        try life.donate(
          "soup", "OrderSoup", [tomato, one, ("options", .enumCase(option))], at: Habitat.time(day, hour, 10))
      }
    }
    life.advance(to: Habitat.time(4, 6))
    try life.toClock()
    return life
  }

  private static let threeTypes = [["soup", "quantity"], ["soup", "options"], ["soup", "quantity", "options"]]

  @Test("P3 On Friday at lunch Soup Chef suggests tomato with croutons, not merely tomato")
  func soupChef() throws {
    var life = try Self.soupWeek(Self.threeTypes)
    let count = life.output.count
    life.advance(to: Habitat.time(4, 12, 5))
    let lunch = try Self.soup("croutons")
    #expect(life.device.stack(Habitat.home)?.suggestedWidget == lunch)
    #expect(
      life.output.dropFirst(count) == ["Fri 11:45 suggest OrderSoup(options: croutons, quantity: 1, soup: tomato)"])
    let explanation = try #require(life.device.explanation(of: Habitat.home))
    let share = try #require(explanation.candidates.first { $0.widget == lunch }?.signals.first)
    #expect(share.signal == .prediction && share.reference == 1 && share.weight == 0.7)
    #expect(
      explanation.summary().contains("12:05–12:35 on 4 of the last 4 active weekdays"), "\(explanation.summary())")
    life.advance(to: Habitat.time(4, 14))
    #expect(life.device.stack(Habitat.home)?.suggestedWidget == nil)
  }

  @Test("P5 A Soup Chef widget in the stack is rotated to instead, and no second one is suggested")
  func soupMember() throws {
    let lunch = try Self.soup("croutons")
    let evening = try Self.soup("red pepper")
    var life = try Self.soupWeek(Self.threeTypes, [evening, lunch])
    let count = life.output.count
    life.advance(to: Habitat.time(4, 12, 10))
    #expect(life.device.stack(Habitat.home)?.frontWidget == lunch)
    #expect(
      life.output.dropFirst(count) == ["Fri 11:40 rotate to OrderSoup(options: croutons, quantity: 1, soup: tomato)"])
  }

  @Test("P5 A tomato soup widget shows both orders while there is no widget for the more specific one")
  func plainMember() throws {
    let plain = try Habitat.widget("soup", "OrderSoup", [Self.tomato, Self.one])
    let lunch = try Self.soup("croutons")
    var life = try Self.soupWeek(Self.threeTypes, [plain])
    try life.send(.stackEdited(Habitat.home, .setWidgetSuggestions(false)))
    var both = life
    life.advance(to: Habitat.time(4, 12, 10))
    #expect(life.device.stack(Habitat.home)?.frontWidget == plain)
    try both.send(.stackEdited(Habitat.home, .add(lunch, at: nil)))
    both.advance(to: Habitat.time(4, 12, 10))
    #expect(both.device.stack(Habitat.home)?.frontWidget == lunch)
    let candidates = try #require(both.device.explanation(of: Habitat.home)?.candidates)
    #expect(candidates.filter { $0.evidence > 0 }.map(\.widget) == [lunch])
  }

  @Test(
    "D2 A latte order with a date is never suggested; without one, it is on the fourth day", arguments: [true, false])
  func latte(hasDate: Bool) throws {
    var life = try Habitat()
    try life.register(
      "coffee", "OrderCoffee", [("item", .object), ("size", .enumCase), ("date", .date)],
      [hasDate ? ["item", "size", "date"] : ["item", "size"]])
    try life.stack()
    for day in 0..<7 {
      let date = Habitat.time(day, 7, 5 + day % 3)
      try life.donate(
        "coffee", "OrderCoffee",
        [("item", Habitat.object("iced latte")), ("size", .enumCase("large")), ("date", .date(date))], at: date)
    }
    let mornings = life.output.filter { $0.hasPrefix("Thu") && $0.contains("suggest OrderCoffee") }
    #expect(mornings.isEmpty == hasDate, "\(life.output)")
    if hasDate { #expect(life.output.isEmpty) }
  }

  private static let cupertino = [("location", Habitat.object("Cupertino"))]

  /// Cupertino every morning, San Diego every evening.
  private static func cities(days: Int, donating: (String) -> Bool = { _ in true }) throws -> Habitat {
    var life = try Habitat()
    try life.register("weather", "CheckWeather", [("location", .object)], [["location"]])
    try life.stack()
    for day in 0..<days {
      for (city, hour) in [("Cupertino", 7), ("San Diego", 18)] where donating(city) {
        try life.donate(
          "weather", "CheckWeather", [("location", Habitat.object(city))],
          group: city == "Cupertino" ? nil : "san-diego", at: Habitat.time(day, hour, 30))
      }
    }
    return life
  }

  @Test("D5 After the group san-diego is deleted its suggestion is withdrawn, and nothing mentions San Diego")
  func sanDiego() throws {
    var life = try Self.cities(days: 9)
    let sanDiego = try Habitat.widget("weather", "CheckWeather", [("location", Habitat.object("San Diego"))])
    try life.donate("weather", "CheckWeather", Self.cupertino, at: Habitat.time(9, 7, 30))
    life.advance(to: Habitat.time(9, 18, 20))
    #expect(life.device.stack(Habitat.home)?.suggestedWidget == sanDiego)
    try life.report(.tapped(Habitat.home, sanDiego), at: life.device.now)
    #expect(life.device.engagement(of: sanDiego).goodCount == 1)
    #expect(life.device.encoded.contains("San Diego") && life.device.knownWidgets.contains(sanDiego))

    try life.send(.donationsDeleted(try Habitat.app("weather"), .group(try Donation.Group("san-diego"))))
    #expect(life.output.last == "Wed 18:20 withdraw CheckWeather(location: San Diego): evidence ended")
    #expect(!life.device.encoded.contains("San Diego") && !life.device.knownWidgets.contains(sanDiego))
    #expect(life.device.engagement(of: sanDiego).goodCount == 0)

    var innocent = try Self.cities(days: 9) { $0 == "Cupertino" }
    try innocent.donate("weather", "CheckWeather", Self.cupertino, at: Habitat.time(9, 7, 30))
    innocent.advance(to: Habitat.time(9, 18, 20))
    #expect(life.device.likelyActions(count: 9) == innocent.device.likelyActions(count: 9))
    innocent.advance(to: Habitat.time(10, 7, 20))
    life.advance(to: Habitat.time(10, 7, 20))
    #expect(life.device.likelyActions(count: 9) == innocent.device.likelyActions(count: 9))
    #expect(life.device.stack(Habitat.home)?.suggestedWidget == innocent.device.stack(Habitat.home)?.suggestedWidget)
    #expect(life.device.stack(Habitat.home)?.suggestedWidget != nil)
  }

  /// A user who wakes at a different hour every day, checks the weather ten minutes later, and does other things by
  /// day.
  @Test("P4 The weather widget appears after waking, whatever the hour", arguments: [true, false])
  func weatherAfterWaking(isMember: Bool) throws {
    let weather = try Habitat.widget("weather", "CheckWeather", Self.cupertino)
    var life = try Habitat()
    try life.registerFilling()
    try life.register("weather", "CheckWeather", [("location", .object)], [["location"]])
    try life.stack(isMember ? [weather] : [])
    var policy = Policy()
    (policy.suggestionCountMax, policy.appSuggestionCountMax) = (100, 100)
    try life.send(.policyChanged(policy))
    let wakes = [390, 510, 300, 450, 560, 330, 480, 400, 530, 310, 440, 500]
    for (day, minute) in wakes.enumerated() {
      try life.report(.contextChanged(.routine(.morning)), at: Habitat.time(day, 0, minute))
      try life.donate(
        "weather", "CheckWeather", Self.cupertino, at: Habitat.time(day, 0, minute + 10))
      try life.fill(day)
    }
    for minute in [310, 420] {
      var morning = life
      try morning.toClock()
      morning.advance(to: Habitat.time(12, 0, minute))
      #expect(morning.device.stack(Habitat.home)?.frontWidget != weather, "before waking: \(morning.output.suffix(3))")
      let count = morning.output.count
      try morning.report(.contextChanged(.routine(.morning)), at: Habitat.time(12, 0, minute))
      #expect(morning.device.stack(Habitat.home)?.frontWidget == weather)
      let output = "\(isMember ? "rotate to" : "suggest") CheckWeather(location: Cupertino)"
      #expect(morning.output.dropFirst(count).first?.hasSuffix(output) ?? false)
    }
  }
}

extension [UInt8] {
  fileprivate func contains(_ text: String) -> Bool {
    let needle = Array(text.utf8)
    return indices.contains { self[$0...].starts(with: needle) }
  }
}
