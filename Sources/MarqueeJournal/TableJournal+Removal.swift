import MarqueeModel

extension TableJournal {
  /// Removes a device, and erases everything that is stored of it.
  ///
  /// When the call returns, no file of the database contains any byte of the device's content or name, unless the
  /// engine documents otherwise, and a new device may have the same name. The first transaction removes the device;
  /// others then overwrite its rows in steps, between which other writes continue. If the process ends before that is
  /// complete, the next removal or compaction completes it.
  ///
  /// The row number of the device and the instants of its rows remain.
  ///
  /// - Parameter id: The device.
  /// - Returns: `false` if there is no such device.
  /// - Throws: ``JournalError`` `deletionUnfinished` if the device is removed but its erasure is not complete, which
  ///   the next call or a compaction completes; `corrupt`, `diskFull`, `busy`, `ioFailed` or `closed` if nothing was
  ///   removed; or `commitFailed`.
  public func remove(_ id: DeviceID) async throws(JournalError) -> Bool {
    let isRemoved = try await writing { try Erasure(removing: id, $0) != nil }
    do throws(JournalError) {
      try await completeErasures()
    } catch {
      guard error.code != .commitFailed else { throw error }
      let isWaiting = error.code == .deletionUnfinished
      let code: JournalError.Code = isRemoved ? .deletionUnfinished : isWaiting ? .busy : error.code
      throw JournalError(code, "the erasure of a device is not complete: \(error.message)", device: id, cause: error)
    }
    return isRemoved
  }

  /// Completes the erasures of removed devices.
  func completeErasures() async throws(JournalError) {
    while let erasure = try await tables.read({ try Erasure.unfinished($0) }) {
      while try await writing({ try erasure.step($0) }) {}
      try await writing(completesErasure: true) { try erasure.finish($0) }
    }
  }
}
