import MarqueeModel
import MarqueeWire

/// What a display shows, as its updates make it.
package struct Screen: Hashable, Sendable {
  package private(set) var stacks: [StackID: Stack] = [:]
  package private(set) var entries: [Widget: TimelineEntry] = [:]

  /// Nothing yet.
  package init() {}

  /// Takes an update in.
  package mutating func show(_ update: DisplayUpdate) {
    switch update.change {
    case .state(let state):
      stacks = Dictionary(uniqueKeysWithValues: state.stacks.map { ($0.id, $0) })
      entries = Dictionary(uniqueKeysWithValues: state.entries.map { ($0.widget, $0.entry) }).compactMapValues { $0 }
    case .front(let change):
      stacks[change.stack] = stacks[change.stack].map {
        Stack(
          id: $0.id, family: $0.family, members: $0.members, front: change.front,
          isSmartRotateOn: $0.isSmartRotateOn, isWidgetSuggestionsOn: $0.isWidgetSuggestionsOn,
          hasSuggestion: $0.hasSuggestion)
      }
    case .stack(let stack):
      stacks[stack.id] = stack
      forgetOrphans()
    case .removed(let stack):
      stacks[stack] = nil
      forgetOrphans()
    case .entry(let current):
      entries[current.widget] = current.entry
    }
  }

  private mutating func forgetOrphans() {
    let members = Set(stacks.values.flatMap(\.members))
    entries = entries.filter { members.contains($0.key) }
  }
}
