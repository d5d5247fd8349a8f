/// A snapshot of a stack, for displays and operators.
public struct Stack: Hashable, Sendable {
  /// The stack's identifier on its device.
  public let id: StackID
  /// The family that every member supports.
  public let family: WidgetFamily
  /// The distinct members, in order; a suggested widget comes first.
  public let members: [Widget]
  /// The index of the member in front; `nil` if and only if the stack is empty.
  public let front: Int?
  /// Whether Smart Rotate is on: the engine can change the front.
  public let isSmartRotateOn: Bool
  /// Whether Widget Suggestions is on: the engine can add a suggested widget on top.
  public let isWidgetSuggestionsOn: Bool
  /// Whether the first member is a suggestion, not a widget that the user added.
  public let hasSuggestion: Bool
  /// The user's settings of the members that have any; never of a suggestion.
  public let settings: [Widget: MemberSettings]

  /// Creates a snapshot.
  ///
  /// - Precondition: `front` is the index of a member, or `nil` for an empty stack; a stack with a suggestion is not
  ///   empty.
  public init(
    id: StackID, family: WidgetFamily, members: [Widget], front: Int?, isSmartRotateOn: Bool,
    isWidgetSuggestionsOn: Bool, hasSuggestion: Bool = false, settings: [Widget: MemberSettings] = [:]
  ) {
    precondition(front.map(members.indices.contains) ?? members.isEmpty, "front \(front ?? -1) of \(members.count)")
    precondition(!hasSuggestion || !members.isEmpty, "suggestion in an empty stack")
    self.id = id
    self.family = family
    self.members = members
    self.front = front
    self.isSmartRotateOn = isSmartRotateOn
    self.isWidgetSuggestionsOn = isWidgetSuggestionsOn
    self.hasSuggestion = hasSuggestion
    self.settings = settings
  }

  /// The suggested widget on top, if any.
  public var suggestedWidget: Widget? { hasSuggestion ? members[0] : nil }

  /// The widget in front.
  public var frontWidget: Widget? { front.map { members[$0] } }
}

/// A user's edit of a stack (rule U1).
///
/// Indices refer to ``Stack/members``. A suggestion stays first, so a widget inserted at its index comes right after
/// it. Adding the suggested widget keeps the suggestion, and removing it dismisses the suggestion.
public enum StackEdit: Hashable, Sendable {
  /// Create an empty stack of a family, with Smart Rotate and Widget Suggestions on.
  case create(WidgetFamily)
  /// Delete the stack.
  case removeStack
  /// Insert a widget at an index, or append it if `nil`.
  case add(Widget, at: Int?)
  /// Remove a widget.
  case remove(Widget)
  /// Move a widget to an index among the other members.
  case move(Widget, to: Int)
  /// Replace a member by another widget, such as the same kind with another configuration. The member's settings
  /// remain.
  case replace(Widget, with: Widget)
  /// Turn *Smart Rotate* on or off.
  case setSmartRotate(Bool)
  /// Turn *Widget Suggestions* on or off.
  case setWidgetSuggestions(Bool)
  /// Pin a member in front, or remove its pin if `nil` (rule R12).
  case setPin(Widget, Pin?)
  /// Set the rotations that are allowed of a member (rule R12).
  case setRotationRule(Widget, RotationRule)
}

/// A report of a user interaction from a display (rule U1).
public enum UserReport: Hashable, Sendable {
  /// A stack became visible.
  case shown(StackID)
  /// A stack became hidden.
  case hidden(StackID)
  /// The user scrolled a stack to a widget.
  case scrolled(StackID, to: Widget)
  /// The user tapped a widget in a stack.
  case tapped(StackID, Widget)
  /// The user requested a widget's latest content.
  case reload(Widget)
  /// An app came to the foreground, which counts as an activity of the user in it (rule P8).
  case appOpened(AppID)
  /// An app left the foreground.
  case appClosed(AppID)
  /// The user dismissed the suggestion on top of a stack.
  case suggestionDismissed(StackID)
  /// The user kept the suggestion on top of a stack, which makes it a member.
  case suggestionKept(StackID)
  /// The user blocked or allowed suggestions of a widget (*Don't Suggest This Widget*); stays in effect until changed.
  case widgetSuggestionBlocked(Widget, Bool)
  /// The user blocked or allowed suggestions of an app's widgets; stays in effect until changed.
  case appSuggestionBlocked(AppID, Bool)
  /// The user blocked suggestions of a widget until an instant, for example for today (rule R14). Replaces an earlier
  /// block of the widget.
  case widgetSuggestionSnoozed(Widget, until: Instant)
  /// The user blocked suggestions of an app's widgets until an instant. Replaces an earlier block of the app.
  case appSuggestionSnoozed(AppID, until: Instant)
  /// The user placed a widget on the Home Screen outside stacks, in a family, or in the kind's first family if `nil`.
  case homeWidgetAdded(Widget, in: WidgetFamily? = nil)
  /// The user removed a widget outside stacks from the Home Screen, in one family, or in every family if `nil`.
  case homeWidgetRemoved(Widget, in: WidgetFamily? = nil)
  /// The user's context changed.
  case contextChanged(ContextChange)
  /// The outcome of a suggestion on a surface (rule R11). An outcome counts once for each report that the suggestion
  /// was shown, and is ignored before such a report.
  case surfaceSuggestion(SuggestionSurface, SuggestionID, SuggestionOutcome)
  /// The size at which the display shows the widgets of a family (rule W8).
  case widgetSizeChanged(WidgetFamily, WidgetSize)
}

/// A request to a provider for a widget's next timeline (rule T8).
public struct ReloadRequest: Hashable, Sendable {
  /// The reason of a reload request.
  public enum Reason: UInt8, Sendable {
    /// The last entry's date passed.
    case atEnd = 1
    /// The date of the reload policy was reached.
    case after
    /// The app requested it.
    case app
    /// The user requested it.
    case user
    /// The widget was placed on the Home Screen or suggested, and has no timeline.
    case placed
    /// The size changed at which the display shows the widget (rule W8).
    case resized
  }

  /// The widget that needs a new timeline.
  public let widget: Widget
  /// The family in which the widget needs the timeline (rule W1).
  public let family: WidgetFamily
  /// The reason.
  public let reason: Reason
  /// When the request was made.
  public let at: Instant
  /// The size at which the display shows the widget, if it has reported one (rule W8).
  public let size: WidgetSize?

  /// Creates a request.
  public init(widget: Widget, family: WidgetFamily, reason: Reason, at: Instant, size: WidgetSize? = nil) {
    self.size = size
    self.widget = widget
    self.family = family
    self.reason = reason
    self.at = at
  }
}
