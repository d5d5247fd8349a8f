import Foundation
import MarqueeKit

/// The app of WWDC23 10103, written as the session describes it: the configuration of the Next Bus widget with options
/// that depend on other parameters, favorite routes by family, an alarm, and the relevance of a game.
enum BusScheduleApp {
  static let app = "com.example.bus"

  struct BusStop: AppEntity {
    static let typeDisplayRepresentation: TypeDisplayRepresentation = "Bus Stop"
    static let defaultQuery = BusStopQuery()
    static let all = ["Main Street", "Harbor"].map { BusStop(id: $0) }

    let id: String
    var displayRepresentation: DisplayRepresentation { "\(id)" }
  }

  struct BusStopQuery: EntityQuery {
    func entities(for identifiers: [String]) async throws -> [BusStop] { identifiers.map { BusStop(id: $0) } }
    func suggestedEntities() async throws -> [BusStop] { BusStop.all }
  }

  struct BusRoute: AppEntity {
    static let typeDisplayRepresentation: TypeDisplayRepresentation = "Route"
    static let defaultQuery = BusRouteQuery()
    static let all = [
      BusRoute(id: "7", stops: ["Main Street"]), BusRoute(id: "12", stops: ["Main Street", "Harbor"]),
    ]

    let id: String
    var stops: [String] = []
    var displayRepresentation: DisplayRepresentation { "Route \(id)" }
  }

  struct BusRouteQuery: EntityQuery {
    @IntentParameterDependency<ShowNextBus>(\.$busStop)
    var showNextBus

    func entities(for identifiers: [String]) async throws -> [BusRoute] {
      BusRoute.all.filter { identifiers.contains($0.id) }
    }

    func suggestedEntities() async throws -> [BusRoute] {
      guard let showNextBus else { return BusRoute.all }
      return BusRoute.all.filter { $0.stops.contains(showNextBus.busStop.id) }
    }
  }

  struct Direction: AppEntity {
    static let typeDisplayRepresentation: TypeDisplayRepresentation = "Direction"
    static let defaultQuery = DirectionQuery()

    let id: String
    var displayRepresentation: DisplayRepresentation { "\(id)" }
  }

  struct DirectionQuery: EntityQuery {
    @IntentParameterDependency<ShowNextBus>(\.$busStop, \.$route)
    var showNextBus
    @IntentParameterDependency<ShowFavoriteRoute>(\.$route)
    var showFavoriteRoute

    var route: BusRoute? { showNextBus?.route ?? showFavoriteRoute?.route }

    func entities(for identifiers: [String]) async throws -> [Direction] { identifiers.map { Direction(id: $0) } }

    func suggestedEntities() async throws -> [Direction] {
      guard let route else { return [] }
      return ["Inbound", "Outbound"].map { Direction(id: "\($0) on \(route.id)") }
    }
  }

  struct ShowNextBus: WidgetConfigurationIntent {
    static let title: LocalizedStringResource = "Show Next Bus"
    static let description = IntentDescription(
      "Shows the next bus.", categoryName: "Schedules", searchKeywords: ["bus", "next"], resultValueName: "Next Bus")

    @Parameter(title: "Bus Stop") var busStop: BusStop
    @Parameter(title: "Route") var route: BusRoute
    @Parameter(title: "Direction") var direction: Direction?
  }

  struct ShowFavoriteRoute: WidgetConfigurationIntent {
    static let title: LocalizedStringResource = "Show Favorite Route"

    @Parameter(title: "Route") var route: BusRoute
    @Parameter(title: "Direction") var direction: Direction?
  }

  struct ShowFavoriteRoutes: WidgetConfigurationIntent {
    static let title: LocalizedStringResource = "Show Favorite Routes"

    @Parameter(title: "Favorite Routes", size: [.systemSmall: 1, .systemLarge: 3]) var routes: [BusRoute]
    @Parameter(title: "Include Weather Info", default: false) var includeWeatherInfo: Bool

    static var parameterSummary: some ParameterSummary {
      When(widgetFamily: .equalTo, .systemLarge) {
        Summary("Show favorite routes \(\.$routes)") {
          \.$includeWeatherInfo
        }
      } otherwise: {
        Summary("Show favorite routes \(\.$routes)")
      }
    }
  }

