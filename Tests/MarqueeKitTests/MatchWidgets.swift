import Foundation
import MarqueeKit

/// How the widget of a team's match is configured.
struct ShowTeam: WidgetConfigurationIntent {
  static let title: LocalizedStringResource = "Show Team"

  @Parameter(title: "Team") var team: String?

  init() {}

  init(_ team: String) {
    self.init()
    self.team = team
  }
}

/// Widgets with nothing in their timelines that would rotate them.
struct TeamMatches: AppIntentTimelineProvider {
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
}

struct CupFinal: TimelineProvider {
  func placeholder(in context: Context) -> Hour { Hour(date: Weather.date, text: "a final") }

  func getSnapshot(in context: Context, completion: @escaping (Hour) -> Void) {
    completion(Hour(date: Weather.date, text: "the final in \(context.family)"))
  }

  func getTimeline(in context: Context, completion: @escaping (Timeline<Hour>) -> Void) {
    completion(Timeline(entries: [Hour(date: Weather.date, text: "0:0")], policy: .never))
  }
}

struct TeamWidget: Widget {
  var body: some WidgetConfiguration {
    AppIntentConfiguration(kind: "Team", provider: TeamMatches()) { "\($0.text)" }
  }
}

struct FinalWidget: Widget {
  var body: some WidgetConfiguration {
    StaticConfiguration(kind: "Final", provider: CupFinal()) { "\($0.text)" }
  }
}

struct MatchWidgets: WidgetBundle {
  static let app = "com.example.matches"
  var body: some Widget {
    TeamWidget()
    FinalWidget()
    BeatWidget()
  }
}
