import MarqueeModel

/// A kind of widgets as a host runs it.
public struct HostedKind: Sendable {
  /// The kind's name, unique in its app.
  public let name: String
  var displayName: String
  var families = WidgetFamily.allCases
  /// How its widgets are configured, if they are.
  let intent: HostedIntent?
  let timeline: @Sendable (Intent?, TimelineProviderContext) async throws -> HostedTimeline

  init(
    name: String, intent: HostedIntent?,
    timeline: @escaping @Sendable (Intent?, TimelineProviderContext) async throws -> HostedTimeline
  ) {
    (self.name, displayName) = (name, name)
    (self.intent, self.timeline) = (intent, timeline)
  }

  func descriptor(of app: AppID) throws -> WidgetDescriptor {
    try WidgetDescriptor(
      kind: WidgetKind(app: app, name: KindName(name)), displayName: displayName, families: families.map(\.model),
      configuration: intent.map { .intent(try IntentType($0.typeName)) } ?? .static)
  }
}

/// A timeline as the server gets it.
struct HostedTimeline: Sendable {
  /// A provider has not called its completion within 30 seconds.
  struct Overdue: Error, CustomStringConvertible {
    var description: String { "the provider has not given a timeline within 30 seconds" }
  }

  private static let timeMax = Duration.seconds(30)

  let entries: [MarqueeModel.TimelineEntry]
  let policy: MarqueeModel.TimelineReloadPolicy

  init<Entry>(_ timeline: Timeline<Entry>, content: (Entry) throws -> EntryContent) throws {
    entries = try timeline.entries.enumerated().map { index, entry in
      do {
        return MarqueeModel.TimelineEntry(
          date: try Instant(entry.date, field: "date"),
          relevance: try entry.relevance.map { try MarqueeModel.TimelineEntryRelevance($0) },
          content: try MarqueeModel.EntryContent(try content(entry)))
      } catch let refusal as Refusal {
        throw refusal.within("entries[\(index)]")
      }
    }
    policy = try MarqueeModel.TimelineReloadPolicy(timeline.policy)
  }

  /// What `begin` completes with first. It may do so at once or later, on any thread.
  static func completed(
    _ begin: (@escaping @Sendable (Result<HostedTimeline, any Error>) -> Void) -> Void
  ) async throws -> HostedTimeline {
    let (results, continuation) = AsyncStream.makeStream(
      of: Result<HostedTimeline, any Error>.self, bufferingPolicy: .bufferingOldest(1))
    begin { result in
      continuation.yield(result)
      continuation.finish()
    }
    let late = Task {
      // Cancelled when the timeline has come.
      guard (try? await Task.sleep(for: timeMax)) != nil else { return }
      continuation.yield(.failure(Overdue()))
      continuation.finish()
    }
    defer { late.cancel() }
    for await result in results { return try result.get() }
    throw CancellationError()
  }
}
