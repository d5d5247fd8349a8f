/// A Markdown table with right-aligned figures.
struct MarkdownTable {
  private var rows: [[String]]

  /// Creates a table without rows, with at least one column.
  init(_ heading: [String]) {
    precondition(!heading.isEmpty, "a table without columns")
    rows = [heading, heading.map { _ in "---:" }]
  }

  /// Adds a row, which must have as many cells as the heading.
  mutating func add(_ row: [String]) {
    precondition(row.count == rows[0].count, "\(row.count) cells of \(rows[0].count)")
    rows.append(row)
  }

  /// The lines of the table, without a trailing newline.
  var text: String { rows.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n") }
}
