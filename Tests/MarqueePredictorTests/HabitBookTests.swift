import MarqueeModel
import MarqueePredictor
import Testing

@Suite struct HabitBookTests {
  private static func app(_ name: String) throws -> AppID { try AppID("com.example.\(name)") }

  private static func parameter(_ name: String, _ value: IntentValue) throws -> IntentParameter {
    IntentParameter(name: try .init(name), value: .single(value))
  }

  private static func intent(_ type: String, _ values: KeyValuePairs<String, IntentValue>) throws -> Intent {
    try Intent(type: IntentType(type), parameters: values.map { try parameter($0.key, $0.value) })
  }

  private static func descriptor(
    _ name: String, _ type: String, _ parameters: KeyValuePairs<String, IntentValueType>, _ combinations: [[String]],
    background: Set<Int> = [], isEligible: Bool = true
  ) throws -> IntentTypeDescriptor {
    try IntentTypeDescriptor(
      app: app(name), type: IntentType(type),
      parameters: parameters.map { .init(name: try .init($0.key), type: $0.value) },
      combinations: combinations.enumerated().map { index, names in
        .init(parameters: try names.map { try .init($0) }, isBackground: background.contains(index))
      }, isEligibleForSuggestions: isEligible)
  }

  private static func order(_ soup: String, _ option: String, _ quantity: Int64) throws -> Intent {
    try intent("OrderSoup", ["soup": .string(soup), "option": .string(option), "quantity": .integer(quantity)])
  }

  private static func soupChef() throws -> HabitBook {
    var book = HabitBook()
    book.describe(
      try descriptor(
        "soup", "OrderSoup", ["soup": .string, "option": .string, "quantity": .integer],
        [["soup", "quantity"], ["soup", "option"], ["soup", "option", "quantity"]]))
    return book
  }

  @Test("D2 A donation counts once for each combination that it satisfies, the most specific first")
  func combinations() throws {
    var book = try Self.soupChef()
    let all = book.learn(try Self.order("tomato", "croutons", 1), of: try Self.app("soup"), at: Life.moment(0, 12))
    #expect(
      all.map { $0.parameters.map(\.name.text) } == [
        ["option", "quantity", "soup"], ["quantity", "soup"], ["option", "soup"],
      ])
    let some = book.learn(
      try Self.intent("OrderSoup", ["soup": .string("leek"), "option": .string("cheese")]), of: try Self.app("soup"),
      at: Life.moment(0, 13))
    #expect(some.map { $0.parameters.map(\.name.text) } == [["option", "soup"]])
    #expect(book.learn(try Self.intent("OrderTea", [:]), of: try Self.app("soup"), at: Life.moment(0, 14)).isEmpty)
  }

  @Test("P3 Soup Chef: lunch on Friday suggests tomato with croutons, not merely tomato")
  func soup() throws {
    var book = try Self.soupChef()
    let app = try Self.app("soup")
    for day in 0..<4 {
      // Quantities vary, so that neither combination with one of them is the steady one.
      book.learn(try Self.order("tomato", "croutons", [1, 2, 1, 3][day]), of: app, at: Life.moment(day, 12, 10))
      book.learn(try Self.order("tomato", "red pepper", 1), of: app, at: Life.moment(day, 19, 15))
    }
    let friday = book.suggestions(.timeAlone, at: Life.moment(4, 12), atLeast: 0.1, count: 1)
    #expect(
      friday.map(\.action.parameters) == [
        [try Self.parameter("option", .string("croutons")), try Self.parameter("soup", .string("tomato"))]
      ])
    let evening = book.suggestions(.timeAlone, at: Life.moment(4, 19), atLeast: 0.1, count: 1)
    let dinner = try #require(evening.first).action
    #expect(dinner.parameters.contains(try Self.parameter("option", .string("red pepper"))))
    #expect(book.evidence(for: dinner, at: Life.moment(4, 19))?.doneDayCount == 4)
    let crossing = book.nextCrossing(of: dinner, above: 0.1, after: Life.moment(4, 13), within: 86_400)
    let found = try #require(crossing)
    #expect(found.day == Life.firstDay + 4 && (17 * 3_600...19 * 3_600).contains(found.second))
  }

  @Test("D2 The latte: a date in the combination hides the habit, and leaving it out shows it")
  func latte() throws {
    let names: [[String]] = [["item", "size", "date"], ["item", "size"]]
    let chances = try names.map { combination in
      var book = HabitBook()
      book.describe(
        try Self.descriptor(
          "coffee", "OrderCoffee", ["item": .string, "size": .string, "date": .date], [combination]))
      for day in 0..<10 {
        let date = Instant.min.advanced(by: .seconds(86_400 * Int64(day)))
        book.learn(
          try Self.intent(
            "OrderCoffee", ["item": .string("iced latte"), "size": .string("large"), "date": .date(date)]),
          of: try Self.app("coffee"), at: Life.moment(day, 7, 40))
      }
      return book.suggestions(.timeAlone, at: Life.moment(10, 7, 30), atLeast: 0, count: 1).first?.probability ?? 0
    }
    #expect(chances[1] > 0.5)
    #expect(chances[0] < 0.5 * chances[1])
  }

  @Test("D5 Cupertino and San Diego: two habits, and without San Diego's donations as if it had never been")
  func cities() throws {
    let app = try Self.app("weather")
    let descriptor = try Self.descriptor("weather", "CheckWeather", ["location": .object], [["location"]])
    func book(cities: Set<String>) throws -> HabitBook {
      var book = HabitBook()
      book.describe(descriptor)
      for day in 0..<8 {
        for (city, hour) in [("Cupertino", 7), ("San Diego", 18)] where cities.contains(city) {
          // The display string takes no part in equality.
          let identity = DisplayIdentity(identifier: city, display: "\(city), day \(day)")
          book.learn(
            try Self.intent("CheckWeather", ["location": .object(identity)]), of: app, at: Life.moment(day, hour, 40))
        }
      }
      return book
    }
    let both = try book(cities: ["Cupertino", "San Diego"])
    let evening = both.suggestions(.timeAlone, at: Life.moment(8, 18, 30), atLeast: 0.3, count: 1)
    #expect(
      evening.first?.action.parameters == [
        try Self.parameter("location", .object(.init(identifier: "San Diego", display: "")))
      ])
    let one = try book(cities: ["Cupertino"])
    #expect(try one == book(cities: ["Cupertino"]))
    #expect(one != both)
    let left = one.suggestions(.timeAlone, at: Life.moment(8, 18, 30), atLeast: 0, count: 5)
    #expect(left.count == 1)
  }

  @Test("D3 A type that is not eligible for suggestions predicts nothing")
  func ineligible() throws {
    var book = HabitBook()
    book.describe(try Self.descriptor("bank", "Pay", ["to": .string], [["to"]], isEligible: false))
    #expect(
      book.learn(try Self.intent("Pay", ["to": .string("x")]), of: try Self.app("bank"), at: Life.moment(0, 9)).isEmpty)
    #expect(book.suggestions(.everything, at: Life.moment(0, 10), atLeast: 0, count: 5).isEmpty)
  }
}
