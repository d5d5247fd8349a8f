import MarqueeModel

/// The relevance of a kind's widgets: when they are relevant, and in which configurations.
///
/// The latest result replaces the previous one. It is independent of ``INRelevantShortcutStore`` and
/// ``RelevantIntentManager``.
public struct WidgetRelevance<Configuration> {
  let attributes: [WidgetRelevanceAttribute<Configuration>]
  /// Whether the provider implements `relevance()`; an empty result counts.
  let isProvided: Bool

  /// Creates a relevance from attributes, most important first. If they exceed the server's limit, the last are
  /// dropped.
  public init(_ attributes: [WidgetRelevanceAttribute<Configuration>]) {
    self.attributes = attributes
    isProvided = true
  }

  /// The result of the default `relevance()`.
  init() {
    attributes = []
    isProvided = false
  }
}

extension WidgetRelevance: Sendable where Configuration: Sendable {}

/// A widget's configuration, captured when the attribute is created, and the context in which it is relevant.
public struct WidgetRelevanceAttribute<Configuration>: Sendable {
  enum Clue {
    case context(RelevantContext)
    case group(WidgetRelevanceGroup)
  }

  /// The configuration; `nil` for a kind without configuration.
  let intent: Result<Intent?, any Error>
  let clue: Clue
}

extension WidgetRelevanceAttribute where Configuration: WidgetConfigurationIntent {
  /// Creates an attribute for a widget that is relevant in a context.
  public init(configuration: Configuration, context: RelevantContext) {
    self.init(intent: Result { try AppIntentForm(configuration).model() }, clue: .context(context))
  }

  /// Creates an attribute for a widget of a group.
  public init(configuration: Configuration, group: WidgetRelevanceGroup) {
    self.init(intent: Result { try AppIntentForm(configuration).model() }, clue: .group(group))
  }
}

extension WidgetRelevanceAttribute where Configuration: INIntent {
  /// Creates an attribute for a widget that is relevant in a context.
  public init(configuration: Configuration, context: RelevantContext) {
    self.init(intent: Result { try configuration.model() }, clue: .context(context))
  }

  /// Creates an attribute for a widget of a group.
  public init(configuration: Configuration, group: WidgetRelevanceGroup) {
    self.init(intent: Result { try configuration.model() }, clue: .group(group))
  }
}

extension WidgetRelevanceAttribute where Configuration == Void {
  /// Creates an attribute for a widget without configuration that is relevant in a context.
  public init(context: RelevantContext) {
    self.init(intent: .success(nil), clue: .context(context))
  }

  /// Creates an attribute for a widget without configuration of a group.
  public init(group: WidgetRelevanceGroup) {
    self.init(intent: .success(nil), clue: .group(group))
  }
}

/// A group of widgets of which one at a time is enough.
///
/// The server does not support groups: an attribute with one is logged and ignored.
public struct WidgetRelevanceGroup: Hashable, Sendable {
  private enum Choice: Hashable {
    case automatic
    case ungrouped
    case named(String)
  }

  private let choice: Choice

  /// The system's default grouping.
  public static let automatic = WidgetRelevanceGroup(choice: .automatic)
  /// No group.
  public static let ungrouped = WidgetRelevanceGroup(choice: .ungrouped)

  /// Returns the app's group with a name.
  public static func named(_ name: String) -> WidgetRelevanceGroup { WidgetRelevanceGroup(choice: .named(name)) }
}
