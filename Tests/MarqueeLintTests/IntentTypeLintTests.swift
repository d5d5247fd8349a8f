import MarqueeLint
import MarqueeModel
import Testing

/// The coffee of WWDC21 10231: ordered by item, size and date.
@Suite struct IntentTypeLintTests {
  private static let types: [String: IntentValueType] = ["item": .object, "size": .enumCase, "when": .date]

  private func type(
    _ combinations: [String]..., name: String = "OrderCoffee", isEligible: Bool = true
  ) throws -> IntentTypeDescriptor {
    try IntentTypeDescriptor(
      app: AppID("com.example.coffee"), type: IntentType(name),
      parameters: Self.types.map { .init(name: try IntentParameter.Name($0.key), type: $0.value) },
      combinations: combinations.map { .init(parameters: try $0.map { try IntentParameter.Name($0) }) },
      isEligibleForSuggestions: isEligible)
  }

  private func intent(_ values: (String, IntentValue)..., name: String = "OrderCoffee") throws -> Intent {
    try Intent(
      type: IntentType(name),
      parameters: values.map { IntentParameter(name: try IntentParameter.Name($0.0), value: .single($0.1)) })
  }

  private func codes(_ warnings: [LintWarning]) -> [LintCode] { warnings.compactMap { LintCode(rawValue: $0.code) } }

  @Test("L D2 A type with a date in every combination is reported; one combination without a date suffices")
  func dates() throws {
    let found = IntentTypeLint.warnings(registered: [
      try type(["item", "size"], name: "Fine"), try type(["item", "size", "when"], ["when"]),
    ])
    #expect(codes(found) == [.dateInEveryCombination] && found[0].index == 1)
    #expect(found[0].message.contains("every combination of OrderCoffee has a date, such as when"))
    #expect(IntentTypeLint.warnings(registered: [try type(["item", "when"], ["item"])]).isEmpty)
    #expect(IntentTypeLint.warnings(registered: [try type()]).isEmpty)
    #expect(IntentTypeLint.warnings(registered: []).isEmpty)
  }

  @Test("L X1 A single dollar sign in a text and a line break in a title are reported")
  func texts() throws {
    func codes(_ title: String, of type: String = "") throws -> [LintCode] {
      let descriptor = try IntentTypeDescriptor(
        app: AppID("com.example.coffee"), type: IntentType("Order"), parameters: [],
        combinations: [.init(parameters: [], texts: ActionTexts(title: TextFormat(title)))], title: type)
      return self.codes(IntentTypeLint.warnings(registered: [descriptor]))
    }
    #expect(try codes("Costs 3 $") == [.singleDollarSign])
    #expect(try codes("Order $soup") == [.singleDollarSign])
    #expect(try codes("Costs $$3", of: "Costs 3 $").isEmpty)
    #expect(try codes("Order\nsoup") == [.titleLineBreak])
    #expect(try codes("Order", of: "Order\n") == [.titleLineBreak])
  }

  @Test("L D3 A type that is not eligible for suggestions has no findings")
  func eligibility() throws {
    #expect(IntentTypeLint.warnings(registered: [try type(["when"], isEligible: false)]).isEmpty)
  }

  @Test("L D2 A combination that no donation satisfies is reported if there are donations of its type")
  func combinations() throws {
    let types = [try type(["item"], ["item", "size"], ["size", "when"])]
    let latte = IntentValue.object(DisplayIdentity(identifier: "latte", display: "Latte"))
    #expect(IntentTypeLint.warnings(donated: [], of: types).isEmpty)
    #expect(IntentTypeLint.warnings(donated: [try intent(("item", latte), name: "Other")], of: types).isEmpty)
    let found = IntentTypeLint.warnings(donated: [try intent(("item", latte))], of: types)
    #expect(codes(found) == [.combinationNeverSatisfied] && found[0].index == nil)
    #expect(found[0].message.contains("no donation of OrderCoffee sets all of the combination item, size"))
    let all = try intent(("item", latte), ("size", .enumCase("large")), ("when", .date(Lint.midnight)))
    #expect(IntentTypeLint.warnings(donated: [all], of: types).isEmpty)
  }

  @Test("L A donation whose string parameter equals a display string is reported")
  func displayStrings() throws {
    let latte = IntentValue.object(DisplayIdentity(identifier: "latte", display: "Latte"))
    let found = IntentTypeLint.warnings(
      donated: [try intent(("item", latte)), try intent(("item", latte), ("title", .string("Latte")))], of: [])
    #expect(codes(found) == [.displayStringParameter] && found[0].index == 1)
    #expect(found[0].message.contains("the string title of donation 1 equals the display string of item"))
  }
}
