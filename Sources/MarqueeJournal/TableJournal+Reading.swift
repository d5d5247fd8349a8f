import MarqueeModel
import MarqueeScheduler

extension TableJournal {
  /// Loads a device as of its last event or decision.
  ///
  /// - Parameter id: The device.
  /// - Returns: The device, the sequence of its last event (0 before the first one), and `unrecorded`, the decisions
  ///   that could not be written when they were made; or `nil` if there is no such device.
  /// - Throws: ``JournalError`` `corrupt`, with the device and the sequence, if the stored data is corrupt.
  public func load(
    _ id: DeviceID
  ) async throws(JournalError) -> (device: Device, sequence: UInt64, unrecorded: [Decision])? {
    try await tables.read { view in
      guard var replay = try Replay(of: id, upTo: .max, view) else { return nil }
      let last = try replay.lastStoredDecision()
      // The decision has been shown, so the device's time must reach it even if the clock is behind. A decision that
      // the device has counted already may be from a time that was restated since.
      if let last, last.at > replay.device.now, last.number > replay.device.decisionCount {
        replay.advance(to: last.at)
      }
      let unrecorded = replay.decisions.filter { $0.number > last?.number ?? 0 }
      return (replay.device, replay.sequence, unrecorded)
    }
  }

  /// Returns the state of a device at `instant`, or `nil` if the device did not exist then.
  ///
  /// Before a deletion of donations, the state is the one the device would have had without the deleted donations.
  /// Right after the latest 16 deletions it is exact.
  ///
  /// - Throws: ``JournalError`` `notKept` if the retained history begins after `instant`.
  public func history(of id: DeviceID, at instant: Instant) async throws(JournalError) -> Device? {
    try await tables.read { view in
      guard var replay = try Replay(of: id, upTo: instant, view) else { return nil }
      replay.advance(to: instant)
      return replay.device
    }
  }

  /// Returns the timelines that the instance of a widget had in a period, or `nil` if the device did not exist at its
  /// end.
  ///
  /// The period begins later than `start` if the device's retained history does, or if the device had more than
  /// `eventCountMax` events in it.
  ///
  /// - Parameters:
  ///   - instance: The instance of a widget, which need not exist.
  ///   - id: The device.
  ///   - start: The beginning of the period.
  ///   - end: The end of the period, inclusive.
  ///   - eventCountMax: The maximum number of events to replay in the period.
  /// - Throws: ``JournalError`` `notKept` if the retained history begins after `end`.
  public func timelines(
    of instance: WidgetInstance, on id: DeviceID, from start: Instant, through end: Instant, eventCountMax: Int
  ) async throws(JournalError) -> TimelineHistory? {
    try await tables.read { view in
      let found = try Replay.beginning(of: id, from: start, through: end, eventCountMax: eventCountMax, view)
      guard let first = found.map({ min($0, end) }), var replay = try Replay(of: id, upTo: first, view) else {
        return nil
      }
      replay.advance(to: first)
      var recorder = TimelineRecorder(of: instance, on: replay.device)
      try replay.applyEvents(upTo: end, view) { recorder.record($0) }
      replay.advance(to: end)
      recorder.end(replay.device)
      return TimelineHistory(device: replay.device, spans: recorder.spans)
    }
  }

  /// Returns a device's state at creation, the number of its events, and the instant of the last event, or of the
  /// creation; `nil` if there is no such device.
  ///
  /// - Throws: ``JournalError`` `notKept` if the retained history does not go back to the creation.
  public func origin(
    of id: DeviceID
  ) async throws(JournalError) -> (device: Device, eventCount: UInt64, lastEvent: Instant)? {
    try await tables.read { view in
      // Without events: only the last one is needed.
      guard let rows = try view.deviceRows(of: [id], upTo: .min).first ?? nil else { return nil }
      let device = try Replay.origin(of: id, rows.creation)
      let number = rows.creation.device
      if let boundary = try rows.boundary.map({ try RetentionBoundary($0, of: id, number) }) { throw boundary.notKept }
      let last = try view.rows(.last(.events, of: number)).first
      guard let last = try last.map({ try StoredRow($0, of: id) }) else { return (device, 0, device.now) }
      return (device, last.number, last.at)
    }
  }

  /// Returns a page of the device's events after `sequence`, in order.
  ///
  /// A page has at most ``pageCountMax`` events of at most ``eventPageSizeMax`` bytes, but at least one event if one
  /// follows. It has none if there is no such device.
  ///
  /// - Throws: ``JournalError`` `notKept` if the next event was erased, is the removal that erased others (rule W6), or
  ///   has expired since the caller's last page.
  public func events(of id: DeviceID, after sequence: UInt64) async throws(JournalError) -> [JournalEntry] {
    try await tables.read { view in
      guard let number = try view.number(of: id) else { return [] }
      if let erased = try view.erasure(of: number)?.sequence, sequence <= erased,
        let boundary = try RetentionBoundary(of: id, number, view)
      {
        throw boundary.notKept
      }
      var selection = RowSelection(.events, of: number)
      selection.after = Int64(clamping: sequence)
      var events: [JournalEntry] = []
      var size = 0
      let rows = try view.rows(selection).map { try StoredRow($0, of: id) }
      // Compaction moves the boundary first, and deletes the rows later.
      if rows.first?.number != sequence + 1, let boundary = try RetentionBoundary(of: id, number, view),
        sequence < boundary.sequence
      {
        throw boundary.notKept
      }
      for row in rows {
        size += row.bytes.count
        guard events.isEmpty || size <= Self.eventPageSizeMax else { break }
        guard row.number == sequence + UInt64(events.count) + 1 else {
          throw row.corrupt("the previous event is missing")
        }
        events.append(JournalEntry(id, sequence: row.number, at: row.at, try row.decoded()))
      }
      return events
    }
  }

