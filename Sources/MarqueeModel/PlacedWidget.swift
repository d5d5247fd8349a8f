/// A visible widget: on a stack, or on the Home Screen outside stacks.
public struct PlacedWidget: Hashable, Sendable {
  /// The widget.
  public let widget: Widget
  /// The family in which it is visible, which is that of its stack if it is on a stack.
  public let family: WidgetFamily
  /// Whether it is a suggestion, not a widget that the user placed.
  public let isSuggested: Bool
  /// The size at which the display shows it, if it has reported one and the list includes sizes (rule W8).
  public let size: WidgetSize?

  /// Creates a placed widget.
  public init(widget: Widget, family: WidgetFamily, isSuggested: Bool = false, size: WidgetSize? = nil) {
    self.size = size
    self.widget = widget
    self.family = family
    self.isSuggested = isSuggested
  }
}

extension Stack {
  /// Returns an app's widgets on the stack, in order.
  public func widgets(of app: AppID) -> [PlacedWidget] {
    members.enumerated().filter { $0.element.kind.app == app }.map { index, widget in
      PlacedWidget(widget: widget, family: family, isSuggested: hasSuggestion && index == 0)
    }
  }
}
