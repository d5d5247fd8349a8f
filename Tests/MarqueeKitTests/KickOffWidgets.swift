import Foundation
import MarqueeKit

/// A provider of the widgets of matches, which are shown while there is a match.
struct KickOffs: RelevanceEntriesProvider {
  struct Entry: RelevanceEntry {
    let text: String
  }

  let attributes: [WidgetRelevanceAttribute<ShowTeam>]

  func placeholder(context: Context) -> Entry { Entry(text: "a match") }

  func entry(configuration: ShowTeam, context: Context) async throws -> Entry {
    let team = configuration.team ?? "any team"
    guard !context.isPreview else { return Entry(text: "\(team) as a sample") }
    let minutes = Int(AppConnection.now.timeIntervalSince(Weather.date) / 60)
    return Entry(text: "\(team) in \(context.family), \(minutes) min after nine")
  }

  func relevance() async -> WidgetRelevance<ShowTeam> { WidgetRelevance(attributes) }
}

struct KickOffWidget: Widget {
  var attributes: [WidgetRelevanceAttribute<ShowTeam>] = []

  var body: some WidgetConfiguration {
    RelevanceConfiguration(kind: "KickOff", provider: KickOffs(attributes: attributes)) { "\($0.text)" }
      .configurationDisplayName("Kick-Off")
      .supportedFamilies([.systemSmall])
  }
}

struct KickOffWidgets: WidgetBundle {
  var attributes: [WidgetRelevanceAttribute<ShowTeam>] = []

  var body: some Widget { KickOffWidget(attributes: attributes) }
}
