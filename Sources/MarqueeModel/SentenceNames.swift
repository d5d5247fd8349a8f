/// The names of a set of widgets in sentences, by which the user can tell them apart (rule X1).
///
/// A widget is named by its title or, if another one has the same name, by title and second line or else by kind and
/// configuration.
public struct SentenceNames: Hashable, Sendable {
  /// No names: widgets are named by their kind and configuration.
  public static let none = SentenceNames([:])

  private let names: [Widget: String]

  /// Creates the names of widgets.
  public init(_ displays: [Widget: ActionDisplay]) {
    func display(of widget: Widget) -> ActionDisplay { displays[widget] ?? ActionDisplay(of: widget) }
    self.init(of: displays.keys, title: { display(of: $0).title }, text: { display(of: $0).text })
  }

  /// Creates the names of widgets, which can occur several times.
  ///
  /// - Parameters:
  ///   - title: Returns the title of a widget.
  ///   - text: Returns the title and the second line of a widget; called only for equal titles.
  public init(of widgets: some Sequence<Widget>, title: (Widget) -> String, text: (Widget) -> String) {
    var names: [Widget: String] = [:]
    for widget in widgets where names[widget] == nil { names[widget] = Widget.shortened(title(widget)) }
    names = Self.distinguished(names) { Widget.shortened(text($0)) }
    self.names = Self.distinguished(names) { $0.description.shortened(to: ActionDisplay.valueSizeMax) }
  }

  /// Creates the given names. If a widget has several, the first one is used.
  public init(_ names: [WidgetName]) {
    self.names = Dictionary(names.map { ($0.widget, $0.name) }) { first, _ in first }
  }

  /// The names, in a fixed order.
  public var all: [WidgetName] {
    names.map { (key: $0.encoded, name: WidgetName(widget: $0, name: $1)) }
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.name)
  }

  /// Returns the names, with other ones in place of those that several widgets have.
  private static func distinguished(_ names: [Widget: String], by other: (Widget) -> String) -> [Widget: String] {
    let counts = Dictionary(names.values.map { ($0, 1) }, uniquingKeysWith: +)
    return Dictionary(
      uniqueKeysWithValues: names.map { widget, name in
        (widget, counts[name, default: 0] > 1 ? other(widget) : name)
      })
  }

  /// Returns the name of a widget; one that is not in the set is named by its kind and configuration.
  public func name(of widget: Widget) -> String { names[widget] ?? widget.shownName }
}
