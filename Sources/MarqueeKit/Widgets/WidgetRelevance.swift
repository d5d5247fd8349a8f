import MarqueeModel

/// When a kind's widgets are relevant, and in which configurations: what a provider's `relevance()` gives.
///
/// What it says holds until it says something else. It is kept beside what the app sets by ``INRelevantShortcutStore``
/// and ``RelevantIntentManager``, and none of them replaces another.
public struct WidgetRelevance<Configuration> {
  let attributes: [WidgetRelevanceAttribute<Configuration>]
  /// Whether the provider has said anything, if only that nothing is relevant.
  let isSaid: Bool

  /// Attributes, the most important first: where there are more than the server takes, the last are left out.
  public init(_ attributes: [WidgetRelevanceAttribute<Configuration>]) {
    self.attributes = attributes
    isSaid = true
  }

  /// What a provider without a `relevance()` of its own gives.
  init() {
    attributes = []
    isSaid = false
  }
}

extension WidgetRelevance: Sendable where Configuration: Sendable {}

/// A widget's configuration, as it is when the attribute is made, with something that makes it relevant.
public struct WidgetRelevanceAttribute<Configuration>: Sendable {
  enum Clue {
    case context(RelevantContext)
    case group(WidgetRelevanceGroup)
  }

  /// How the widget is configured; `nil` for a kind without configuration.
  let intent: Result<Intent?, any Error>
  let clue: Clue
}

extension WidgetRelevanceAttribute where Configuration: WidgetConfigurationIntent {
  /// A widget that is relevant in a context.
  public init(configuration: Configuration, context: RelevantContext) {
    self.init(intent: Result { try AppIntentForm(configuration).model() }, clue: .context(context))
  }

  /// A widget that belongs to a group.
  public init(configuration: Configuration, group: WidgetRelevanceGroup) {
    self.init(intent: Result { try AppIntentForm(configuration).model() }, clue: .group(group))
  }
}

extension WidgetRelevanceAttribute where Configuration: INIntent {
  /// A widget that is relevant in a context.
  public init(configuration: Configuration, context: RelevantContext) {
    self.init(intent: Result { try configuration.model() }, clue: .context(context))
  }

  /// A widget that belongs to a group.
  public init(configuration: Configuration, group: WidgetRelevanceGroup) {
    self.init(intent: Result { try configuration.model() }, clue: .group(group))
  }
}

extension WidgetRelevanceAttribute where Configuration == Void {
  /// A widget without configuration that is relevant in a context.
  public init(context: RelevantContext) {
    self.init(intent: .success(nil), clue: .context(context))
  }

  /// A widget without configuration that belongs to a group.
  public init(group: WidgetRelevanceGroup) {
    self.init(intent: .success(nil), clue: .group(group))
  }
}

/// Widgets of which one is enough at a time. The server knows no groups: it is said that they count for nothing.
public struct WidgetRelevanceGroup: Hashable, Sendable {
  private enum Choice: Hashable {
    case automatic
    case ungrouped
    case named(String)
  }

  private let choice: Choice

  /// As the system has it.
  public static let automatic = WidgetRelevanceGroup(choice: .automatic)
  /// In no group.
  public static let ungrouped = WidgetRelevanceGroup(choice: .ungrouped)

  /// The app's group of that name.
  public static func named(_ name: String) -> WidgetRelevanceGroup { WidgetRelevanceGroup(choice: .named(name)) }
}
