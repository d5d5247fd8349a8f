import Foundation
import MarqueeKit

/// An entity of the weather app.
struct City: AppEntity {
  static let all = ["berlin": "Berlin", "paris": "Paris"]
  static let typeDisplayRepresentation: TypeDisplayRepresentation = "City"
  static let defaultQuery = CityQuery()

  let id: String
  var displayRepresentation: DisplayRepresentation { "\(Self.all[id] ?? id)" }
}

struct CityQuery: EntityQuery {
  func entities(for identifiers: [String]) async throws -> [City] {
    identifiers.filter { City.all[$0] != nil }.map { City(id: $0) }
  }
}

/// The configuration of the widget based on App Intents.
struct ShowForecast: WidgetConfigurationIntent, PredictableIntent {
  static let title: LocalizedStringResource = "Show Forecast"

  @Parameter(title: "City") var city: City
  @Parameter(title: "Days", default: 3) var days: Int
  @Parameter(title: "Unit") var unit: String?

  static var predictionConfiguration: some IntentPredictionConfiguration {
    IntentPrediction(parameters: (\.$city, \.$days)) { city, days in "\(days) days in \(city.id)" }
    IntentPrediction(parameters: \.$city) { city in "\(city.id)" }
  }
}

/// The configuration of the widget based on Intents.
final class ShowRainIntent: INIntent, @unchecked Sendable {
  @Parameter var city: INObject?
}

struct Hour: TimelineEntry {
  let date: Date
  let text: String
}

/// A provider whose entries contain their configuration.
struct Forecasts: AppIntentTimelineProvider {
  func placeholder(in context: Context) -> Hour { Hour(date: .now, text: "–") }

  func snapshot(for configuration: ShowForecast, in context: Context) async -> Hour { placeholder(in: context) }

  func timeline(for configuration: ShowForecast, in context: Context) async -> Timeline<Hour> {
    let text = "\(configuration.city.id) \(configuration.days) \(configuration.unit ?? "°C") \(context.family)"
    return Timeline(entries: [Hour(date: Weather.date, text: text)], policy: .never)
  }
}

struct Rain: IntentTimelineProvider {
  func placeholder(in context: Context) -> Hour { Hour(date: .now, text: "–") }

  func getSnapshot(for configuration: ShowRainIntent, in context: Context, completion: @escaping (Hour) -> Void) {
    completion(placeholder(in: context))
  }

  func getTimeline(
    for configuration: ShowRainIntent, in context: Context, completion: @escaping (Timeline<Hour>) -> Void
  ) {
    let text = "rain in \(configuration.city?.displayString ?? "nowhere")"
    completion(Timeline(entries: [Hour(date: Weather.date, text: text)], policy: .never))
    // The second completion must be ignored.
    completion(Timeline(entries: [], policy: .atEnd))
  }
}

/// A provider that reloads every 15 minutes and counts its timelines.
struct Beats: TimelineProvider {
  let count: Weather.Count

  func placeholder(in context: Context) -> Hour { Hour(date: .now, text: "–") }

  func getSnapshot(in context: Context, completion: @escaping (Hour) -> Void) { completion(placeholder(in: context)) }

  func getTimeline(in context: Context, completion: @escaping (Timeline<Hour>) -> Void) {
    let number = count.next()
    let date = Weather.date.addingTimeInterval(Double(number) * 900)
    completion(Timeline(entries: [Hour(date: date, text: "beat \(number)")], policy: .after(date + 900)))
  }
}

struct ForecastWidget: Widget {
  var body: some WidgetConfiguration {
    AppIntentConfiguration(kind: "Forecast", provider: Forecasts()) { EntryContent(stringLiteral: $0.text) }
      .configurationDisplayName("Forecast")
      .description("What the weather will be")
  }
}

struct RainWidget: Widget {
  var body: some WidgetConfiguration {
    IntentConfiguration(kind: "Rain", intent: ShowRainIntent.self, provider: Rain()) { hour in
      try EntryContent(json: [hour.text])
    }
  }
}

struct BeatWidget: Widget {
  var count = Weather.Count()

  var body: some WidgetConfiguration {
    StaticConfiguration(kind: "Beat", provider: Beats(count: count)) { "\($0.text)" }
  }
}

struct Weather: WidgetBundle {
  static let app = "com.example.weather"
  /// 2021-06-07T09:00:00Z.
  static let date = Date(timeIntervalSince1970: 1_623_056_400)
  var beats = Count()

  var body: some Widget {
    ForecastWidget()
    RainWidget()
    BeatWidget(count: beats)
  }
}
