import MarqueeModel
import MarqueeScheduler

/// The removal of kinds and apps (W6): the device is as if it had never had their widgets.
extension ReferenceScheduler {
  mutating func remove(_ kinds: [KindName], of app: AppID) {
    shortcuts[app]?.removeAll { shortcut in shortcut.kind.map(kinds.contains) ?? false }
    intents[app]?.removeAll { kinds.contains($0.kind) }
    if shortcuts[app]?.isEmpty ?? true { useFound[app] = nil }
    removeWidgets { $0.app == app && kinds.contains($0.name) }
  }

  mutating func remove(_ app: AppID) {
    (shortcuts[app], intents[app], useFound[app]) = (nil, nil, nil)
    (snoozedApps[app], appInsertions[app]) = (nil, nil)
    blockedApps.remove(app)
    if foregroundApp == app { foregroundApp = nil }
    removeWidgets { $0.app == app }
  }

  private mutating func removeWidgets(ofKinds isRemoved: (WidgetKind) -> Bool) {
    registered = registered.filter { !isRemoved($0) }
    let gone = Set(instances.filter { isRemoved(widgets[widget($0)].kind) })
    for index in stacks.indices { removeMembers(gone, index) }
    home.subtract(gone)
    for instance in gone {
      outcomes[instance] = (0, 0)
      remove(instance)
    }
    for removed in widgets.indices where isRemoved(widgets[removed].kind) {
      blockedWidgets.remove(removed)
      (snoozedWidgets[removed], predictions[removed]) = (nil, nil)
      pastScores.removeAll { $0.kind == kinds[removed] }
    }
    removeUnknown()
  }

  /// Removes members and the suggestion of a stack. A removed front is replaced by the next remaining member, or by the
  /// last one.
  private mutating func removeMembers(_ gone: Set<Int>, _ index: Int) {
    if let suggested = stacks[index].suggested, gone.contains(suggested) { withdraw(index, "evidence ended") }
    let members = stacks[index].members
    stacks[index].members.removeAll(where: gone.contains)
    let kept = stacks[index].members
    if kept.isEmpty, stacks[index].suggested != nil { stacks[index].isSuggestionInFront = true }
    guard let front = stacks[index].front, gone.contains(front), let place = members.firstIndex(of: front)
    else { return }
    stacks[index].front = members[place...].first { !gone.contains($0) } ?? kept.last
  }
}
