import Foundation
import MarqueeKit
import Synchronization

/// An app with options, forms, and intents to perform.
struct TransitWidgets: WidgetBundle {
  static let app = "com.example.transit"
  static var appIntents: [any AppIntent.Type] {
    [BuyTicket.self, CheckNetwork.self, OpenMap.self, PlanTrip.self, Fail.self, WaitForever.self]
  }

  static var intentHandlers: [any INIntentHandling] { [RideHandler()] }

  var body: some Widget { DeparturesWidget() }
}

struct DeparturesWidget: Widget {
  var body: some WidgetConfiguration {
    AppIntentConfiguration(kind: "Departures", intent: DeparturesIntent.self, provider: DeparturesProvider()) { entry in
      "\(entry.text)"
    }
  }
}

struct DeparturesProvider: AppIntentTimelineProvider {
  struct Entry: TimelineEntry {
    let date: Date
    let text: String
  }

  func placeholder(in context: Context) -> Entry { Entry(date: .distantPast, text: "") }
  func snapshot(for configuration: DeparturesIntent, in context: Context) async -> Entry { entry(configuration) }

  func timeline(for configuration: DeparturesIntent, in context: Context) async -> Timeline<Entry> {
    Timeline(entries: [entry(configuration)], policy: .never)
  }

  private func entry(_ configuration: DeparturesIntent) -> Entry {
    let stops = configuration.stops.map(\.id).joined(separator: "+")
    return Entry(
      date: Date(timeIntervalSince1970: 1_600_000_000),
      text: "\(configuration.line.id) \(stops) \(configuration.mode) tickets \(Tickets.count.value)")
  }
}

/// The bought tickets.
enum Tickets {
  static let count = Weather.Count()
}

struct DeparturesIntent: WidgetConfigurationIntent {
  static let title: LocalizedStringResource = "Departures"

  @Parameter(title: "Line") var line: Line
  @Parameter(title: "Stops", default: [], size: [.systemSmall: 1, .systemMedium: 2]) var stops: [Stop]
  @Parameter(title: "Mode", default: .departures) var mode: Mode
  @Parameter(title: "Platform", optionsProvider: Platforms()) var platform: Int?

  static var parameterSummary: some ParameterSummary {
    Switch(.widgetFamily) {
      Case(.systemSmall) { Summary("\(\.$mode) of \(\.$line)") }
      Case(.systemExtraLarge) { Summary("\(\.$mode)") { \.$platform } }
      DefaultCase {
        When(\.$mode, .equalTo, .arrivals) {
          Summary("Arrivals of \(\.$line) at \(\.$stops)")
        } otherwise: {
          Summary("\(\.$mode) of \(\.$line) at \(\.$stops)") { \.$platform }
        }
      }
    }
  }
}

enum Mode: String, AppEnum, CaseIterable {
  case departures, arrivals, hidden

  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Mode"
  static let caseDisplayRepresentations: [Mode: DisplayRepresentation] = [
    .departures: "Departures", .arrivals: DisplayRepresentation(title: "Arrivals", subtitle: "who comes"),
  ]
}

/// The platforms of the selected stops.
struct Platforms: DynamicOptionsProvider {
  @IntentParameterDependency<DeparturesIntent>(\.$line, \.$stops) var intent
  @IntentParameterDependency<DeparturesIntent>(\.$stops) var stopsAlone
  @IntentParameterDependency<BuyTicket>(\.$line, \.$mode) var ticket

  func results() async throws -> ItemCollection<Int> {
    let count = intent?.stops.count ?? 0
    return ItemCollection(sections: [ItemSection("Platforms of \(intent?.line.name ?? "-")", items: Array(0...count))])
  }

  func defaultResult() async -> Int? { nil }
}

struct Line: AppEntity {
  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Line"
  static let defaultQuery = LineQuery()
  static let all = [Line("u2", "U2 Pankow", 29), Line("u6", "U6 Tegel", 29), Line("m10", "M10 Tram", 31)]

  let id: String
  @Property(title: "Name") var name: String
  @Property(title: "Stops") var stopCount: Int
  var displayRepresentation: DisplayRepresentation { DisplayRepresentation(title: "\(name)", subtitle: "Berlin") }

  init(_ id: String, _ name: String, _ stopCount: Int) {
    self.id = id
    self.name = name
    self.stopCount = stopCount
  }
}

struct LineQuery: EntityPropertyQuery, EntityStringQuery {
  static let findIntentDescription: IntentDescription? = "Finds lines."
  static let properties = QueryProperties {
    Property(\Line.$name) {
      EqualToComparator { name in { @Sendable (line: Line) in line.name == name } }
      ContainsComparator { name in { @Sendable (line: Line) in line.name.contains(name) } }
    }
    Property(\Line.$stopCount) {
      GreaterThanComparator { count in { @Sendable (line: Line) in line.stopCount > count } }
    }
  }
  static let sortingOptions = SortingOptions {
    SortableBy(\Line.$name)
  }

  func entities(for identifiers: [String]) async throws -> [Line] { Line.all.filter { identifiers.contains($0.id) } }
  func entities(matching string: String) async throws -> [Line] { Line.all.filter { $0.name.contains(string) } }
  func suggestedEntities() async throws -> [Line] { Line.all }
  func defaultResult() async -> Line? { Line.all[0] }

  func entities(
    matching comparators: [@Sendable (Line) -> Bool], mode: ComparatorMode, sortedBy: [Sort<Line>], limit: Int?
  ) async throws -> [Line] {
    let found = Line.all.filter { line in
      mode == .and ? comparators.allSatisfy { $0(line) } : comparators.contains { $0(line) }
    }
    let sorted = sortedBy.isEmpty ? found : found.sorted { ($0.name < $1.name) == (sortedBy[0].order == .ascending) }
    return Array(sorted.prefix(limit ?? .max))
  }
}

/// A stop of the selected line.
struct Stop: AppEntity {
  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Stop"
  static let defaultQuery = StopQuery()

  let id: String
  @Property(title: "Name") var name: String
  @Property(title: "Letters") var letterCount: Int
  @Property(title: "Kilometers") var distance: Double?
  @Property(title: "Elevator") var hasElevator: Bool
  @Property(title: "Exits") var exits: [String]
  var displayRepresentation: DisplayRepresentation { "\(id.capitalized)" }

  init(id: String) {
    self.id = id
    name = id.capitalized
    letterCount = id.count
    distance = id == "pankow" ? nil : Double(id.count) / 10
    hasElevator = id == "pankow"
    exits = []
  }
}

struct StopQuery: EnumerableEntityQuery {
  static let findIntentDescription: IntentDescription? = "Finds stops."

  @IntentParameterDependency<DeparturesIntent>(\.$line) var intent

  func entities(for identifiers: [String]) async throws -> [Stop] {
    identifiers.filter { $0 != "gone" }.map { Stop(id: $0) }
  }

  func allEntities() async throws -> [Stop] {
    switch intent?.line.id {
    case "u2": ["alexanderplatz", "senefelderplatz", "pankow"].map { Stop(id: $0) }
    case "u6": [Stop(id: "tegel")]
    default: []
    }
  }
}
