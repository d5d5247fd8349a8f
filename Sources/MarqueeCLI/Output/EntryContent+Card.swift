import MarqueeCards
import MarqueeModel
import MarqueeTerminal

extension EntryContent {
  /// The width of a card's text where it does not depend on the terminal.
  static let cardWidth = 80

  /// Returns the lines of a card; `nil` if the content is not a card or is invalid.
  func cardLines(width: Int) -> [String]? {
    guard Card.isMediaType(mediaType) else { return nil }
    // An invalid card is shown like other content; publishing it gives a warning.
    return (try? CardReading(bytes))?.card.text(width: width)
  }

  /// The text of a card on one line; `nil` if the content is not a card, is invalid, or has no text.
  var cardLine: String? {
    let lines = cardLines(width: Self.cardWidth) ?? []
    let texts = lines.map { $0.split(separator: " ").joined(separator: " ") }
    let line = texts.filter { !$0.isEmpty }.joined(separator: " · ")
    return line.isEmpty ? nil : line.truncated(to: Self.cardWidth)
  }
}
