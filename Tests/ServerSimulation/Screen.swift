import MarqueeClient
import MarqueeModel
import MarqueeWire

/// The state of a display, derived from its updates.
package struct Screen: Hashable, Sendable {
  package private(set) var stacks: [StackID: Stack] = [:]
  /// The widgets outside stacks.
  package private(set) var homeWidgets: Set<WidgetInstance> = []
  /// What the widgets show, each in its family.
  package private(set) var shown: [WidgetInstance: ShownEntry] = [:]
  /// The labels of the widgets (rule X1).
  package private(set) var labels = DisplayLabels()

  /// Creates an empty screen.
  package init() {}

  /// The entries that the widgets show, each in its family.
  package var entries: [WidgetInstance: TimelineEntry] { shown.mapValues(\.entry) }

  /// Applies an update.
  package mutating func show(_ update: DisplayUpdate) {
    labels.apply(update)
    switch update.change {
    case .state(let state):
      stacks = Dictionary(uniqueKeysWithValues: state.stacks.map { ($0.id, $0) })
      homeWidgets = Set(state.homeWidgets)
      shown = Dictionary(uniqueKeysWithValues: state.entries.map { ($0.instance, $0.shown) }).compactMapValues { $0 }
    case .front(let change):
      // An update that does not apply is ignored: after a missed update, the state differs from the server's.
      guard let stack = stacks[change.stack], stack.members.indices.contains(change.front) else { return }
      stacks[change.stack] = Stack(
        id: stack.id, family: stack.family, members: stack.members, front: change.front,
        isSmartRotateOn: stack.isSmartRotateOn, isWidgetSuggestionsOn: stack.isWidgetSuggestionsOn,
        hasSuggestion: stack.hasSuggestion, settings: stack.settings)
    case .stack(let stack):
      stacks[stack.id] = stack
      removeOrphans()
    case .removed(let stack):
      stacks[stack] = nil
      removeOrphans()
    case .entry(let current):
      shown[current.instance] = current.shown
    case .homeWidgetAdded(let widget):
      homeWidgets.insert(widget)
    case .homeWidgetRemoved(let widget):
      homeWidgets.remove(widget)
      removeOrphans()
    case .heartbeat, .label, .timeZone: break
    }
  }

  private mutating func removeOrphans() {
    let widgets = homeWidgets.union(stacks.values.flatMap(\.instances))
    shown = shown.filter { widgets.contains($0.key) }
  }
}

extension CurrentEntry {
  fileprivate var shown: ShownEntry? { entry.map { ShownEntry($0, isStale: isStale) } }
}

extension Stack {
  /// The members in the stack's family, in order.
  package var instances: [WidgetInstance] { members.map { WidgetInstance($0, in: family) } }
}

extension Widget {
  /// The widget in `systemSmall`, the family of most stacks in tests.
  package var small: WidgetInstance { WidgetInstance(self, in: .systemSmall) }
}
