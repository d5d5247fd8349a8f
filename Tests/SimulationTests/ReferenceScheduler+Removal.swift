import MarqueeModel
import MarqueeScheduler

/// The removal of kinds, intent types and apps (W6): the device is as if it had never had them.
extension ReferenceScheduler {
  mutating func remove(_ names: [KindName], of app: AppID) {
    let kinds = registered.filter { $0.app == app && names.contains($0.name) }
    shortcuts[app]?.removeAll { shortcut in kinds.contains { $0.name == shortcut.kind } }
    intents[app]?.removeAll { intent in kinds.contains { $0.name == intent.kind } }
    if shortcuts[app]?.isEmpty ?? true { useFound[app] = nil }
    removeWidgets(ofKinds: kinds.contains)
  }

  /// Removes intent types, of which no widgets exist; only the user's reactions to earlier ones can be left.
  mutating func remove(_ types: [IntentType], of app: AppID) {
    let removed = types.filter { registeredTypes[app]?.remove($0) != nil }
    for index in widgets.indices where widgets[index].kind.app == app {
      guard let type = widgets[index].configuration?.type, removed.contains(type) else { continue }
      removeUserState(of: index)
    }
  }

  mutating func remove(_ app: AppID) {
    (shortcuts[app], intents[app], useFound[app]) = (nil, nil, nil)
    (snoozedApps[app], appInsertions[app]) = (nil, nil)
    blockedApps.remove(app)
    registeredTypes[app] = nil
    if foregroundApp == app { foregroundApp = nil }
    removeWidgets { $0.app == app }
  }

  private mutating func removeWidgets(ofKinds isRemoved: (WidgetKind) -> Bool) {
    registered = registered.filter { !isRemoved($0) }
    let gone = Set(instances.filter { isRemoved(widgets[widget($0)].kind) })
    for index in stacks.indices { removeMembers(gone, index) }
    home.subtract(gone)
    for instance in gone { remove(instance) }
    for removed in widgets.indices where isRemoved(widgets[removed].kind) {
      removeUserState(of: removed)
      predictions[removed] = nil
      pastScores.removeAll { $0.kind == kinds[removed] }
    }
    removeUnknown()
  }

  private mutating func removeUserState(of widget: Int) {
    blockedWidgets.remove(widget)
    snoozedWidgets[widget] = nil
    for instance in instances(of: widget) {
      outcomes[instance] = (0, 0)
      if !exists[instance] { tallies[instance] = Tally() }
    }
  }

  /// Removes members, with their settings, and the suggestion of a stack. A removed front is replaced by the next
  /// remaining member, or by the last one.
  private mutating func removeMembers(_ gone: Set<Int>, _ index: Int) {
    if let suggested = stacks[index].suggested, gone.contains(suggested) { withdraw(index, "evidence ended") }
    let members = stacks[index].members
    stacks[index].members.removeAll(where: gone.contains)
    for member in gone { endSettings(of: member, index) }
    let kept = stacks[index].members
    if kept.isEmpty, stacks[index].suggested != nil { stacks[index].isSuggestionInFront = true }
    guard let front = stacks[index].front, gone.contains(front), let place = members.firstIndex(of: front)
    else { return }
    chooseFront(index)
    stacks[index].front = members[place...].first { !gone.contains($0) } ?? kept.last
  }
}
