import GRDB
import MarqueeModel
import MarqueeScheduler
import Synchronization

/// The result of a compaction.
public struct Compaction: Hashable, Sendable {
  /// The number of devices whose retained history was shortened.
  public fileprivate(set) var deviceCount = 0
  /// The number of events and decisions that were deleted. Their space in the file is reused.
  public fileprivate(set) var rowCount = 0
}

extension Store {
  /// The maximum number of bytes of a device that fit into a row; the history of a larger device is not shortened.
  private static let stateSizeMax = 805_306_368

  /// Deletes the history of all devices past retention.
  ///
  /// The retained history of a device begins with its state after the last event or decision that is older than `span`.
  /// The events and decisions up to it are deleted and their space is reused; the file does not shrink. The devices'
  /// state, what they have learned and their future decisions do not change.
  ///
  /// Up to a tenth of `span` more is retained, so that not every call moves the boundary of every device. Writes
  /// continue between the transactions of the compaction. If donations that are older than the retained history are
  /// deleted later, the history then begins with that deletion, because their effects cannot be determined any more.
  ///
  /// - Parameters:
  ///   - span: The retention time; not negative.
  ///   - now: The current time.
  /// - Returns: The numbers of devices and rows concerned.
  /// - Throws: ``StoreError`` `corrupt`, `diskFull`, `ioFailed`, `closed` or `commitFailed`. Completed steps are not
  ///   rolled back.
  public func compact(keeping span: TimeSpan, now: Instant) async throws(StoreError) -> Compaction {
    precondition(span >= .zero, "negative retention time: \(span)")
    let beginning = now.advanced(by: TimeSpan(milliseconds: -span.milliseconds))
    let due = beginning.advanced(by: TimeSpan(milliseconds: -span.milliseconds / 10))
    var compaction = Compaction()
    try await completeErasures()
    while true {
      let before = compaction
      for device in try await devices(withRowsBefore: due) where try await moveBoundary(of: device, before: beginning) {
        compaction.deviceCount += 1
      }
      for expired in ExpiredRows.all { compaction.rowCount += try await remove(expired) }
      if compaction == before { return compaction }
    }
  }

  /// Returns the devices with retained events or decisions before `instant`, among the first rows of the tables.
  private func devices(withRowsBefore instant: Instant) async throws(StoreError) -> [DeviceID] {
    try await reading { db in
      try Set(ExpiredRows.all.flatMap { try $0.devices(before: instant, db) }).sorted().map(Self.device)
    }
  }

  /// Moves a device's retention boundary to its last event or decision before `instant`, and returns whether it moved.
  private func moveBoundary(of id: DeviceID, before instant: Instant) async throws(StoreError) -> Bool {
    let last = instant.advanced(by: TimeSpan(milliseconds: -1))
    let found = try await reading { db -> (replay: Replay, decision: UInt64, number: Int64, deletion: Int64)? in
      guard var replay = try Replay(of: id, upTo: last, db), replay.sequence > 0,
        replay.device.storedSize <= Self.stateSizeMax
      else { return nil }
      let decision = try replay.lastStoredDecision(upTo: last, db)
      // No later than the stored rows: a wrong clock must not move the device's time.
      if let decision, decision.at > replay.device.now, decision.number > replay.device.decisionCount {
        replay.advance(to: decision.at)
      }
      guard let number = try DeviceNumbers.find(id, db), let deletion = try Self.lastDeletion(number, db)
      else { return nil }
      let decided = max(decision?.number ?? 0, replay.device.decisionCount)
      return (replay, decided, number, deletion)
    }
    guard let (replay, decision, number, deletion) = found else { return false }
    return try await writing { db in
      // The state that was read contains content that has been deleted since.
      guard try Self.lastDeletion(number, db) == deletion else { return false }
      try RetentionBoundary.set(replay.device, after: replay.sequence, decision: decision, number, db)
      return true
    }
  }

  /// Returns the sequence of the latest deletion that redacted a device's history, 0 for none, or `nil` if the device
  /// has been removed.
  private static func lastDeletion(_ number: Int64, _ db: Database) throws -> Int64? {
    let statement = try db.cachedStatement(
      sql: """
        SELECT max(
          coalesce((SELECT max(sequence) FROM snapshot WHERE device = ?1 AND stays = 1), 0),
          coalesce((SELECT sequence FROM retention_boundary WHERE device = ?1), 0))
        FROM device WHERE id = ?1 AND removed = 0
        """)
    return try Int64.fetchOne(statement, arguments: [number])
  }

  /// Deletes expired rows in steps, and returns their number.
  private func remove(_ expired: ExpiredRows) async throws(StoreError) -> Int {
    var count = 0
    while true {
      let stepCount = try await writing { try expired.remove($0) }
      guard stepCount > 0 else { return count }
      count += stepCount
    }
  }

  /// Runs `body` in a transaction of its own, in the committer's queue.
  ///
  /// - Parameters:
  ///   - removed: The device that the transaction removes.
  ///   - completesErasure: Whether the transaction completes the erasure of a device.
  ///   - body: The changes.
  func writing<Value: Sendable>(
    removing removed: DeviceID? = nil, completesErasure: Bool = false,
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws(StoreError) -> Value {
    let result = TransactionResult<Value>()
    try await commit(
      Batch(maintenance: { db in try result.set(body(db)) }, removed: removed, completesErasure: completesErasure))
    guard let value = result.value else { preconditionFailure("a committed transaction that did not run") }
    return value
  }
}

/// The result of a transaction, which may be attempted more than once.
private final class TransactionResult<Value: Sendable>: Sendable {
  private let state = Mutex<Value?>(nil)

  var value: Value? { state.withLock(\.self) }

  func set(_ value: Value) { state.withLock { $0 = value } }
}
