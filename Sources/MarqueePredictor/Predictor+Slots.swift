/// Learning from half-hour slots: whether anything is done in them, and which action is first.
extension Predictor {
  /// Resolves all slots that start before `time`, at which `action` is done.
  ///
  /// Nothing is learned from days without any activity, on which the device may have been off.
  mutating func advance(to time: Int, at moment: Moment, before action: Int) {
    guard let last, var start = slots.next else {
      slots.next = (time / SlotState.seconds + 1) * SlotState.seconds
      return
    }
    if let open = slots.open, time > open.start + SlotState.seconds { slots.close() }
    while start < time {
      let slot = slotMoment(at: start, after: last.moment, before: moment)
      if start + SlotState.seconds >= time {
        // A routine event within the slot is the reference of the user's habits.
        let event = moment.routine.map { time - $0.age } ?? start
        let isWithin = event > start && event < time
        learnActive(isWithin ? slotMoment(at: event, after: last.moment, before: moment) : slot, action: action)
      } else if slot.day == last.moment.day || slot.day == moment.day {
        learnIdle(slot)
      } else {
        start = max(start, moment.day * 86_400 - SlotState.seconds)
      }
      start += SlotState.seconds
    }
    slots.next = start
    slots.note(action)
  }

  /// Returns the moment at the start of a slot, with the context known then: the place of the previous action, and a
  /// routine event that had occurred.
  private func slotMoment(at start: Int, after last: Moment, before next: Moment) -> Moment {
    let (before, after) = (last.moved(to: start), next.moved(to: start))
    return Moment(
      day: before.day, second: before.second, place: before.place, routine: after.routine ?? before.routine,
      isHoliday: before.isHoliday || after.isHoliday)
  }

  private mutating func learnIdle(_ slot: Moment) {
    let situation = situation(at: slot, excludingPrevious: false, ahead: Self.windowSeconds / 2)
    let features = activityFeatures(in: situation, at: slot)
    if (slot.second / SlotState.seconds + slot.day) % SlotState.idleSampling == 0 {
      slots.learnIdle(
        clock: view(clockHead, situation, features, table(for: clockHead, in: situation)).claims,
        soon: view(soonHead, situation, features, table(for: soonHead, in: situation)).claims)
    }
    activity.learn(features, isActive: false, at: slot)
  }

  private mutating func learnActive(_ slot: Moment, action: Int) {
    let situation = situation(at: slot, excludingPrevious: false, ahead: Self.windowSeconds / 2)
    let features = activityFeatures(in: situation, at: slot)
    let (clockTable, soonTable) = (table(for: clockHead, in: situation), table(for: soonHead, in: situation))
    let clock = view(clockHead, situation, features, clockTable)
    let soon = view(soonHead, situation, features, soonTable)
    slots.close()
    slots.open = SlotState.Open(start: slot.time, clock: clock.claims, soon: soon.claims, actions: [])
    if isKnown.indices.contains(action), isKnown[action] {
      clockHead.mixer.learn(gradient: clockTable.gradient(clock.shares, action: action), gap: situation.gap)
      soonHead.mixer.learn(gradient: soonTable.gradient(soon.shares, action: action), gap: situation.gap)
    }
    activity.learn(features, isActive: true, at: slot)
  }
}
