import Foundation
import MarqueeModel

/// A text table with headings and aligned columns. A row takes several lines if cells are wrapped.
struct Table {
  /// The alignment of a column's cells.
  enum Alignment { case left, right }

  /// How cells that are wider than a number of characters continue on further lines.
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
      guard cell.count > width else { return [cell] }
      var lines: [String] = []
      for part in cell.components(separatedBy: separator) {
        guard let last = lines.last else {
          lines.append(part)
          continue
        }
        if last.count + separator.count + part.count + end.count <= width {
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
  private var rows: [[String]] = []

  init(_ columns: Column...) { self.init(columns) }

  init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row with one cell per column.
  mutating func append(_ cells: String...) { append(cells) }

  /// Adds a row with one cell per column.
  mutating func append(_ cells: [String]) {
    precondition(cells.count == columns.count, "\(cells.count) cells for \(columns.count) columns")
    let parts = zip(columns, cells.map { $0.visible() }).map { $0.wrapping?.lines(of: $1) ?? [$1] }
    for line in 0..<(parts.map(\.count).max() ?? 0) {
      rows.append(parts.map { line < $0.count ? $0[line] : "" })
    }
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
