import Foundation
import MarqueeKit

/// The app of WWDC21 10049, written as the session describes it: relevant shortcuts, timeline relevance and donations
/// of the widget that shows the recent purchases on a card.
enum RecentPurchasesApp {
  static let app = "com.example.purchases"

  enum Category: String, AppEnum {
    case all, groceries, dining

    static let typeDisplayRepresentation: TypeDisplayRepresentation = "Category"
    static let caseDisplayRepresentations: [Category: DisplayRepresentation] = [
      .all: "All", .groceries: "Groceries", .dining: "Dining",
    ]
  }

  final class ViewRecentPurchasesIntent: INIntent, @unchecked Sendable {
    @Parameter var card: INObject?
    @Parameter var category: Category?

    override class var parameterCombinations: [[String]]? { [["card", "category"]] }
  }

  struct Purchase {
    let date: Date
    let amount: Float
  }

  struct CardRecentPurchasesEntry: TimelineEntry {
    let date: Date
    let total: Float
    var relevance: TimelineEntryRelevance?
  }

  struct Provider: IntentTimelineProvider {
    /// The purchases of the day: none in the morning, then groceries.
    static let purchases = [
      Purchase(date: Weather.date - 2_700, amount: 0), Purchase(date: Weather.date + 2_460, amount: 52.6),
    ]

    func placeholder(in context: Context) -> CardRecentPurchasesEntry {
      CardRecentPurchasesEntry(date: Weather.date, total: 0)
    }

    func getSnapshot(
      for configuration: ViewRecentPurchasesIntent, in context: Context,
      completion: @escaping @Sendable (CardRecentPurchasesEntry) -> Void
    ) { completion(placeholder(in: context)) }

    func getTimeline(
      for configuration: ViewRecentPurchasesIntent, in context: Context,
      completion: @escaping @Sendable (Timeline<CardRecentPurchasesEntry>) -> Void
    ) {
      var entries: [CardRecentPurchasesEntry] = []
      for purchase in Self.purchases {
        let relevance = TimelineEntryRelevance(score: purchase.amount, duration: 1800)
        entries.append(CardRecentPurchasesEntry(date: purchase.date, total: purchase.amount, relevance: relevance))
      }
      completion(Timeline(entries: entries, policy: .never))
    }
  }

  struct CardRecentPurchasesWidget: Widget {
    let kind: String = "CardRecentPurchasesWidget"

    var body: some WidgetConfiguration {
      IntentConfiguration(kind: kind, intent: ViewRecentPurchasesIntent.self, provider: Provider()) { entry in
        "\(entry.total)"
      }
      .configurationDisplayName("Recent Purchases")
      .description("Shows the recent purchases on a card.")
      .supportedFamilies([.systemSmall, .systemMedium])
    }
  }

  struct Widgets: WidgetBundle {
    var body: some Widget { CardRecentPurchasesWidget() }
  }

  // MARK: The app

  /// The app was notified of a purchase.
  static func purchaseMade(with card: INObject, at now: Date, completion: @escaping @Sendable ((any Error)?) -> Void) {
    var relevantShortcuts: [INRelevantShortcut] = []
    let intent = ViewRecentPurchasesIntent()
    intent.card = card
    intent.category = .all
    if let shortcut = INShortcut(intent: intent) {
      let relevantShortcut = INRelevantShortcut(shortcut: shortcut)
      relevantShortcut.shortcutRole = .information
      relevantShortcut.widgetKind = "CardRecentPurchasesWidget"
      relevantShortcut.relevanceProviders = [INDateRelevanceProvider(start: now, end: now.addingTimeInterval(1800))]
      relevantShortcuts.append(relevantShortcut)
    }
    INRelevantShortcutStore.default.setRelevantShortcuts(relevantShortcuts) { error in completion(error) }
  }

  /// The user looks at the purchases on a card.
  static func viewedPurchases(of card: INObject, completion: @escaping @Sendable ((any Error)?) -> Void) {
    let intent = ViewRecentPurchasesIntent()
    intent.card = card
    intent.category = .all
    let interaction = INInteraction(intent: intent, response: nil)
    interaction.donate { error in completion(error) }
  }
}
