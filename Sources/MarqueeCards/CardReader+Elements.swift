import MarqueeSchema

// MARK: Texts and images

extension CardReader {
  func textBlock(_ fields: CardFields) throws(CardError) -> Card.TextBlock {
    Card.TextBlock(
      try fields.string("text"), style: try style(fields), wraps: try fields.boolean("wrap", default: false),
      lineCountMax: try lineCountMax(fields), alignment: try fields.choice("horizontalAlignment", default: .left))
  }

  private func style(_ fields: CardFields) throws(CardError) -> Card.TextStyle {
    Card.TextStyle(
      size: try fields.choice("size", default: .default), weight: try fields.choice("weight", default: .default),
      color: try fields.choice("color", default: .default), isSubtle: try fields.boolean("isSubtle", default: false))
  }

  private func lineCountMax(_ fields: CardFields) throws(CardError) -> Int? {
    guard let node = fields["maxLines"] else { return nil }
    guard case .number(let number) = node, let count = number.integer(Int.self), count > 0 else {
      throw .expected("a positive whole number", at: fields.path(of: "maxLines"))
    }
    return count
  }

  mutating func richText(_ fields: CardFields) throws(CardError) -> Card.RichText {
    var runs: [Card.TextRun] = []
    for (index, node) in try fields.array("inlines", of: "strings and text runs").enumerated() {
      let path = "\(fields.path(of: "inlines"))[\(index)]"
      try count(path)
      if case .string(let text) = node {
        runs.append(Card.TextRun(text))
        continue
      }
      let inline = try CardFields(node, path, form: "a string or a text run")
      guard try inline.string("type") == "TextRun" else {
        throw .expected("\"TextRun\"", at: inline.path(of: "type"))
      }
      runs.append(Card.TextRun(try inline.string("text"), style: try style(inline)))
    }
    return Card.RichText(runs: runs, alignment: try fields.choice("horizontalAlignment", default: .left))
  }

  mutating func image(_ fields: CardFields) throws(CardError) -> Card.Image {
    let (path, url) = (fields.path(of: "url"), try fields.string("url"))
    let isRemote = !Self.hasPrefix(url, "data:")
    if isRemote { warn(.remoteImage, path) }
    guard isRemote || Self.isImage(url) else {
      throw .expected("a Base64 data: URL of a PNG, JPEG, GIF, WebP or SVG image", at: path)
    }
    return Card.Image(
      source: isRemote ? nil : url, altText: try fields.optionalString("altText") ?? "",
      size: try fields.choice("size", default: .auto))
  }

  private static func hasPrefix(_ text: String, _ prefix: String) -> Bool {
    text.utf8.prefix(prefix.utf8.count).map { $0 | 0x20 }.elementsEqual(prefix.utf8.map { $0 | 0x20 })
  }

  /// Whether a URL is `data:`, the media type of an image, `;base64,` and at least one byte in Base64.
  private static func isImage(_ url: String) -> Bool {
    guard let type = Card.Image.mediaTypes.first(where: { hasPrefix(url, "data:\($0);base64,") }) else { return false }
    let content = Array(url.utf8.dropFirst("data:\(type);base64,".utf8.count))
    // Browsers decode the standard alphabet only.
    let isStandard = !content.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    return isStandard && Base64.decode(content[...])?.isEmpty == false
  }
}

// MARK: Groups of elements

extension CardReader {
  mutating func container(_ fields: CardFields, depth: Int) throws(CardError) -> Card.Container {
    Card.Container(
      items: try elements(fields, "items", depth: depth + 1), style: try fields.choice("style", default: .default))
  }

  mutating func columns(_ fields: CardFields, depth: Int) throws(CardError) -> [Card.Column] {
    var columns: [Card.Column] = []
    for (index, node) in try fields.array("columns", of: "columns").enumerated() {
      let path = "\(fields.path(of: "columns"))[\(index)]"
      try count(path)
      let column = try CardFields(node, path, form: "a column")
      columns.append(
        Card.Column(
          items: try elements(column, "items", depth: depth + 1, isOptional: true),
          width: try width(column, default: .stretch), style: try column.choice("style", default: .default)))
    }
    return columns
  }

  private func width(_ fields: CardFields, default value: Card.ColumnWidth) throws(CardError) -> Card.ColumnWidth {
    switch fields["width"] {
    case nil: return value
    case .string("auto")?: return .auto
    case .string("stretch")?: return .stretch
    case .number(let number)?:
      let weights = 1...Card.ColumnWidth.weightMax
      if let weight = number.integer(Int.self), weights.contains(weight) { return .weight(weight) }
      throw .expected("a weight from 1 to \(weights.upperBound)", at: fields.path(of: "width"))
    default: throw .expected("\"auto\", \"stretch\" or a weight", at: fields.path(of: "width"))
    }
  }

  mutating func facts(_ fields: CardFields) throws(CardError) -> [Card.Fact] {
    var facts: [Card.Fact] = []
    for (index, node) in try fields.array("facts", of: "facts").enumerated() {
      let path = "\(fields.path(of: "facts"))[\(index)]"
      try count(path)
      let fact = try CardFields(node, path, form: "a fact")
      facts.append(Card.Fact(title: try fact.string("title"), value: try fact.string("value")))
    }
    return facts
  }

  mutating func table(_ fields: CardFields, depth: Int) throws(CardError) -> Card.Table {
    var widths: [Card.ColumnWidth] = []
    for (index, node) in try fields.array("columns", of: "columns").enumerated() {
      let path = "\(fields.path(of: "columns"))[\(index)]"
      try count(path)
      widths.append(try width(try CardFields(node, path, form: "a column"), default: .weight(1)))
    }
    var rows: [Card.Table.Row] = []
    for (index, node) in try fields.array("rows", of: "rows", isOptional: true).enumerated() {
      let path = "\(fields.path(of: "rows"))[\(index)]"
      try count(path)
      rows.append(try row(try CardFields(node, path, form: "a row"), widths.count, depth: depth))
    }
    return Card.Table(columns: widths, rows: rows, hasHeader: try fields.boolean("firstRowAsHeader", default: true))
  }

  private mutating func row(
    _ fields: CardFields, _ columnCount: Int, depth: Int
  ) throws(CardError) -> Card.Table.Row {
    let nodes = try fields.array("cells", of: "cells", isOptional: true)
    guard nodes.count <= columnCount else {
      throw .expected("at most \(columnCount) cells, one for each column", at: fields.path(of: "cells"))
    }
    var cells: [Card.Container] = []
    for (index, node) in nodes.enumerated() {
      let path = "\(fields.path(of: "cells"))[\(index)]"
      try count(path)
      cells.append(try container(try CardFields(node, path, form: "a cell"), depth: depth))
    }
    return Card.Table.Row(cells: cells)
  }
}
