import MarqueeCards
import MarqueeModel
import Testing

@Suite struct CardTextTests {
  @Test("A card is rendered as text")
  func text() throws {
    let card = try Sample.reading(Sample.everything).card
    #expect(
      card.text(width: 40) == [
        "                Bus 100", "to Zoo", "[A bus]", "on time", "9:05", "Stop  Alexanderplatz", "[More]",
        "[x] Done", "[Map] [Remind me]",
      ])
  }

  @Test("Texts are wrapped or truncated, and aligned")
  func wrapping() {
    func lines(_ text: String, wraps: Bool = true, max: Int? = nil, _ alignment: Card.Alignment = .left) -> [String] {
      let block = Card.TextBlock(text, wraps: wraps, lineCountMax: max, alignment: alignment)
      return Card(body: [.text(block)]).text(width: 10)
    }
    #expect(lines("one two three four") == ["one two", "three four"])
    #expect(lines("one two three four", wraps: false) == ["one two t…"])
    #expect(lines("one two three four", max: 1) == ["one two…"])
    #expect(lines("a\n\nb", .right) == ["         a", "", "         b"])
    #expect(lines("abcdefghijklm no") == ["abcdefghij", "klm no"])
    #expect(lines("東京東京東京") == ["東京東京東", "京"])
    #expect(lines("aaaaaaaa \u{FE0F}b").allSatisfy { $0.columnCount <= 10 })
    #expect(lines("a\u{1B}[31m\u{202E}b") == ["a?[31mb"])
  }

  @Test("Columns and tables are next to each other if they fit, and below each other if not")
  func columns() {
    func column(_ text: String, _ width: Card.ColumnWidth) -> Card.Column {
      Card.Column(items: [.text(Card.TextBlock(text, wraps: true))], width: width)
    }
    let row = Card(body: [.columns([column("9:05", .auto), column("Bus 100 to the zoo", .stretch)])])
    #expect(row.text(width: 20) == ["9:05  Bus 100 to the", "      zoo"])
    #expect(row.text(width: 8) == ["9:05", "Bus 100", "to the", "zoo"])
    func cell(_ text: String) -> Card.Container { Card.Container(items: [.text(Card.TextBlock(text))]) }
    let table = Card.Table(
      columns: [.auto, .weight(1), .weight(3)],
      rows: [
        .init(cells: [cell("Line"), cell("At"), cell("To")]), .init(cells: [cell("100"), cell("9:05"), cell("Zoo")]),
      ])
    #expect(Card(body: [.table(table)]).text(width: 24) == ["Line  At      To", "100   9:05    Zoo"])
    let facts: Card.Element = .facts([.init(title: "A", value: "one two"), .init(title: "Stop", value: "b")])
    #expect(Card(body: [facts]).text(width: 10) == ["A     one", "      two", "Stop  b"])
  }

  @Test("A card without text is its fallback")
  func fallback() {
    let image = Card.Element.image(Card.Image(source: nil))
    #expect(Card(body: [image], fallbackText: "A map").text(width: 20) == ["A map"])
    #expect(Card(body: [image], fallbackText: "A map").isReadable)
    #expect(!Card(body: [image, .text(Card.TextBlock(" \n"))]).isReadable)
    #expect(Card(body: [.image(Card.Image(source: nil, altText: "A map"))]).isReadable)
  }

  @Test("No line is wider than the width, whatever the nesting", arguments: 1...30)
  func widths(width: Int) throws {
    var elements = try Sample.reading(Sample.everything).card.body
    for _ in 0..<6 {
      elements = [.columns([Card.Column(items: elements, width: .auto), Card.Column(items: elements.suffix(1))])]
    }
    for line in Card(body: elements).text(width: width) {
      #expect(line.columnCount <= width, "\(line)")
    }
  }
}
