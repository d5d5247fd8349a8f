import MarqueeModel
import MarqueeWire

/// The state of a display, derived from its updates.
package struct Screen: Hashable, Sendable {
  package private(set) var stacks: [StackID: Stack] = [:]
  /// The widgets outside stacks.
  package private(set) var homeWidgets: Set<Widget> = []
  package private(set) var entries: [Widget: TimelineEntry] = [:]

  /// Creates an empty screen.
  package init() {}

  /// Applies an update.
  package mutating func show(_ update: DisplayUpdate) {
    switch update.change {
    case .state(let state):
      stacks = Dictionary(uniqueKeysWithValues: state.stacks.map { ($0.id, $0) })
      homeWidgets = Set(state.homeWidgets)
      entries = Dictionary(uniqueKeysWithValues: state.entries.map { ($0.widget, $0.entry) }).compactMapValues { $0 }
    case .front(let change):
      // An update that does not apply is ignored: after a missed update, the state differs from the server's.
      guard let stack = stacks[change.stack], stack.members.indices.contains(change.front) else { return }
      stacks[change.stack] = Stack(
        id: stack.id, family: stack.family, members: stack.members, front: change.front,
        isSmartRotateOn: stack.isSmartRotateOn, isWidgetSuggestionsOn: stack.isWidgetSuggestionsOn,
        hasSuggestion: stack.hasSuggestion)
    case .stack(let stack):
      stacks[stack.id] = stack
      removeOrphans()
    case .removed(let stack):
      stacks[stack] = nil
      removeOrphans()
    case .entry(let current):
      entries[current.widget] = current.entry
    case .homeWidgetAdded(let widget):
      homeWidgets.insert(widget)
    case .homeWidgetRemoved(let widget):
      homeWidgets.remove(widget)
      removeOrphans()
    }
  }

  private mutating func removeOrphans() {
    let widgets = homeWidgets.union(stacks.values.flatMap(\.members))
    entries = entries.filter { widgets.contains($0.key) }
  }
}
