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
  /// Lets each device's history begin no later than `span` before `now`: with its state after the last event or
  /// decision before that. Those up to it are taken out of the file, which then grows no more, and is not made smaller
  /// either. Devices, what they have learned, and what they decide stay as they are.
  ///
  /// Up to a tenth of `span` more is kept, so that a device does not begin anew with every call. Writes go on
  /// meanwhile, between its transactions. A deletion (rule D5) of donations that are older than the kept history lets
  /// that begin with the deletion, since what they led to cannot be told any more.
  ///
  /// Throws `corrupt`, `diskFull`, `ioFailed`, `closed` or `commitFailed`; what was let go of by then stays so.
  public func compact(keeping span: TimeSpan, now: Instant) async throws(StoreError) -> Compaction {
    precondition(span >= .zero, "a history of \(span)")
    let beginning = now.advanced(by: TimeSpan(milliseconds: -span.milliseconds))
    let due = beginning.advanced(by: TimeSpan(milliseconds: -span.milliseconds / 10))
    var compaction = Compaction()
    while true {
      let before = compaction
      for device in try await devices(withRowsBefore: due) where try await begin(device, before: beginning) {
        compaction.deviceCount += 1
      }
      for waste in Waste.all { compaction.rowCount += try await remove(waste) }
      if compaction == before { return compaction }
    }
  }

  /// Devices that have kept events or decisions before `instant`, among the first rows of the tables.
  private func devices(withRowsBefore instant: Instant) async throws(StoreError) -> [DeviceID] {
    try await reading { db in
      try Set(Waste.all.flatMap { try $0.devices(before: instant, db) }).sorted().map(Self.device)
    }
  }

  /// Lets a device's history begin with its last event or decision before `instant`; whether it began earlier.
  private func begin(_ id: DeviceID, before instant: Instant) async throws(StoreError) -> Bool {
    let last = instant.advanced(by: TimeSpan(milliseconds: -1))
    let beginning = try await reading { db -> (replay: Replay, decision: UInt64, number: Int64, deletion: Int64)? in
      guard var replay = try Replay(of: id, upTo: last, db), replay.sequence > 0 else { return nil }
      let decision = try replay.lastStoredDecision(upTo: last, db)
      // No later than what is stored: a clock that is wrong now must not move a device.
      if let decision, decision.at > replay.device.now { replay.advance(to: decision.at) }
      guard let number = try Int64.fetchOne(db, sql: "SELECT id FROM device WHERE name = ?", arguments: [id.text])
      else { return nil }
      return (replay, decision?.number ?? 0, number, try Self.lastDeletion(number, db))
    }
    guard let (replay, decision, number, deletion) = beginning else { return false }
    return try await writing { db in
      // What was deleted since then is in what was read.
      guard try Self.lastDeletion(number, db) == deletion else { return false }
      try Base.set(replay.device, after: replay.sequence, decision: decision, number, db)
      return true
    }
  }

  /// The sequence of the latest deletion that took something out of a device's history; 0 for none.
  private static func lastDeletion(_ number: Int64, _ db: Database) throws -> Int64 {
    let statement = try db.cachedStatement(
      sql: """
        SELECT max(
          coalesce((SELECT max(sequence) FROM snapshot WHERE device = ?1 AND stays = 1), 0),
          coalesce((SELECT sequence FROM base WHERE device = ?1), 0))
        """)
    return try Int64.fetchOne(statement, arguments: [number]) ?? 0
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
