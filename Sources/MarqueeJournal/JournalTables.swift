import MarqueeModel

/// The tables of a journal in a database: what an engine implements, in SQL.
///
/// An engine stores rows, and nothing of what they mean: encodings, checksums, replay, redaction and retention are
/// those of ``TableJournal``. It has these tables; encoded rows have a checksum (see ``Checksum``):
///
/// | table | rows | key |
/// |---|---|---|
/// | devices | name, instant and parameters of the creation | a number that the engine assigns and never uses again |
/// | events | encoded events | device, sequence from 1, without gaps |
/// | snapshots | encoded states after an event | device, sequence of the event |
/// | decisions | encoded decisions, the stack | device, number |
/// | boundaries | the state with which the retained history of a device begins | device |
/// | wakes | the wake schedule | device |
/// | erasures | the numbers up to which rows were overwritten | device |
///
/// Work on a view or in a transaction is synchronous, and runs on a thread that may block: one step often depends on
/// the rows of the one before it. An engine with a network sends the rows of ``Batch/Step/insert(_:)`` together.
public protocol JournalTables: Sendable {
  /// Calls `body` with a consistent view of the tables, and returns its result.
  ///
  /// - Throws: The error of `body` if that is a ``JournalError``, or the one for the engine's failure.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (_ view: any JournalView) throws -> Value
  ) async throws(JournalError) -> Value

  /// Writes a batch in one transaction, durably.
  ///
  /// The steps are executed in order. If one fails, nothing is written. An engine may attempt a batch more than once,
  /// and may write several in one transaction if a failure of one of them does not concern the others.
  ///
  /// - Throws: ``JournalError``, whose ``JournalError/outcome`` says whether the batch was written.
  func write(_ batch: Batch) async throws(JournalError)
}

/// One consistent view of a journal's tables, in which changes by others are invisible.
///
/// Removed devices are in no result. Failures are errors of the engine, which it maps to ``JournalError`` outside.
public protocol JournalView {
  /// Returns the number of a device, or `nil` if there is no such device.
  func number(of id: DeviceID) throws -> Int64?

  /// Returns the rows from which devices are loaded, in the order of `ids`: in one round trip to a database in a
  /// network.
  ///
  /// - Parameters:
  ///   - ids: The devices.
  ///   - instant: The instant up to which snapshots and events are considered.
  /// - Returns: The rows of each device, or `nil` for an unknown device.
  func deviceRows(of ids: [DeviceID], upTo instant: Instant) throws -> [DeviceRows?]

  /// Returns the first rows of a selection.
  ///
  /// The page has at most ``RowSelection/countMax`` rows, and ends with the row with which its bytes reach
  /// ``RowSelection/sizeMax``. One that reaches neither limit is the last.
  func rows(_ selection: RowSelection) throws -> [TableRow]

  /// Returns the retention boundary of a device, without its state.
  func boundary(of device: Int64) throws -> BoundaryRow?

  /// Returns the state at the retention boundary of a device.
  func boundaryState(of device: Int64) throws -> TableRow?

  /// Returns the sequence of a device's last event after `sequence` that is an overwritten deletion of donations
  /// (`Event.redactedTag`) and has a snapshot.
  func lastRedactedDeletion(of device: Int64, after sequence: Int64) throws -> Int64?

  /// Returns the sequence of the latest deletion that changed a device's history: that of the last snapshot that is
  /// kept, or of the retention boundary, or 0; `nil` for a removed device.
  func lastDeletion(of device: Int64) throws -> Int64?

  /// Returns the numbers up to which a device's rows have been overwritten, if any have.
  func erasure(of device: Int64) throws -> ErasureRow?

  /// Returns a removed device whose erasure is not complete, if there is one.
  func unfinishedErasure() throws -> Int64?

  /// Returns a device's entry in the wake schedule.
  func wake(of device: Int64) throws -> WakeRow?

