import MarqueeJournal

/// The queries for selections of rows.
enum PostgresSelection {
  /// Returns the query for a selection. The database counts the bytes, so that it sends no rows after the page.
  ///
  /// - Parameters:
  ///   - selection: The selection.
  ///   - stackTag: The tag of the selection's stack, if it has one.
  static func call(_ selection: RowSelection, stackTag: Int64?) -> PostgresCall {
    let table = Table(selection.table)
    let size = Self.size("bytes", selection.table)
    let order = selection.isDescending ? " DESC" : ""
    let name = "\(table.name)\(selection.isDescending ? "_down" : "")\(stackTag == nil ? "" : "_of_stack")"
    let text = """
      SELECT device, number, at, bytes FROM (
        SELECT *, sum(\(size)) OVER (ORDER BY number\(order)) - \(size) AS size FROM (
          SELECT device, \(table.key) AS number, at, \(table.bytes) AS bytes FROM \(table.name)
          WHERE device = $1 AND \(table.key) > $2 AND \(table.key) < $3 AND at BETWEEN $4 AND $5
            \(stackTag == nil ? "" : "AND stack = $8")
          ORDER BY \(table.key)\(order) LIMIT $6) AS counted) AS page
      WHERE size < $7 ORDER BY number\(order)
      """
    let values: [Int64] = [
      selection.device, selection.after, selection.before, selection.since.milliseconds, selection.upTo.milliseconds,
      Int64(selection.countMax), Int64(selection.sizeMax),
    ]
    let stack = stackTag.map { [PostgresValue.integer($0)] } ?? []
    return PostgresCall(prepared: "select_\(name)", text, values.map { .integer($0) } + stack)
  }

  /// Returns the expression for the size of a sealed row's bytes; for decisions, whose sealed rows have the name of a
  /// stack, for the least size, so that a page that ends there is full.
  static func size(_ column: String, _ table: RowTable) -> String {
    let overhead = DataKey.overhead + (table == .decisions ? DataKey.stackSizeMax : 0)
    return "greatest(length(\(column)) - \(overhead), 0)"
  }

  /// The names of a table and its columns.
  struct Table {
    let name: String
    /// The column of a row's number.
    let key: String
    let bytes: String
    /// The column of the table `erasure` with the number up to which a device's rows have been overwritten, and of the
    /// table `retention_boundary` with the one up to which they are expired.
    let progress: String

    init(_ table: RowTable) {
      (name, key, bytes, progress) =
        switch table {
        case .events: ("journal", "sequence", "event", "sequence")
        case .snapshots: ("snapshot", "sequence", "state", "sequence")
        case .decisions: ("decision", "number", "body", "decision")
        }
    }
  }
}
