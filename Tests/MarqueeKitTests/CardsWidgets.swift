// [provider]
import MarqueeKit

struct Purchase: TimelineEntry {
  let date: Date
  let merchant: String
  let amount: Double

  /// Worth a look for half an hour, the more the dearer.
  var relevance: TimelineEntryRelevance? { TimelineEntryRelevance(score: Float(amount), duration: 1800) }
}

struct Purchases: TimelineProvider {
  func placeholder(in context: Context) -> Purchase { Purchase(date: .now, merchant: "–", amount: 0) }

  func getSnapshot(in context: Context, completion: @escaping (Purchase) -> Void) {
    completion(placeholder(in: context))
  }

  func getTimeline(in context: Context, completion: @escaping (Timeline<Purchase>) -> Void) {
    completion(Timeline(entries: Self.today, policy: .never))
  }
}

struct RecentPurchases: Widget {
  var body: some WidgetConfiguration {
    StaticConfiguration(kind: "RecentPurchases", provider: Purchases()) { "\($0.merchant): \($0.amount)" }
      .configurationDisplayName("Recent Purchases")
      .supportedFamilies([.systemSmall])
  }
}

struct CardsWidgets: WidgetBundle {
  var body: some Widget {
    RecentPurchases()
  }
}
// [end]

extension Purchases {
  static let today = [
    Purchase(date: date("2021-06-07T09:41:00Z"), merchant: "Grocery", amount: 52.6),
    Purchase(date: date("2021-06-07T12:30:00Z"), merchant: "Soup Diner", amount: 9.5),
  ]

  static func date(_ text: String) -> Date {
    (try? Date(text, strategy: .iso8601)) ?? .distantPast
  }
}
