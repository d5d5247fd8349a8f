import MarqueeModel
import MarqueeTerminal

/// A table of stacks that fits the given width by omitting the least important columns first.
struct TopTable {
  /// The cells of a stack's line.
  struct Row {
    let stack: String
    let front: Widget?
    let isSuggested: Bool
    let score: String
    let best: String
    let evidence: String
    let suggestion: String
    let next: String
  }

  /// A column other than the stack's name and its front.
  private struct Column: Sendable {
    let heading: String
    let isRight: Bool
    let cell: @Sendable (Row) -> String
    /// The priority of the column; the lowest is omitted first.
    let worth: Int
  }

  /// The number of columns reserved for the selection marker.
  private static let margin = 2
  /// The minimum width of the front column before another column is omitted.
  private static let frontWidthMin = 12
  private static let stackWidthMax = 24
  private static let cellWidthMax = 28

  let rows: [Row]

  /// Returns the headings and a line for each stack. Only the headings include the margin.
  func lines(columns width: Int) -> [String] {
    let width = max(0, width - Self.margin)
    let hasSuggestion = rows.contains { !$0.suggestion.isEmpty }
    var columns = Self.columns.filter { hasSuggestion || $0.heading != "SUGGESTION" }
    let stackWidth = min(rows.map(\.stack.columnCount).max() ?? 0, Self.stackWidthMax, max(width / 3, 5))
    func frontWidth() -> Int { width - stackWidth - 2 - columns.reduce(0) { $0 + self.width(of: $1) + 2 } }
    while frontWidth() < Self.frontWidthMin, let least = columns.map(\.worth).min() {
      columns.removeAll { $0.worth == least }
    }
    let room = max(0, frontWidth())
    let isShort = rows.contains { self.text($0, isShort: false).columnCount > room }
    let wanted = max(5, rows.map { self.text($0, isShort: isShort).columnCount }.max() ?? 0)
    let front = min(room, wanted)
    let headings = Self.line(
      ["STACK".fitted(to: stackWidth), "FRONT".fitted(to: front)]
        + columns.map { $0.heading.fitted(to: self.width(of: $0), isRight: $0.isRight) })
    return [String(repeating: " ", count: Self.margin) + headings]
      + rows.map { row in
        Self.line(
          [row.stack.fitted(to: stackWidth), self.text(row, isShort: isShort).fitted(to: front)]
            + columns.map { $0.cell(row).fitted(to: self.width(of: $0), isRight: $0.isRight) })
      }
  }

  /// Returns the widget's text without its app.
  static func short(_ widget: Widget) -> String {
    String(widget.exactText.dropFirst(widget.kind.app.text.count + 1)).singleLine
  }

  private static let columns = [
    Column(heading: "SCORE", isRight: true, cell: \.score, worth: 5),
    Column(heading: "OF BEST", isRight: true, cell: \.best, worth: 1),
    Column(heading: "EVIDENCE", isRight: true, cell: \.evidence, worth: 4),
    Column(heading: "SUGGESTION", isRight: false, cell: \.suggestion, worth: 2),
    Column(heading: "NEXT CHANGE", isRight: false, cell: \.next, worth: 3),
  ]

  private func width(of column: Column) -> Int {
    max(column.heading.count, min(rows.map { column.cell($0).columnCount }.max() ?? 0, Self.cellWidthMax))
  }

  private func text(_ row: Row, isShort: Bool) -> String {
    guard let front = row.front else { return "empty" }
    return (isShort ? Self.short(front) : front.exactText.singleLine) + (row.isSuggested ? " (suggested)" : "")
  }

  private static func line(_ cells: [String]) -> String {
    var line = cells.joined(separator: "  ")
    while line.last == " " { line.removeLast() }
    return line
  }
}
