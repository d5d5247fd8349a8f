import Foundation
import MarqueeKit

/// A provider of the widgets of matches, which are shown while there is a match.
struct KickOffs: RelevanceEntriesProvider {
  struct Entry: RelevanceEntry {
    let text: String
  }

  let season: Season

  func placeholder(context: Context) -> Entry { Entry(text: "a match") }

  func entry(configuration: ShowTeam, context: Context) async throws -> Entry {
    let team = configuration.team ?? "any team"
    guard !context.isPreview else { return Entry(text: "\(team) as a sample") }
    let minutes = Int(AppConnection.now.timeIntervalSince(Weather.date) / 60)
    try await season.state.withLock(\.delay)?()
    return Entry(text: "\(team) in \(context.family), \(minutes) min after nine")
  }

  func relevance() async -> WidgetRelevance<ShowTeam> { WidgetRelevance(season.askForTeams()) }
}

struct KickOffWidget: Widget {
  var season = Season()

  var body: some WidgetConfiguration {
    RelevanceConfiguration(kind: "KickOff", provider: KickOffs(season: season)) { "\($0.text)" }
      .configurationDisplayName("Kick-Off")
      .supportedFamilies([.systemSmall])
  }
}

struct KickOffWidgets: WidgetBundle {
  var season = Season()

  var body: some Widget { KickOffWidget(season: season) }
}
