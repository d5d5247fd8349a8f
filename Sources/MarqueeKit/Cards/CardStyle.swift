import MarqueeCards

/// The size of a text of a card.
public struct CardTextSize: Hashable, Sendable {
  let value: Card.TextSize

  public static let `default` = CardTextSize(value: .default)
  public static let small = CardTextSize(value: .small)
  public static let medium = CardTextSize(value: .medium)
  public static let large = CardTextSize(value: .large)
  public static let extraLarge = CardTextSize(value: .extraLarge)
}

/// The weight of a text of a card.
public struct CardTextWeight: Hashable, Sendable {
  let value: Card.TextWeight

  public static let `default` = CardTextWeight(value: .default)
  public static let lighter = CardTextWeight(value: .lighter)
  public static let bolder = CardTextWeight(value: .bolder)
}

/// The color of a text of a card, by its meaning.
public struct CardColor: Hashable, Sendable {
  let value: Card.TextColor

  public static let `default` = CardColor(value: .default)
  public static let accent = CardColor(value: .accent)
  public static let good = CardColor(value: .good)
  public static let warning = CardColor(value: .warning)
  public static let attention = CardColor(value: .attention)
}

/// The horizontal alignment of a text of a card.
public struct CardAlignment: Hashable, Sendable {
  let value: Card.Alignment

  public static let left = CardAlignment(value: .left)
  public static let center = CardAlignment(value: .center)
  public static let right = CardAlignment(value: .right)
}

/// The size of an image of a card.
public struct CardImageSize: Hashable, Sendable {
  let value: Card.ImageSize

  public static let auto = CardImageSize(value: .auto)
  public static let stretch = CardImageSize(value: .stretch)
  public static let small = CardImageSize(value: .small)
  public static let medium = CardImageSize(value: .medium)
  public static let large = CardImageSize(value: .large)
}

/// The ground of a group or a column of a card.
public struct CardStyle: Hashable, Sendable {
  let value: Card.ContainerStyle

  public static let `default` = CardStyle(value: .default)
  public static let emphasis = CardStyle(value: .emphasis)
  public static let good = CardStyle(value: .good)
  public static let attention = CardStyle(value: .attention)
  public static let warning = CardStyle(value: .warning)
  public static let accent = CardStyle(value: .accent)
}

/// The style of a button of a card.
public struct CardActionStyle: Hashable, Sendable {
  let value: Card.Action.Style

  public static let `default` = CardActionStyle(value: .default)
  public static let positive = CardActionStyle(value: .positive)
  public static let destructive = CardActionStyle(value: .destructive)
}

/// The width of a column of a card.
public struct CardColumnWidth: Hashable, Sendable {
  let value: Card.ColumnWidth

  /// As wide as the content.
  public static let auto = CardColumnWidth(value: .auto)
  /// The remaining width.
  public static let stretch = CardColumnWidth(value: .stretch)

  /// Returns a share of the remaining width, from 1 to 1000.
  public static func weight(_ weight: Int) -> CardColumnWidth { CardColumnWidth(value: .weight(weight)) }
}
