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
      let isEligible = canRepresent(candidate.slot, at: position) && sharesGroup(candidate.slot, with: slot)
      guard candidate.slot == slot || isEligible else { continue }
      if let best, !candidate.outranks(best) { continue }
      best = candidate
    }
    return best.flatMap { $0.slot == slot ? nil : $0.slot }
  }

  /// Withdraws the stack's suggestion if a member of one of its groups that ranks before it is in front. Evidence must
  /// be up to date.
  ///
  /// Until that member comes to the front, the suggestion remains: otherwise the stack would show neither.
  mutating func withdrawRepresentedSuggestion(_ position: Int, _ actions: inout [Action]) {
    guard let slot = stacks.suggestedSlot(position), let front = stacks[position].shownFront, front > 0 else { return }
    let member = rankedCandidate(stacks[position].slot(at: front), at: front)
    guard sharesGroup(member.slot, with: slot), member.outranks(rankedCandidate(slot, at: 0)) else { return }
    withdraw(position, .represented, &actions)
  }

  /// Returns the gate of groups of a widget with a representative or, without one, of one that stands for itself.
  func groupGate(representedBy representative: Int?) -> GateResult { claimGate(.group, representative == nil) }

  /// Whether an instance has evidence and is in a group of another one now.
  private func sharesGroup(_ other: Int, with slot: Int) -> Bool {
    widgets.summaries[other].isGrouped && widgets.summaries[slot].isGrouped && evidence(other) > 0
      && widgets[slot].sharesGroup(with: widgets[other])
  }

  /// Whether a widget that the stack shows stands for its groups there: it is in front or suggested, or the user lets
  /// the stack rotate to it.
  func canRepresent(_ slot: Int, at position: Int) -> Bool {
    if stacks[position].frontSlot == slot || stacks.suggestedSlot(position) == slot { return true }
    return stacks[position].isSmartRotateOn && isRotationAllowed(to: slot, at: position)
  }

  /// Whether a stack of the instance's family could show it as a suggestion, or one does. A widget that the user
  /// blocked stands for no group.
  func isSuggestible(_ slot: Int) -> Bool {
    widgets.summaries[slot].isSuggestible && supports(widgets[slot].family, slot) && !isOnHomeScreen(slot)
      && !isBlocked(widgets[slot].widget)
  }
}

extension WidgetState {
  /// Whether the instance and another one are in a group of the same app now. The groups of apps are distinct.
  fileprivate func sharesGroup(with other: WidgetState) -> Bool {
    guard widget.kind.app == other.widget.kind.app else { return false }
    return groups.contains(where: other.groups.contains)
  }

  /// The groups that the instance is in now: those of its open windows, and that of its timeline, which may be one of
  /// them.
  var groups: [GroupName] {
    timeline?.group.map { windows.openGroups + [$0] } ?? windows.openGroups
  }
}
