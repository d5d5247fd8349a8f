import Foundation
import GRDB
import MarqueeModel
import MarqueeScheduler

/// What must leave the tables with a deletion, and the device as it is after it.
///
/// SQLite overwrites what it frees (`secure_delete`), but when it moves rows between neighbouring pages, to even them
/// out, it leaves a copy in a gap now and then (seen with 3.40.1, after deletions of rows of mixed sizes). So no row
/// that may hold what was donated ever moves: events and decisions are only appended, and are overwritten in place by
/// fewer bytes and zeros; snapshots begin with zeros, so that the rest lies on pages of its own.
struct Erasure: Sendable {
  /// Deletions of a device after which it is known exactly for good, the latest ones.
  static let snapshotCountMax = 16

  let donations: DonationErasure
  let sequence: UInt64
  let after: Device

  init(_ donations: DonationErasure, sequence: UInt64, after: Device) {
    self.donations = donations
    self.sequence = sequence
    self.after = after
  }
}

/// The bytes of a stored snapshot.
enum Snapshot {
  /// Zeros before a device with donations: as many as a row's part on a page that is shared with others can hold, of
  /// which there are fewer than a page has, 4096 at most.
  static let leadSize = 4_096

  static func bytes(of device: Device) -> [UInt8] {
    let bytes = device.encoded
    return device.donationCount() > 0 ? Array(repeating: 0, count: leadSize) + bytes : bytes
  }
}

/// Carries out an erasure in the transaction that a database is in.
struct Scrub {
  /// Strings that are looked for in every event, at most; with more it is quicker to read them all.
  private static let needleCountMax = 16

  private let erasure: DonationErasure
  private let after: Device
  private let sequence: Int64
  private let device: Int64

  init(_ erasure: Erasure, device: Int64) {
    self.erasure = erasure.donations
    after = erasure.after
    sequence = Int64(erasure.sequence)
    self.device = device
  }

  func run(_ db: Database) throws {
    var donations = erasure
    try eachDonated(donations.needles, db) { _, event in donations.select(in: event) }
    var concerned: [(row: StoredRow, event: Event)] = []
    try eachDonated(donations.needles, db) { row, event in
      if donations.study(event) { concerned.append((row, event)) }
    }
    let changed = concerned.compactMap { row, event in donations.erased(event).map { (row: row, event: $0) } }
    for (row, event) in changed { try overwrite("journal", "sequence", "event", row, event.encoded, db) }
    if let base = try Base(of: after.id, device, db), donations.concerns(try base.device(db)) {
      // What is not known any more cannot be taken out of what it led to: all that was before is let go.
      let last = try Int64.fetchOne(
        db, sql: "SELECT max(number) FROM decision WHERE device = ?", arguments: [device])
      try Base.set(after, after: UInt64(sequence), decision: UInt64(last ?? 0), device, db)
      return try scrubDecisions(since: .min, db) { _ in nil }
    }
    guard let first = changed.first?.row else { return }
    try db.cachedStatement(
      sql: "DELETE FROM snapshot WHERE device = ? AND sequence >= ? AND sequence < ?"
    ).execute(arguments: [device, Int64(first.number), sequence])
    try keepSnapshot(db)
    guard donations.concernsDecisions else { return }
    try scrubDecisions(since: first.at, db) { donations.redacted($0, on: after) }
  }

  /// Runs `body` for the events with donations that have one of the needles, if there are any; for all if there are
  /// too many to look for.
  private func eachDonated(
    _ needles: [String]?, _ db: Database, _ body: (_ row: StoredRow, _ event: Event) throws -> Void
  ) throws {
    let needles = (needles?.count ?? .max) <= Self.needleCountMax ? needles ?? [] : []
    let filter = needles.map { _ in "instr(event, ?) > 0" }.joined(separator: " OR ")
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT device, sequence AS number, at, event AS bytes, checksum FROM journal
        WHERE device = ? AND sequence < ? AND substr(event, 1, 1) = ? AND (\(filter.isEmpty ? "1" : filter))
        ORDER BY sequence
        """,
      arguments: [device, sequence, Data([Event.donatedTag])] + StatementArguments(needles.map { Data($0.utf8) }))
    while let row = try rows.next() {
      let stored = try StoredRow(row, of: after.id)
      try body(stored, stored.decoded())
    }
  }

  /// Keeps the snapshot of right after the deletion, and lets the oldest of those go that were kept so.
  private func keepSnapshot(_ db: Database) throws {
    try db.cachedStatement(sql: "UPDATE snapshot SET stays = 1 WHERE device = ? AND sequence = ?")
      .execute(arguments: [device, sequence])
    try db.cachedStatement(
      sql: """
        UPDATE snapshot SET stays = 0 WHERE device = ? AND stays = 1 AND sequence <=
          (SELECT sequence FROM snapshot WHERE device = ? AND stays = 1 ORDER BY sequence DESC LIMIT 1 OFFSET ?)
        """
    ).execute(arguments: [device, device, Erasure.snapshotCountMax])
  }

  /// Puts what `redacted` makes of each decision in its place, and nothing where it makes nothing.
  private func scrubDecisions(
    since start: Instant, _ db: Database, _ redacted: (Decision) -> Decision?
  ) throws {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT device, number, at, body AS bytes, checksum FROM decision WHERE device = ? AND at >= ? ORDER BY number
        """, arguments: [device, start.milliseconds])
    var changed: [(row: StoredRow, bytes: [UInt8])] = []
    while let row = try rows.next() {
      let stored = try StoredRow(row, of: after.id)
      guard !stored.isErased else { continue }
      let decision: Decision = try stored.decoded()
      let left = redacted(decision)
      if left != decision { changed.append((stored, left?.encoded ?? [])) }
    }
    for (row, bytes) in changed { try overwrite("decision", "number", "body", row, bytes, db) }
  }

  /// Overwrites a row's bytes in place by fewer bytes, and zeros.
  private func overwrite(
    _ table: String, _ key: String, _ column: String, _ row: StoredRow, _ bytes: [UInt8], _ db: Database
  ) throws {
    precondition(bytes.count <= row.bytes.count, "\(bytes.count) bytes in place of \(row.bytes.count)")
    let filled = bytes + Array(repeating: 0, count: row.bytes.count - bytes.count)
    let number = Int64(row.number)
    let checksum = Checksum.of(filled, device: device, sequence: number, at: row.at.milliseconds)
    try db.cachedStatement(sql: "UPDATE \(table) SET \(column) = ?, checksum = ? WHERE device = ? AND \(key) = ?")
      .execute(arguments: [Data(filled), checksum, device, number])
  }
}
