import GRDB
import MarqueeModel

extension Store {
  /// Removes a device, and erases everything that is stored of it.
  ///
  /// When the call returns, no file in the data directory contains any byte of the device's content or name, and a new
  /// device may have the same name. The first transaction removes the device; others then overwrite its rows in steps,
  /// between which other writes continue. If the process ends before that is complete, the next store that opens the
  /// directory completes it. The call waits for a running backup and for other readers as
  /// ``append(created:events:decisions:snapshots:wakeSchedule:)`` does.
  ///
  /// The row number of the device and the instants of its rows remain.
  ///
  /// - Parameter id: The device.
  /// - Returns: `false` if there is no such device.
  /// - Throws: ``StoreError`` `deletionUnfinished` if the device is removed but its erasure is not complete, which the
  ///   next call, a compaction or the next store completes; `corrupt`, `diskFull`, `busy`, `ioFailed` or `closed` if
  ///   nothing was removed; or `commitFailed`.
  public func remove(_ id: DeviceID) async throws(StoreError) -> Bool {
    let isRemoved = try await writing(removing: id) { db in try Erasure(removing: id, db) != nil }
    do throws(StoreError) {
      try await completeErasures()
    } catch {
      guard error.code != .commitFailed else { throw error }
      let isWaiting = error.code == .deletionUnfinished
      let code: StoreError.Code = isRemoved ? .deletionUnfinished : isWaiting ? .busy : error.code
      throw StoreError(code, "the erasure of a device is not complete: \(error.message)", device: id, cause: error)
    }
    return isRemoved
  }

  /// Completes the erasures of removed devices.
  func completeErasures() async throws(StoreError) {
    while let erasure = try await reading({ try Erasure.unfinished($0) }) {
      while try await writing({ try erasure.step($0) }) {}
      try await writing(completesErasure: true) { try erasure.finish($0) }
    }
  }

  /// Completes the erasures of removed devices that the previous process has not completed. Must run on the writer,
  /// before the WAL is truncated.
  ///
  /// - Returns: Warnings for the operator, if that is not possible now.
  static func completeErasures(_ db: Database) throws -> [String] {
    do {
      while let erasure = try Erasure.unfinished(db) {
        var isComplete = false
        while !isComplete {
          try db.inTransaction(.immediate) {
            isComplete = try !erasure.step(db)
            if isComplete { try erasure.finish(db) }
            return .commit
          }
        }
      }
      return []
    } catch let error as DatabaseError where [.SQLITE_BUSY, .SQLITE_FULL, .SQLITE_CORRUPT].contains(error.resultCode) {
      let reason = StoreError(error, while: "erasing a removed device").message
      return ["\(reason); the files may contain bytes of the device"]
    }
  }
}
