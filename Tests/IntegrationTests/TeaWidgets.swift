import Foundation
import MarqueeKit
import Synchronization

/// An app in English, German and, with some texts, Austrian German.
struct TeaWidgets: WidgetBundle {
  static let app = "com.example.tea"
  static var appIntents: [any AppIntent.Type] { [OrderTea.self] }
  static var appShortcutsProvider: (any AppShortcutsProvider.Type)? { TeaShortcuts.self }
  static var localizations: Localizations {
    get throws {
      try Localizations([
        "de": [
          "Tea of the Day": "Tee des Tages", "Order Tea": "Tee bestellen", "Orders tea.": "Bestellt Tee.",
          "Drinks": "Getränke", "hot": "heiß", "Green Tea": "Grüntee", "Black Tea": "Schwarztee",
          "A pot of ${tea}": "Eine Kanne ${tea}", "%lld cups of %@": "%lld Tassen %@", "Fresh %@": "Frischer %@",
          "Order ${tea} from ${applicationName}": "Bestelle ${tea} bei ${applicationName}",
          "Order?": "Bestellen?", "Ordered %lld.": "%lld bestellt.", "Tea": "Tee",
        ],
        "de-AT": ["Drinks": "Heißgetränke"],
        // An empty table has no texts.
        "en-GB": [:],
      ])
    }
  }

  var body: some Widget { TeaWidget() }
}

struct TeaWidget: Widget {
  var body: some WidgetConfiguration {
    AppIntentConfiguration(kind: "Tea", intent: ShowTea.self, provider: TeaProvider()) { entry in "\(entry.text)" }
      .configurationDisplayName("Tea of the Day")
  }
}

enum Tea: String, AppEnum, CaseIterable {
  case green, black

  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Tea"
  static let caseDisplayRepresentations: [Tea: DisplayRepresentation] = [.green: "Green Tea", .black: "Black Tea"]

  var title: LocalizedStringResource { self == .green ? "Green Tea" : "Black Tea" }
}

struct ShowTea: WidgetConfigurationIntent {
  static let title: LocalizedStringResource = "Tea of the Day"

  @Parameter(title: "Tea") var tea: Tea

  static var parameterSummary: some ParameterSummary { Summary("A pot of \(\.$tea)") }
}

struct OrderTea: PredictableIntent {
  static let title: LocalizedStringResource = "Order Tea"
  static let description = IntentDescription("Orders tea.", categoryName: "Drinks", searchKeywords: ["hot"])

  @Parameter(title: "Tea") var tea: Tea
  @Parameter(title: "Count", default: 1) var count: Int

  init() {}

  init(_ tea: Tea, _ count: Int) {
    self.tea = tea
    self.count = count
  }

  static var predictionConfiguration: some IntentPredictionConfiguration {
    IntentPrediction<OrderTea>(parameters: (\.$tea, \.$count)) { tea, count in "\(count) cups of \(tea.title)" }
  }

  func perform() async throws -> some IntentResult & ProvidesDialog {
    try await requestConfirmation(dialog: "Order?")
    return .result(dialog: "Ordered \(count).")
  }
}

struct TeaShortcuts: AppShortcutsProvider {
  static var appShortcuts: [AppShortcut] {
    AppShortcut(
      intent: OrderTea(), phrases: ["Order \(\.$tea) from \(.applicationName)"], shortTitle: "Order Tea",
      systemImageName: "cup")
  }
}

struct TeaProvider: AppIntentTimelineProvider {
  struct Entry: TimelineEntry {
    let date: Date
    let text: String
  }

  /// The texts of all timelines.
  static let made = Mutex<Set<String>>([])

  func placeholder(in context: Context) -> Entry { Entry(date: .distantPast, text: "") }
  func snapshot(for configuration: ShowTea, in context: Context) async -> Entry { entry(configuration) }

  func timeline(for configuration: ShowTea, in context: Context) async -> Timeline<Entry> {
    let entry = self.entry(configuration)
    Self.made.withLock { _ = $0.insert(entry.text) }
    return Timeline(entries: [entry], policy: .never)
  }

  private func entry(_ configuration: ShowTea) -> Entry {
    Entry(
      date: Date(timeIntervalSince1970: 1_600_000_000), text: String(localized: "Fresh \(configuration.tea.title)"))
  }
}

/// Another widget of the app, which another host of its connection provides.
struct CupWidgets: WidgetBundle {
  private struct Cups: TimelineProvider {
    struct Entry: TimelineEntry {
      let date: Date
      let text: String
    }

    private var entry: Entry {
      Entry(date: Date(timeIntervalSince1970: 1_600_000_000), text: String(localized: "Green Tea"))
    }

    func placeholder(in context: Context) -> Entry { entry }
    func getSnapshot(in context: Context, completion: @escaping (Entry) -> Void) { completion(entry) }
    func getTimeline(in context: Context, completion: @escaping (Timeline<Entry>) -> Void) {
      completion(Timeline(entries: [entry], policy: .never))
    }
  }

  private struct CupWidget: Widget {
    var body: some WidgetConfiguration {
      StaticConfiguration(kind: "Cup", provider: Cups()) { entry in "\(entry.text)" }
    }
  }

  static var localizations: Localizations { get throws { try TeaWidgets.localizations } }

  var body: some Widget { CupWidget() }
}

/// The app with a phrase whose German text refers to a parameter that the phrase in code does not have.
struct MistranslatedTeaWidgets: WidgetBundle {
  static var appShortcutsProvider: (any AppShortcutsProvider.Type)? { TeaShortcuts.self }
  static var localizations: Localizations {
    get throws {
      try Localizations(["de": ["Order ${tea} from ${applicationName}": "Bestelle ${kanne} bei ${applicationName}"]])
    }
  }

  var body: some Widget { TeaWidget() }
}
