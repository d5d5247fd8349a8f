import MarqueeModel

extension Card {
  /// Returns the card as lines of text, without control characters.
  ///
  /// Columns are next to each other if they fit. A button is its title in brackets, a switch `[x]` or `[ ]` and its
  /// title, and an image its text.
  ///
  /// - Parameter width: The maximum width of a line in terminal columns; at least 1.
  public func text(width: Int) -> [String] {
    let layout = CardLayout(width: max(1, width))
    let fallback: [Element] = fallbackText.isBlank ? [] : [.text(TextBlock(fallbackText, wraps: true))]
    let elements = hasText ? body + (actions.isEmpty ? [] : [.actions(actions)]) : fallback
    // Joined texts can be wider than their sum if a mark combines with the last character.
    return layout.lines(of: elements).map { $0.truncated(to: layout.width) }
  }

  /// Whether the text form of the card's body, or else its fallback, is not blank.
  public var isReadable: Bool { hasText || !fallbackText.isBlank }

  private var hasText: Bool { !actions.isEmpty || body.contains(where: \.hasText) }
}

extension Card.Element {
  fileprivate var hasText: Bool {
    switch self {
    case .text(let block): !block.text.isBlank
    case .richText(let text): text.runs.contains { !$0.text.isBlank }
    case .image(let image): !image.altText.isBlank
    case .container(let container): container.items.contains(where: \.hasText)
    case .columns(let columns): columns.contains { $0.items.contains(where: \.hasText) }
    case .facts(let facts): facts.contains { !$0.title.isBlank || !$0.value.isBlank }
    case .table(let table): table.rows.contains { $0.cells.contains { $0.items.contains(where: \.hasText) } }
    case .actions(let actions): !actions.isEmpty
    case .toggle: true
    }
  }
}

extension String {
  fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}

/// Lays out elements in lines of a width.
private struct CardLayout {
  /// The space between columns.
  static let gap = 2
  /// The minimum width of columns next to each other.
  static let columnWidthMin = 4

  let width: Int

  func lines(of elements: [Card.Element]) -> [String] { elements.flatMap(lines) }

  private func lines(of element: Card.Element) -> [String] {
    switch element {
    case .text(let block): lines(of: block)
    case .richText(let text): aligned(wrapped(text.text), text.alignment)
    case .image(let image): image.altText.isEmpty ? [] : wrapped("[\(image.altText)]")
    case .container(let container): lines(of: container.items)
    case .columns(let columns): row(columns.map(\.items), widths: columns.map(\.width))
    case .facts(let facts): lines(of: facts)
    case .table(let table): lines(of: table)
    case .actions(let actions): wrapped(actions.map(\.label).joined(separator: " "))
    case .toggle(let toggle): wrapped(toggle.label)
    }
  }

  // MARK: Texts

  func lines(of block: Card.TextBlock) -> [String] {
    guard block.wraps else { return aligned([block.text.singleLine.truncated(to: width)], block.alignment) }
    let lines = wrapped(block.text)
    guard let countMax = block.lineCountMax, lines.count > countMax else { return aligned(lines, block.alignment) }
    let last = (lines[countMax - 1] + "…").truncated(to: width)
    return aligned(lines.prefix(countMax - 1) + [last], block.alignment)
  }

  private func aligned(_ lines: [String], _ alignment: Card.Alignment) -> [String] {
    guard alignment != .left else { return lines }
    return lines.map { line in
      let space = line.isEmpty ? 0 : max(0, width - line.columnCount)
      return String(repeating: " ", count: alignment == .right ? space : space / 2) + line
    }
  }

