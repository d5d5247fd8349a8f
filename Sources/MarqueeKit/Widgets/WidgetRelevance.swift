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

/// A group of an app's widgets with redundant content.
///
/// A stack suggests, and rotates to, the most relevant widget of a group only. A group does not affect widgets of other
/// apps.
///
/// The group of an attribute applies to all contexts of its configuration, and that of a ``Timeline`` to the widget
/// while it has the timeline. Without an attribute, a widget is in no group. A configuration has one group: attributes
/// with others are logged and ignored.
public struct WidgetRelevanceGroup: Hashable, Sendable {
  private enum Choice: Hashable {
    case automatic
    case ungrouped
    case named(String)
  }

  private let choice: Choice

  /// The group of all widgets of the kind, which is the group with the name of the kind.
  public static let automatic = WidgetRelevanceGroup(choice: .automatic)
  /// No group.
  public static let ungrouped = WidgetRelevanceGroup(choice: .ungrouped)

  /// Returns the app's group with a name.
  public static func named(_ name: String) -> WidgetRelevanceGroup { WidgetRelevanceGroup(choice: .named(name)) }

  /// Returns the name of the group for a widget of a kind, or `nil` for no group.
  ///
  /// - Throws: `RequestError` if the name is not a valid identifier.
  func name(of kind: KindName) throws(RequestError) -> GroupName? {
    switch choice {
    case .automatic: return try GroupName(kind.text)
    case .ungrouped: return nil
    case .named(let name):
      do { return try GroupName(name) } catch { throw error.within("group") }
    }
  }
}
