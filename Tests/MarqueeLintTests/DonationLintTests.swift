import MarqueeLint
import MarqueeModel
import Testing

/// The coffee of WWDC21 10231 and the soup of WWDC18 211, as they are donated.
@Suite struct DonationLintTests {
  private static let types: [(String, IntentValueType)] = [("item", .object), ("size", .enumCase), ("when", .date)]

  private func type(_ combinations: [String]..., isEligible: Bool = true, isDiscoverable: Bool = true) throws
    -> IntentTypeDescriptor
  {
    try IntentTypeDescriptor(
      app: AppID("com.example.coffee"), type: IntentType("OrderCoffee"),
      parameters: Self.types.map { .init(name: try .init($0.0), type: $0.1) },
      combinations: combinations.map { .init(parameters: try $0.map { try .init($0) }) },
      isEligibleForSuggestions: isEligible, isDiscoverable: isDiscoverable)
  }

  private func values(_ values: [(String, IntentValue)]) throws -> [IntentParameter] {
    try values.map { IntentParameter(name: try .init($0.0), value: .single($0.1)) }
  }

  private func order(_ parameters: (String, IntentValue)..., type: String = "OrderCoffee") throws -> Donation.Activity {
    .intent(try Intent(type: IntentType(type), parameters: values(parameters)))
  }

  private func latte(_ hour: Int, item: String = "latte") throws -> Donation.Activity {
    let object = IntentValue.object(DisplayIdentity(identifier: item, display: ""))
    return try order(
      ("item", object), ("size", .enumCase("large")), ("when", .date(Lint.midnight.advanced(by: .hours(Int64(hour))))))
  }

  private func screen(_ scroll: Int, _ keys: [String] = [], isEligible: Bool = true) throws -> Donation.Activity {
    .userActivity(
      try UserActivity(
        type: .init("order"), userInfo: values([("soup", .string("tomato")), ("scroll", .integer(Int64(scroll)))]),
        requiredUserInfoKeys: keys.map { try .init($0) }, isEligibleForPrediction: isEligible))
  }

  private func codes(
    _ activities: [Donation.Activity], _ context: DonationLintContext
  ) throws -> [String] {
    let donations = try activities.enumerated().map { index, activity in
      Donation(id: try .init("\(index)"), date: .min, activity: activity)
    }
    return DonationLint.warnings(donated: donations, context: context).map { warning in
      warning.code + (warning.index.map { " \($0)" } ?? "")
    }
  }

  @Test("L D2 D3 D4 Each reason for an unused donation is reported once, with the first donation concerned")
  func nothing() throws {
    let context = DonationLintContext(types: [try type(["item"])])
    let item = ("item", IntentValue.object(DisplayIdentity(identifier: "latte", display: "")))
    #expect(try codes([order(item)], context).isEmpty)
    #expect(try codes([order(item), order(type: "Tea")], context) == ["intent-type-unregistered 1"])
    #expect(try codes([order(type: "INPlayMediaIntent"), order(type: "INSendMessageIntent")], context).isEmpty)
    #expect(try codes([order()], context) == ["no-combination-satisfied 0"])
    #expect(try codes([order(("item", .string("latte")))], context) == ["no-combination-satisfied 0"])
    #expect(try codes([order(item)], .init(types: [type()])) == ["no-combination-satisfied 0"])
    #expect(try codes([order(item)], .init(types: [type(["item"], isEligible: false)])) == ["type-not-eligible 0"])
    let hidden = DonationLintContext(types: [try type(["item"], isDiscoverable: false)])
    #expect(try codes([order(item), order(item)], hidden) == ["type-not-discoverable 0"])
    #expect(try codes([order()], hidden) == ["no-combination-satisfied 0"])
    #expect(try codes([screen(1), screen(1, isEligible: false)], context) == ["activity-not-eligible 1"])
    #expect(try codes([screen(1, ["soup", "size"])], context) == ["required-key-missing 0"])
    #expect(try codes([screen(1, ["soup"])], context).isEmpty)
  }

  @Test("L P4 Donations more than ten years in the past are reported, as if seconds had been sent as milliseconds")
  func longPast() throws {
    let context = DonationLintContext(now: Lint.midnight, types: [try type(["item"])])
    let activity = try order(("item", .object(DisplayIdentity(identifier: "latte", display: ""))))
    let dates = [Lint.midnight, try #require(Instant(milliseconds: 1_623_024_000)), .min]
    let donations = try dates.enumerated().map { Donation(id: try .init("\($0)"), date: $1, activity: activity) }
    let warnings = DonationLint.warnings(donated: donations, context: context)
    #expect(warnings.map(\.code) == ["donation-long-past"] && warnings[0].index == 1)
    #expect(
      warnings[0].message == "donation 1 predicts nothing, and likewise for 1 more: it is dated 18766.2 d in the past; "
        + "dates are in milliseconds, and seconds may have been sent")
  }

  @Test("L D2 A value that differs in each of eight donations is reported, unless a combination omits it")
  func payloads() throws {
    let types = [try type(["item", "size", "when"])]
    let few = try (0..<7).map { try latte($0) }
    #expect(try codes(few, .init(types: types)).isEmpty)
    #expect(try codes(few + [latte(7)], .init(types: types)) == ["payload-never-repeats 7"])
    #expect(try codes([latte(7)], .init(types: types, earlier: few)) == ["payload-never-repeats 0"])
    #expect(try codes([latte(7)], .init(types: [type(["item", "size", "when"], ["item"])], earlier: few)).isEmpty)
    #expect(try codes([latte(3)], .init(types: types, earlier: few)).isEmpty, "one hour comes again")
    // A different item each time is not a finding: no other value is the same.
    let items = try (0..<8).map { try latte(0, item: "item \($0)") }
    #expect(try codes(items, .init(types: [type(["item"])])).isEmpty)
    // Only the newest donations of a batch and its context are compared.
    let more = try (0..<2_000).map { try latte($0, item: $0 < 1_990 ? "tea" : "latte") }
    #expect(try codes(more, .init(types: types)) == ["payload-never-repeats 1999"])
    let repeated = try (0..<24).map { _ in try latte(0) }
    #expect(try codes(repeated, .init(types: types, earlier: few)).isEmpty)
  }

  @Test("L D4 A compared scroll position is reported, and one outside the required keys is not")
  func scrollPosition() throws {
    let context = DonationLintContext(types: [])
    #expect(try codes((0..<8).map { try screen($0) }, context) == ["payload-never-repeats 7"])
    #expect(try codes((0..<8).map { try screen($0, ["scroll", "soup"]) }, context) == ["payload-never-repeats 7"])
    #expect(try codes((0..<8).map { try screen($0, ["soup"]) }, context).isEmpty)
    #expect(try codes((0..<8).map { try screen($0, isEligible: false) }, context) == ["activity-not-eligible 0"])
  }

  @Test("L D2 A combination that no donation satisfies is reported with donations of its type, unless they satisfy it")
  func combinations() throws {
    let when = try IntentParameter.Name("when")
    let context = DonationLintContext(
      types: [try type(["item"], ["when"])],
      unsatisfied: [.init(type: try IntentType("OrderCoffee"), parameters: [when])])
    let item = ("item", IntentValue.object(DisplayIdentity(identifier: "latte", display: "")))
    #expect(try codes([order(item)], context) == ["combination-never-satisfied"])
    #expect(try codes([order(item), latte(1)], context).isEmpty)
    #expect(try codes([screen(1)], context).isEmpty)
  }
}
