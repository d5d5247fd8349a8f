import Foundation
import MarqueeKit

/// An app whose drinks are found by their properties.
struct CafeWidgets: WidgetBundle {
  static let app = "com.example.cafe"

  var body: some Widget { DrinkWidget() }
}

struct DrinkWidget: Widget {
  var body: some WidgetConfiguration {
    AppIntentConfiguration(kind: "Drink", intent: ShowDrink.self, provider: DrinkProvider()) { entry in
      "\(entry.text)"
    }
  }
}

struct ShowDrink: WidgetConfigurationIntent {
  static let title: LocalizedStringResource = "Show Drink"

  @Parameter(title: "Drink") var drink: Drink
}

struct Drink: AppEntity {
  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Drink"
  static let defaultQuery = DrinkQuery()
  static let all = [Drink("tea", 2.5), Drink("espresso", 2), Drink("latte", 4)]

  let id: String
  @Property(title: "Name") var name: String
  @Property(title: "Price") var price: Double
  var displayRepresentation: DisplayRepresentation { "\(name)" }

  init(_ id: String, _ price: Double) {
    self.id = id
    name = id.capitalized
    self.price = price
  }
}

struct DrinkQuery: EnumerableEntityQuery {
  func entities(for identifiers: [String]) async throws -> [Drink] { Drink.all.filter { identifiers.contains($0.id) } }
  func allEntities() async throws -> [Drink] { Drink.all }
}

struct DrinkProvider: AppIntentTimelineProvider {
  struct Entry: TimelineEntry {
    let date: Date
    let text: String
  }

  func placeholder(in context: Context) -> Entry { Entry(date: .distantPast, text: "") }
  func snapshot(for configuration: ShowDrink, in context: Context) async -> Entry { entry(configuration) }

  func timeline(for configuration: ShowDrink, in context: Context) async -> Timeline<Entry> {
    Timeline(entries: [entry(configuration)], policy: .never)
  }

  private func entry(_ configuration: ShowDrink) -> Entry {
    Entry(date: Date(timeIntervalSince1970: 1_600_000_000), text: configuration.drink.name)
  }
}
