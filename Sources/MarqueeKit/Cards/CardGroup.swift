import MarqueeCards

/// Elements of a card below each other, on a common ground.
public struct CardGroup: CardPart {
  let style: CardStyle
  let contents: [any CardContent]

  /// Creates a group.
  public init(style: CardStyle = .default, @CardBuilder content: () throws -> [any CardContent]) rethrows {
    self.style = style
    contents = try content()
  }

  func elements() throws -> [Card.Element] {
    [.container(Card.Container(items: try contents.cardElements(), style: style.value))]
  }
}

/// Columns of a card.
public struct CardColumns: CardPart {
  let columns: [CardColumn]

  /// Creates columns, from the left.
  public init(_ columns: CardColumn...) { self.columns = columns }

  func elements() throws -> [Card.Element] {
    [
      .columns(
        try columns.map { column in
          Card.Column(items: try column.contents.cardElements(), width: column.width.value, style: column.style.value)
        })
    ]
  }
}

/// A column of a card.
public struct CardColumn {
  let width: CardColumnWidth
  let style: CardStyle
  let contents: [any CardContent]

  /// Creates a column.
  public init(
    width: CardColumnWidth = .stretch, style: CardStyle = .default,
    @CardBuilder content: () throws -> [any CardContent]
  ) rethrows {
    self.width = width
    self.style = style
    contents = try content()
  }
}