  struct SetAlarm: AppIntent {
    static let title: LocalizedStringResource = "Set Alarm"
    static let alarms = ContinuedTransitWidgets.Log()

    @Parameter(title: "Bus Stop") var busStop: BusStop
    @Parameter(title: "Minutes") var minutes: Int

    init() {}

    init(busStop: BusStop, minutes: Int) {
      self.busStop = busStop
      self.minutes = minutes
    }

    func perform() async throws -> some IntentResult & ProvidesDialog {
      Self.alarms.append("\(busStop.id) in \(minutes) min")
      return .result(dialog: "Alarm set.")
    }
  }

  struct RefreshSchedule: ProgressReportingIntent {
    static let title: LocalizedStringResource = "Refresh"
    static let isDiscoverable = false

    func perform() async throws -> some IntentResult {
      progress.totalUnitCount = 2
      progress.completedUnitCount += 1
      progress.completedUnitCount += 1
      return .result()
    }
  }

  struct FetchNextBus: ForegroundContinuableIntent {
    static let title: LocalizedStringResource = "Fetch Next Bus"

    @Parameter(title: "Route") var route: BusRoute

    func perform() async throws -> some IntentResult & ProvidesDialog {
      guard route.id != "0" else {
        throw needsToContinueInForegroundError("The schedule is not available.") {}
      }
      let route = route
      let alternateRoute = try await requestToContinueInForeground("Choose another route?") {
        BusRoute.all.first { $0.id != route.id } ?? route
      }
      return .result(dialog: "Next bus of route \(alternateRoute.id).")
    }
  }

  struct Provider: AppIntentTimelineProvider {
    func placeholder(in context: Context) -> Hour { Hour(date: Weather.date, text: "–") }

    func snapshot(for configuration: ShowNextBus, in context: Context) async -> Hour { placeholder(in: context) }

    func timeline(for configuration: ShowNextBus, in context: Context) async -> Timeline<Hour> {
      Timeline(
        entries: [Hour(date: Weather.date, text: "\(configuration.route.id) at \(configuration.busStop.id)")],
        policy: .never)
    }
  }

  struct FavoritesProvider: AppIntentTimelineProvider {
    func placeholder(in context: Context) -> Hour { Hour(date: Weather.date, text: "–") }

    func snapshot(for configuration: ShowFavoriteRoutes, in context: Context) async -> Hour { placeholder(in: context) }

    func timeline(for configuration: ShowFavoriteRoutes, in context: Context) async -> Timeline<Hour> {
      Timeline(entries: [placeholder(in: context)], policy: .never)
    }
  }

  struct FavoriteProvider: AppIntentTimelineProvider {
    func placeholder(in context: Context) -> Hour { Hour(date: Weather.date, text: "–") }

    func snapshot(for configuration: ShowFavoriteRoute, in context: Context) async -> Hour { placeholder(in: context) }

    func timeline(for configuration: ShowFavoriteRoute, in context: Context) async -> Timeline<Hour> {
      Timeline(entries: [placeholder(in: context)], policy: .never)
    }
  }

  struct NextBusWidget: Widget {
    var body: some WidgetConfiguration {
      AppIntentConfiguration(kind: "NextBus", intent: ShowNextBus.self, provider: Provider()) { "\($0.text)" }
    }
  }

  struct FavoriteRoutesWidget: Widget {
    var body: some WidgetConfiguration {
      AppIntentConfiguration(kind: "FavoriteRoutes", intent: ShowFavoriteRoutes.self, provider: FavoritesProvider()) {
        "\($0.text)"
      }
    }
  }

  struct FavoriteRouteWidget: Widget {
    var body: some WidgetConfiguration {
      AppIntentConfiguration(kind: "FavoriteRoute", intent: ShowFavoriteRoute.self, provider: FavoriteProvider()) {
        "\($0.text)"
      }
    }
  }

  struct Widgets: WidgetBundle {
    static var appIntents: [any AppIntent.Type] { [SetAlarm.self, RefreshSchedule.self, FetchNextBus.self] }

    var body: some Widget {
      NextBusWidget()
      FavoriteRoutesWidget()
      FavoriteRouteWidget()
    }
  }
}
