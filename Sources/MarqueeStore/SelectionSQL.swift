import MarqueeJournal

/// The queries for selections of rows: constants, so that their statements are found in the cache.
struct SelectionSQL {
  private static let events = SelectionSQL("device, sequence, at, event, checksum FROM journal", by: "sequence")
  private static let snapshots = SelectionSQL("device, sequence, at, state, checksum FROM snapshot", by: "sequence")
  // There is no index by stack: its entries would move, and leave copies of the stacks' names (rule W6).
  private static let decisions = SelectionSQL("device, number, at, body, checksum, stack FROM decision", by: "number")
  private static let decisionsOfStack = SelectionSQL(
    "device, number, at, body, checksum, stack FROM decision", by: "number", where: " AND stack = ?7")

  private let ascending: String
  private let descending: String

  private init(_ columns: String, by key: String, where condition: String = "") {
    let query = """
      SELECT \(columns) WHERE device = ?1 AND \(key) > ?2 AND \(key) < ?3 AND at >= ?4 AND at <= ?5\(condition)
      """
    ascending = "\(query) ORDER BY \(key) LIMIT ?6"
    descending = "\(query) ORDER BY \(key) DESC LIMIT ?6"
  }

  /// Returns the query for a selection, whose arguments are the device, the limits of the numbers and instants, the
  /// maximum number of rows, and the stack if there is one.
  static func text(of selection: RowSelection) -> String {
    let sql =
      switch selection.table {
      case .events: events
      case .snapshots: snapshots
      case .decisions: selection.stack == nil ? decisions : decisionsOfStack
      }
    return selection.isDescending ? sql.descending : sql.ascending
  }
}
