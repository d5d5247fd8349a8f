import MarqueeModel
import MarqueeScheduler

/// The donations to redact from the stored rows after a deletion, and the device right after the deletion.
///
/// A row that may contain donations must not move in a file of SQLite: when SQLite rebalances neighboring pages of a
/// B-tree, it sometimes leaves a copy of a row in unallocated space, although it overwrites freed space (seen with
/// 3.40.1, after deletions of rows of mixed sizes). So events and decisions are only appended, and are overwritten in
/// place with fewer bytes and zero padding; snapshots and boundaries begin with zero padding, so that their content is
/// on overflow pages.
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
package enum Snapshot {
  /// The number of zero bytes before a device: at least the part of a row that SQLite stores on a B-tree
  /// page, which is smaller than a page, and pages have at most 4096 bytes.
  static let paddingSize = 4_096

  static func bytes(of device: Device, _ storage: TimelineStorage) -> [UInt8] {
    padded(device.stored(storage))
  }

  /// Returns an encoded device with padding.
  package static func padded(_ bytes: [UInt8]) -> [UInt8] { Array(repeating: 0, count: paddingSize) + bytes }
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

  func run(_ transaction: any JournalTransaction) throws {
    var donations = donations
    let first = try redactEvents(&donations, transaction)
    if let boundary = try RetentionBoundary(of: after.id, device, transaction) {
      // The retained history begins after a later event of the same batch.
      if boundary.sequence >= sequence { return try dropDecisions(through: boundary.decision, transaction) }
      if donations.concerns(try boundary.device(transaction)) {
        // The effects of events that are no longer stored cannot be redacted, so the history before the deletion is
        // dropped.
        try HistoryStart(sequence: UInt64(sequence), device: after, isErasure: false).set(device, transaction)
        return try dropDecisions(through: after.decisionCount, transaction)
      }
    }
    guard let first else { return }
    try transaction.deleteSnapshots(of: device, in: Int64(first.number)...sequence - 1)
    try transaction.keepSnapshot(of: device, sequence, count: Redaction.snapshotCountMax)
    guard donations.concernsDecisions else { return }
    var selection = RowSelection(.decisions, of: device)
    selection.since = first.at
    try redactDecisions(selection, transaction) { donations.redacted($0, on: after) }
  }

  /// Removes the donations from every earlier event, with one page of events in memory at a time.
  ///
  /// - Returns: The first event that changed, as it was before.
  private func redactEvents(
    _ donations: inout DonationRedaction, _ transaction: any JournalTransaction
  ) throws -> StoredRow? {
    let everyEvent = 1..<sequence
    try forEachDonation(donations.needles, everyEvent, transaction) { _, event in donations.select(in: event) }
    var concerned: Range<Int64>?
    try forEachDonation(donations.needles, everyEvent, transaction) { row, event in
      guard donations.trackVersions(in: event) else { return }
      concerned = (concerned?.lowerBound ?? Int64(row.number))..<Int64(row.number) + 1
    }
    guard let concerned else { return nil }
    var first: StoredRow?
    try forEachDonation(donations.needles, concerned, transaction) { row, event in
      guard let redacted = donations.redacted(event) else { return }
      try overwrite(row, with: redacted.encoded, in: .events, transaction)
      first = first ?? row
    }
    return first
  }

  /// Calls `body` for every event with donations that contains one of the needles, or for every event with donations
  /// if there are no needles or too many.
  private func forEachDonation(
    _ needles: [String]?, _ sequences: Range<Int64>, _ transaction: any JournalTransaction,
    _ body: (_ row: StoredRow, _ event: Event) throws -> Void
  ) throws {
    let needles = (needles?.count ?? .max) <= Self.needleCountMax ? needles ?? [] : []
    var selection = RowSelection(.events, of: device)
    (selection.after, selection.before) = (sequences.lowerBound - 1, sequences.upperBound)
    while true {
      let page = try transaction.donatedEvents(
        of: device, after: selection.after, before: selection.before, containing: needles)
      for row in page {
        let stored = try StoredRow(row, of: after.id)
        try body(stored, try stored.decoded())
      }
      guard selection.isFull(page), let last = page.last else { return }
      selection.after = last.number
    }
  }

  /// Replaces each decision up to `last` by zeros.
  private func dropDecisions(through last: UInt64, _ transaction: any JournalTransaction) throws {
    var selection = RowSelection(.decisions, of: device)
    selection.before = Int64(last) + 1
    try redactDecisions(selection, transaction) { _ in nil }
  }

  /// Replaces each decision by the result of `redacted`, or by zeros if that is `nil`.
  private func redactDecisions(
    _ selection: RowSelection, _ transaction: any JournalTransaction, _ redacted: (Decision) -> Decision?
  ) throws {
    var rows = RowCursor(selection, in: transaction)
    var changed: [(row: StoredRow, bytes: [UInt8])] = []
    while let row = try rows.next() {
      let stored = try StoredRow(row, of: after.id)
      guard !stored.isRedacted else { continue }
      let decision: Decision = try stored.decoded()
      let remaining = redacted(decision)
      if remaining != decision { changed.append((stored, remaining?.encoded ?? [])) }
    }
    for (row, bytes) in changed { try overwrite(row, with: bytes, in: .decisions, transaction) }
  }

  /// Overwrites a row's bytes in place with at most as many bytes and zero padding.
  private func overwrite(
    _ row: StoredRow, with bytes: [UInt8], in table: RowTable, _ transaction: any JournalTransaction
  ) throws {
    precondition(
      bytes.count <= row.bytes.count, "a redacted row of \(bytes.count) bytes does not fit into \(row.bytes.count)")
    let padded = bytes + Array(repeating: 0, count: row.bytes.count - bytes.count)
    let isFound = try transaction.overwrite(
      TableRow(device: device, number: Int64(row.number), at: row.at.milliseconds, padded), in: table)
    guard isFound else { throw row.corrupt("the index of its table does not contain it") }
  }
}