  /// Wraps a text at spaces, and words that are wider than a line anywhere.
  private func wrapped(_ text: String) -> [String] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).flatMap { paragraph in
      var (lines, line, used) = ([String](), "", 0)
      for word in String(paragraph).singleLine.split(separator: " ") {
        let size = String(word).columnCount
        if used > 0, used + 1 + size <= width {
          line += " " + word
          used += 1 + size
          continue
        }
        if used > 0 { lines.append(line) }
        (line, used) = broken(word, size, into: &lines)
      }
      return lines + [line]
    }
  }

  /// Appends the full lines of a word that is wider than a line, and returns the rest.
  private func broken(_ word: Substring, _ size: Int, into lines: inout [String]) -> (line: String, used: Int) {
    guard size > width else { return (String(word), size) }
    var (line, used) = ("", 0)
    for character in word {
      let count = String(character).columnCount
      if used > 0, used + count > width {
        lines.append(line)
        (line, used) = ("", 0)
      }
      line.append(character)
      used += count
    }
    return (line, used)
  }

  // MARK: Columns

  private func lines(of facts: [Card.Fact]) -> [String] {
    guard width >= Self.columnWidthMin * 2 + Self.gap else {
      return facts.flatMap { wrapped($0.title) + wrapped($0.value) }
    }
    let titleWidth = min(width / 2, facts.map { $0.title.singleLine.columnCount }.max() ?? 0)
    let rest = CardLayout(width: width - titleWidth - Self.gap)
    return facts.flatMap { fact in
      Self.joined(
        [[fact.title.singleLine.truncated(to: titleWidth)], rest.wrapped(fact.value)], [titleWidth, rest.width])
    }
  }

  private func lines(of table: Card.Table) -> [String] {
    // Widths are those of all rows, so that columns are aligned.
    let columns = table.columns.indices.map { column in
      table.rows.map { column < $0.cells.count ? Self.width(of: $0.cells[column].items) : 0 }.max() ?? 0
    }
    guard let widths = self.widths(table.columns, natural: columns) else {
      return table.rows.flatMap { row in row.cells.flatMap { lines(of: $0.items) } }
    }
    return table.rows.flatMap { row in
      Self.joined(
        zip(row.cells, widths).map { cell, width in CardLayout(width: width).lines(of: cell.items) }, widths)
    }
  }

  private func row(_ columns: [[Card.Element]], widths kinds: [Card.ColumnWidth]) -> [String] {
    guard let widths = self.widths(kinds, natural: columns.map(Self.width)) else { return columns.flatMap(lines) }
    return Self.joined(
      zip(columns, widths).map { items, width in CardLayout(width: width).lines(of: items) }, widths)
  }

  /// Returns the widths of columns next to each other; `nil` if they do not fit.
  private func widths(_ kinds: [Card.ColumnWidth], natural: [Int]) -> [Int]? {
    let room = width - Self.gap * (kinds.count - 1)
    guard !kinds.isEmpty, room >= Self.columnWidthMin * kinds.count else { return nil }
    let weights = kinds.map { kind in
      switch kind {
      case .auto: 0
      case .stretch: 1
      case .weight(let weight): weight
      }
    }
    let (total, weightedCount) = (weights.reduce(0, +), weights.count { $0 > 0 })
    var widths = zip(weights, natural).map { weight, natural in
      weight > 0 ? 0 : min(max(natural, 1), room - Self.columnWidthMin * (kinds.count - 1))
    }
    let rest = room - widths.reduce(0, +)
    guard rest >= Self.columnWidthMin * weightedCount else { return nil }
    let spare = rest - Self.columnWidthMin * weightedCount
    for index in widths.indices where weights[index] > 0 {
      widths[index] = Self.columnWidthMin + spare * weights[index] / total
    }
    return widths
  }

  /// Joins columns of lines, each at most as wide as its column.
  private static func joined(_ columns: [[String]], _ widths: [Int]) -> [String] {
    (0..<(columns.map(\.count).max() ?? 0)).map { row in
      var (line, end) = ("", 0)
      for (column, width) in zip(columns, widths) {
        if row < column.count, !column[row].isEmpty {
          line += String(repeating: " ", count: max(0, end - line.columnCount)) + column[row]
        }
        end += width + gap
      }
      return line
    }
  }

  /// The width of elements whose lines are not wrapped.
  private static func width(of elements: [Card.Element]) -> Int { elements.map(width).max() ?? 0 }

  private static func width(of element: Card.Element) -> Int {
    switch element {
    case .text(let block): width(of: block.text)
    case .richText(let text): width(of: text.text)
    case .image(let image): image.altText.isEmpty ? 0 : width(of: image.altText) + 2
    case .container(let container): width(of: container.items)
    case .columns(let columns): columns.map { width(of: $0.items) + gap }.reduce(-gap, +)
    case .facts(let facts):
      (facts.map { width(of: $0.title) }.max() ?? 0) + gap + (facts.map { width(of: $0.value) }.max() ?? 0)
    case .table(let table):
      table.columns.indices.map { column in
        gap + (table.rows.map { column < $0.cells.count ? width(of: $0.cells[column].items) : 0 }.max() ?? 0)
      }.reduce(-gap, +)
    case .actions(let actions): width(of: actions.map(\.label).joined(separator: " "))
    case .toggle(let toggle): width(of: toggle.label)
    }
  }

  private static func width(of text: String) -> Int {
    text.split(whereSeparator: \.isNewline).map { String($0).singleLine.columnCount }.max() ?? 0
  }
}

extension Card.RichText {
  fileprivate var text: String { runs.map(\.text).joined() }
}

extension Card.Action {
  fileprivate var label: String { "[\(title)]" }
}

extension Card.Toggle {
  fileprivate var label: String { "\(isOn ? "[x]" : "[ ]") \(title)" }
}
