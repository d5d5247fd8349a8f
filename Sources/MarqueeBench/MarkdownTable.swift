/// A Markdown table, its figures to the right.
struct MarkdownTable {
  private var rows: [[String]]

  /// A table without rows, of at least one column.
  init(_ heading: [String]) {
    precondition(!heading.isEmpty, "a table without columns")
    rows = [heading, heading.map { _ in "---:" }]
  }

  /// Adds a row, with as many cells as the heading has.
  mutating func add(_ row: [String]) {
    precondition(row.count == rows[0].count, "\(row.count) cells of \(rows[0].count)")
    rows.append(row)
  }

  /// Its lines, the last one without an end.
  var text: String { rows.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n") }
}
