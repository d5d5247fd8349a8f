import MarqueeModel
import MarqueeScheduler

/// The number of devices and events that a copy of a journal has written.
public struct CopiedCount: Hashable, Sendable {
  /// The devices, including those that had been copied before.
  public var devices = 0
  /// The events that were not in the target yet.
  public var events = 0
}

extension TableJournal {
  /// Copies all devices to another journal, with their retained histories, decisions, snapshots and wakes.
  ///
  /// Rows are copied as they are stored, so that the target has the same history, bit for bit, and no deleted content.
  /// A copy that was interrupted continues when it is repeated, unless this journal has been written since. Nobody may
  /// write either journal meanwhile.
  ///
  /// - Parameters:
  ///   - target: The journal, which has no devices but those of an interrupted copy.
  ///   - progress: Called with the number of devices that are copied, and of all.
  /// - Throws: ``JournalError`` `corrupt` if a row of this journal is damaged; `refused` if the target has a device
  ///   that this journal lacks, or one of the same name with another history; or the error of one of the journals.
  public func copyDevices(
    to target: some TableJournal, progress: @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) async throws -> CopiedCount {
    let ids = try await allDevices()
    let known = Set(ids)
    for id in try await target.allDevices() where !known.contains(id) {
      throw JournalError(.refused, "the target has devices that are not in the source", device: id)
    }
    var copied = CopiedCount()
    for id in ids {
      try Task.checkCancellation()
      copied.events += try await DeviceCopy(id, from: tables, to: target.tables).run()
      copied.devices += 1
      progress(copied.devices, ids.count)
    }
    return copied
  }

  private func allDevices() async throws -> [DeviceID] {
    var ids: [DeviceID] = []
    while case let page = try await devices(after: ids.last, count: Self.pageCountMax), !page.isEmpty { ids += page }
    return ids
  }
}

/// The copy of one device from one engine to another.
private struct DeviceCopy<Source: JournalTables, Target: JournalTables> {
  /// What the source has of the device, besides the rows of its history.
  private struct Head: Sendable {
    let number: Int64
    let creation: StoredRow
    let boundary: (row: BoundaryRow, state: StoredRow)?
    let wake: WakeRow?
  }

  private let id: DeviceID
  private let source: Source
  private let target: Target

  init(_ id: DeviceID, from source: Source, to target: Target) {
    self.id = id
    self.source = source
    self.target = target
  }

  /// Copies the device, and returns the number of events that the target lacked.
  func run() async throws -> Int {
    let head = try await head()
    let boundary = head.boundary?.row
    let start = try await begin(head)
    let eventCount = try await copyEvents(of: head.number, after: start)
    try await copySnapshots(of: head.number, after: boundary?.sequence ?? -1)
    try await copyDecisions(of: head.number, after: boundary?.decision ?? 0)
    if let wake = head.wake {
      var rows = Batch.Rows()
      rows.wakes = [Batch.WakeEntry(id, wake)]
      try await target.write(Batch([.insert(rows)]))
    }
    return eventCount
  }

  private func head() async throws -> Head {
    try await source.read { [id] view in
      guard let number = try view.number(of: id), let rows = try view.deviceRows(of: [id], upTo: .max)[0] else {
        throw JournalError.unknownDevice(id)
      }
      var boundary: (row: BoundaryRow, state: StoredRow)?
      if let row = rows.boundary, let state = try view.boundaryState(of: number) {
        boundary = (row, try StoredRow(state, of: id))
      }
      return Head(
        number: number, creation: try StoredRow(rows.creation, of: id), boundary: boundary,
        wake: try view.wake(of: number))
    }
  }

  /// Creates the device in the target, unless an earlier copy has.
  ///
  /// - Returns: The sequence of the last event that the target has.
  /// - Throws: ``JournalError`` `refused` if it has anything that the source does not have, such as another device of
  ///   the name, or what the source has deleted since.
  private func begin(_ head: Head) async throws -> Int64 {
    let boundary = head.boundary?.row
    let found = try await target.read { [id] view in
      try view.deviceRows(of: [id], upTo: .max)[0].map { ($0.creation, try view.boundaryState(of: $0.creation.device)) }
    }
    guard let (creation, boundaryState) = found else {
      try await create(head)
      return boundary?.sequence ?? 0
    }
    guard creation.bytes == head.creation.bytes, boundaryState?.bytes == head.boundary?.state.bytes else {
      throw otherHistory
    }
    for (table, start) in [
      (RowTable.events, boundary?.sequence ?? 0), (.snapshots, boundary?.sequence ?? -1),
      (.decisions, boundary?.decision ?? 0),
    ] { try await compare(table, of: head.number, with: creation.device, after: start) }
    let last = try await target.read { view in try view.rows(.last(.events, of: creation.device)).first?.number }
    return max(last ?? 0, boundary?.sequence ?? 0)
  }

