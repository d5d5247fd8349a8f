import GRDB
import MarqueeModel
import MarqueeScheduler

extension Store {
  /// The device as its last event or decision left it, and the sequence of that event (0 before the first one);
  /// `nil` when there is none of that name.
  ///
  /// `unrecorded` are decisions that the events led to and that no row tells of: rows could not be written when they
  /// were taken. Throws `corrupt` with device and sequence when the stored bytes are not what was stored.
  public func load(
    _ id: DeviceID
  ) async throws(StoreError) -> (device: Device, sequence: UInt64, unrecorded: [Decision])? {
    try await reading { db in
      guard var replay = try Replay(of: id, upTo: .max, db) else { return nil }
      let last = try replay.lastStoredDecision(db)
      // What was decided has been shown, so that time has come, whatever the clock says by now.
      if let last, last.at > replay.device.now { replay.advance(to: last.at) }
      let unrecorded = replay.decisions.filter { $0.number > last?.number ?? 0 }
      return (replay.device, replay.sequence, unrecorded)
    }
  }

  /// The device as it was at `instant`; `nil` when there was none of that name.
  ///
  /// What was deleted is not known any more: at an instant before a deletion of donations the device is as it would
  /// have been without them. After the latest ``Erasure/snapshotCountMax`` deletions it is exactly as it was. Throws
  /// `notKept` for an instant before the history that is kept.
  public func history(of id: DeviceID, at instant: Instant) async throws(StoreError) -> Device? {
    try await reading { db in
      guard var replay = try Replay(of: id, upTo: instant, db) else { return nil }
      replay.advance(to: instant)
      return replay.device
    }
  }

