import MarqueeKit

/// A balance that is private, is valid for an hour, and opens its card.
struct Balance: TimelineEntry {
  let date: Date
  let amount: Double?

  var relevance: TimelineEntryRelevance? { TimelineEntryRelevance(score: 1) }
  var entryDetails: TimelineEntryDetails<Balance> {
    TimelineEntryDetails(
      expiry: date.addingTimeInterval(3_600), isPrivacySensitive: amount != nil,
      redacted: Balance(date: date, amount: nil), widgetURL: URL(string: "cards://balance"))
  }
}

struct Balances: TimelineProvider {
  func placeholder(in context: Context) -> Balance { Balance(date: Weather.date, amount: nil) }

  func getSnapshot(in context: Context, completion: @escaping (Balance) -> Void) {
    completion(placeholder(in: context))
  }

  func getTimeline(in context: Context, completion: @escaping (Timeline<Balance>) -> Void) {
    let entry = Balance(date: Weather.date, amount: 52.6)
    completion(Timeline(entries: [entry], policy: .never, fallback: entry))
  }
}

struct BalanceWidget: Widget {
  var body: some WidgetConfiguration {
    StaticConfiguration(kind: "Balance", provider: Balances()) { entry in
      EntryContent(stringLiteral: entry.amount.map { "\($0)" } ?? "–")
    }
  }
}

/// A widget whose entries have details.
struct BalanceWidgets: WidgetBundle {
  static let app = "com.example.balance"

  var body: some Widget { BalanceWidget() }
}
