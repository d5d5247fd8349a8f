import Foundation
import GRDB
import MarqueeModel
import MarqueeScheduler

/// The donations to redact from the stored rows after a deletion, and the device right after the deletion.
///
/// SQLite overwrites freed space (`secure_delete`), but when it rebalances neighboring pages of a B-tree, it sometimes
/// leaves a copy of a row in unallocated space (seen with 3.40.1, after deletions of rows of mixed sizes). So a row
/// that may contain donations never moves: events and decisions are only appended, and are overwritten in place with
/// fewer bytes and zero padding; snapshots and boundaries begin with zero padding, so that their content is on overflow
/// pages.
struct Redaction: Sendable {
  /// The number of a device's latest deletions whose snapshots are kept.
  static let snapshotCountMax = 16

  let donations: DonationRedaction
  let sequence: UInt64
  let after: Device

  init(_ donations: DonationRedaction, sequence: UInt64, after: Device) {
    self.donations = donations
    self.sequence = sequence
    self.after = after
  }
}

/// The encoding of a stored snapshot.
enum Snapshot {
  /// The number of zero bytes before a device: at least the part of a row that SQLite stores on a B-tree
  /// page, which is smaller than a page, and pages have at most 4096 bytes.
  static let paddingSize = 4_096

  static func bytes(of device: Device, _ storage: TimelineStorage) -> [UInt8] {
    padded(device.stored(storage))
  }

  /// Returns an encoded device with padding.
  static func padded(_ bytes: [UInt8]) -> [UInt8] { Array(repeating: 0, count: paddingSize) + bytes }
}

/// Applies a redaction in the database's current transaction.
struct Redactor {
  /// The maximum number of strings to search the events for. With more strings it is faster to decode all events.
  private static let needleCountMax = 16

  private let donations: DonationRedaction
  private let after: Device
  private let sequence: Int64
  private let device: Int64

  init(_ redaction: Redaction, device: Int64) {
    donations = redaction.donations
    after = redaction.after
    sequence = Int64(redaction.sequence)
    self.device = device
  }

  func run(_ db: Database) throws {
    if try !DonationIndex.isComplete(for: device, db) { try DonationIndex.rebuild(db) }
    var donations = donations
    try forEachDonation(donations.needles, db) { _, event in donations.select(in: event) }
    var candidates: [(row: StoredRow, event: Event)] = []
    try forEachDonation(donations.needles, db) { row, event in
      if donations.trackVersions(in: event) { candidates.append((row, event)) }
    }
    let changed = candidates.compactMap { row, event in donations.redacted(event).map { (row: row, event: $0) } }
    for (row, event) in changed { try overwrite("journal", "sequence", "event", row, event.encoded, db) }
    if let boundary = try RetentionBoundary(of: after.id, device, db) {
      // The retained history begins after a later event of the same batch.
      if boundary.sequence >= sequence { return try redactDecisions(through: boundary.decision, db) { _ in nil } }
      if donations.concerns(try boundary.device(db)) {
        // The effects of events that are no longer stored cannot be redacted, so the history before the deletion is
        // dropped.
        try HistoryStart(sequence: UInt64(sequence), device: after, isErasure: false).set(device, db)
        return try redactDecisions(through: after.decisionCount, db) { _ in nil }
      }
    }
    guard let first = changed.first?.row else { return }
    try db.cachedStatement(
      sql: "DELETE FROM snapshot WHERE device = ? AND sequence >= ? AND sequence < ?"
    ).execute(arguments: [device, Int64(first.number), sequence])
    try keepSnapshot(db)
    guard donations.concernsDecisions else { return }
    try redactDecisions(since: first.at, db) { donations.redacted($0, on: after) }
  }

  /// Calls `body` for every event with donations that contains one of the needles, or for every event with donations
  /// if there are no needles or too many.
  private func forEachDonation(
    _ needles: [String]?, _ db: Database, _ body: (_ row: StoredRow, _ event: Event) throws -> Void
  ) throws {
    let needles = (needles?.count ?? .max) <= Self.needleCountMax ? needles ?? [] : []
    let rows = try Row.fetchCursor(
      db, sql: Self.donationQuery(needleCount: needles.count),
      arguments: [device, sequence] + StatementArguments(needles.map { Data($0.utf8) }))
    while let row = try rows.next() {
      let stored = try StoredRow(row, of: after.id)
      try body(stored, stored.decoded())
    }
  }

  /// Returns the query for the events with donations of a device before a sequence that contain one of the needles, or
  /// for all of them if there are no needles.
  static func donationQuery(needleCount: Int) -> String {
    let filter = Array(repeating: "instr(event, ?) > 0", count: needleCount).joined(separator: " OR ")
    return """
      SELECT device, sequence AS number, at, event AS bytes, checksum FROM \(DonationIndex.source)
      WHERE device = ? AND sequence < ? AND \(DonationIndex.condition) AND (\(filter.isEmpty ? "1" : filter))
      ORDER BY sequence
      """
  }

  /// Marks the snapshot right after the deletion as kept, and unmarks the oldest one beyond the limit.
  private func keepSnapshot(_ db: Database) throws {
    try db.cachedStatement(sql: "UPDATE snapshot SET stays = 1 WHERE device = ? AND sequence = ?")
      .execute(arguments: [device, sequence])
    try db.cachedStatement(
      sql: """
        UPDATE snapshot SET stays = 0 WHERE device = ? AND stays = 1 AND sequence <=
          (SELECT sequence FROM snapshot WHERE device = ? AND stays = 1 ORDER BY sequence DESC LIMIT 1 OFFSET ?)
        """
    ).execute(arguments: [device, device, Redaction.snapshotCountMax])
  }

  /// Replaces each decision by the result of `redacted`, or by zeros if that is `nil`.
  private func redactDecisions(
    since start: Instant = .min, through last: UInt64 = UInt64(Int64.max), _ db: Database,
    _ redacted: (Decision) -> Decision?
  ) throws {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT device, number, at, body AS bytes, checksum FROM decision
        WHERE device = ? AND at >= ? AND number <= ? ORDER BY number
        """, arguments: [device, start.milliseconds, Int64(last)])
    var changed: [(row: StoredRow, bytes: [UInt8])] = []
    while let row = try rows.next() {
      let stored = try StoredRow(row, of: after.id)
      guard !stored.isRedacted else { continue }
      let decision: Decision = try stored.decoded()
      let remaining = redacted(decision)
      if remaining != decision { changed.append((stored, remaining?.encoded ?? [])) }
    }
    for (row, bytes) in changed { try overwrite("decision", "number", "body", row, bytes, db) }
  }

  /// Overwrites a row's bytes in place with at most as many bytes and zero padding.
  private func overwrite(
    _ table: String, _ key: String, _ column: String, _ row: StoredRow, _ bytes: [UInt8], _ db: Database
  ) throws {
    precondition(
      bytes.count <= row.bytes.count, "a redacted row of \(bytes.count) bytes does not fit into \(row.bytes.count)")
    let padded = bytes + Array(repeating: 0, count: row.bytes.count - bytes.count)
    let number = Int64(row.number)
    let checksum = Checksum.of(padded, device: device, sequence: number, at: row.at.milliseconds)
    try db.cachedStatement(sql: "UPDATE \(table) SET \(column) = ?, checksum = ? WHERE device = ? AND \(key) = ?")
      .execute(arguments: [Data(padded), checksum, device, number])
    guard db.changesCount == 1 else { throw row.corrupt("the index of the table \(table) does not contain it") }
  }
}