  /// The device as it was created, how many events it has had, and the instant of the last one, or of the creation;
  /// `nil` when there is none of that name. Throws `notKept` when the history does not go back to the creation.
  public func origin(
    of id: DeviceID
  ) async throws(StoreError) -> (device: Device, eventCount: UInt64, lastEvent: Instant)? {
    try await reading { db in
      guard let (number, device) = try Replay.origin(of: id, db) else { return nil }
      if let base = try Base(of: id, number, db) { throw base.notKept }
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

  /// The device's events after the one of that sequence, in order: those that fit ``eventPageSizeMax``, one at least if
  /// there is one, and no more than ``pageCountMax``.
  public func events(
    of id: DeviceID, after sequence: UInt64
  ) async throws(StoreError) -> [(sequence: UInt64, at: Instant, event: Event)] {
    try await reading { db in
      let rows = try Row.fetchCursor(
        db,
        sql: """
          SELECT journal.device, sequence AS number, journal.at, event AS bytes, journal.checksum
          FROM journal JOIN device ON device.id = journal.device
          WHERE device.name = ? AND sequence > ? ORDER BY sequence LIMIT ?
          """, arguments: [id.text, Int64(clamping: sequence), Self.pageCountMax])
      var events: [(sequence: UInt64, at: Instant, event: Event)] = []
      var size = 0
      while let row = try rows.next().map({ try StoredRow($0, of: id) }) {
        size += row.bytes.count
        guard events.isEmpty || size <= Self.eventPageSizeMax else { break }
        guard row.number == sequence + UInt64(events.count) + 1 else {
          throw row.corrupt("the event before it is missing")
        }
        events.append((row.number, row.at, try row.decoded()))
      }
      return events
    }
  }

  /// The names of at most `count` devices (no more than ``pageCountMax``) in their order, those after `name`.
  public func devices(after name: DeviceID?, count: Int) async throws(StoreError) -> [DeviceID] {
    precondition(count >= 0, "a page of \(count) devices")
    return try await reading { db in
      let rows = try Row.fetchAll(
        db, sql: "SELECT name FROM device WHERE name > ? ORDER BY name LIMIT ?",
        arguments: [name?.text ?? "", min(count, Self.pageCountMax)])
      return try rows.map { try Self.device($0.value("name")) }
    }
  }

  /// Devices that may need to run by themselves, at most `count` (no more than ``agendaPageCountMax``) in the order of
  /// their names, those after `name`: each with an instant that is not after its next wake. Those that may know another
  /// configured policy than `policy` are among them, with ``Instant/min``.
  public func agenda(
    policy: Policy, after name: DeviceID?, count: Int
  ) async throws(StoreError) -> [(device: DeviceID, wake: Instant)] {
    precondition(count >= 0, "a page of \(count) devices")
    let sum = Checksum.of(policy)
    return try await reading { db in
      let rows = try Row.fetchCursor(
        db,
        sql: """
          SELECT name, iif(policy = ?, wake, 0) AS wake FROM device
          WHERE name > ? AND (wake IS NOT NULL OR policy <> ?) ORDER BY name LIMIT ?
          """, arguments: [sum, name?.text ?? "", sum, min(count, Self.agendaPageCountMax)])
      var agenda: [(device: DeviceID, wake: Instant)] = []
      while let row = try rows.next() {
        let (text, wake): (String, Int64) = (try row.value("name"), try row.value("wake"))
        guard let wake = Instant(milliseconds: wake) else {
          throw StoreError(.corrupt, "a device's wake cannot be read")
        }
        agenda.append((try Self.device(text), wake))
      }
      return agenda
    }
  }

  /// How many devices there are.
  public func deviceCount() async throws(StoreError) -> Int {
    try await reading { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM device") ?? 0 }
  }

  static func device(_ name: String) throws(StoreError) -> DeviceID {
    do throws(Refusal) {
      return try DeviceID(name)
    } catch {
      throw StoreError(.corrupt, "a device's name cannot be read", cause: error)
    }
  }

  /// The latest instant that anything is recorded of; `nil` when nothing is. Blocks.
  public func lastInstant() throws(StoreError) -> Instant? {
    do {
      let milliseconds = try pool.read { db in
        try Int64.fetchOne(
          db,
          sql: """
            SELECT max(
              at,
              coalesce((SELECT at FROM journal WHERE device = id ORDER BY sequence DESC LIMIT 1), 0),
              coalesce((SELECT at FROM snapshot WHERE device = id ORDER BY sequence DESC LIMIT 1), 0),
              coalesce((SELECT at FROM base WHERE device = id), 0),
              coalesce((SELECT at FROM decision WHERE device = id ORDER BY number DESC LIMIT 1), 0)) AS last
            FROM device ORDER BY last DESC LIMIT 1
            """)
      }
      return milliseconds.flatMap { Instant(milliseconds: $0) }
    } catch {
      throw StoreError(error, while: "reading")
    }
  }

  /// At most `count` decisions (no more than ``pageCountMax``) of the device, the newest first: those before the one
  /// of that number, if given, and of that stack, if given. None for an unknown device.
  ///
  /// Decisions for widgets that came from deleted donations alone are gone.
  public func decisions(
    of id: DeviceID, stack: StackID?, before number: UInt64?, count: Int
  ) async throws(StoreError) -> [Decision] {
    precondition(count >= 0, "a page of \(count) decisions")
    let below = number.map { Int64(clamping: $0) } ?? .max
    return try await reading { db in
      let rows = try Row.fetchCursor(
        db,
        sql: """
          SELECT device, number, decision.at, body AS bytes, decision.checksum
          FROM decision JOIN device ON device.id = decision.device
          WHERE device.name = ? AND number < ? \(stack == nil ? "" : "AND stack = ?")
          ORDER BY number DESC LIMIT ?
          """,
        arguments: [id.text, below] + (stack.map { [$0.text] } ?? []) + [min(count, Self.pageCountMax)])
      var decisions: [Decision] = []
      while let row = try rows.next() {
        let stored = try StoredRow(row, of: id)
        if !stored.isErased { decisions.append(try stored.decoded()) }
      }
      return decisions
    }
  }

  /// Runs `body` on a thread of the database's readers, which may block, in one snapshot of the file.
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