  /// Returns a page of the wake schedule: devices after `name`, in the order of the bytes of their names, that have a
  /// wake or another `policy` than the row's XOR its wake (see ``Checksum/of(_:wake:)``). Devices of some `shards` may
  /// be in another order, of which `name` is the last before the page.
  ///
  /// - Returns: The names, each with the stored wake, or 0 for a device without a row or with another policy.
  func wakes(
    policy: Int64, of shards: ShardSet?, after name: String, count: Int
  ) throws -> [(name: String, wake: Int64)]

  /// Returns at most `count` names of devices after `name`, in the order of their bytes.
  func names(after name: String, count: Int) throws -> [String]

  /// Returns the number of devices, of some shards or all.
  func deviceCount(of shards: ShardSet?) throws -> Int

  /// Returns at most `count` devices, of some shards or all, with the latest rows, the latest first, then by name, each
  /// with the instant of its latest row. Expired rows and events before the boundary are ignored.
  func latestInstants(of shards: ShardSet?, count: Int) throws -> [(name: String, at: Int64)]

  /// Returns the names of devices, of some shards or all, with events or decisions before `instant` that are not
  /// expired. An engine may return only those whose rows ``JournalTransaction/deleteExpiredRows(of:)`` could delete
  /// next.
  func names(withRowsBefore instant: Instant, of shards: ShardSet?) throws -> [String]
}

/// The transaction that writes a batch: a view that includes the changes of the earlier steps.
public protocol JournalTransaction: JournalView {
  /// Marks a device as removed, so that views ignore it, and deletes its wake.
  ///
  /// - Returns: The number of the device, or `nil` if there is no such device.
  func remove(_ id: DeviceID) throws -> Int64?

  /// Sets the retention boundary of a device, in place of an earlier one. Events and decisions up to it are expired.
  func setBoundary(_ boundary: BoundaryRow, state: TableRow) throws

  /// Deletes the snapshots of a device whose sequences are in the range.
  func deleteSnapshots(of device: Int64, in sequences: ClosedRange<Int64>) throws

  /// Deletes the first snapshot of a device, and returns whether there was one.
  func deleteFirstSnapshot(of device: Int64) throws -> Bool

  /// Exempts a snapshot from the deletion of older snapshots, and ends the exemption of those before the `count` most
  /// recent others.
  func keepSnapshot(of device: Int64, _ sequence: Int64, count: Int) throws

  /// Returns a page of a device's events with donations (`Event.donatedTag`) whose bytes contain at least one of the
  /// needles; all of them if there are no needles. The limits are those of a ``RowSelection``.
  func donatedEvents(
    of device: Int64, after sequence: Int64, before end: Int64, containing needles: [String]
  ) throws -> [TableRow]

  /// Replaces the bytes and the checksum of an event or decision by those of `row`, which have the same size.
  ///
  /// No copy of the earlier bytes may remain in the database's files once the batch is written.
  ///
  /// - Returns: `false` if there is no such row.
  func overwrite(_ row: TableRow, in table: RowTable) throws -> Bool

  /// Begins or continues the erasure of a device's rows.
  ///
  /// - Parameters:
  ///   - device: The number of the device.
  ///   - isWhole: Whether the device has been removed.
  func beginErasure(of device: Int64, isWhole: Bool) throws

  /// Overwrites the next events or decisions of a device that are not overwritten yet, and records the number reached.
  ///
  /// - Returns: The number of rows; 0 if none was left up to `last`.
  func eraseNextRows(of device: Int64, in table: RowTable, through last: Int64) throws -> Int

  /// Records that rows up to these numbers have been overwritten. Later decisions up to `decision` are dropped.
  func recordErasure(of device: Int64, through sequence: Int64, decision: Int64) throws

  /// Overwrites the name and the creation of a removed device, of which nothing else is left, and ends its erasure.
  func finishErasure(of device: Int64) throws

  /// Deletes some of the expired rows, and those of removed devices whose erasure is complete.
  ///
  /// - Returns: The number of rows; 0 if none can be deleted now.
  func deleteExpiredRows(of table: RowTable) throws -> Int
}
