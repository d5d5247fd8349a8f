import Foundation
import MarqueeKit
import Synchronization

/// Springs, of which the app can know none or all.
struct Spring: AppEntity {
  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Spring"
  static let defaultQuery = SpringQuery()
  static let isKnown = Mutex(false)
  /// An element for each lookup.
  static let lookups = AsyncStream.makeStream(of: Void.self)

  let id: String
  var displayRepresentation: DisplayRepresentation { "\(id)" }
}

struct SpringQuery: EntityQuery {
  func entities(for identifiers: [String]) async throws -> [Spring] {
    defer { Spring.lookups.continuation.yield() }
    return Spring.isKnown.withLock(\.self) ? identifiers.map { Spring(id: $0) } : []
  }
}

struct ShowSpring: WidgetConfigurationIntent {
  static let title: LocalizedStringResource = "Show Spring"
  @Parameter(title: "Spring") var spring: Spring
}

struct Springs: AppIntentTimelineProvider {
  struct Entry: TimelineEntry {
    let date: Date
    let text: String
  }

  func placeholder(in context: Context) -> Entry { Entry(date: .distantPast, text: "–") }
  func snapshot(for configuration: ShowSpring, in context: Context) async -> Entry { placeholder(in: context) }

  func timeline(for configuration: ShowSpring, in context: Context) async -> Timeline<Entry> {
    let date = Date(timeIntervalSince1970: 1_600_000_000)
    return Timeline(entries: [Entry(date: date, text: "level of \(configuration.spring.id)")], policy: .never)
  }
}

struct SpringWidget: Widget {
  var body: some WidgetConfiguration {
    AppIntentConfiguration(kind: "Level", provider: Springs()) { "\($0.text)" }
  }
}

struct SpringWidgets: WidgetBundle {
  static let app = "com.example.springs"
  var body: some Widget { SpringWidget() }
}
