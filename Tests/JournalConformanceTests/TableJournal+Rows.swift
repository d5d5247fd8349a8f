import MarqueeJournal
import MarqueeModel

extension TableJournal {
  /// Returns the stored rows of a device in a table, in order. They must fit into a page.
  func rows(of id: DeviceID, in table: RowTable) async throws -> [TableRow] {
    try await tables.read { view in try view.number(of: id).map { try view.rows(RowSelection(table, of: $0)) } ?? [] }
  }

  /// Returns the number of stored rows of a device in a table.
  func rowCount(of id: DeviceID, in table: RowTable) async throws -> Int {
    try await tables.read { view in
      guard let number = try view.number(of: id) else { return 0 }
      var selection = RowSelection(table, of: number)
      var count = 0
      while case let rows = try view.rows(selection), let last = rows.last {
        count += rows.count
        selection.after = last.number
      }
      return count
    }
  }

  /// Returns the state at the retention boundary of a device.
  func boundaryState(of id: DeviceID) async throws -> TableRow? {
    try await tables.read { view in try view.number(of: id).flatMap { try view.boundaryState(of: $0) } }
  }

  /// Replaces the bytes of the stored rows of a device that `isDamaged` selects by zeros, and keeps their checksums.
  func damage(
    _ table: RowTable, of id: DeviceID, where isDamaged: @escaping @Sendable (TableRow) -> Bool
  ) async throws {
    let change: @Sendable (any JournalTransaction) throws -> Void = { transaction in
      guard let number = try transaction.number(of: id) else { return }
      for var row in try transaction.rows(RowSelection(table, of: number)) where isDamaged(row) {
        row.bytes = Array(repeating: 0, count: row.bytes.count)
        _ = try transaction.overwrite(row, in: table)
      }
    }
    try await tables.write(Batch([.change(change)], isMaintenance: true))
  }
}
