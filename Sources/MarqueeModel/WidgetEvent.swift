/// Something that happened to an instance of a widget where it is placed, for its app (rule W7).
public struct WidgetEvent: Hashable, Sendable {
  /// The kinds of events.
  public enum Change: Hashable, Sendable {
    /// The user placed the widget, or kept its suggestion.
    case placed
    /// The stack suggests the widget.
    case suggested
    /// The widget is no longer there, and no longer visible.
    case removed
    /// The user resized the widget outside stacks, from this family.
    case resized(from: WidgetFamily)
    /// The widget came to the front of the visible stack.
    case visible
    /// The widget is no longer in front, or its stack was hidden.
    case hidden
    /// The number of impressions that ended since the last report, and their total length.
    case impressions(count: Int, visibleTime: TimeSpan)
    /// The user tapped the widget. It showed the entry of this date, if any, which has this link, if any.
    case tapped(entry: Instant?, link: EntryLink?)
  }

  /// When it happened; for impressions, when the last one ended.
  public let at: Instant
  /// The instance and its place.
  public let placement: WidgetPlacement
  /// The event.
  public let change: Change
  /// Whether it is part of the state that the stream of events started with.
  public let isInitial: Bool

  /// Creates an event.
  public init(at: Instant, _ placement: WidgetPlacement, _ change: Change, isInitial: Bool = false) {
    self.at = at
    self.placement = placement
    self.change = change
    self.isInitial = isInitial
  }
}

/// A place of an instance of a widget: in a stack, or on the Home Screen outside stacks.
public struct WidgetPlacement: Hashable, Sendable {
  /// The instance.
  public let instance: WidgetInstance
  /// The stack; `nil` on the Home Screen outside stacks.
  public let stack: StackID?

  /// Creates a placement.
  public init(_ instance: WidgetInstance, in stack: StackID?) {
    self.instance = instance
    self.stack = stack
  }
}
