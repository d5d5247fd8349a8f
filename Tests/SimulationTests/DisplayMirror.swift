import MarqueeModel
import MarqueeScheduler

/// The state of a display that read the complete state once and has applied the actions since (rules U3, W3): stacks,
/// widgets outside stacks, and what both show.
struct DisplayMirror: Equatable {
  private var stacks: [StackID: Stack] = [:]
  private var homeWidgets: Set<WidgetInstance>
  private var entries: [WidgetInstance: ShownEntry] = [:]

  init(of device: Device) {
    homeWidgets = Set(device.homeWidgets)
    for stack in device.allStacks { stacks[stack.id] = stack }
    for instance in instances { entries[instance] = device.shownEntry(of: instance.widget, in: instance.family) }
  }

  mutating func follow(_ action: Action) {
    switch action.order {
    case .rotate(let decision, let front): scroll(decision.stack, to: decision.to, front)
    case .scroll(let stack, let widget, let front): scroll(stack, to: widget, front)
    case .updateStack(let stack), .suggest(_, let stack), .withdraw(let stack, _, _): stacks[stack.id] = stack
    case .removeStack(let stack): stacks[stack] = nil
    case .addHomeWidget(let instance): homeWidgets.insert(instance)
    case .removeHomeWidget(let instance): homeWidgets.remove(instance)
    case .refresh(let instance, let entry): entries[instance] = entry
    case .requestReload, .performFocusFilter: break
    }
    entries = entries.filter { instances.contains($0.key) }
  }

  private var instances: Set<WidgetInstance> {
    homeWidgets.union(stacks.values.flatMap { stack in stack.members.map { WidgetInstance($0, in: stack.family) } })
  }

  private mutating func scroll(_ id: StackID, to widget: Widget, _ front: Int) {
    guard let old = stacks[id], old.members[front] == widget else { preconditionFailure("no such member in front") }
    stacks[id] = Stack(
      id: id, family: old.family, members: old.members, front: front, isSmartRotateOn: old.isSmartRotateOn,
      isWidgetSuggestionsOn: old.isWidgetSuggestionsOn, hasSuggestion: old.hasSuggestion,
      settings: old.settings)
  }
}
