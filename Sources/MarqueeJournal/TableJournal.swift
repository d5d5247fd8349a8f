import MarqueeModel
import MarqueeScheduler

/// A journal in the tables of an engine.
///
/// The engine contains rows, the journal their meaning: it encodes records, verifies checksums, replays devices, and
/// redacts deleted content. It is the same for every engine.
public protocol TableJournal: DeviceJournal {
  associatedtype Tables: JournalTables

  /// The engine.
  var tables: Tables { get }
}

extension TableJournal {
  /// The maximum number of devices, events or decisions in one page.
  public static var pageCountMax: Int { RowSelection.pageCountMax }
  /// The maximum number of devices in one page of the wake schedule.
  public static var wakeSchedulePageCountMax: Int { 10_000 }
  /// The maximum number of bytes of events in one page, unless a single event is larger.
  public static var eventPageSizeMax: Int { RowSelection.pageSizeMax }

  /// Writes records atomically and durably.
  ///
  /// If the call throws, nothing has been written, except after `deletionUnfinished` and `commitFailed`.
  ///
  /// A snapshot that is earlier than its event restates the device's time: the device's retained history begins with
  /// that snapshot.
  ///
  /// A deletion of donations must come with a snapshot right after it. The donations are redacted from every stored
  /// event, snapshot and decision in the same transaction, and the deletion itself is stored without their names. So
  /// must a removal of content: the device's retained history begins with that snapshot, and everything earlier is
  /// overwritten. When the call returns, no file of the database contains any byte of the deleted content, unless the
  /// engine documents otherwise.
  ///
  /// - Parameters:
  ///   - created: New devices in their state at creation, before any event.
  ///   - events: Events in order. Each device's sequences continue from its last one, starting with 1, and its instants
  ///     must not decrease.
  ///   - decisions: Decisions. Those whose number is already stored are ignored.
  ///   - snapshots: Snapshots of devices, each after an event that is stored or among `events`, as of that event or of
  ///     a later instant before the next one.
  ///   - wakeSchedule: The next wakes of devices after all of these records, for
  ///     ``wakeSchedule(policy:of:after:count:)``. The schedule is not updated for devices without an entry, even if
  ///     their next wake is earlier now.
  /// - Throws: ``JournalError`` `conflict`, `diskFull`, `busy`, `ioFailed`, `closed`, `deletionUnfinished`, or
  ///   `commitFailed`, after which the journal accepts no more writes.
  public func append(
    created: [Device], events: [JournalEntry], decisions: [RecordedDecision], snapshots: [DeviceSnapshot],
    wakeSchedule: [ScheduledWake] = []
  ) async throws(JournalError) {
    try await tables.write(
      Batch(
        created: created, events: events, decisions: decisions, snapshots: snapshots, wakeSchedule: wakeSchedule))
  }

  /// Runs `body` in a transaction of its own.
  ///
  /// - Parameters:
  ///   - completesErasure: Whether the transaction completes the erasure of a device.
  ///   - body: The changes, which may be attempted more than once.
  func writing<Value: Sendable>(
    completesErasure: Bool = false, _ body: @escaping @Sendable (any JournalTransaction) throws -> Value
  ) async throws(JournalError) -> Value {
    let result = TransactionResult<Value>()
    try await tables.write(
      Batch([.change { result.set(try body($0)) }], isErasure: completesErasure, isMaintenance: true))
    guard let value = result.value else { preconditionFailure("a committed transaction that did not run") }
    return value
  }
}
