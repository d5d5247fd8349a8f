import Foundation
import MarqueeModel

/// A text table with headings and aligned columns. A row takes several lines if cells are wrapped.
struct Table {
  /// The alignment of a column's cells.
  enum Alignment { case left, right }

  /// How cells that are wider than a number of columns continue on further lines.
  enum Wrapping {
    /// Between words.
    case words(Int)
    /// Between the items of a list with commas.
    case items(Int)

    /// Returns the lines of a cell. A word or an item that is too wide has a line of its own.
    func lines(of cell: String) -> [String] {
      let (separator, end, width) =
        switch self {
        case .words(let width): (" ", "", width)
        case .items(let width): (", ", ",", width)
        }
      guard cell.columnCount > width else { return [cell] }
      var lines: [String] = []
      for part in cell.components(separatedBy: separator) {
        guard let last = lines.last else {
          lines.append(part)
          continue
        }
        if last.columnCount + separator.count + part.columnCount + end.count <= width {
          lines[lines.count - 1] = last + separator + part
        } else {
          lines[lines.count - 1] = last + end
          lines.append(part)
        }
      }
      return lines
    }
  }

  /// A heading with the alignment and the wrapping of its cells.
  struct Column {
    let heading: String
    let alignment: Alignment
    let wrapping: Wrapping?

    init(_ heading: String, _ alignment: Alignment = .left, wrapping: Wrapping? = nil) {
      self.heading = heading
      self.alignment = alignment
      self.wrapping = wrapping
    }
  }

  private let columns: [Column]
  /// The lines of each row, with one part of each cell.
  private var rows: [[[String]]] = []

  init(_ columns: Column...) { self.init(columns) }

  init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row with one cell per column.
  mutating func append(_ cells: String...) { append(cells) }

  /// Adds a row with one cell per column.
  mutating func append(_ cells: [String]) {
    precondition(cells.count == columns.count, "\(cells.count) cells for \(columns.count) columns")
    let parts = zip(columns, cells.map { $0.visible() }).map { $0.wrapping?.lines(of: $1) ?? [$1] }
    rows.append(
      (0..<(parts.map(\.count).max() ?? 0)).map { line in parts.map { line < $0.count ? $0[line] : "" } })
  }

  /// The table as lines without trailing spaces; the first contains the headings.
  var lines: [String] { rowLines.flatMap(\.self) }

  /// The lines of each row; those of the first contain the headings.
  var rowLines: [[String]] {
    let widths = columns.indices.map { index in
      max(columns[index].heading.columnCount, rows.joined().map { $0[index].columnCount }.max() ?? 0)
    }
    return ([[columns.map(\.heading)]] + rows).map { lines in lines.map { line(of: $0, widths) } }
  }

  private func line(of cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      let padding = String(repeating: " ", count: widths[index] - cell.columnCount)
      if index > 0 { line += "  " }
      line += columns[index].alignment == .left ? cell + padding : padding + cell
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}
