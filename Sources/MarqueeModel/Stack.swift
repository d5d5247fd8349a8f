/// A stack as it stands: what displays show and operators inspect.
public struct Stack: Hashable, Sendable {
  /// The stack's name on its device.
  public let id: StackID
  /// The family that every member supports.
  public let family: WidgetFamily
  /// The members in their order, a suggested widget first; no widget twice.
  public let members: [Widget]
  /// The index of the member in front; `nil` exactly when there are no members.
  public let front: Int?
  /// Whether the engine may scroll the stack.
  public let isSmartRotateOn: Bool
  /// Whether the engine may put a suggested widget on top.
  public let isWidgetSuggestionsOn: Bool
  /// Whether the first of ``members`` is a suggestion: put there for a while, and not the person's own.
  public let hasSuggestion: Bool

  /// A stack whose front is one of its members, and whose first member is a suggestion if it has one.
  public init(
    id: StackID, family: WidgetFamily, members: [Widget], front: Int?, isSmartRotateOn: Bool,
    isWidgetSuggestionsOn: Bool, hasSuggestion: Bool = false
  ) {
    precondition(front.map(members.indices.contains) ?? members.isEmpty, "front \(front ?? -1) of \(members.count)")
    precondition(!hasSuggestion || !members.isEmpty, "a suggestion in an empty stack")
    self.id = id
    self.family = family
    self.members = members
    self.front = front
    self.isSmartRotateOn = isSmartRotateOn
    self.isWidgetSuggestionsOn = isWidgetSuggestionsOn
    self.hasSuggestion = hasSuggestion
  }

  /// The suggested widget on top, if there is one.
  public var suggestedWidget: Widget? { hasSuggestion ? members[0] : nil }

  /// The widget that faces the person.
  public var frontWidget: Widget? { front.map { members[$0] } }
}

/// A change of a stack by the person's hand (rule U1). Indices are those of ``Stack/members`` as it stands; a
/// suggestion stays first, so what goes to its place comes right after it. Adding the suggested widget keeps it, and
/// removing it dismisses it.
public enum StackEdit: Hashable, Sendable {
  /// A new, empty stack of a family, with Smart Rotate and Widget Suggestions on.
  case create(WidgetFamily)
  /// The stack is taken away.
  case removeStack
  /// A widget joins at an index, or at the end.
  case add(Widget, at: Int?)
  /// A widget leaves.
  case remove(Widget)
  /// A widget moves to an index among the others.
  case move(Widget, to: Int)
  /// Another widget takes the place of a member, such as the same kind configured in another way.
  case replace(Widget, with: Widget)
  /// The toggle *Smart Rotate*.
  case setSmartRotate(Bool)
  /// The toggle *Widget Suggestions*.
  case setWidgetSuggestions(Bool)
}

/// What a person did, as a display tells it (rule U1).
public enum PersonReport: Hashable, Sendable {
  /// A stack came into view.
  case shown(StackID)
  /// A stack went out of view.
  case hidden(StackID)
  /// The person scrolled a stack to a widget.
  case scrolled(StackID, to: Widget)
  /// The person tapped a widget in a stack.
  case tapped(StackID, Widget)
  /// The person asked for a widget's newest content.
  case reload(Widget)
  /// An app came to the foreground.
  case appOpened(AppID)
  /// An app left the foreground.
  case appClosed(AppID)
  /// The person dismissed the suggestion on top of a stack.
  case suggestionDismissed(StackID)
  /// The person kept the suggestion on top of a stack: it becomes a member.
  case suggestionKept(StackID)
  /// *Don't suggest this widget*, or that it may be suggested again; lasts until it is told otherwise.
  case widgetSuggestionBlocked(Widget, Bool)
  /// *Don't suggest widgets of this app*, or that they may be suggested again; lasts until it is told otherwise.
  case appSuggestionBlocked(AppID, Bool)
  /// The person put a widget on the Home Screen outside stacks.
  case homeWidgetAdded(Widget)
  /// The person took a widget that is outside stacks from the Home Screen.
  case homeWidgetRemoved(Widget)
  /// Something around the person changed.
  case contextChanged(ContextChange)
  /// What became of something that a surface suggested (rule R11). An outcome counts once for each time that it was
  /// told to be shown, and not at all before that.
  case surfaceSuggestion(SuggestionSurface, SuggestionID, SuggestionOutcome)
}

/// A request to a provider for a widget's next timeline (rule T8).
public struct ReloadRequest: Hashable, Sendable {
  /// Why a request is made.
  public enum Reason: UInt8, Sendable {
    /// The last entry's date passed.
    case atEnd = 1
    /// The policy's date came.
    case after
    /// The app asked for it.
    case app
    /// The person asked for it.
    case person
  }

  /// The widget whose timeline is wanted.
  public let widget: Widget
  /// Why.
  public let reason: Reason
  /// When the request was made.
  public let at: Instant

  /// A request.
  public init(widget: Widget, reason: Reason, at: Instant) {
    self.widget = widget
    self.reason = reason
    self.at = at
  }
}
