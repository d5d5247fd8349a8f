import MarqueeModel

/// The settings of members: pins, and rotations that the user does not allow (rule R12).
///
/// A pin outranks rotations, the rules of rotations, and *Smart Rotate*: it is the user's own choice of the front.
extension Device {
  /// The maximum number of starts and ends of pins that are searched for the end of all pins.
  private static var pinBoundaryCountMax: Int { 32 }

  /// Returns the index among the shown widgets of the member that is pinned in front at an instant in the present
  /// context: the first one whose pin is in force, or `nil`.
  func pinnedIndex(at position: Int, _ instant: Instant) -> Int? {
    guard stacks.hasSettings(position) else { return nil }
    let time = wallTime(at: instant)
    for index in 0..<stacks[position].shownCount {
      guard let pin = stacks[position].settings[stacks[position].slot(at: index)]?.pin else { continue }
      if isInForce(pin, time) { return index }
    }
    return nil
  }

  private func isInForce(_ pin: Pin, _ time: WallTime) -> Bool {
    pin.holds(in: suggestionState.context) && pin.times?.contains(time) ?? true
  }

  /// Whether a pin is in force at an instant in the present context.
  func isInForce(_ pin: Pin, at instant: Instant) -> Bool { isInForce(pin, wallTime(at: instant)) }

  /// Returns when a pin comes into force that is not, in the present context; `nil` if that is never or not soon.
  func nextStart(of pin: Pin) -> Instant? {
    guard let times = pin.times else { return nil }
    var instant = now
    for _ in 0..<Self.pinBoundaryCountMax {
      instant = nextBoundary(of: times, after: instant)
      if isInForce(pin, at: instant) { return instant }
    }
    return nil
  }

  /// Returns the first start or end of times after an instant, or the change of the UTC offset before it.
  private func nextBoundary(of times: PinTimes, after instant: Instant) -> Instant {
    let boundary = times.nextBoundary(after: instant, offset: offset(at: instant))
    return min(boundary, offsets?.steps.first { $0.start > instant }?.start ?? boundary)
  }

  /// Returns the slot of the member that is pinned in front now, or `nil`.
  func pinnedSlot(at position: Int) -> Int? {
    pinnedIndex(at: position, now).map { stacks[position].slot(at: $0) }
  }

  /// Returns the index among the shown widgets of the member that a pin replaced, if no pin is in force any longer.
  func indexBeforePin(at position: Int) -> Int? {
    guard let slot = stacks[position].frontBeforePin, slot != stacks[position].frontSlot,
      pinnedIndex(at: position, now) == nil
    else { return nil }
    return (0..<stacks[position].shownCount).first { stacks[position].slot(at: $0) == slot }
  }

  /// Returns the gates of a return to the member that a pin replaced, in evaluation order.
  func returnGates(_ position: Int) -> [GateResult] {
    [pinnedGate(at: position), neverAwayGate(position), holdGate(position)]
  }

  /// Returns the first instant after another one at which time alone can change which pins are in force, or `nil`.
  ///
  /// A pin holds whenever the wall clock shows one of its times, so a change of the UTC offset is such an instant, too.
  func nextPinBoundary(at position: Int, after instant: Instant) -> Instant? {
    guard stacks.hasSettings(position) else { return nil }
    var earliest: Instant?
    for slot in stacks[position].members {
      guard let pin = stacks[position].settings[slot]?.pin, let times = pin.times,
        pin.holds(in: suggestionState.context)
      else { continue }
      let boundary = times.nextBoundary(after: instant, offset: offset(at: instant))
      earliest = min(earliest ?? boundary, boundary)
    }
    guard let earliest, let step = offsets?.steps.first(where: { $0.start > instant }) else { return earliest }
    return min(earliest, step.start)
  }

  /// Returns when, after an instant, a slot will be pinned in front, or no other one, in the present context; `nil` if
  /// that is never, or not soon.
  func pinEnd(at position: Int, for slot: Int?, after instant: Instant) -> Instant? {
    var instant = instant
    for _ in 0..<Self.pinBoundaryCountMax {
      guard let next = nextPinBoundary(at: position, after: instant) else { return nil }
      let pinned = pinnedIndex(at: position, next).map { stacks[position].slot(at: $0) }
      if pinned == nil || pinned == slot { return next }
      instant = next
    }
    return nil
  }

  /// Whether a pin with times makes decisions depend on the wall time.
  public var hasTimedPins: Bool {
    stacks.indices.contains { stacks.hasSettings($0) && stacks[$0].settings.values.contains { $0.pin?.times != nil } }
  }

  /// Whether the user allows rotations to the member.
  func isRotationAllowed(to slot: Int, at position: Int) -> Bool {
    stacks[position].settings[slot]?.rotationRule.isToAllowed ?? true
  }

  /// Whether the user allows rotations away from the front.
  func isRotationAwayAllowed(at position: Int) -> Bool {
    guard stacks.hasSettings(position), let front = stacks[position].frontSlot else { return true }
    return stacks[position].settings[front]?.rotationRule.isAwayAllowed ?? true
  }

  /// Returns the gate of pins for a rotation to a slot or, without one, for a suggestion.
  func pinnedGate(_ slot: Int? = nil, at position: Int) -> GateResult {
    let pinned = pinnedSlot(at: position)
    guard let pinned, pinned != slot else { return claimGate(.pinned, true) }
    return GateResult(
      .pinned, isPassed: false, measured: 0, required: 1, clears: pinEnd(at: position, for: slot, after: now))
  }

  func neverAwayGate(_ position: Int) -> GateResult { claimGate(.neverAway, isRotationAwayAllowed(at: position)) }

  func neverToGate(_ slot: Int, at position: Int) -> GateResult {
    claimGate(.neverTo, isRotationAllowed(to: slot, at: position))
  }
}

// MARK: Resting front

/// The return of a stack without evidence to its resting front (rule R13).
extension Device {
  /// Updates since when neither a member nor a suggestion has evidence and no pin is in force, as of ``now``.
  mutating func noteQuiet(_ position: Int) {
    let isQuiet = policy.restingFront > .zero && !hasEvidence(position) && pinnedIndex(at: position, now) == nil
    let since = isQuiet ? stacks[position].quietSince ?? now : nil
    if since != stacks[position].quietSince { stacks[position].quietSince = since }
  }

  /// Whether a member or a suggestion has evidence.
  func hasEvidence(_ position: Int) -> Bool {
    if stacks.suggestedSlot(position) != nil { return true }
    for slot in stacks[position].members where evidence(slot) > 0 { return true }
    return false
  }

  /// Returns the index among the shown widgets of the stack's resting front: the member that the user scrolled to last
  /// or put first.
  func restingIndex(at position: Int) -> Int? {
    let shown = 0..<stacks[position].shownCount
    return shown.first { stacks[position].slot(at: $0) == stacks[position].lastScrolled } ?? shown.first
  }

  /// Returns the gates of a return to the resting front, in evaluation order, or `nil` if a member has evidence or
  /// stacks do not return.
  func restGates(_ position: Int) -> [GateResult]? {
    guard let since = stacks[position].quietSince else { return nil }
    let due = since.advanced(by: policy.restingFront)
    let rest = GateResult(
      .rest, isPassed: due <= now, measured: since.span(to: now).seconds, required: policy.restingFront.seconds,
      clears: due <= now ? nil : due, since: since)
    return [smartRotateGate(position), neverAwayGate(position), rest, holdGate(position)]
  }
}
