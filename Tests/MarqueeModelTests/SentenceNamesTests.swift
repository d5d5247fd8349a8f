import MarqueeModel
import Testing

/// The names of widgets in sentences (rule X1).
@Suite struct SentenceNamesTests {
  private let amex: Widget
  private let visa: Widget
  private let news: Widget

  init() throws {
    (amex, visa, news) = (try Self.widget("amex"), try Self.widget("visa"), try Self.widget("news"))
  }

  private static func widget(_ card: String) throws -> Widget {
    let value = ParameterValue.single(.object(DisplayIdentity(identifier: card, display: "Card")))
    let intent = try Intent(
      type: IntentType("ViewPurchases"), parameters: [IntentParameter(name: IntentParameter.Name("card"), value: value)]
    )
    return Widget(
      kind: WidgetKind(app: try AppID("com.example.cards"), name: try KindName("Purchases")), configuration: intent)
  }

  /// Returns the names of the three widgets.
  private func names(_ amex: ActionDisplay, _ visa: ActionDisplay, _ news: ActionDisplay) -> [String] {
    let names = SentenceNames([self.amex: amex, self.visa: visa, self.news: news])
    return [self.amex, self.visa, self.news].map(names.name)
  }

  @Test("X1 Widgets with the same title are named with their second lines, or else by kind and configuration")
  func equalTitles() {
    let (gold, blue) = (
      ActionDisplay(title: "Spending", subtitle: "Gold"), ActionDisplay(title: "Spending", subtitle: "Blue")
    )
    let other = ActionDisplay(title: "News", subtitle: "Today")
    #expect(names(gold, blue, other) == ["Spending – Gold", "Spending – Blue", "News"])
    let exact = [amex, visa].map(\.description)
    #expect(exact[0] != exact[1])
    #expect(names(gold, gold, other) == exact + ["News"])
    // The title of one widget can be the name that another one has in place of its title.
    let same = ActionDisplay(title: "Spending – Gold")
    #expect(Set(names(gold, blue, same)).count == 3)
  }

  @Test("X1 Titles that differ only in their invisible end are told apart")
  func longTitles() {
    let start = String(repeating: "a", count: 90)
    let (first, second) = (ActionDisplay(title: start + "1"), ActionDisplay(title: start + "2"))
    #expect(names(first, second, ActionDisplay(title: "News")) == [amex, visa].map(\.description) + ["News"])
  }

  @Test("X1 A name is shortened to 80 characters and 256 bytes; other widgets are named by kind and configuration")
  func lengths() {
    let long = [String(repeating: "a", count: 81), String(repeating: "👩‍👩‍👧‍👦", count: 20)]
    let names = long.map { SentenceNames([amex: ActionDisplay(title: $0)]).name(of: amex) }
    #expect(names[0] == String(repeating: "a", count: 79) + "…")
    #expect(names[1].utf8.count <= 256 && names[1].hasSuffix("👩‍👩‍👧‍👦…"))
    #expect(SentenceNames.none.name(of: amex) == amex.shownName)
  }
}
