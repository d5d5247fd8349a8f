import MarqueeModel

/// A text table with headings and aligned columns.
struct Table {
  /// The alignment of a column's cells.
  enum Alignment { case left, right }

  /// A heading and the alignment of its cells.
  struct Column {
    let heading: String
    let alignment: Alignment

    init(_ heading: String, _ alignment: Alignment = .left) {
      self.heading = heading
      self.alignment = alignment
    }
  }

  private let columns: [Column]
  private var rows: [[String]] = []

  init(_ columns: Column...) {
    self.columns = columns
  }

  /// Adds a row with one cell per column.
  mutating func append(_ cells: String...) {
    precondition(cells.count == columns.count, "\(cells.count) cells for \(columns.count) columns")
    rows.append(cells.map { $0.visible() })
  }

  /// The table as lines without trailing spaces; the first contains the headings.
  var lines: [String] {
    let widths = columns.indices.map { index in
      max(columns[index].heading.count, rows.map { $0[index].count }.max() ?? 0)
    }
    return ([columns.map(\.heading)] + rows).map { cells in
      var line = ""
      for (index, cell) in cells.enumerated() {
        let padding = String(repeating: " ", count: widths[index] - cell.count)
        if index > 0 { line += "  " }
        line += columns[index].alignment == .left ? cell + padding : padding + cell
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
