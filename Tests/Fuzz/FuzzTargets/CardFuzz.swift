import MarqueeCards
import MarqueeModel

/// Fuzzes the reader, the writer and the text form of cards.
enum CardFuzz {
  /// A card must round-trip, except for images elsewhere, whose addresses are not kept.
  static func run(_ bytes: [UInt8]) -> Bool {
    guard let reading = try? CardReading(bytes) else { return false }
    for width in [1, 20] {
      for line in reading.card.text(width: width) {
        precondition(line.columnCount <= width, "line of \(line.columnCount) columns (width: \(width))")
      }
    }
    guard !reading.warnings.contains(where: { $0.kind == .remoteImage }) else { return true }
    guard let again = try? CardReading(reading.card.json) else { return isTooLarge(reading.card) }
    precondition(again.card == reading.card, "card does not round-trip")
    return true
  }

  /// Whether a card is larger when it is written than the limit.
  private static func isTooLarge(_ card: Card) -> Bool {
    precondition(card.json.count > Card.sizeMax, "card cannot be read again")
    return true
  }
}
