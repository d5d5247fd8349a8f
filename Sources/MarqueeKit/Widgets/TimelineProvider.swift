public import Foundation

/// The context in which a widget is shown.
///
/// A widget that is placed in several families gets a timeline of its own in each of them.
public struct TimelineProviderContext: Hashable, Sendable {
  /// The widget's family.
  public let family: WidgetFamily
  /// Whether the widget is shown in a gallery, where sample content is acceptable.
  public let isPreview: Bool
  /// The size of the widget in points: the one that the display has reported, or else a default of the family.
  public let displaySize: CGSize
  /// The device's time zone, for local times in the content. When it changes, all timelines are made again.
  public let timeZone: TimeZone

  /// Creates a context in the time zone of the current connection's device.
  init(family: WidgetFamily, isPreview: Bool, displaySize: CGSize? = nil) {
    (self.family, self.isPreview) = (family, isPreview)
    self.displaySize = displaySize ?? family.defaultSize
    timeZone = AppConnection.timeZone
  }

  public static func == (left: Self, right: Self) -> Bool {
    left.family == right.family && left.isPreview == right.isPreview && left.timeZone == right.timeZone
      && left.displaySize.width == right.displaySize.width && left.displaySize.height == right.displaySize.height
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(family)
    hasher.combine(isPreview)
    hasher.combine(timeZone)
    hasher.combine(Double(displaySize.width))
    hasher.combine(Double(displaySize.height))
  }
}

/// A timeline provider of a kind without configuration.
public protocol TimelineProvider {
  /// The entries of the timelines.
  associatedtype Entry: TimelineEntry
  typealias Context = TimelineProviderContext

  /// Returns a placeholder entry, immediately and without user data.
  func placeholder(in context: Context) -> Entry

  /// Passes an entry for the current moment to `completion`.
  @preconcurrency
  func getSnapshot(in context: Context, completion: @escaping @Sendable (Entry) -> Void)

  /// Passes the timeline from the current moment on to `completion`, once, within 30 seconds.
  @preconcurrency
  func getTimeline(in context: Context, completion: @escaping @Sendable (Timeline<Entry>) -> Void)

  /// Returns when the kind's widgets are relevant.
  ///
  /// A host calls it when it attaches to the server, when timelines of the kind are reloaded, and after
  /// ``WidgetCenter/invalidateRelevance(ofKind:)``. A provider that does not implement it leaves the app's relevant
  /// shortcuts unchanged.
  func relevance() async -> WidgetRelevance<Void>
}

extension TimelineProvider {
  public func relevance() async -> WidgetRelevance<Void> { WidgetRelevance() }
}

/// A timeline provider of a kind configured by an `INIntent`.
public protocol IntentTimelineProvider {
  /// The entries of the timelines.
  associatedtype Entry: TimelineEntry
  /// The intent that configures the widgets.
  associatedtype Intent: INIntent
  typealias Context = TimelineProviderContext

  /// Returns a placeholder entry, immediately and without user data.
  func placeholder(in context: Context) -> Entry

  /// Passes an entry for the current moment to `completion`.
  @preconcurrency
  func getSnapshot(for configuration: Intent, in context: Context, completion: @escaping @Sendable (Entry) -> Void)

  /// Passes the timeline from the current moment on to `completion`, once, within 30 seconds.
  @preconcurrency
  func getTimeline(
    for configuration: Intent, in context: Context, completion: @escaping @Sendable (Timeline<Entry>) -> Void)

  /// Returns the recommended configurations. Defaults to none.
  func recommendations() -> [IntentRecommendation<Intent>]

  /// Returns when the kind's widgets are relevant, and in which configurations. See ``TimelineProvider/relevance()``.
  func relevance() async -> WidgetRelevance<Intent>
}

extension IntentTimelineProvider {
  public func recommendations() -> [IntentRecommendation<Intent>] { [] }
  public func relevance() async -> WidgetRelevance<Intent> { WidgetRelevance() }
}

/// A timeline provider of a kind configured by a ``WidgetConfigurationIntent``.
public protocol AppIntentTimelineProvider {
  /// The entries of the timelines.
  associatedtype Entry: TimelineEntry
  /// The intent that configures the widgets.
  associatedtype Intent: WidgetConfigurationIntent
  typealias Context = TimelineProviderContext

  /// Returns a placeholder entry, immediately and without user data.
  func placeholder(in context: Context) -> Entry

  /// Returns an entry for the current moment.
  func snapshot(for configuration: Intent, in context: Context) async -> Entry

  /// Returns the timeline from the current moment on, within 30 seconds.
  func timeline(for configuration: Intent, in context: Context) async -> Timeline<Entry>

  /// Returns the recommended configurations. Defaults to none.
  func recommendations() -> [AppIntentRecommendation<Intent>]

  /// Returns when the kind's widgets are relevant, and in which configurations. See ``TimelineProvider/relevance()``.
  func relevance() async -> WidgetRelevance<Intent>
}

extension AppIntentTimelineProvider {
  public func recommendations() -> [AppIntentRecommendation<Intent>] { [] }
  public func relevance() async -> WidgetRelevance<Intent> { WidgetRelevance() }
}