  private var otherHistory: JournalError {
    JournalError(.refused, "the target has another history of the device \(id)", device: id)
  }

  /// Compares the rows of the target with those of the source, which may have more.
  private func compare(_ table: RowTable, of device: Int64, with copy: Int64, after start: Int64) async throws {
    var selection = RowSelection(table, of: copy)
    selection.after = start
    while case let page = try await Self.page(&selection, of: target), let first = page.first, let last = page.last {
      var same = RowSelection(table, of: device)
      (same.after, same.before, same.countMax, same.sizeMax) = (first.number - 1, last.number + 1, .max, .max)
      let originals = try await source.read { [same] view in try view.rows(same) }
      let bytes = Dictionary(uniqueKeysWithValues: originals.map { ($0.number, $0.bytes) })
      guard page.allSatisfy({ bytes[$0.number] == $0.bytes }) else { throw otherHistory }
    }
  }

  private func create(_ head: Head) async throws {
    var rows = Batch.Rows()
    rows.created = [Batch.Row(id, number: 0, at: head.creation.at, head.creation.bytes)]
    var batch = Batch([.insert(rows)])
    if let (row, state) = head.boundary {
      batch.steps.append(
        .change { [id] transaction in
          guard let number = try transaction.number(of: id) else { throw JournalError.unknownDevice(id) }
          try transaction.setBoundary(
            row, state: TableRow(device: number, number: row.sequence, at: row.at, state.bytes))
        })
    }
    try await target.write(batch)
  }

  /// Copies events, and returns their number.
  private func copyEvents(of device: Int64, after start: Int64) async throws -> Int {
    var count = 0
    var selection = RowSelection(.events, of: device)
    selection.after = start
    while case let page = try await Self.page(&selection, of: source), !page.isEmpty {
      var rows = Batch.Rows()
      rows.events = try page.map(row)
      try await target.write(Batch([.insert(rows)]))
      count += page.count
    }
    return count
  }

  private func copySnapshots(of device: Int64, after start: Int64) async throws {
    var selection = RowSelection(.snapshots, of: device)
    selection.after = start
    while case let page = try await Self.page(&selection, of: source), !page.isEmpty {
      for snapshot in page {
        var rows = Batch.Rows()
        rows.snapshots = [try row(snapshot)]
        var batch = Batch([.insert(rows)])
        // The snapshot of a deletion is kept.
        if try await event(snapshot.number, of: device)?.bytes.first == Event.redactedTag {
          batch.steps.append(
            .change { [id] transaction in
              guard let number = try transaction.number(of: id) else { throw JournalError.unknownDevice(id) }
              try transaction.keepSnapshot(of: number, snapshot.number, count: Redaction.snapshotCountMax)
            })
        }
        try await target.write(batch)
      }
    }
  }

  private func event(_ sequence: Int64, of device: Int64) async throws -> TableRow? {
    var selection = RowSelection(.events, of: device)
    (selection.after, selection.before) = (sequence - 1, sequence + 1)
    return try await source.read { [selection] view in try view.rows(selection).first }
  }

  private func copyDecisions(of device: Int64, after start: Int64) async throws {
    var selection = RowSelection(.decisions, of: device)
    selection.after = start
    while case let page = try await Self.page(&selection, of: source), !page.isEmpty {
      var rows = Batch.Rows()
      rows.decisions = try page.map { decision in
        // Not each engine has the stack in a form that can be read.
        let stack =
          try decision.stack.map { try StackID($0) } ?? (StoredRow(decision, of: id).decoded() as Decision).stack
        return Batch.DecisionRow(row: try row(decision), stack: stack)
      }
      try await target.write(Batch([.insert(rows)]))
    }
  }

  /// Returns the next page of a selection, and moves the selection behind it.
  private static func page(_ selection: inout RowSelection, of tables: some JournalTables) async throws -> [TableRow] {
    let page = try await tables.read { [selection] view in try view.rows(selection) }
    if let last = page.last { selection.after = last.number }
    return page
  }

  /// Returns the row for the target, once its checksum is verified.
  private func row(_ row: TableRow) throws -> Batch.Row {
    let stored = try StoredRow(row, of: id)
    return Batch.Row(id, number: stored.number, at: stored.at, stored.bytes)
  }
}
