import Foundation
import GRDB
import MarqueeModel
import MarqueeScheduler

/// The encoded rows of one caller's write, which is atomic.
struct Batch: Sendable {
  /// An encoded row of a device.
  struct Row: Sendable {
    let device: DeviceID
    /// The sequence of an event or snapshot, the number of a decision, or 0 for a creation.
    let number: Int64
    let at: Int64
    let bytes: [UInt8]

    init(_ device: DeviceID, number: UInt64, at: Instant, _ bytes: [UInt8]) {
      self.device = device
      self.number = Int64(number)
      self.at = at.milliseconds
      self.bytes = bytes
    }
  }

  /// A device's entry in the wake schedule.
  struct WakeEntry: Sendable {
    let device: DeviceID
    let wake: Int64?
    let policy: Int64

    init(_ scheduled: ScheduledWake) {
      device = scheduled.device
      wake = scheduled.wake?.milliseconds
      policy = Checksum.of(scheduled.policy, wake: wake)
    }
  }

  /// The number of most recent snapshots of a device that are always kept.
  static let recentSnapshotCount = 4
  /// Older snapshots are kept if their sequence is a multiple of this.
  static let snapshotStride = 4_096

  var created: [Row] = []
  var events: [Row] = []
  var decisions: [(row: Row, stack: StackID)] = []
  var snapshots: [Row] = []
  var redactions: [Redaction] = []
  /// The devices whose retained history begins after one of the events.
  var historyStarts: [DeviceID: HistoryStart] = [:]
  var wakeSchedule: [WakeEntry] = []
  /// Another change to the database. A batch that has one gets a transaction of its own.
  var maintenance: (@Sendable (Database) throws -> Void)?
  /// The device that ``maintenance`` removes.
  var removed: DeviceID?
  /// Whether ``maintenance`` completes the erasure of a device.
  var completesErasure = false

  /// Whether the WAL must be truncated, because it contains bytes that the batch overwrites.
  var isErasure: Bool {
    completesErasure || !redactions.isEmpty || historyStarts.values.contains(where: \.isErasure)
  }

  /// Writes the rows in the database's current transaction.
  func write(_ db: Database, _ numbers: inout DeviceNumbers) throws {
    try maintenance?(db)
    if let removed { numbers.remove(removed) }
    for row in created { try insertDevice(row, db) }
    for row in events {
      try insert(
        row, numbers.number(of: row.device, db),
        "INSERT INTO journal (device, sequence, at, event, checksum) VALUES (?, ?, ?, ?, ?)", db)
      if let start = historyStarts[row.device], Int64(start.sequence) == row.number {
        try start.set(numbers.number(of: row.device, db), db)
      }
    }
    for (row, stack) in decisions { try insertDecision(row, numbers.number(of: row.device, db), stack, db) }
    for row in snapshots { try insertSnapshot(row, numbers.number(of: row.device, db), db) }
    for entry in wakeSchedule {
      try db.cachedStatement(
        sql: """
          INSERT INTO wake_schedule (device, wake, policy) VALUES (?, ?, ?)
          ON CONFLICT (device) DO UPDATE SET wake = excluded.wake, policy = excluded.policy
          """
      ).execute(arguments: [numbers.number(of: entry.device, db), entry.wake, entry.policy])
    }
    for redaction in redactions {
      try Redactor(redaction, device: numbers.number(of: redaction.after.id, db)).run(db)
    }
  }

  private func insertDevice(_ row: Row, _ db: Database) throws {
    // The checksum covers the device's number, so the number is assigned here and not by SQLite.
    let next = try Int64.fetchOne(db.cachedStatement(sql: "SELECT coalesce(max(id), 0) + 1 FROM device")) ?? 1
    try run(
      "INSERT INTO device (id, name, at, creation, checksum) VALUES (?, ?, ?, ?, ?)",
      [next, row.device.text, row.at, Data(row.bytes), row.checksum(next)], of: row, db)
  }

  private func insert(_ row: Row, _ device: Int64, _ sql: String, _ db: Database) throws {
    try run(sql, [device, row.number, row.at, Data(row.bytes), row.checksum(device)], of: row, db)
  }

  /// Inserts a decision unless it exists already, because replaying a journal repeats the same decisions (rule R8), or
  /// is older than an erasure (rule W6).
  private func insertDecision(_ row: Row, _ device: Int64, _ stack: StackID, _ db: Database) throws {
    try run(
      """
      INSERT INTO decision (device, number, at, stack, body, checksum) SELECT ?1, ?2, ?3, ?4, ?5, ?6
      WHERE NOT EXISTS (SELECT 1 FROM erasure WHERE device = ?1 AND decision >= ?2)
      ON CONFLICT (device, number) DO NOTHING
      """, [device, row.number, row.at, stack.text, Data(row.bytes), row.checksum(device)], of: row, db)
  }

  /// Inserts a snapshot unless the retained history begins after its event, which may have expired. The state at the
  /// boundary then contains everything that the snapshot does.
  private func insertSnapshot(_ row: Row, _ device: Int64, _ db: Database) throws {
    let boundary = try db.cachedStatement(sql: "SELECT 1 FROM retention_boundary WHERE device = ? AND sequence >= ?")
    guard try Int.fetchOne(boundary, arguments: [device, row.number]) == nil else { return }
    try insert(
      row, device,
      """
      INSERT INTO snapshot (device, sequence, at, state, checksum) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (device, sequence) DO NOTHING
      """, db)
    try run(
      """
      DELETE FROM snapshot WHERE device = ? AND stays = 0 AND sequence % ? <> 0 AND sequence <
        (SELECT sequence FROM snapshot WHERE device = ? ORDER BY sequence DESC LIMIT 1 OFFSET ?)
      """, [device, Self.snapshotStride, device, Self.recentSnapshotCount - 1], of: row, db)
  }

  private func run(_ sql: String, _ arguments: StatementArguments, of row: Row, _ db: Database) throws {
    do {
      try db.cachedStatement(sql: sql).execute(arguments: arguments)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      throw StoreError(
        .conflict, "record \(row.number) of the device conflicts with a stored record", device: row.device,
        sequence: UInt64(row.number),
        cause: SystemFailure(origin: .sqlite, number: error.extendedResultCode.rawValue))
    }
  }
}

extension Batch.Row {
  fileprivate func checksum(_ device: Int64) -> Int64 {
    Checksum.of(bytes, device: device, sequence: number, at: at)
  }
}
