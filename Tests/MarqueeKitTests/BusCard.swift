import MarqueeKit

/// The card of the article about cards.
enum BusCard {
  struct RemindMe: AppIntent {
    static let title: LocalizedStringResource = "Remind Me"

    @Parameter(title: "Line") var line: String

    init() {}

    init(line: String) {
      self.line = line
    }

    func perform() async throws -> some IntentResult { .result() }
  }

  static func content() throws -> EntryContent {
    try EntryContent.card {
      CardText("Bus 100", size: .large, weight: .bolder)
      CardFacts(["Stop": "Alexanderplatz", "Departs": "09:05"])
      CardButton("Remind me", intent: RemindMe(line: "100"))
    }
  }
}
