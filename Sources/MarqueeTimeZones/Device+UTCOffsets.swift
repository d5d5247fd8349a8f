package import MarqueeModel
package import MarqueeScheduler

/// The UTC offsets that a device learns besides its events.
///
/// A device with donations knows the offsets of its zone from its oldest donation on and for some time ahead; one with
/// pins at times of the day knows those from now on. Servers store the learned offsets as events of their own;
/// simulations apply the same ones.
extension Device {
  /// Returns the offsets to learn before an event at the device's current time: donations require those of their dates,
  /// and a pin with times requires the present ones.
  package func offsets(requiredBy event: Event) -> UTCOffsets? {
    switch event {
    case .donated(_, let donations): missingOffsets(from: donations.reduce(now) { min($0, $1.date) })
    case .stackEdited(_, .setPin(_, let pin?)) where pin.times != nil: missingOffsets(from: now)
    default: nil
    }
  }

  /// The offsets to learn after an event or a wake; `nil` if the device knows them for long enough, or needs none.
  package var offsetsToRenew: UTCOffsets? {
    donationCount() > 0 || hasTimedPins ? missingOffsets(from: now) : nil
  }

  /// Applies an event at `instant`, what the device learns before and after it, and the donation that it implies.
  ///
  /// - Returns: The resulting actions in order.
  package mutating func handleLearningOffsets(_ event: Event, at instant: Instant) -> [Action] {
    var actions = advanceLearningOffsets(to: instant)
    if let offsets = offsets(requiredBy: event) { actions += handle(.utcOffsetsLearned(offsets), at: instant) }
    actions += handle(event, at: instant)
    if let donation = donation(impliedBy: event) { actions += handleLearningOffsets(donation, at: instant) }
    if let offsets = offsetsToRenew { actions += handle(.utcOffsetsLearned(offsets), at: instant) }
    return actions
  }

  /// Advances the device to an instant, and learns the offsets that it needs at its wakes.
  ///
  /// - Returns: The resulting actions in order.
  package mutating func advanceLearningOffsets(to instant: Instant) -> [Action] {
    var actions: [Action] = []
    while let wake = nextWake, wake <= instant {
      actions += advance(to: wake)
      if let offsets = offsetsToRenew { actions += handle(.utcOffsetsLearned(offsets), at: wake) }
    }
    return actions + advance(to: instant)
  }

  private func missingOffsets(from start: Instant) -> UTCOffsets? {
    if let offsets, offsets.covers(start, now.advanced(by: UTCOffsets.reserve)) { return nil }
    return UTCOffsets(of: timeZone, from: start, around: now)
  }
}
