import Foundation
import MarqueeKit
import Synchronization

/// The configuration of the widget of a team's match.
struct ShowTeam: WidgetConfigurationIntent {
  static let title: LocalizedStringResource = "Show Team"

  @Parameter(title: "Team") var team: String?

  init() {}

  init(_ team: String) {
    self.init()
    self.team = team
  }
}

/// The data of a match app, with the number of requests.
final class Season: Sendable {
  struct State {
    var teams: [WidgetRelevanceAttribute<ShowTeam>] = []
    var cup: [WidgetRelevanceAttribute<Void>] = []
    var askCount = 0
    /// Called while an entry is made.
    var delay: (@Sendable () async throws -> Void)?
  }

  let state = Mutex(State())

  init(teams: [WidgetRelevanceAttribute<ShowTeam>] = [], cup: [WidgetRelevanceAttribute<Void>] = []) {
    state.withLock { ($0.teams, $0.cup) = (teams, cup) }
  }

  /// Returns the relevance of the teams, and counts the request.
  func askForTeams() -> [WidgetRelevanceAttribute<ShowTeam>] {
    state.withLock { state in
      state.askCount += 1
      return state.teams
    }
  }
}

/// A provider whose timelines have no relevance.
struct TeamMatches: AppIntentTimelineProvider {
  let season: Season

  func placeholder(in context: Context) -> Hour { Hour(date: Weather.date, text: "a match") }

  func snapshot(for configuration: ShowTeam, in context: Context) async -> Hour {
    let text = "\(configuration.team ?? "any team") \(context.family) \(context.isPreview)"
    return Hour(date: Weather.date, text: text)
  }

  func timeline(for configuration: ShowTeam, in context: Context) async -> Timeline<Hour> {
    Timeline(entries: [Hour(date: Weather.date, text: configuration.team ?? "–")], policy: .never)
  }

  func recommendations() -> [AppIntentRecommendation<ShowTeam>] {
    ["Reds", "Blues"].map { AppIntentRecommendation(intent: ShowTeam($0), description: "The \($0)") }
  }

  func relevance() async -> WidgetRelevance<ShowTeam> {
    WidgetRelevance(season.askForTeams())
  }
}

struct CupFinal: TimelineProvider {
  let season: Season

  func placeholder(in context: Context) -> Hour { Hour(date: Weather.date, text: "a final") }

  func getSnapshot(in context: Context, completion: @escaping (Hour) -> Void) {
    completion(Hour(date: Weather.date, text: "the final in \(context.family)"))
  }

  func getTimeline(in context: Context, completion: @escaping (Timeline<Hour>) -> Void) {
    completion(Timeline(entries: [Hour(date: Weather.date, text: "0:0")], policy: .never))
  }

  func relevance() async -> WidgetRelevance<Void> { WidgetRelevance(season.state.withLock(\.cup)) }
}

struct TeamWidget: Widget {
  var season = Season()

  var body: some WidgetConfiguration {
    AppIntentConfiguration(kind: "Team", provider: TeamMatches(season: season)) { "\($0.text)" }
  }
}

struct FinalWidget: Widget {
  var season = Season()

  var body: some WidgetConfiguration {
    StaticConfiguration(kind: "Final", provider: CupFinal(season: season)) { "\($0.text)" }
  }
}

struct MatchWidgets: WidgetBundle {
  static let app = "com.example.matches"
  var season = Season()

  var body: some Widget {
    TeamWidget(season: season)
    FinalWidget(season: season)
    BeatWidget()
  }
}
