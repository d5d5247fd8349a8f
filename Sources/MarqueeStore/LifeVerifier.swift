import Foundation
import GRDB
import MarqueeModel
import MarqueeScheduler

/// Lives through one device's stored events, from its creation or what its history begins with, and compares snapshots
/// and decisions on the way.
struct LifeVerifier {
  private(set) var eventCount = 0
  private(set) var snapshotCount = 0
  private(set) var decisionCount = 0

  private let device: DeviceID
  private let number: Int64
  /// The event that the kept history begins after, 0 for the creation.
  private let begin: UInt64
  /// The last event after which donations were gone, 0 for none: what the events up to it led to is not known any more.
  /// A deletion that found nothing loses its snapshot to later ones, and is an event like others then.
  private let lastErasure: UInt64
  private var replay: Replay

  /// Throws `corrupt` when there is nothing to begin with.
  init(_ id: DeviceID, _ db: Database) throws {
    guard let (number, origin) = try Replay.origin(of: id, db) else {
      throw StoreError(.corrupt, "a device without its creation", device: id)
    }
    device = id
    self.number = number
    // Earlier formats keep everything.
    let base = try db.tableExists("base") ? Base(of: id, number, db) : nil
    replay = Replay(try base?.device(db) ?? origin, number: number, sequence: base?.sequence ?? 0)
    begin = replay.sequence
    let last = try Int64.fetchOne(
      db,
      sql: """
        SELECT max(sequence) FROM journal JOIN snapshot USING (device, sequence)
        WHERE device = ? AND sequence > ? AND substr(event, 1, 1) = ?
        """,
      arguments: [number, Int64(begin), Data([Event.erasedTag])])
    lastErasure = UInt64(last ?? 0)
  }

  /// Throws `corrupt` at the first difference.
  mutating func run(_ db: Database) throws {
    let snapshots = try rows("sequence AS number, at, state AS bytes", of: "snapshot", by: "sequence", after: begin, db)
    var snapshot = try next(snapshots)
    let events = try rows("sequence AS number, at, event AS bytes", of: "journal", by: "sequence", after: begin, db)
    while let row = try next(events) {
      eventCount += 1
      guard row.number == begin + UInt64(eventCount) else { throw row.corrupt("the event before it is missing") }
      let (_, isFilled): (Event, Bool) = try row.decodedFilled()
      if row.number > lastErasure {
        guard !isFilled else { throw row.corrupt("something is gone, by a deletion without its snapshot") }
        try replay.take(row)
      }
      guard let kept = snapshot, kept.number == row.number else { continue }
      try compare(kept)
      snapshot = try next(snapshots)
    }
    if let snapshot { throw snapshot.corrupt("a snapshot without its event") }
    try compareDecisions(db)
  }

  private mutating func compare(_ row: StoredRow) throws {
    snapshotCount += 1
    let stored = try row.decodedSnapshot()
    guard stored.id == device, stored.now == row.at else { throw row.corrupt("a snapshot of something else") }
    // It may have been taken some time after the event, when the device was let go or the server stopped.
    if row.number > lastErasure, stored.now > replay.device.now { replay.advance(to: stored.now) }
    // One of an earlier form knows less than the events tell; devices were loaded from it all the same.
    let encoded = stored.encoded
    if row.number == lastErasure || row.number > lastErasure && row.bytes.suffix(encoded.count) != encoded[...] {
      replay = Replay(stored, number: number, sequence: row.number)
    } else if row.number > lastErasure, stored != replay.device {
      throw row.corrupt("a snapshot that the events do not lead to")
    }
  }

  /// Decisions since the last deletion are those that the events lead to. Some may be missing: a server whose disk is
  /// full for long gives up rows of decisions, which can be taken anew at any time.
  private mutating func compareDecisions(_ db: Database) throws {
    if let last = try replay.lastStoredDecision(db)?.at, last > replay.device.now { replay.advance(to: last) }
    var expected = replay.decisions[...]
    let decisions = try rows("number, at, body AS bytes", of: "decision", by: "number", after: 0, db)
    while let row = try next(decisions) {
      decisionCount += 1
      // Of one for a widget that came from deleted donations alone, nothing is left.
      guard !row.isErased else { continue }
      let decision: Decision = try row.decoded()
      guard decision.number == row.number, decision.at == row.at else { throw row.corrupt("another decision") }
      expected = expected.drop { $0.number < row.number }
      let isKnown = row.number >= replay.decisions.first?.number ?? .max
      guard !isKnown || expected.first.map({ Self.match($0, decision, row) }) ?? false else {
        throw row.corrupt("a decision that the events do not lead to")
      }
    }
  }

  /// Whether a decision is the one that was expected; of one in an earlier form, whose explanation may know less, what
  /// was decided.
  private static func match(_ expected: Decision, _ stored: Decision, _ row: StoredRow) -> Bool {
    guard stored.encoded != row.bytes else { return expected == stored }
    return expected.number == stored.number && expected.at == stored.at && expected.stack == stored.stack
      && expected.to == stored.to
  }

  private func rows(
    _ columns: String, of table: String, by key: String, after bound: UInt64, _ db: Database
  ) throws -> RowCursor {
    try Row.fetchCursor(
      db, sql: "SELECT device, \(columns), checksum FROM \(table) WHERE device = ? AND \(key) > ? ORDER BY \(key)",
      arguments: [number, Int64(bound)])
  }

  private func next(_ rows: RowCursor) throws -> StoredRow? {
    try rows.next().map { try StoredRow($0, of: device) }
  }
}
