/// Where a widget will be seen.
public struct TimelineProviderContext: Hashable, Sendable {
  /// The widget's family.
  public let family: WidgetFamily
  /// Whether it is shown in a gallery, so that made-up content will do.
  public let isPreview: Bool
}

/// Makes the timelines of a kind without configuration.
public protocol TimelineProvider {
  /// What its timelines are made of.
  associatedtype Entry: TimelineEntry
  typealias Context = TimelineProviderContext

  /// An entry at once, of no content that anybody's data has gone into.
  func placeholder(in context: Context) -> Entry

  /// Gives `completion` one entry for this moment.
  @preconcurrency
  func getSnapshot(in context: Context, completion: @escaping @Sendable (Entry) -> Void)

  /// Gives `completion` the timeline from this moment on, once. Who takes longer than 30 seconds is not waited for.
  @preconcurrency
  func getTimeline(in context: Context, completion: @escaping @Sendable (Timeline<Entry>) -> Void)

  /// When its widgets are relevant; nothing is said of it if not given. It is asked when the app's widgets are first
  /// provided and whenever timelines of the kind or ``WidgetCenter/invalidateRelevance(ofKind:)`` are called for.
  func relevance() async -> WidgetRelevance<Void>
}

extension TimelineProvider {
  public func relevance() async -> WidgetRelevance<Void> { WidgetRelevance() }
}

/// Makes the timelines of a kind that an `INIntent` configures.
public protocol IntentTimelineProvider {
  /// What its timelines are made of.
  associatedtype Entry: TimelineEntry
  /// How its widgets are configured.
  associatedtype Intent: INIntent
  typealias Context = TimelineProviderContext

  /// An entry at once, of no content that anybody's data has gone into.
  func placeholder(in context: Context) -> Entry

  /// Gives `completion` one entry for this moment.
  @preconcurrency
  func getSnapshot(for configuration: Intent, in context: Context, completion: @escaping @Sendable (Entry) -> Void)

  /// Gives `completion` the timeline from this moment on, once. Who takes longer than 30 seconds is not waited for.
  @preconcurrency
  func getTimeline(
    for configuration: Intent, in context: Context, completion: @escaping @Sendable (Timeline<Entry>) -> Void)

  /// Configurations to offer where widgets are offered; none if not given.
  func recommendations() -> [IntentRecommendation<Intent>]

  /// When which of its widgets are relevant; nothing is said of it if not given. It is asked as
  /// ``TimelineProvider/relevance()`` is.
  func relevance() async -> WidgetRelevance<Intent>
}

extension IntentTimelineProvider {
  public func recommendations() -> [IntentRecommendation<Intent>] { [] }
  public func relevance() async -> WidgetRelevance<Intent> { WidgetRelevance() }
}

/// Makes the timelines of a kind that an `AppIntent` configures.
public protocol AppIntentTimelineProvider {
  /// What its timelines are made of.
  associatedtype Entry: TimelineEntry
  /// How its widgets are configured.
  associatedtype Intent: WidgetConfigurationIntent
  typealias Context = TimelineProviderContext

  /// An entry at once, of no content that anybody's data has gone into.
  func placeholder(in context: Context) -> Entry

  /// One entry for this moment.
  func snapshot(for configuration: Intent, in context: Context) async -> Entry

  /// The timeline from this moment on. Who takes longer than 30 seconds is not waited for.
  func timeline(for configuration: Intent, in context: Context) async -> Timeline<Entry>

  /// Configurations to offer where widgets are offered; none if not given.
  func recommendations() -> [AppIntentRecommendation<Intent>]

  /// When which of its widgets are relevant; nothing is said of it if not given. It is asked as
  /// ``TimelineProvider/relevance()`` is.
  func relevance() async -> WidgetRelevance<Intent>
}

extension AppIntentTimelineProvider {
  public func recommendations() -> [AppIntentRecommendation<Intent>] { [] }
  public func relevance() async -> WidgetRelevance<Intent> { WidgetRelevance() }
}
