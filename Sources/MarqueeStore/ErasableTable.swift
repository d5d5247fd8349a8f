import GRDB
import MarqueeJournal

/// A table whose rows are overwritten in place with zeros, so that they never move.
///
/// SQLite overwrites freed space (`secure_delete`), but when it rebalances neighboring pages of a B-tree, it sometimes
/// leaves a copy of a row in unallocated space.
struct ErasableTable {
  private static let journal = ErasableTable(
    name: "journal", key: "sequence", bytes: "event", progress: "sequence", otherAssignments: "")
  /// The name of a decision's stack is replaced by as many bytes.
  private static let decision = ErasableTable(
    name: "decision", key: "number", bytes: "body", progress: "decision",
    otherAssignments: ", stack = printf('%.*c', length(CAST(stack AS BLOB)), '-')")

  let name: String
  /// The column of a row's number.
  let key: String
  /// The column of a row's bytes.
  let bytes: String
  /// The column of the table `erasure` with the number up to which a device's rows have been overwritten.
  let progress: String
  /// SQL assignments that overwrite the row's other values.
  let otherAssignments: String

  /// A row that is to be overwritten.
  struct StoredRow {
    let row: Int64
    let device: Int64
    let number: Int64
    let at: Int64
    let size: Int
  }

  private init(name: String, key: String, bytes: String, progress: String, otherAssignments: String) {
    self.name = name
    self.key = key
    self.bytes = bytes
    self.progress = progress
    self.otherAssignments = otherAssignments
  }

  /// Returns the table of events or decisions. Snapshots are deleted instead.
  init(_ table: RowTable) {
    switch table {
    case .events: self = .journal
    case .decisions: self = .decision
    case .snapshots: preconditionFailure("snapshots are not overwritten")
    }
  }

  /// The statement that replaces the bytes and the checksum of the row with a device and a number.
  var overwriting: String { "UPDATE \(name) SET \(bytes) = ?, checksum = ? WHERE device = ? AND \(key) = ?" }

  func overwrite(_ row: StoredRow, _ db: Database) throws {
    let zeros = Array(repeating: UInt8(0), count: row.size)
    let checksum = Checksum.of(zeros, device: row.device, sequence: row.number, at: row.at)
    try db.cachedStatement(
      sql: "UPDATE \(name) SET \(bytes) = zeroblob(?), checksum = ?\(otherAssignments) WHERE rowid = ?"
    ).execute(arguments: [row.size, checksum, row.row])
  }
}
