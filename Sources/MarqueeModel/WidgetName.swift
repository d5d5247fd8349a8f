/// The name of a widget in sentences (rule X1).
public struct WidgetName: Hashable, Sendable {
  /// The widget.
  public let widget: Widget
  /// The name.
  public let name: String

  /// Creates a name of a widget.
  public init(widget: Widget, name: String) {
    self.widget = widget
    self.name = name
  }
}
