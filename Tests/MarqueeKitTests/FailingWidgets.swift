import MarqueeKit
import Synchronization

/// Data that a provider can lack.
final class FailingSource: Sendable {
  struct Unavailable: Error {}

  let isAvailable = Mutex(false)
  /// An element for each attempt.
  let attempts = AsyncStream.makeStream(of: Void.self)

  func text() throws -> String {
    defer { attempts.continuation.yield() }
    guard isAvailable.withLock(\.self) else { throw Unavailable() }
    return "available"
  }
}

/// A provider whose relevance differs in each call.
struct FailingProvider: TimelineProvider {
  let count = Weather.Count()

  func placeholder(in context: Context) -> Hour { Hour(date: Weather.date, text: "–") }

  func getSnapshot(in context: Context, completion: @escaping @Sendable (Hour) -> Void) {
    completion(placeholder(in: context))
  }

  func getTimeline(in context: Context, completion: @escaping @Sendable (Timeline<Hour>) -> Void) {
    completion(Timeline(entries: [placeholder(in: context)], policy: .never))
  }

  func relevance() async -> WidgetRelevance<Void> {
    let end = Weather.date + 3_600 * Double(1 + count.next())
    return WidgetRelevance([WidgetRelevanceAttribute(context: .date(from: Weather.date, to: end))])
  }
}

struct FailingWidget: Widget {
  var source = FailingSource()

  var body: some WidgetConfiguration {
    StaticConfiguration(kind: "Failing", provider: FailingProvider()) { [source] _ in
      EntryContent(stringLiteral: try source.text())
    }
  }
}

struct FailingWidgets: WidgetBundle {
  static let app = "com.example.failing"
  var source = FailingSource()

  var body: some Widget { FailingWidget(source: source) }
}
