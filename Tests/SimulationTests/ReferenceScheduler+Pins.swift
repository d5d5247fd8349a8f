import MarqueeModel
import MarqueeScheduler

/// The settings of members, and resting fronts (R12, R13).
extension ReferenceScheduler {
  /// The first member whose pin is in force now.
  func pinned(_ stack: Stack) -> Int? {
    stack.members.first { member in stack.pins[member].map(isInForce) ?? false }
  }

  /// Whether the place, the Focus and the time of a pin all hold now. The user is never in a region but at its center.
  private func isInForce(_ pin: Pin) -> Bool {
    if let region = pin.place, region.center != place { return false }
    if let focus = pin.focus, focus != self.focus { return false }
    guard let times = pin.times else { return true }
    let local = Int(RandomDay.instant(now).milliseconds / 1000) + offset
    let today = local / 86_400
    return [today - 1, today].contains { day in
      // The first day of 1970 was a Thursday.
      guard times.weekdays.contains(Weekdays((day + 3) % 7)) else { return false }
      let start = day * 86_400 + times.start * 60
      let end = day * 86_400 + times.end * 60 + (times.end <= times.start ? 86_400 : 0)
      return start <= local && local < end
    }
  }

  /// The seconds by which the wall clock is ahead of UTC.
  private var offset: Int {
    guard let offsets else { return 0 }
    return (offsets.steps.last { Self.second($0.start) <= now } ?? offsets.steps[0]).seconds
  }

  /// Whether the user touched the stack so recently that the engine leaves it alone (R3).
  private func isHeld(_ stack: Stack) -> Bool {
    guard let last = stack.lastTouch, !isDeveloperModeOn else { return false }
    return .seconds(Int64(now - last)) < policy.hold
  }

  /// Brings the pinned member to the front, without regard to anything but the hold (R12).
  ///
  /// - Returns: Whether a pin is in force.
  mutating func followPin(_ index: Int) -> Bool {
    guard let pinned = pinned(stacks[index]) else { return false }
    if stacks[index].shownFront != pinned, !isHeld(stacks[index]) {
      happenings.append("\(stacks[index].id) pins \(widget(pinned))")
      if let front = stacks[index].shownFront { stacks[index].movedBy.subtract(episodes(front).map(\.id)) }
      let before = stacks[index].beforePin ?? stacks[index].front
      stacks[index].beforePin = before == pinned ? nil : before
      stacks[index].replaced.remove(pinned)
      show(pinned, index)
    }
    return true
  }

  /// Brings the member back that pins replaced, when none is in force (R12).
  ///
  /// - Returns: Whether no member waits for its return.
  mutating func returnAfterPin(_ index: Int) -> Bool {
    guard let member = stacks[index].beforePin, let front = stacks[index].shownFront else { return true }
    guard !isHeld(stacks[index]), !stacks[index].neverAway.contains(front) else { return false }
    happenings.append("\(stacks[index].id) rests at \(widget(member))")
    stacks[index].beforePin = nil
    stacks[index].replaced.remove(member)
    show(member, index)
    return true
  }

  /// The user chose the front: nothing that was replaced before returns to it (R4, R12).
  mutating func chooseFront(_ index: Int) {
    stacks[index].beforePin = nil
    stacks[index].replaced = []
  }

  /// Notes whether the stack is without evidence and pins (R13).
  mutating func noteQuiet(_ index: Int) {
    let stack = stacks[index]
    let isBusy = stack.shown.contains { evidence($0) > 0 } || pinned(stack) != nil || policy.restingFront == .zero
    stacks[index].quietSince = isBusy ? nil : stack.quietSince ?? now
  }

  /// Returns the stack to its resting front when it has been without evidence for long enough (R13).
  mutating func rest(_ index: Int) {
    let stack = stacks[index]
    guard let since = stack.quietSince, policy.restingFront <= .seconds(Int64(now - since)), stack.isSmartRotateOn,
      !isHeld(stack), let front = stack.shownFront, !stack.neverAway.contains(front)
    else { return }
    let home = stack.scrolledTo ?? stack.members[0]
    guard home != front else { return }
    happenings.append("\(stack.id) rests at \(widget(home))")
    stacks[index].replaced.remove(home)
    show(home, index)
  }

  mutating func set(_ rule: RotationRule, of member: Int, _ index: Int) {
    stacks[index].neverTo.remove(member)
    stacks[index].neverAway.remove(member)
    if !rule.isToAllowed { stacks[index].neverTo.insert(member) }
    if !rule.isAwayAllowed { stacks[index].neverAway.insert(member) }
  }

  /// Gives the settings of a member that is no longer in the stack to its replacement, if any.
  mutating func endSettings(of member: Int, replacedBy new: Int? = nil, _ index: Int) {
    let old = stacks[index]
    stacks[index].pins[member] = nil
    stacks[index].neverTo.remove(member)
    stacks[index].neverAway.remove(member)
    if old.scrolledTo == member { stacks[index].scrolledTo = new }
    if old.beforePin == member { stacks[index].beforePin = new }
    if stacks[index].replaced.remove(member) != nil, let new { stacks[index].replaced.insert(new) }
    guard let new else { return }
    stacks[index].pins[new] = old.pins[member]
    if old.neverTo.contains(member) { stacks[index].neverTo.insert(new) }
    if old.neverAway.contains(member) { stacks[index].neverAway.insert(new) }
  }
}
