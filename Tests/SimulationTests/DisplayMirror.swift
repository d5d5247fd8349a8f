import MarqueeModel
import MarqueeScheduler

/// The state of a display that read the complete state once and has applied the actions since (rules U3, W3): stacks,
/// widgets outside stacks, and the current entries of both.
struct DisplayMirror: Equatable {
  private var stacks: [StackID: Stack] = [:]
  private var homeWidgets: Set<Widget>
  private var entries: [Widget: TimelineEntry] = [:]

  init(of device: Device) {
    homeWidgets = Set(device.homeWidgets)
    for stack in device.allStacks { stacks[stack.id] = stack }
    for widget in widgets { entries[widget] = device.currentEntry(of: widget) }
  }

  mutating func follow(_ action: Action) {
    switch action.order {
    case .rotate(let decision, let front): scroll(decision.stack, to: decision.to, front)
    case .scroll(let stack, let widget, let front): scroll(stack, to: widget, front)
    case .updateStack(let stack), .suggest(_, let stack), .withdraw(let stack, _, _): stacks[stack.id] = stack
    case .removeStack(let stack): stacks[stack] = nil
    case .addHomeWidget(let widget): homeWidgets.insert(widget)
    case .removeHomeWidget(let widget): homeWidgets.remove(widget)
    case .refresh(let widget, let entry): entries[widget] = entry
    case .requestReload: break
    }
    entries = entries.filter { widgets.contains($0.key) }
  }

  private var widgets: Set<Widget> { homeWidgets.union(stacks.values.flatMap(\.members)) }

  private mutating func scroll(_ id: StackID, to widget: Widget, _ front: Int) {
    guard let old = stacks[id], old.members[front] == widget else { preconditionFailure("no such member in front") }
    stacks[id] = Stack(
      id: id, family: old.family, members: old.members, front: front, isSmartRotateOn: old.isSmartRotateOn,
      isWidgetSuggestionsOn: old.isWidgetSuggestionsOn, hasSuggestion: old.hasSuggestion)
  }
}
