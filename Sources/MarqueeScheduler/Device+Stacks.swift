import MarqueeModel

extension Device {
  mutating func edit(_ id: StackID, _ edit: StackEdit, _ actions: inout [Action]) {
    switch edit {
    case .create(let family):
      let isNew = !stackFamilies.contains(family)
      stacks.append(StackState(id: id, family: family))
      actions.append(Action(at: now, .updateStack(snapshot(stacks[position(of: id)]))))
      if isNew { renewEvidenceFamilies(&actions) }
      return
    case .removeStack:
      let family = stacks[position(of: id)].family
      remove(id)
      actions.append(Action(at: now, .removeStack(id)))
      if !stackFamilies.contains(family) { renewEvidenceFamilies(&actions) }
      return
    case .add(let widget, let index):
      if isSuggestion(widget, at: position(of: id)) {
        keep(position(of: id), at: index, &actions)
        return
      }
      add(widget, at: index, to: id)
    case .remove(let widget):
      if isSuggestion(widget, at: position(of: id)) {
        dismiss(position(of: id), .dismissed, &actions)
        return
      }
      remove(widget, from: id)
    case .move(let widget, let target):
      let index = memberIndex(of: widget, position(of: id))
      change(position(of: id)) { $0.moveMember(at: $0.memberIndex(shown: index), to: $0.memberIndex(shown: target)) }
    case .replace(let widget, let replacement):
      guard replacement != widget else { return }
      replace(widget, with: replacement, on: id)
    case .setSmartRotate(let isOn):
      stacks[position(of: id)].isSmartRotateOn = isOn
    case .setWidgetSuggestions(let isOn):
      stacks[position(of: id)].isWidgetSuggestionsOn = isOn
    case .setPin(let widget, let pin): setPin(pin, of: widget, on: id)
    case .setRotationRule(let widget, let rule): changeSettings(of: widget, on: id) { $0.rotationRule = rule }
    }
    let position = position(of: id)
    actions.append(Action(at: now, .updateStack(snapshot(stacks[position]))))
    if let widget = edit.newcomer, let slot = widgets.slot(of: widget, in: stacks[position].family) {
      refreshNewcomer(slot, &actions)
    }
  }

  /// Sends the entry of an instance that was placed, since a display that did not show it before has not received the
  /// entry, or requests a missing timeline.
  mutating func refreshNewcomer(_ slot: Int, _ actions: inout [Action]) {
    if let entry = widgets[slot].shown { actions.append(Action(at: now, .refresh(widgets[slot].instance, entry))) }
    requestMissingTimeline(slot, &actions)
  }

  mutating func apply(_ report: UserReport, _ actions: inout [Action]) {
    switch report {
    case .shown(let id):
      let now = now
      change(position(of: id)) {
        if !$0.isVisible { $0.promotion?.since = now }
        $0.isVisible = true
      }
    case .hidden(let id):
      change(position(of: id)) { $0.isVisible = false }
    case .scrolled(let id, let widget):
      scroll(id, to: widget, &actions)
    case .tapped(let id, let widget):
      let position = position(of: id)
      stacks[position].lastTouch = now
      widgets.counters[stacks[position].slot(at: memberIndex(of: widget, position))].count(.tap, at: now)
      if let promotion = stacks[position].promotion, widgets[promotion.slot].widget == widget {
        recordEngagement(position, isGood: true)
      }
    case .reload(let widget):
      for slot in widgets.slots(of: widget) { enqueueReload(.user, slot, isCounted: false, &actions) }
    case .appOpened(let app):
      foregroundApp = app
      for position in stacks.indices where isOpened(position, app) { recordEngagement(position, isGood: true) }
    case .appClosed(let app):
      if foregroundApp == app { foregroundApp = nil }
    case .suggestionDismissed(let id): dismiss(position(of: id), .dismissed, &actions)
    case .suggestionKept(let id): keep(position(of: id), at: 0, &actions)
    case .surfaceSuggestion(let surface, let id, let outcome): apply(outcome, of: id, on: surface)
    case .widgetSizeChanged(let family, let size): setWidgetSize(size, of: family, &actions)
    case .widgetSuggestionBlocked, .appSuggestionBlocked, .widgetSuggestionSnoozed, .appSuggestionSnoozed,
      .homeWidgetAdded, .homeWidgetRemoved, .contextChanged:
      note(report, &actions)
    }
  }

  /// Changes a stack's front, members or visibility, and updates visible durations and the pending promotion.
  mutating func change(_ position: Int, _ body: (inout StackState) -> Void) {
    let old = stacks[position].frontSlot
    body(&stacks[position])
    let new = stacks[position].frontSlot
    if let old { updateVisibleDuration(old) }
    if let new, new != old { updateVisibleDuration(new) }
    if stacks[position].promotion?.slot != new { stacks[position].promotion = nil }
  }

