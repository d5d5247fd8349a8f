import MarqueeModel

/// Groups of widgets, of which a stack brings the most relevant one to the front (rule R15).
///
/// An app puts a widget in groups with its timeline, and for the time of windows of shortcuts and relevant intents.
/// Groups restrict rotations and suggestions only: pins, resting fronts and the user's scrolling are not affected.
extension Device {
  /// Returns the slot of the shown widget that stands for a group of another shown widget, or `nil` if that one stands
  /// for itself.
  func representative(of slot: Int, at position: Int) -> Int? {
    guard widgets.summaries[slot].isGrouped else { return nil }
    var best: RankedCandidate?
    for index in 0..<stacks[position].shownCount {
      let candidate = rankedCandidate(stacks[position].slot(at: index), at: index)
      guard candidate.slot == slot || sharesGroup(candidate.slot, with: slot) else { continue }
      if let best, !candidate.outranks(best) { continue }
      best = candidate
    }
    return best.flatMap { $0.slot == slot ? nil : $0.slot }
  }

  /// Returns the slot of the widget that stands for a group of a suggestion candidate of a stack, or `nil` if the
  /// candidate stands for itself.
  ///
  /// Other widgets are those that the stack shows, and those that are suggested, or can be, in its family. The result
  /// does not depend on the stack that shows such a suggestion.
  func representative(ofSuggestion slot: Int, at position: Int) -> Int? {
    guard widgets.summaries[slot].isGrouped else { return nil }
    var best = rankedCandidate(slot, at: 0)
    for other in widgets.groupedSlots where other != slot {
      guard sharesGroup(other, with: slot), isShown(other, at: position) || isSuggestible(other, at: position) else {
        continue
      }
      let candidate = rankedCandidate(other, at: 0)
      if candidate.outranks(best, in: widgets) { best = candidate }
    }
    return best.slot == slot ? nil : best.slot
  }

  /// Withdraws the suggestions of which a member of the stack is more relevant. Evidence must be up to date.
  mutating func withdrawRepresentedSuggestions(_ actions: inout [Action]) {
    guard !widgets.groupedSlots.isEmpty else { return }
    for position in stacks.indices {
      guard let slot = stacks.suggestedSlot(position), representative(of: slot, at: position) != nil else { continue }
      withdraw(position, .represented, &actions)
    }
  }

  /// Returns the gate of groups of a widget with a representative or, without one, of one that stands for itself.
  func groupGate(representedBy representative: Int?) -> GateResult { claimGate(.group, representative == nil) }

  /// Whether an instance has evidence and is in a group of another one now.
  private func sharesGroup(_ other: Int, with slot: Int) -> Bool {
    widgets.summaries[other].isGrouped && evidence(other) > 0 && widgets[slot].sharesGroup(with: widgets[other])
  }

  private func isShown(_ slot: Int, at position: Int) -> Bool {
    stacks.suggestedSlot(position) == slot || stacks[position].members.contains(slot)
  }

  /// Whether the stack could show the instance as a suggestion, or another stack does. A widget that the user blocked
  /// stands for none.
  private func isSuggestible(_ slot: Int, at position: Int) -> Bool {
    let family = stacks[position].family
    return widgets.summaries[slot].isSuggestible && widgets[slot].family == family && supports(family, slot)
      && !isOnHomeScreen(slot) && !isBlocked(widgets[slot].widget)
  }
}

extension WidgetState {
  /// Whether the instance and another one are in a group of the same app now. The groups of apps are distinct.
  fileprivate func sharesGroup(with other: WidgetState) -> Bool {
    guard widget.kind.app == other.widget.kind.app else { return false }
    let groups = groups
    return other.groups.contains(where: groups.contains)
  }

  /// The groups that the instance is in now: those of its timeline and of its open windows. A group may occur twice.
  private var groups: [GroupName] {
    var groups: [GroupName] = []
    if let group = timeline?.group { groups.append(group) }
    windows.visitGroups { groups.append($0) }
    return groups
  }
}