  /// Returns at most `count` device names (no more than ``pageCountMax``) after `name`, in order.
  public func devices(after name: DeviceID?, count: Int) async throws(JournalError) -> [DeviceID] {
    precondition(count >= 0, "a page of \(count) devices")
    return try await tables.read { view in
      try view.names(after: name?.text ?? "", count: min(count, Self.pageCountMax)).map(DeviceID.init(stored:))
    }
  }

  /// Returns a page of the wake schedule: the devices that have a next wake or may have another configured policy than
  /// `policy`.
  ///
  /// - Parameters:
  ///   - policy: The configured policy.
  ///   - shards: The shards whose devices are listed, or `nil` for all devices.
  ///   - name: The last device of the page before, or `nil` for the first page.
  ///   - count: The maximum number of devices; no more than ``wakeSchedulePageCountMax`` are returned.
  /// - Returns: The devices, in the order of their names unless they are those of some shards, each with an instant
  ///   that is not after its next wake: ``Instant/min`` for a device that may have another policy.
  public func wakeSchedule(
    policy: Policy, of shards: ShardSet?, after name: DeviceID?, count: Int
  ) async throws(JournalError) -> [(device: DeviceID, wake: Instant)] {
    precondition(count >= 0, "a page of \(count) devices")
    let checksum = Checksum.of(policy)
    return try await tables.read { view in
      let count = min(count, Self.wakeSchedulePageCountMax)
      return try view.wakes(policy: checksum, of: shards, after: name?.text ?? "", count: count).map { row in
        guard let wake = Instant(milliseconds: row.wake) else {
          throw JournalError(.corrupt, "the next wake of a device is invalid")
        }
        return (try DeviceID(stored: row.name), wake)
      }
    }
  }

  /// Returns the number of devices, of some shards or all.
  public func deviceCount(of shards: ShardSet?) async throws(JournalError) -> Int {
    try await tables.read { try $0.deviceCount(of: shards) }
  }

  /// Returns at most `count` devices (no more than ``pageCountMax``) with the latest records, the latest first.
  ///
  /// - Parameters:
  ///   - shards: The shards of the devices, or `nil` for all devices.
  ///   - count: The maximum number of devices.
  /// - Returns: The devices, each with the instant of its latest record.
  public func latestInstants(
    of shards: ShardSet?, count: Int
  ) async throws(JournalError) -> [(device: DeviceID, instant: Instant)] {
    precondition(count >= 0, "a page of \(count) devices")
    return try await tables.read { view in
      try view.latestInstants(of: shards, count: min(count, Self.pageCountMax)).map { row in
        guard let instant = Instant(milliseconds: row.at) else {
          throw JournalError(.corrupt, "the latest instant of a device is invalid")
        }
        return (try DeviceID(stored: row.name), instant)
      }
    }
  }

  /// Returns the decisions of a device, the newest first; none for an unknown device.
  ///
  /// Decisions for widgets that only deleted donations configured are omitted, and do not count.
  ///
  /// - Parameters:
  ///   - id: The device.
  ///   - stack: The stack to which the decisions are restricted, or `nil` for all stacks.
  ///   - number: The decision number before which the page begins, or `nil` for the newest decisions.
  ///   - count: The maximum number of decisions; no more than ``pageCountMax`` are returned.
  public func decisions(
    of id: DeviceID, stack: StackID?, before number: UInt64?, count: Int
  ) async throws(JournalError) -> [Decision] {
    precondition(count >= 0, "a page of \(count) decisions")
    return try await tables.read { view in
      guard let device = try view.number(of: id) else { return [] }
      var selection = RowSelection(.decisions, of: device)
      selection.after = try view.erasure(of: device)?.decision ?? 0
      if let number { selection.before = Int64(clamping: number) }
      selection.stack = stack
      selection.isDescending = true
      let count = min(count, Self.pageCountMax)
      var decisions: [Decision] = []
      while decisions.count < count {
        (selection.countMax, selection.sizeMax) = (count - decisions.count, .max)
        let page = try view.rows(selection)
        for row in try page.map({ try StoredRow($0, of: id) }) where !row.isRedacted {
          decisions.append(try row.decoded())
        }
        guard let last = page.last, page.count == selection.countMax else { break }
        selection.before = last.number
      }
      return decisions
    }
  }
}

extension DeviceID {
  /// Returns the identifier of a device with a stored name.
  ///
  /// - Throws: ``JournalError`` `corrupt` if the name is invalid.
  package init(stored name: String) throws(JournalError) {
    do throws(RequestError) {
      try self.init(name)
    } catch {
      throw JournalError(.corrupt, "the name of a device is invalid", cause: error)
    }
  }
}