  mutating func updateVisibleDuration(_ slot: Int) {
    var isInFront = false
    for position in stacks.indices where stacks[position].isVisible && stacks[position].frontSlot == slot {
      isInFront = true
    }
    let start = widgets[slot].visibleDuration.since
    guard (start != nil) != isInFront else { return }
    if let start { widgets.counters[slot].countSpan(from: start, to: now) }
    widgets[slot].visibleDuration.note(isInFront: isInFront, at: now)
  }

  /// Applies the user's scroll at once (rule U2): it starts the hold (rule R3) and spends the episodes that it leaves
  /// (rule R4), but not those of a widget that the user passes on the way.
  private mutating func scroll(_ id: StackID, to widget: Widget, _ actions: inout [Action]) {
    let position = position(of: id)
    let isPassing = stacks[position].isPassing(at: now)
    stacks[position].lastTouch = now
    let (index, front) = (memberIndex(of: widget, position), stacks[position].frontSlot)
    stacks[position].noteScroll(to: index)
    guard let front, front != stacks[position].slot(at: index) else { return }
    widgets.counters[front].count(.scrollAway, at: now)
    spendEpisodes(front, of: id, isPassing: isPassing)
    if isRejected(position) { recordEngagement(position, isGood: false) }
    change(position) {
      $0.noteChoice()
      $0.bringToFront(index)
    }
    actions.append(Action(at: now, .scroll(id, to: widget, front: index)))
  }

  private mutating func add(_ widget: Widget, at index: Int?, to id: StackID) {
    let position = position(of: id)
    let slot = slot(making: WidgetInstance(widget, in: stacks[position].family))
    widgets[slot].membershipCount += 1
    change(position) { $0.insert(slot, at: index.map($0.memberIndex(shown:)) ?? $0.members.count) }
    removeUnreferenced(slot)
  }

  private mutating func replace(_ widget: Widget, with replacement: Widget, on id: StackID) {
    let position = position(of: id)
    let index = stacks[position].memberIndex(shown: memberIndex(of: widget, position))
    let old = stacks[position].members[index]
    let new = slot(making: WidgetInstance(replacement, in: stacks[position].family))
    widgets[new].membershipCount += 1
    change(position) { $0.replaceMember(at: index, with: new) }
    widgets[old].membershipCount -= 1
    spendSuggestionEpisodes(old)
    removeUnreferenced([old, new])
  }

  private mutating func remove(_ widget: Widget, from id: StackID) {
    let position = position(of: id)
    let index = stacks[position].memberIndex(shown: memberIndex(of: widget, position))
    let slot = stacks[position].members[index]
    change(position) { $0.removeMember(at: index) }
    // A widget that the user removed is not suggested again in the same window.
    spendSuggestionEpisodes(slot)
    widgets[slot].membershipCount -= 1
    removeUnreferenced(slot)
  }

  private mutating func remove(_ id: StackID) {
    let position = position(of: id)
    let stack = stacks[position]
    stacks.remove(at: position)
    if let front = stack.frontSlot { updateVisibleDuration(front) }
    for slot in widgets.occupiedSlots { widgets[slot].removeMovedStack(id) }
    for slot in stack.members { widgets[slot].membershipCount -= 1 }
    removeUnreferenced(stack.members)
  }

  /// Sets or removes a pin (rule R12). One that is in force ends the hold, since it is the user's latest choice. If
  /// none is in force any longer, the user has seen the front, and it remains.
  private mutating func setPin(_ pin: Pin?, of widget: Widget, on id: StackID) {
    changeSettings(of: widget, on: id) { $0.pin = pin }
    let position = position(of: id)
    let pinned = pinnedIndex(at: position, now)
    if pinned == nil { stacks[position].forgetFrontBeforePin() }
    if pin != nil, pinned == memberIndex(of: widget, position) { stacks[position].lastTouch = nil }
  }

  private mutating func changeSettings(of widget: Widget, on id: StackID, _ body: (inout MemberSettings) -> Void) {
    let position = position(of: id)
    let slot = stacks[position].slot(at: memberIndex(of: widget, position))
    stacks[position].changeSettings(of: slot, body)
  }

  /// Returns the index of the widget among the shown widgets of the stack, or `nil`.
  func index(of widget: Widget, at position: Int) -> Int? {
    guard let slot = widgets.slot(of: widget, in: stacks[position].family) else { return nil }
    for index in 0..<stacks[position].shownCount where stacks[position].slot(at: index) == slot { return index }
    return nil
  }

  func position(of id: StackID) -> Int {
    guard let position = stacks.position(of: id) else { preconditionFailure("the stack was not validated") }
    return position
  }

  private func memberIndex(of widget: Widget, _ position: Int) -> Int {
    guard let index = index(of: widget, at: position) else {
      preconditionFailure("the member was not validated")
    }
    return index
  }
}

extension StackEdit {
  /// The widget that the edit adds to the stack, if any.
  fileprivate var newcomer: Widget? {
    switch self {
    case .add(let widget, _), .replace(_, let widget): widget
    case .create, .removeStack, .remove, .move, .setSmartRotate, .setWidgetSuggestions, .setPin, .setRotationRule: nil
    }
  }
}
