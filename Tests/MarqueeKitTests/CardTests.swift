import MarqueeCards
import MarqueeKit
import MarqueeModel
import Testing

@Suite struct CardTests {
  struct RemindMe: AppIntent {
    static let title: LocalizedStringResource = "Remind Me"

    @Parameter(title: "Line") var line: String
    @Parameter(title: "Is On") var isOn: Bool

    init() {}

    init(line: String) {
      self.line = line
    }

    func perform() async throws -> some IntentResult { .result() }
  }

  /// A part of an app's own.
  struct Departure: CardContent {
    let time: String
    let place: String

    var body: [any CardContent] {
      CardColumns(
        CardColumn(width: .auto) { CardText(time, weight: .bolder) },
        CardColumn(width: .weight(2), style: .emphasis) { CardText(place, wrap: true, maxLines: 2) })
    }
  }

  private static func card(_ content: MarqueeKit.EntryContent) throws -> Card {
    #expect(content.mediaType == Card.mediaType)
    return try CardReading(Array(content.data)).card
  }

  @Test("A card of every element is read as it was built")
  func elements() throws {
    let isLate = true
    let png = Data([0x89, 0x50])
    let content = try MarqueeKit.EntryContent.card(fallbackText: "Bus 100") {
      CardText("Bus 100", size: .large, color: .accent)
      if isLate { CardText("late", color: .attention, isSubtle: true, alignment: .right) }
      for (time, place) in [("9:05", "Zoo"), ("9:15", "Mitte")] { Departure(time: time, place: place) }
      CardFacts(["Stop": "Alexanderplatz", "Platform": "2"])
      CardImage(png, mediaType: "image/png", altText: "A bus", size: .small)
      CardGroup(style: .good) { CardTable(header: ["Line", "At"], rows: [["100", "9:05"]]) }
      CardButton("Remind me", intent: RemindMe(line: "100"), style: .positive)
      try CardLink("Map", destination: #require(URL(string: "https://example.com/map")))
      CardToggle("Follow", isOn: true, intent: RemindMe(line: "100"), parameter: "isOn")
    }
    let card = try Self.card(content)
    #expect(card.body.count == 9 && card.fallbackText == "Bus 100")
    #expect(
      card.text(width: 30) == [
        "Bus 100", "                          late", "9:05  Zoo", "9:15  Mitte", "Stop      Alexanderplatz",
        "Platform  2", "[A bus]", "Line            At", "100             9:05", "[Remind me] [Map]", "[x] Follow",
      ])
    guard case .actions(let actions) = card.body[7], case .perform(let intent) = actions[0].effect else {
      Issue.record("\(card.body)")
      return
    }
    #expect(intent.type.text == "RemindMe" && intent.parameters.map(\.name.text) == ["line"])
  }

  @Test("A card that exceeds a limit, and a link that is not secure, are errors")
  func errors() throws {
    #expect(throws: CardError.self) {
      try MarqueeKit.EntryContent.card { for _ in 0...256 { CardText("a") } }
    }
    let link = try #require(URL(string: "http://example.com"))
    #expect(throws: CardError.self) { try MarqueeKit.EntryContent.card { CardLink("Map", destination: link) } }
    let png = Data([0x89])
    #expect(throws: CardError.self) {
      try MarqueeKit.EntryContent.card { CardImage(png, mediaType: "image/bmp", altText: "a") }
    }
  }
}
