/// A widget where it is to be seen.
public struct PlacedWidget: Hashable, Sendable {
  /// The widget.
  public let widget: Widget
  /// The family of its stack; `nil` on the Home Screen outside stacks, where nobody tells it.
  public let family: WidgetFamily?
  /// Whether it was put on its stack for a while, and not by the person.
  public let isSuggested: Bool

  /// A widget at its place.
  public init(widget: Widget, family: WidgetFamily?, isSuggested: Bool = false) {
    self.widget = widget
    self.family = family
    self.isSuggested = isSuggested
  }
}

extension Stack {
  /// The app's widgets on the stack, in their order.
  public func widgets(of app: AppID) -> [PlacedWidget] {
    members.enumerated().filter { $0.element.kind.app == app }.map { index, widget in
      PlacedWidget(widget: widget, family: family, isSuggested: hasSuggestion && index == 0)
    }
  }
}
