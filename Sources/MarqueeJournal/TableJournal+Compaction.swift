import MarqueeModel
import MarqueeScheduler

/// The result of a compaction.
public struct Compaction: Hashable, Sendable {
  /// The number of devices whose retained history was shortened.
  public fileprivate(set) var deviceCount = 0
  /// The number of events and decisions that were deleted. Their space in the file is reused.
  public fileprivate(set) var rowCount = 0
  /// The devices whose stored history cannot be read, and is therefore not shortened.
  public fileprivate(set) var unreadable: Set<DeviceID> = []
}

extension TableJournal {
  /// The maximum number of bytes of a device that fit into a row; the history of a larger device is not shortened.
  private static var stateSizeMax: Int { 805_306_368 }

  /// Deletes the history of devices past retention.
  ///
  /// The retained history of a device begins with its state after the last event or decision that is older than `span`.
  /// The events and decisions up to it are deleted and their space is reused; the file does not shrink. The devices'
  /// state, what they have learned and their future decisions do not change.
  ///
  /// Up to a tenth of `span` more is retained, so that not every call moves the boundary of every device. Writes
  /// continue between the transactions of the compaction. If donations that are older than the retained history are
  /// deleted later, the history then begins with that deletion, because their effects cannot be determined any more.
  ///
  /// A device whose stored history is corrupt keeps it, and does not affect the retention of others, except that SQLite
  /// deletes no rows behind its first expired one.
  ///
  /// - Parameters:
  ///   - span: The retention time; not negative.
  ///   - now: The current time.
  ///   - shards: The shards whose devices' boundaries are moved, or `nil` for all devices.
  /// - Returns: The numbers of devices and rows concerned.
  /// - Throws: ``JournalError`` `diskFull`, `ioFailed`, `closed` or `commitFailed`, or `corrupt` if the tables
  ///   themselves are. Completed steps are not rolled back.
  public func compact(
    keeping span: TimeSpan, now: Instant, of shards: ShardSet? = nil
  ) async throws(JournalError) -> Compaction {
    precondition(span >= .zero, "negative retention time: \(span)")
    let beginning = now.advanced(by: TimeSpan(milliseconds: -span.milliseconds))
    let due = beginning.advanced(by: TimeSpan(milliseconds: -span.milliseconds / 10))
    var compaction = Compaction()
    try await completeErasures()
    while true {
      let before = compaction
      for device in try await devices(withRowsBefore: due, of: shards) where !compaction.unreadable.contains(device) {
        do {
          if try await moveBoundary(of: device, before: beginning) { compaction.deviceCount += 1 }
        } catch {
          guard error.code == .corrupt, error.device == device else { throw error }
          compaction.unreadable.insert(device)
        }
      }
      for table in [RowTable.events, .decisions] { compaction.rowCount += try await removeExpired(table) }
      if compaction == before { return compaction }
    }
  }

  /// Returns the devices with retained events or decisions before `instant`, among the first rows of the tables.
  private func devices(
    withRowsBefore instant: Instant, of shards: ShardSet?
  ) async throws(JournalError) -> [DeviceID] {
    try await tables.read { view in
      try Set(view.names(withRowsBefore: instant, of: shards)).sorted().map(DeviceID.init(stored:))
    }
  }

  /// Moves a device's retention boundary to its last event or decision before `instant`, and returns whether it moved.
  private func moveBoundary(of id: DeviceID, before instant: Instant) async throws(JournalError) -> Bool {
    let last = instant.advanced(by: TimeSpan(milliseconds: -1))
    let found = try await tables.read { view -> (replay: Replay, decision: UInt64, deletion: Int64)? in
      guard var replay = try Replay(of: id, upTo: last, view), replay.sequence > 0,
        replay.device.storedSize <= Self.stateSizeMax
      else { return nil }
      let decision = try replay.lastStoredDecision()
      // No later than the stored rows: a wrong clock must not move the device's time.
      if let decision, decision.at > replay.device.now, decision.number > replay.device.decisionCount {
        replay.advance(to: decision.at)
      }
      guard let deletion = try view.lastDeletion(of: replay.number) else { return nil }
      return (replay, max(decision?.number ?? 0, replay.device.decisionCount), deletion)
    }
    guard let (replay, decision, deletion) = found else { return false }
    return try await writing { transaction in
      // The state that was read contains content that has been deleted since.
      guard try transaction.lastDeletion(of: replay.number) == deletion else { return false }
      try RetentionBoundary.set(
        replay.device, after: replay.sequence, decision: decision, replay.number, transaction)
      return true
    }
  }

  /// Deletes expired rows in steps, and returns their number.
  private func removeExpired(_ table: RowTable) async throws(JournalError) -> Int {
    var count = 0
    while true {
      let stepCount = try await writing { try $0.deleteExpiredRows(of: table) }
      guard stepCount > 0 else { return count }
      count += stepCount
    }
  }
}
