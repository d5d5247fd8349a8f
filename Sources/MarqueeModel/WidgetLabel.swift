/// The texts by which a display names a widget for the user (rule X1).
public struct WidgetLabel: Hashable, Sendable {
  /// The widget.
  public let widget: Widget
  /// The app's name: the one that the app gave with its phrases, or the last component of its bundle identifier.
  public let appName: String
  /// The display name of the widget's kind, or the kind's name if it has none.
  public let kindName: String
  /// The representation of the widget with its configuration.
  public let display: ActionDisplay
  /// The text that a screen reader speaks: the kind, the configuration and the app.
  ///
  /// It has at most ``ActionDisplay/sizeMax`` bytes.
  public let accessibilityLabel: String

  /// Creates a label.
  public init(
    widget: Widget, appName: String, kindName: String, display: ActionDisplay, accessibilityLabel: String
  ) {
    self.widget = widget
    self.appName = appName
    self.kindName = kindName
    self.display = display
    self.accessibilityLabel = accessibilityLabel
  }

  /// Creates the label of a widget.
  ///
  /// - Parameters:
  ///   - widget: The widget.
  ///   - kind: The description of its kind, if registered.
  ///   - type: The description of the type of its configuration, if registered.
  ///   - appName: The app's name, if known.
  ///   - format: Formats an instant for the reader.
  public init(
    of widget: Widget, _ kind: WidgetDescriptor? = nil, _ type: IntentTypeDescriptor? = nil, appName: String? = nil,
    format: (Instant) -> String = \.description
  ) {
    let appName = appName ?? widget.kind.app.lastComponent
    let kindName = ActionDisplay.title(of: Widget(kind: widget.kind), kind)
    let display = ActionDisplay(of: widget, kind, type, format: format)
    let spoken = [kindName, ActionDisplay.configurationText(of: widget, type, format: format), appName]
    self.init(
      widget: widget, appName: appName, kindName: kindName, display: display,
      accessibilityLabel: spoken.compactMap(\.self).joined(separator: ", ").shortened(to: ActionDisplay.sizeMax))
  }

  /// The approximate size in a message, in bytes.
  package var size: Int {
    // Numbers and Booleans are larger in a message than in their stored encoding.
    3 * (widget.configuration?.encoded.count ?? 0) + widget.kind.description.utf8.count + appName.utf8.count
      + kindName.utf8.count + display.size + accessibilityLabel.utf8.count + 64
  }
}

extension AppID {
  /// The last component of the bundle identifier, the name of an app that gives none.
  public var lastComponent: String { text.split(separator: ".").last.map(String.init) ?? text }
}

extension ActionDisplay {
  /// Returns the text of a widget's configuration, without its kind; `nil` if it has none.
  ///
  /// It is the summary of the combination or, without one, its title, or else the values.
  static func configurationText(
    of widget: Widget, _ type: IntentTypeDescriptor?, format: (Instant) -> String
  ) -> String? {
    guard let configuration = widget.configuration else { return nil }
    let (texts, parameters) = (type?.texts(of: configuration) ?? .none, configuration.parameters)
    for text in [texts.summary, texts.title] {
      let rendered = text.rendered(parameters, type, format)
      if !rendered.isBlank { return rendered }
    }
    let values = parameters.map { $0.rendered(type, format) }.filter { !$0.isBlank }
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }
}
