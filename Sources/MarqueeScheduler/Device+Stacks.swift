import MarqueeModel

extension Device {
  mutating func edit(_ id: StackID, _ edit: StackEdit, _ actions: inout [Action]) {
    switch edit {
    case .create(let family):
      stacks[id] = StackState(id: id, family: family, at: now)
    case .removeStack:
      remove(id, &actions)
      return
    case .add, .remove, .move:
      changeMembers(of: id, edit)
    case .setSmartRotate(let isOn):
      stacks[id]?.isSmartRotateOn = isOn
    case .setWidgetSuggestions(let isOn):
      stacks[id]?.isWidgetSuggestionsOn = isOn
    }
    if let stack = stack(id) { actions.append(Action(at: now, .updateStack(stack))) }
  }

  mutating func take(_ report: PersonReport, _ actions: inout [Action]) {
    switch report {
    case .shown(let id):
      setVisible(true, id)
    case .hidden(let id):
      setVisible(false, id)
    case .scrolled(let id, let widget):
      scroll(id, to: widget, &actions)
    case .tapped(let id, _):
      stacks[id]?.lastTouch = now
    case .reload(let widget):
      if let slot = widgets.slot(of: widget) { ask(.person, slot, isCounted: false, &actions) }
    case .appOpened(let app):
      foregroundApp = app
    case .appClosed(let app):
      if foregroundApp == app { foregroundApp = nil }
    }
  }

  /// Runs a change of a stack's front, members or visibility, and keeps the account of front time.
  mutating func change(_ stack: inout StackState, _ body: (inout StackState) -> Void) {
    let (oldSlot, wasVisible) = (stack.frontSlot, stack.isVisible)
    body(&stack)
    guard stack.frontSlot != oldSlot || stack.isVisible != wasVisible else { return }
    if let oldSlot, wasVisible { widgets[oldSlot].frontTime.add(from: stack.frontSince, to: now) }
    stack.frontSince = now
  }

  private mutating func setVisible(_ isVisible: Bool, _ id: StackID) {
    guard var stack = stacks[id] else { preconditionFailure("the report was not checked") }
    change(&stack) { $0.isVisible = isVisible }
    stacks[id] = stack
  }

  /// The person's scroll takes effect at once (rule U2), holds (rule R3), and spends the episode it leaves (rule R4).
  private mutating func scroll(_ id: StackID, to widget: Widget, _ actions: inout [Action]) {
    guard var stack = stacks[id], let slot = widgets.slot(of: widget),
      let index = stack.members.firstIndex(where: { $0.slot == slot }), let front = stack.front
    else { preconditionFailure("the report was not checked") }
    stack.lastTouch = now
    if index != front {
      let left = stack.members[front]
      if let episode = left.movedBy, widgets[left.slot].relevance?.episode == episode {
        widgets[left.slot].spendEpisode()
      }
      change(&stack) { $0.front = index }
      actions.append(Action(at: now, .scroll(id, to: widget, front: index)))
    }
    stacks[id] = stack
  }

  private mutating func changeMembers(of id: StackID, _ edit: StackEdit) {
    guard var stack = stacks[id] else { preconditionFailure("the edit was not checked") }
    switch edit {
    case .add(let widget, let index):
      let slot = slot(making: widget)
      widgets[slot].membershipCount += 1
      change(&stack) { $0.insert(.init(slot: slot), at: index ?? $0.members.count) }
    case .remove(let widget):
      guard let index = index(of: widget, in: stack) else { preconditionFailure("the edit was not checked") }
      let slot = stack.members[index].slot
      change(&stack) { $0.removeMember(at: index) }
      release(slot)
    case .move(let widget, let target):
      guard let index = index(of: widget, in: stack) else { preconditionFailure("the edit was not checked") }
      change(&stack) { $0.moveMember(at: index, to: target) }
    default: preconditionFailure("no change of members")
    }
    stacks[id] = stack
  }

  private mutating func remove(_ id: StackID, _ actions: inout [Action]) {
    guard var stack = stacks.removeValue(forKey: id) else { preconditionFailure("the edit was not checked") }
    change(&stack) { $0.isVisible = false }
    for member in stack.members { release(member.slot) }
    actions.append(Action(at: now, .removeStack(id)))
  }

  private mutating func release(_ slot: Int) {
    widgets[slot].membershipCount -= 1
    if widgets[slot].isForgettable { widgets.remove(slot) }
  }

  func index(of widget: Widget, in stack: StackState) -> Int? {
    guard let slot = widgets.slot(of: widget) else { return nil }
    return stack.members.firstIndex { $0.slot == slot }
  }
}
