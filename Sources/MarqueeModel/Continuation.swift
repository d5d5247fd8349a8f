/// A suggestion that the user acted on or a widget that they tapped, for its app to continue in the foreground (rule
/// S8).
public enum Continuation: Hashable, Sendable {
  /// The suggested action.
  case intent(Intent)
  /// A state to restore, with all values of its latest donation, or of the relevant shortcut.
  case userActivity(UserActivity)
  /// An errand of the reservation of an item, with the latest donated intent about it, which is not to be repeated.
  case reservation(DisplayIdentity, Errand, Intent)
  /// A person to share with, with the latest donated intent that sent them a message, which is not to be repeated.
  ///
  /// The intent is `nil` if the user has only received messages from them (rule D9).
  case person(DisplayIdentity, Intent?)
  /// A widget with the link of the tapped content, if any. The family is `nil` for a relevant shortcut, which shows no
  /// widget.
  case widget(Widget, family: WidgetFamily?, link: EntryLink?)
}

/// The outcome of a continuation (rule S8).
public enum ContinuationOutcome: UInt8, CaseIterable, Sendable {
  /// The app has accepted it, and continues it in the foreground.
  case handled = 1
  /// The app has no handler for it.
  case notHandled
  /// The display is to have the intent performed, which can prompt the user. Only for ``Continuation/intent(_:)``.
  case performIntent
}

/// An item on a display that the user taps so that its app continues it (rule S8).
public enum TappedItem: Hashable, Sendable {
  /// A suggestion on a surface.
  case suggestion(SuggestionID, on: SuggestionSurface)
  /// A widget that a stack shows, as a member or a suggestion, with the link of the tapped content, if any.
  case stackWidget(Widget, in: StackID, link: EntryLink? = nil)
  /// A widget on the Home Screen outside stacks, with the link of the tapped content, if any.
  case homeWidget(WidgetInstance, link: EntryLink? = nil)

  /// The report of the interaction; `nil` for a widget outside stacks, whose taps are not recorded.
  public var report: UserReport? {
    switch self {
    case .suggestion(let id, let surface): .surfaceSuggestion(surface, id, .acted)
    case .stackWidget(let widget, let stack, _): .tapped(stack, widget)
    case .homeWidget: nil
    }
  }
}
