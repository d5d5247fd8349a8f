import Foundation
import MarqueeCards

/// A part of a card: an element such as ``CardText``, or a group of elements in its body.
///
/// Conform a type of your own to give elements a name, and return them from ``body``.
public protocol CardContent {
  /// The elements.
  @CardBuilder var body: [any CardContent] { get }
}

/// A part of a card that is an element of the format.
protocol CardPart: CardContent {
  func elements() throws -> [Card.Element]
}

extension CardPart {
  public var body: [any CardContent] { [] }
}

/// Builds the elements of a card or of a group.
@resultBuilder
public enum CardBuilder {
  public static func buildExpression(_ content: any CardContent) -> [any CardContent] { [content] }
  public static func buildExpression(_ contents: [any CardContent]) -> [any CardContent] { contents }
  public static func buildBlock(_ groups: [any CardContent]...) -> [any CardContent] { groups.flatMap(\.self) }
  public static func buildOptional(_ group: [any CardContent]?) -> [any CardContent] { group ?? [] }
  public static func buildEither(first group: [any CardContent]) -> [any CardContent] { group }
  public static func buildEither(second group: [any CardContent]) -> [any CardContent] { group }
  public static func buildArray(_ groups: [[any CardContent]]) -> [any CardContent] { groups.flatMap(\.self) }
  public static func buildLimitedAvailability(_ group: [any CardContent]) -> [any CardContent] { group }
}

extension EntryContent {
  /// Creates a card, which displays show without code of the app.
  ///
  /// - Parameters:
  ///   - fallbackText: The text shown if no element can be; may be empty.
  ///   - content: The elements, from the top.
  /// - Throws: An error that names the invalid value if the card exceeds a limit, or an intent cannot be encoded.
  public static func card(
    fallbackText: String = "", @CardBuilder content: () throws -> [any CardContent]
  ) throws -> EntryContent {
    let json = Card(body: try content().cardElements(), fallbackText: fallbackText).json
    _ = try CardReading(json)
    return EntryContent(mediaType: Card.mediaType, data: Data(json))
  }
}

extension [any CardContent] {
  /// Returns the elements of the format. Buttons and links next to each other are one set of actions.
  func cardElements() throws -> [Card.Element] {
    var elements: [Card.Element] = []
    for content in self {
      let added = try (content as? any CardPart)?.elements() ?? content.body.cardElements()
      for element in added {
        if case .actions(let more) = element, case .actions(let actions)? = elements.last {
          elements[elements.count - 1] = .actions(actions + more)
        } else {
          elements.append(element)
        }
      }
    }
    return elements
  }
}
