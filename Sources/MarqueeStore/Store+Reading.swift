import GRDB
import MarqueeModel
import MarqueeScheduler

extension Store {
  /// Loads a device as of its last event or decision.
  ///
  /// - Parameter id: The device.
  /// - Returns: The device, the sequence of its last event (0 before the first one), and `unrecorded`, the decisions
  ///   that could not be written when they were made; or `nil` if there is no such device.
  /// - Throws: ``StoreError`` `corrupt`, with the device and the sequence, if the stored data is corrupt.
  public func load(
    _ id: DeviceID
  ) async throws(StoreError) -> (device: Device, sequence: UInt64, unrecorded: [Decision])? {
    try await reading { db in
      guard var replay = try Replay(of: id, upTo: .max, db) else { return nil }
      let last = try replay.lastStoredDecision(db)
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
  /// - Throws: ``StoreError`` `notKept` if the retained history begins after `instant`.
  public func history(of id: DeviceID, at instant: Instant) async throws(StoreError) -> Device? {
    try await reading { db in
      guard var replay = try Replay(of: id, upTo: instant, db) else { return nil }
      replay.advance(to: instant)
      return replay.device
    }
  }

  /// Returns a device's state at creation, the number of its events, and the instant of the last event, or of the
  /// creation; `nil` if there is no such device.
  ///
  /// - Throws: ``StoreError`` `notKept` if the retained history does not go back to the creation.
  public func origin(
    of id: DeviceID
  ) async throws(StoreError) -> (device: Device, eventCount: UInt64, lastEvent: Instant)? {
    try await reading { db in
      guard let (number, device) = try Replay.origin(of: id, db) else { return nil }
      if let boundary = try RetentionBoundary(of: id, number, db) { throw boundary.notKept }
      let last = try Row.fetchOne(
        db,
        sql: """
          SELECT device, sequence AS number, at, event AS bytes, checksum FROM journal
          WHERE device = ? ORDER BY sequence DESC LIMIT 1
          """, arguments: [number])
      guard let last = try last.map({ try StoredRow($0, of: id) }) else { return (device, 0, device.now) }
      return (device, last.number, last.at)
    }
  }

  /// Returns a page of the device's events after `sequence`, in order.
  ///
  /// A page has at most ``pageCountMax`` events of at most ``eventPageSizeMax`` bytes, but at least one event if one
  /// follows. It has none if there is no such device.
  ///
  /// - Throws: ``StoreError`` `notKept` if the next event was erased, or is the removal that erased others
  ///   (rule W6).
  public func events(of id: DeviceID, after sequence: UInt64) async throws(StoreError) -> [JournalEntry] {
    try await reading { db in
      guard let number = try DeviceNumbers.find(id, db) else { return [] }
      let erased = try Int64.fetchOne(db, sql: "SELECT sequence FROM erasure WHERE device = ?", arguments: [number])
      if let erased, sequence <= erased, let boundary = try RetentionBoundary(of: id, number, db) {
        throw boundary.notKept
      }
      let rows = try Row.fetchCursor(
        db,
        sql: """
          SELECT device, sequence AS number, at, event AS bytes, checksum FROM journal
          WHERE device = ? AND sequence > ? ORDER BY sequence LIMIT ?
          """, arguments: [number, Int64(clamping: sequence), Self.pageCountMax])
      var events: [JournalEntry] = []
      var size = 0
      while let row = try rows.next().map({ try StoredRow($0, of: id) }) {
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
  public func devices(after name: DeviceID?, count: Int) async throws(StoreError) -> [DeviceID] {
    precondition(count >= 0, "a page of \(count) devices")
    return try await reading { db in
      let rows = try Row.fetchAll(
        db, sql: "SELECT name FROM device WHERE name > ? AND removed = 0 ORDER BY name LIMIT ?",
        arguments: [name?.text ?? "", min(count, Self.pageCountMax)])
      return try rows.map { try Self.device($0.value("name")) }
    }
  }

  /// Returns a page of the wake schedule: the devices that have a next wake or may have another configured policy than
  /// `policy`.
  ///
  /// - Parameters:
  ///   - policy: The configured policy.
  ///   - name: The name after which the page begins, or `nil` for the first page.
  ///   - count: The maximum number of devices; no more than ``wakeSchedulePageCountMax`` are returned.
  /// - Returns: The devices in the order of their names, each with an instant that is not after its next wake:
  ///   ``Instant/min`` for a device that may have another policy.
  public func wakeSchedule(
    policy: Policy, after name: DeviceID?, count: Int
  ) async throws(StoreError) -> [(device: DeviceID, wake: Instant)] {
    precondition(count >= 0, "a page of \(count) devices")
    let arguments: StatementArguments = [
      Checksum.of(policy), name?.text ?? "", min(count, Self.wakeSchedulePageCountMax),
    ]
    return try await reading { db in
      let rows =
        try StoredIndex.unlessCorrupt { try Row.fetchAll(db, sql: Self.wakeQuery, arguments: arguments) }
        // With a damaged page of the wake schedule, all devices are due at once.
        ?? Row.fetchAll(
          db, sql: "SELECT name, 0 AS wake FROM device WHERE name > ?2 AND removed = 0 AND ?1 ORDER BY name LIMIT ?3",
          arguments: arguments)
      return try rows.map { row in
        let (text, wake): (String, Int64) = (try row.value("name"), try row.value("wake"))
        guard let wake = Instant(milliseconds: wake) else {
          throw StoreError(.corrupt, "the next wake of a device is invalid")
        }
        return (try Self.device(text), wake)
      }
    }
  }

  private static let wakeQuery = """
    SELECT name, iif(policy = (?1 | coalesce(wake, -1)) & ~(?1 & coalesce(wake, -1)), wake, 0) AS wake
    FROM device LEFT JOIN wake_schedule ON wake_schedule.device = device.id
    WHERE name > ?2 AND removed = 0 AND (wake IS NOT NULL OR policy IS NOT ~?1) ORDER BY name LIMIT ?3
    """

  /// Returns the number of devices.
  public func deviceCount() async throws(StoreError) -> Int {
    try await reading { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM device WHERE removed = 0") ?? 0 }
  }

  static func device(_ name: String) throws(StoreError) -> DeviceID {
    do throws(RequestError) {
      return try DeviceID(name)
    } catch {
      throw StoreError(.corrupt, "the name of a device is invalid", cause: error)
    }
  }

  /// A query for the names of devices, each with the instant of its latest record, the latest first. Expired records,
  /// and those before a restated time, are ignored.
  private static let latestInstantQuery = """
    SELECT name, max(
      coalesce(boundary.at, device.at),
      coalesce((SELECT at FROM journal WHERE device = id AND sequence > coalesce(boundary.sequence, 0)
        ORDER BY sequence DESC LIMIT 1), 0),
      coalesce((SELECT at FROM snapshot WHERE device = id ORDER BY sequence DESC LIMIT 1), 0),
      coalesce((SELECT at FROM decision WHERE device = id AND number > coalesce(boundary.decision, 0)
        ORDER BY number DESC LIMIT 1), 0)) AS last
    FROM device LEFT JOIN retention_boundary AS boundary ON boundary.device = id
    WHERE removed = 0 ORDER BY last DESC, name LIMIT ?
    """

  /// Returns the latest instant of any record, or `nil` if there are none. Blocks.
  public func lastInstant() throws(StoreError) -> Instant? {
    do {
      let row = try pool.read { db in try Row.fetchOne(db, sql: Self.latestInstantQuery, arguments: [1]) }
      return try row.flatMap { Instant(milliseconds: try $0.value("last")) }
    } catch {
      throw StoreError(error, while: "reading")
    }
  }

  /// Returns at most `count` devices (no more than ``pageCountMax``) with the latest records, the latest first.
  ///
  /// - Parameter count: The maximum number of devices.
  /// - Returns: The devices, each with the instant of its latest record.
  public func latestInstants(count: Int) async throws(StoreError) -> [(device: DeviceID, instant: Instant)] {
    precondition(count >= 0, "a page of \(count) devices")
    return try await reading { db in
      let rows = try Row.fetchAll(db, sql: Self.latestInstantQuery, arguments: [min(count, Self.pageCountMax)])
      return try rows.map { row in
        guard let instant = Instant(milliseconds: try row.value("last")) else {
          throw StoreError(.corrupt, "the latest instant of a device is invalid")
        }
        return (try Self.device(row.value("name")), instant)
      }
    }
  }

  /// Returns the decisions of a device, the newest first; none for an unknown device.
  ///
  /// Decisions for widgets that only deleted donations configured are omitted.
  ///
  /// - Parameters:
  ///   - id: The device.
  ///   - stack: The stack to which the decisions are restricted, or `nil` for all stacks.
  ///   - number: The decision number before which the page begins, or `nil` for the newest decisions.
  ///   - count: The maximum number of decisions; no more than ``pageCountMax`` are returned.
  public func decisions(
    of id: DeviceID, stack: StackID?, before number: UInt64?, count: Int
  ) async throws(StoreError) -> [Decision] {
    precondition(count >= 0, "a page of \(count) decisions")
    let below = number.map { Int64(clamping: $0) } ?? .max
    return try await reading { db in
      guard let device = try DeviceNumbers.find(id, db) else { return [] }
      // There is no index by stack: its entries would move, and leave copies of the stacks' names (rule W6).
      let rows = try Row.fetchCursor(
        db,
        sql: """
          SELECT device, number, at, body AS bytes, checksum FROM decision
          WHERE device = ?1 AND number < ?2
            AND number > coalesce((SELECT decision FROM erasure WHERE device = ?1), 0)
            \(stack == nil ? "" : "AND stack = ?")
          ORDER BY number DESC LIMIT ?
          """,
        arguments: [device, below] + (stack.map { [$0.text] } ?? []) + [min(count, Self.pageCountMax)])
      var decisions: [Decision] = []
      while let row = try rows.next() {
        let stored = try StoredRow(row, of: id)
        if !stored.isRedacted { decisions.append(try stored.decoded()) }
      }
      return decisions
    }
  }

  /// Runs `body` in a read transaction on one of the pool's reader threads, which may block.
  func reading<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws(StoreError) -> Value {
    let outcome = await withCheckedContinuation { continuation in
      pool.asyncRead { database in
        let outcome = Result { try body(database.get()) }.mapError { StoreError($0, while: "reading") }
        continuation.resume(returning: outcome)
      }
    }
    return try outcome.get()
  }
}
