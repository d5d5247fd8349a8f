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

  /// Creates an attribute for a widget of a group, which it is in during its date contexts.
  public init(configuration: Configuration, group: WidgetRelevanceGroup) {
    self.init(intent: Result { try AppIntentForm(configuration).model() }, clue: .group(group))
  }
}

extension WidgetRelevanceAttribute where Configuration: INIntent {
  /// Creates an attribute for a widget that is relevant in a context.
  public init(configuration: Configuration, context: RelevantContext) {
    self.init(intent: Result { try configuration.model() }, clue: .context(context))
  }

  /// Creates an attribute for a widget of a group, which it is in during its date contexts.
  public init(configuration: Configuration, group: WidgetRelevanceGroup) {
    self.init(intent: Result { try configuration.model() }, clue: .group(group))
  }
}

extension WidgetRelevanceAttribute where Configuration == Void {
  /// Creates an attribute for a widget without configuration that is relevant in a context.
  public init(context: RelevantContext) {
    self.init(intent: .success(nil), clue: .context(context))
  }

  /// Creates an attribute for a widget without configuration of a group, which it is in during its date contexts.
  public init(group: WidgetRelevanceGroup) {
    self.init(intent: .success(nil), clue: .group(group))
  }
}

/// A group of an app's widgets with redundant content.
///
/// A stack suggests, and rotates to, the most relevant widget of a group only. A group does not affect widgets of other
/// apps.
///
/// The group of an attribute applies to all date contexts of its configuration, and that of a ``Timeline`` to the
/// widget while it has the timeline. An attribute with a group has no effect on a configuration without a date context,
/// and is logged; set the group of the timeline instead. A configuration can be in several groups, each of which after
/// the first counts as another relevant shortcut.
public struct WidgetRelevanceGroup: Hashable, Sendable {
  private enum Choice: Hashable {
    case automatic
    case ungrouped
    case named(String)
  }

  private let choice: Choice

  /// The group of all widgets of the kind. It is distinct from all named ones: on a server, its name is `kind:`,
  /// followed by the kind's name.
  ///
  /// A widget is in this group only if an attribute or its timeline says so.
  public static let automatic = WidgetRelevanceGroup(choice: .automatic)
  /// No group, like a widget without an attribute. It does not revoke other groups of the configuration.
  public static let ungrouped = WidgetRelevanceGroup(choice: .ungrouped)

  /// Returns the app's group with a name, which must not begin with `kind:`.
  public static func named(_ name: String) -> WidgetRelevanceGroup { WidgetRelevanceGroup(choice: .named(name)) }

  /// Returns the name of the group for a widget of a kind, or `nil` for no group.
  ///
  /// - Throws: `RequestError` if the name is not a valid identifier, or is reserved.
  func name(of kind: KindName) throws(RequestError) -> GroupName? {
    let name: String
    switch choice {
    case .automatic: name = GroupName.automaticPrefix + kind.text
    case .ungrouped: return nil
    case .named(let text):
      guard !text.hasPrefix(GroupName.automaticPrefix) else {
        throw RequestError(
          .invalidArgument, field: "group", "names that begin with '\(GroupName.automaticPrefix)' are reserved")
      }
      name = text
    }
    do { return try GroupName(name) } catch { throw error.within("group") }
  }
}
