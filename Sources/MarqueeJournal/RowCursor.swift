import MarqueeModel

/// The rows of a selection in ascending order of their numbers, read page by page.
struct RowCursor {
  private let view: any JournalView
  private var selection: RowSelection
  private var page: [TableRow] = []
  private var index = 0
  private var isLastPage = false

  init(_ selection: RowSelection, in view: any JournalView) {
    self.selection = selection
    self.view = view
  }

  /// Creates a cursor whose first page has been read.
  init(_ selection: RowSelection, firstPage: [TableRow], in view: any JournalView) {
    self.init(selection, in: view)
    begin(firstPage)
  }

  /// Returns the next row, or `nil` after the last one.
  mutating func next() throws -> TableRow? {
    while index == page.count {
      if isLastPage { return nil }
      begin(try view.rows(selection))
    }
    defer { index += 1 }
    return page[index]
  }

  private mutating func begin(_ rows: [TableRow]) {
    page = rows
    index = 0
    isLastPage = !selection.isFull(rows)
    if let last = rows.last { selection.after = last.number }
  }
}

extension RowSelection {
  /// The last row of a device.
  static func last(_ table: RowTable, of device: Int64) -> RowSelection {
    var selection = RowSelection(table, of: device)
    (selection.isDescending, selection.countMax) = (true, 1)
    return selection
  }

  /// Returns whether a page reaches one of the limits, so that another one may follow.
  package func isFull(_ rows: [TableRow]) -> Bool {
    rows.count >= countMax || rows.reduce(0) { $0 + $1.bytes.count } >= sizeMax
  }
}
