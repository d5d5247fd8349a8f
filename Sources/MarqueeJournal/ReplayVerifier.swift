import MarqueeModel
import MarqueeScheduler

/// Replays one device's stored events from its creation or its retention boundary, and compares the stored snapshots,
/// decisions and next wake with the result.
struct ReplayVerifier {
  private(set) var eventCount = 0
  private(set) var snapshotCount = 0
  private(set) var decisionCount = 0

  /// The maximum number of wakes without a decision before the stored wake.
  private static let wakeStepCountMax = 100_000

  private let device: DeviceID
  private let number: Int64
  /// The sequence of the event after which the retained history begins, or 0 for the creation.
  private let firstSequence: UInt64
  /// The sequence of the last deletion that has a snapshot, or 0. The events up to it cannot be replayed.
  ///
  /// A deletion that matched nothing may have no snapshot any more, and is then replayed like any other event.
  private let lastRedaction: UInt64
  private let boundary: RetentionBoundary?
  private let lastDecision: TableRow?
  private var replay: Replay

  /// - Throws: ``JournalError`` `corrupt` if the creation or the retention boundary cannot be read.
  init(_ id: DeviceID, _ view: any JournalView) throws {
    guard let rows = try view.deviceRows(of: [id], upTo: .min).first ?? nil else {
      throw JournalError(.corrupt, "the device's creation is missing", device: id)
    }
    device = id
    number = rows.creation.device
    let origin = try Replay.origin(of: id, rows.creation)
    lastDecision = try view.rows(.last(.decisions, of: rows.creation.device)).first
    boundary = try rows.boundary.map { [number] in try RetentionBoundary($0, of: id, number) }
    replay = Replay(try boundary?.device(view) ?? origin, number: number, sequence: boundary?.sequence ?? 0)
    firstSequence = replay.sequence
    lastRedaction = UInt64(try view.lastRedactedDeletion(of: number, after: Int64(firstSequence)) ?? 0)
  }

  /// - Throws: ``JournalError`` `corrupt` at the first difference.
  mutating func run(_ view: any JournalView) throws {
    let timelines = PublishedTimelines(of: device, number, boundary, view)
    var snapshots = rows(of: .snapshots, after: firstSequence, view)
    var snapshot = try next(&snapshots)
    var events = rows(of: .events, after: firstSequence, view)
    while let row = try next(&events) {
      eventCount += 1
      guard row.number == firstSequence + UInt64(eventCount) else { throw row.corrupt("the previous event is missing") }
      let (_, isPadded): (Event, Bool) = try row.decodedWithPadding()
      if row.number > lastRedaction {
        guard !isPadded else { throw row.corrupt("the event was redacted, but the deletion's snapshot is missing") }
        try replay.apply(row)
      }
      guard let stored = snapshot, stored.number == row.number else { continue }
      try compare(stored, timelines)
      snapshot = try next(&snapshots)
    }
    if let snapshot { throw snapshot.corrupt("the snapshot's event is missing") }
    try compareDecisions(view)
    try compareWake(view)
  }

  private mutating func compare(_ row: StoredRow, _ timelines: PublishedTimelines) throws {
    snapshotCount += 1
    let stored = try row.decodedSnapshot(timelines)
    guard stored.id == device, stored.now == row.at else { throw row.corrupt("the snapshot does not match its row") }
    // It may be from some time after the event, when the device was evicted or the server stopped.
    if row.number > lastRedaction, stored.now > replay.device.now { replay.advance(to: stored.now) }
    // A snapshot in an earlier format has less information than the events; devices were loaded from it nevertheless.
    let isLatestFormat = row.ends(with: stored.stored(.referenced)) || row.ends(with: stored.encoded)
    if row.number == lastRedaction || row.number > lastRedaction && !isLatestFormat {
      replay = Replay(stored, number: number, sequence: row.number)
    } else if row.number > lastRedaction, stored != replay.device {
      // Earlier releases counted nothing, so that the counts of their devices begin with a later release, and they
      // stored only hashes of donations' identifiers.
      guard stored.differsOnlyInLaterData(from: replay.device) else {
        throw row.corrupt("the snapshot differs from the replayed events")
      }
      replay = Replay(stored, number: number, sequence: row.number)
    }
  }

  /// Compares the decisions since the last deletion with the replayed ones. Stored decisions may be missing: a server
  /// whose disk is full for long drops rows of decisions, because a replay repeats them.
  private mutating func compareDecisions(_ view: any JournalView) throws {
    if let last = try lastDecision.map({ try StoredRow($0, of: device) }), last.at > replay.device.now,
      last.number > replay.device.decisionCount
    {
      replay.advance(to: last.at)
    }
    var expected = replay.decisions[...]
    var decisions = rows(of: .decisions, after: 0, view)
    while let found = try decisions.next() {
      let row = try StoredRow(found, of: device)
      decisionCount += 1
      // A decision for a widget that only deleted donations configured has been redacted entirely.
      guard !row.isRedacted else { continue }
      let decision: Decision = try row.decoded()
      guard decision.number == row.number, decision.at == row.at else {
        throw row.corrupt("the decision does not match its row")
      }
      // The checksum does not cover the column that queries for a stack's decisions use.
      guard let stack = found.stack, stack.utf8.elementsEqual(decision.stack.text.utf8) else {
        throw row.corrupt("the decision's stack does not match its row")
      }
      expected = expected.drop { $0.number < row.number }
      let isKnown = row.number >= replay.decisions.first?.number ?? .max
      guard !isKnown || expected.first.map({ Self.match($0, decision, row) }) ?? false else {
        throw row.corrupt("the decision differs from the replayed events")
      }
    }
  }

  /// Checks that the stored wake is not later than the replayed device's. Time may have passed since the last record if
  /// no decision was made; a row whose policy checksum does not match is due at once, whatever its wake.
  private func compareWake(_ view: any JournalView) throws {
    // No wake is stored yet.
    guard let row = try view.wake(of: number) else { return }
    let (wake, policy) = (row.wake, row.policy)
    var device = replay.device
    // A wake that was never stored before a migration.
    if wake == 0 && policy == 0 { return }
    guard policy == Checksum.of(device.configuredPolicy, wake: wake) else {
      throw corruptWake("does not match its checksum")
    }
    var stepCount = 0
    while let next = device.nextWake, next.milliseconds < wake ?? .max {
      stepCount += 1
      let hasDecided = device.advance(to: next).contains { $0.decision != nil }
      guard stepCount < Self.wakeStepCountMax, !hasDecided else { throw corruptWake("is too late") }
    }
  }

  private func corruptWake(_ finding: String) -> JournalError {
    JournalError(.corrupt, "the device's next wake \(finding)", device: device)
  }

  /// Returns whether a decision equals the expected one. Of a decision in an earlier format, whose explanation may have
  /// less information, only the outcome is compared. The ends of episodes may be missing.
  private static func match(_ expected: Decision, _ stored: Decision, _ row: StoredRow) -> Bool {
    guard stored.encoded != row.bytes else {
      return expected == stored || expected.withoutEpisodeEnds == stored
    }
    return expected.number == stored.number && expected.at == stored.at && expected.stack == stored.stack
      && expected.to == stored.to
  }

  private func rows(of table: RowTable, after number: UInt64, _ view: any JournalView) -> RowCursor {
    var selection = RowSelection(table, of: self.number)
    selection.after = Int64(number)
    return RowCursor(selection, in: view)
  }

  private func next(_ rows: inout RowCursor) throws -> StoredRow? {
    try rows.next().map { try StoredRow($0, of: device) }
  }
}
