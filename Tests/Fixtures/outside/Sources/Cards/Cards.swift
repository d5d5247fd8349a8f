import MarqueeKit

public struct Purchase: TimelineEntry {
  public let date: Date
  let amount: Double

  /// Relevant for half an hour, with the price as score.
  public var relevance: TimelineEntryRelevance? { TimelineEntryRelevance(score: Float(amount), duration: 1800) }
}

struct Purchases: TimelineProvider {
  func placeholder(in context: Context) -> Purchase { Purchase(date: .now, amount: 0) }

  func getSnapshot(in context: Context, completion: @escaping (Purchase) -> Void) {
    completion(placeholder(in: context))
  }

  func getTimeline(in context: Context, completion: @escaping (Timeline<Purchase>) -> Void) {
    // 2021-06-07T09:41:00Z.
    let date = Date(timeIntervalSince1970: 1_623_058_860)
    completion(Timeline(entries: [Purchase(date: date, amount: 52.6)], policy: .never))
  }
}

public struct RecentPurchases: Widget {
  public init() {}

  public var body: some WidgetConfiguration {
    StaticConfiguration(kind: "RecentPurchases", provider: Purchases()) { "\($0.amount)" }
  }
}

public struct CardsWidgets: WidgetBundle {
  public init() {}

  public var body: some Widget { RecentPurchases() }
}
