import GRDB
import MarqueeModel
import MarqueeScheduler
import Synchronization

/// What a store has let go of.
public struct Compaction: Hashable, Sendable {
  /// Devices whose history begins later now.
  public fileprivate(set) var deviceCount = 0
  /// Events and decisions that were taken out of the file, whose room is for new ones.
  public fileprivate(set) var rowCount = 0
}

extension Store {
  /// Lets each device's history begin no later than `span` before `now`: with the state of right after its last event
  /// before that. Events up to it, and decisions before it, are taken out of the file, which then grows no more, and is
  /// not made smaller either. Devices, what they have learned, and what they decide stay as they are.
  ///
  /// Up to a tenth of `span` more is kept, so that a device does not begin anew with every call. Writes go on
  /// meanwhile, between steps of some milliseconds each. A deletion (rule D5) of donations that are older than the kept
  /// history lets that begin with the deletion, since what they led to cannot be told any more.
  ///
  /// Throws `corrupt`, `diskFull`, `ioFailed`, `closed` or `commitFailed`; what was let go of by then stays so.
  public func compact(keeping span: TimeSpan, now: Instant) async throws(StoreError) -> Compaction {
    precondition(span >= .zero, "a history of \(span)")
    let beginning = now.advanced(by: TimeSpan(milliseconds: -span.milliseconds))
    let due = beginning.advanced(by: TimeSpan(milliseconds: -span.milliseconds / 10))
    var compaction = Compaction()
    while true {
      let devices = try await devices(withEventsBefore: due)
      for device in devices where try await begin(device, before: beginning) { compaction.deviceCount += 1 }
      var rowCount = 0
      for waste in [Waste.events, .decisions] { rowCount += try await remove(waste) }
      compaction.rowCount += rowCount
      if devices.isEmpty && rowCount == 0 { return compaction }
    }
  }

  /// Devices that have kept events before `instant`, among the first rows of the journal.
  private func devices(withEventsBefore instant: Instant) async throws(StoreError) -> [DeviceID] {
    try await reading { db in
      let names = try String.fetchAll(
        db,
        sql: """
          SELECT DISTINCT device.name
          FROM (SELECT device, sequence, at FROM journal ORDER BY rowid LIMIT \(Waste.rowCountMax)) AS row
          JOIN device ON device.id = row.device LEFT JOIN base ON base.device = row.device
          WHERE row.at < ? AND row.sequence > coalesce(base.sequence, 0) ORDER BY device.name
          """, arguments: [instant.milliseconds])
      return try names.map(Self.device)
    }
  }

  /// Lets a device's history begin with its last event before `instant`; whether it began earlier.
  private func begin(_ id: DeviceID, before instant: Instant) async throws(StoreError) -> Bool {
    let beginning = try await reading { db -> (replay: Replay, number: Int64, last: Int64)? in
      let before = instant.advanced(by: TimeSpan(milliseconds: -1))
      guard let replay = try Replay(of: id, upTo: before, db), replay.sequence > 0 else { return nil }
      let number = try Int64.fetchOne(db, sql: "SELECT id FROM device WHERE name = ?", arguments: [id.text])
      guard let number else { return nil }
      let last = try Int64.fetchOne(
        db, sql: "SELECT max(sequence) FROM journal WHERE device = ?", arguments: [number])
      return (replay, number, last ?? 0)
    }
    guard let (replay, number, last) = beginning else { return false }
    return try await writing { db in
      // A deletion since then is in none of what was read.
      let deletion = try Int64.fetchOne(
        db.cachedStatement(sql: "SELECT max(sequence) FROM snapshot WHERE device = ? AND stays = 1"),
        arguments: [number])
      let present = try Base(of: id, number, db)?.sequence ?? 0
      guard deletion ?? 0 <= last, present < replay.sequence else { return false }
      try Base.set(replay.device, after: replay.sequence, number, db)
      return true
    }
  }

  /// Takes out all rows that no history has, a step at a time, and returns how many those were.
  private func remove(_ waste: Waste) async throws(StoreError) -> Int {
    var count = 0
    while true {
      let stepCount = try await writing { try waste.remove($0) }
      guard stepCount > 0 else { return count }
      count += stepCount
    }
  }

  /// Runs `body` in a transaction of its own, in turn with the batches.
  private func writing<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws(StoreError) -> Value {
    let made = Made<Value>()
    try await commit(Batch { db in try made.keep(body(db)) })
    guard let value = made.value else { preconditionFailure("a transaction that did not run") }
    return value
  }
}

/// What a transaction has made of a value, which may be begun more than once.
private final class Made<Value: Sendable>: Sendable {
  private let kept = Mutex<Value?>(nil)

  var value: Value? { kept.withLock(\.self) }

  func keep(_ value: Value) { kept.withLock { $0 = value } }
}
