public import MarqueeModel
public import MarqueeWire

/// The labels of the widgets that a display shows, from the updates of a watch (rule X1).
///
/// Apply every update of ``DisplayClient/watch(_:stacks:on:)`` in order. The label of a widget precedes the update that
/// shows the widget, except in a state with many widgets, whose further labels follow it. Labels of widgets that are
/// not shown any more are forgotten.
public struct DisplayLabels: Hashable, Sendable {
  private var labels: [Widget: WidgetLabel] = [:]
  private var members: [StackID: [Widget]] = [:]
  private var homeWidgets: Set<WidgetInstance> = []
  private var names = SentenceNames.none

  /// Creates the labels of a display that has received no update.
  public init() {}

  /// Returns the label of a widget; `nil` if it is not shown, or its label has not been received.
  public subscript(widget: Widget) -> WidgetLabel? { labels[widget] }

  /// Returns the name by which the user can tell the widget from the others that have a label; `nil` if it has none.
  public func name(of widget: Widget) -> String? { labels[widget] == nil ? nil : names.name(of: widget) }

  /// Applies an update.
  public mutating func apply(_ update: DisplayUpdate) {
    switch update.change {
    case .state(let state):
      members = Dictionary(state.stacks.map { ($0.id, $0.members) }) { first, _ in first }
      homeWidgets = Set(state.homeWidgets)
      labels = Dictionary(state.labels.map { ($0.widget, $0) }) { _, last in last }
    case .label(let label): labels[label.widget] = label
    case .stack(let stack):
      guard members.updateValue(stack.members, forKey: stack.id) != stack.members else { return }
      removeOrphans()
    case .removed(let stack):
      members[stack] = nil
      removeOrphans()
    case .homeWidgetAdded(let widget):
      homeWidgets.insert(widget)
      return
    case .homeWidgetRemoved(let widget):
      homeWidgets.remove(widget)
      removeOrphans()
    case .front, .entry, .heartbeat, .timeZone: return
    }
    names = SentenceNames(labels.mapValues(\.display))
  }

  /// Forgets the labels of widgets that are not shown any more.
  private mutating func removeOrphans() {
    let shown = Set(members.values.joined()).union(homeWidgets.map(\.widget))
    labels = labels.filter { shown.contains($0.key) }
  }
}
