import MarqueeKit

struct Purchase: TimelineEntry {
  let date: Date
  let relevance: TimelineEntryRelevance?
}

struct Purchases: TimelineProvider {
  private let groceries = Purchase(  // 09:41 UTC on 2021-06-07
    date: Date(timeIntervalSince1970: 1_623_058_860), relevance: TimelineEntryRelevance(score: 52.6, duration: 1800))

  func placeholder(in context: Context) -> Purchase { groceries }
  func getSnapshot(in context: Context, completion: @escaping (Purchase) -> Void) { completion(groceries) }
  func getTimeline(in context: Context, completion: @escaping (Timeline<Purchase>) -> Void) {
    completion(Timeline(entries: [groceries], policy: .never))
  }
}

struct RecentPurchases: Widget {
  var body: some WidgetConfiguration {
    StaticConfiguration(kind: "RecentPurchases", provider: Purchases()) { _ in "Groceries: 52.60" }
  }
}

struct CardsWidgets: WidgetBundle {
  var body: some Widget { RecentPurchases() }
}
