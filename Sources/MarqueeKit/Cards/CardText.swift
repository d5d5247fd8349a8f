public import Foundation
import MarqueeCards

/// A text of a card.
public struct CardText: CardPart, Sendable {
  let block: Card.TextBlock

  /// Creates a text.
  ///
  /// - Parameters:
  ///   - text: The text, which is shown as it is.
  ///   - wrap: Whether the text continues on further lines.
  ///   - maxLines: The maximum number of lines of a text that wraps; `nil` for no limit.
  public init(
    _ text: String, size: CardTextSize = .default, weight: CardTextWeight = .default, color: CardColor = .default,
    isSubtle: Bool = false, wrap: Bool = false, maxLines: Int? = nil, alignment: CardAlignment = .left
  ) {
    block = Card.TextBlock(
      text, style: .init(size: size.value, weight: weight.value, color: color.value, isSubtle: isSubtle), wraps: wrap,
      lineCountMax: maxLines, alignment: alignment.value)
  }

  func elements() -> [Card.Element] { [.text(block)] }
}

/// Labeled values of a card.
public struct CardFacts: CardPart, Sendable {
  let facts: [Card.Fact]

  /// Creates labeled values, in their order.
  public init(_ facts: KeyValuePairs<String, String>) {
    self.facts = facts.map { Card.Fact(title: $0.key, value: $0.value) }
  }

  func elements() -> [Card.Element] { [.facts(facts)] }
}

/// An image that a card contains.
public struct CardImage: CardPart, Sendable {
  let image: Card.Image

  /// Creates an image.
  ///
  /// - Parameters:
  ///   - data: The image, of at most about 48 KB.
  ///   - mediaType: `image/png`, `image/jpeg`, `image/gif`, `image/webp` or `image/svg+xml`.
  ///   - altText: The text that describes the image.
  public init(_ data: Data, mediaType: String, altText: String, size: CardImageSize = .auto) {
    image = Card.Image(
      source: "data:\(mediaType);base64,\(data.base64EncodedString())", altText: altText, size: size.value)
  }

  func elements() -> [Card.Element] { [.image(image)] }
}

/// A table of texts.
public struct CardTable: CardPart, Sendable {
  let table: Card.Table

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - header: The headings; one for each column.
  ///   - rows: The texts of each row, at most one for each column.
  public init(header: [String], rows: [[String]]) {
    table = Card.Table(
      columns: header.map { _ in .weight(1) },
      rows: ([header] + rows).map { texts in
        Card.Table.Row(cells: texts.map { Card.Container(items: [.text(Card.TextBlock($0, wraps: true))]) })
      })
  }

  func elements() -> [Card.Element] { [.table(table)] }
}
