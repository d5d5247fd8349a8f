import MarqueeModel
import MarqueeScheduler

/// The state of a display that read the complete state once and has applied the actions since (rule U3): stacks and the
/// current entries of their members.
struct DisplayMirror: Equatable {
  private var stacks: [StackID: Stack] = [:]
  private var entries: [Widget: TimelineEntry] = [:]

  init(of device: Device) {
    for stack in device.allStacks { stacks[stack.id] = stack }
    for widget in members { entries[widget] = device.currentEntry(of: widget) }
  }

  mutating func follow(_ action: Action) {
    switch action.order {
    case .rotate(let decision, let front): scroll(decision.stack, to: decision.to, front)
    case .scroll(let stack, let widget, let front): scroll(stack, to: widget, front)
    case .updateStack(let stack), .suggest(_, let stack), .withdraw(let stack, _, _): stacks[stack.id] = stack
    case .removeStack(let stack): stacks[stack] = nil
    case .refresh(let widget, let entry): entries[widget] = entry
    case .requestReload: break
    }
    entries = entries.filter { members.contains($0.key) }
  }

  private var members: Set<Widget> { Set(stacks.values.flatMap(\.members)) }

  private mutating func scroll(_ id: StackID, to widget: Widget, _ front: Int) {
    guard let old = stacks[id], old.members[front] == widget else { preconditionFailure("no such member in front") }
    stacks[id] = Stack(
      id: id, family: old.family, members: old.members, front: front, isSmartRotateOn: old.isSmartRotateOn,
      isWidgetSuggestionsOn: old.isWidgetSuggestionsOn, hasSuggestion: old.hasSuggestion)
  }
}
