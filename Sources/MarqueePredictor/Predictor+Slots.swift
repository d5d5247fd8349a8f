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
    if start < time {
      var workspace = workspace(
        expertCounts: learnsAllForecasts ? clockHead.experts.count : 0, soonHead.experts.count)
      defer { workspace.deallocate() }
      start = resolve(from: start, to: time, at: moment, after: last, before: action, &workspace)
    }
    slots.next = start
    slots.note(action)
  }

  /// Resolves all slots from `start` on that start before `time`, and returns the start of the next one.
  private mutating func resolve(
    from start: Int, to time: Int, at moment: Moment, after last: Last, before action: Int,
    _ workspace: inout Workspace
  ) -> Int {
    var (start, view): (Int, SlotView?) = (start, nil)
    while start < time {
      let slot = slotMoment(at: start, after: last.moment, before: moment)
      if start + SlotState.seconds >= time {
        // The latest event within the slot is the reference of the user's habits.
        var event = start
        moment.forEachEvent { if time - $0.age < time { event = max(event, time - $0.age) } }
        let isWithin = event > start
        learnActive(
          isWithin ? slotMoment(at: event, after: last.moment, before: moment) : slot, action: action, &view,
          &workspace)
      } else if slot.day == last.moment.day || slot.day == moment.day {
        learnIdle(slot, &view, &workspace)
      } else {
        start = max(start, moment.day * 86_400 - SlotState.seconds)
      }
      start += SlotState.seconds
    }
    return start
  }

  /// Returns the moment at the start of a slot, with the context known then: the place of the previous action, and a
  /// routine event that had occurred.
  private func slotMoment(at start: Int, after last: Moment, before next: Moment) -> Moment {
    let (before, after) = (last.moved(to: start), next.moved(to: start))
    return Moment(
      day: before.day, second: before.second, place: before.place, routine: after.routine ?? before.routine,
      arrival: after.arrival ?? before.arrival, focus: after.focus ?? before.focus,
      isHoliday: before.isHoliday || after.isHoliday)
  }

  /// The situation in a slot, and both heads' rows.
  private struct SlotView {
    var situation: Situation
    /// The rows of the head of time alone, if it is learned.
    let clock: HeadRows?
    let soon: HeadRows
  }

  /// The table and shares of a head.
  private struct HeadRows {
    let table: ExpertTable
    let shares: ActionRow
  }

  /// Moves a view to a slot, creating it for the first.
  ///
  /// Between slots only activity and calibration are learned, on which it does not depend.
  private func move(_ view: inout SlotView?, to slot: Moment, _ workspace: inout Workspace) -> SlotView {
    let ahead = Self.windowSeconds / 2
    if var moved = view {
      let change = move(&moved.situation, to: slot, ahead: ahead)
      let filled = moved.clock.map { FilledTable(head: clockHead, table: $0.table) }
      if let filled { update(filled.table, for: clockHead, in: moved.situation, after: change) }
      update(moved.soon.table, for: soonHead, in: moved.situation, after: change, sharing: filled)
      view = moved
      return moved
    }
    let situation = situation(at: slot, excludingPrevious: false, ahead: ahead, in: &workspace)
    var clock: HeadRows?
    if learnsAllForecasts {
      clock = HeadRows(table: table(for: clockHead, in: situation, &workspace), shares: workspace.row())
    }
    let filled = clock.map { FilledTable(head: clockHead, table: $0.table) }
    let soon = table(for: soonHead, in: situation, sharing: filled, &workspace)
    let created = SlotView(
      situation: situation, clock: clock, soon: HeadRows(table: soon, shares: workspace.row()))
    view = created
    return created
  }

  private mutating func learnIdle(_ slot: Moment, _ view: inout SlotView?, _ workspace: inout Workspace) {
    let features = activityFeatures(at: slot, time: max(slot.time, last?.time ?? slot.time))
    if (slot.second / SlotState.seconds + slot.day) % SlotState.idleSampling == 0 {
      let claims = claims(in: move(&view, to: slot, &workspace), features)
      slots.learnIdle(clock: claims.clock, soon: claims.soon)
    }
    activity.learn(features, isActive: false, at: slot)
  }

  /// The claims of both heads; without learning from time alone, the first makes none.
  private struct Claims {
    let clock: [SlotState.Claim]
    let soon: [SlotState.Claim]
  }

  private func claims(in moved: SlotView, _ features: ActivityModel.Features) -> Claims {
    let clock = moved.clock.map { self.view(clockHead, moved.situation, features, $0.table, shares: $0.shares) }
    let soon = self.view(soonHead, moved.situation, features, moved.soon.table, shares: moved.soon.shares)
    return Claims(clock: clock?.claims ?? [], soon: soon.claims)
  }

  private mutating func learnActive(
    _ slot: Moment, action: Int, _ view: inout SlotView?, _ workspace: inout Workspace
  ) {
    let moved = move(&view, to: slot, &workspace)
    let situation = moved.situation
    let features = activityFeatures(at: slot, time: situation.time)
    let claims = claims(in: moved, features)
    slots.close()
    slots.open = SlotState.Open(start: slot.time, clock: claims.clock, soon: claims.soon, actions: [])
    if isKnown.indices.contains(action), isKnown[action] {
      if let clock = moved.clock {
        clockHead.mixer.learn(gradient: clock.table.gradient(clock.shares, action: action), gap: situation.gap)
      }
      let soon = moved.soon
      soonHead.mixer.learn(gradient: soon.table.gradient(soon.shares, action: action), gap: situation.gap)
    }
    activity.learn(features, isActive: true, at: slot)
  }
}
