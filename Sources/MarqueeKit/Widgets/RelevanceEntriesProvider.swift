public import Foundation

/// The information from which the content of a widget is made in one configuration.
public protocol RelevanceEntry: Sendable {}

/// The context in which a widget of a ``RelevanceConfiguration`` is shown.
public struct RelevanceEntriesProviderContext: Hashable, Sendable {
  private let context: TimelineProviderContext
  /// The widget's family.
  public var family: WidgetFamily { context.family }
  /// Whether the widget is shown in a gallery, where sample content is acceptable.
  public var isPreview: Bool { context.isPreview }
  /// The size of the widget in points: the one that the display has reported, or else a default of the family.
  public var displaySize: CGSize { context.displaySize }
  /// The device's time zone, for local times in the content. When it changes, all entries are made again.
  public var timeZone: TimeZone { context.timeZone }

  init(_ context: TimelineProviderContext) {
    self.context = context
  }
}

/// A provider of a kind whose widgets are shown for the time that they are relevant.
public protocol RelevanceEntriesProvider {
  /// The intent that configures the widgets.
  associatedtype Configuration: WidgetConfigurationIntent
  /// The entries of the widgets.
  associatedtype Entry: RelevanceEntry
  typealias Context = RelevanceEntriesProviderContext

  /// Returns a placeholder entry, immediately and without user data.
  func placeholder(context: Context) -> Entry

  /// Returns the entry of a widget from the current moment on, within 30 seconds.
  ///
  /// A host calls it when the widget is suggested or placed for the first time, at the start of each of its date
  /// contexts, when the relevance changes so that another start is the next, and when timelines of the kind are
  /// reloaded. A widget that the user placed shows the entry until the next one, even after the end of its context.
  ///
  /// The calls at the starts of contexts count against the widget's budget of reloads (rule T9): until the budget
  /// allows another, the widget shows the previous entry.
  func entry(configuration: Configuration, context: Context) async throws -> Entry

  /// Returns when the kind's widgets are relevant, and in which configurations. See ``TimelineProvider/relevance()``.
  func relevance() async -> WidgetRelevance<Configuration>
}
