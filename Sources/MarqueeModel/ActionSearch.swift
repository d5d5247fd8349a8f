/// A search of actions by their texts.
///
/// Case, diacritics, punctuation and the amount of white space are not compared, as in a ``SpokenText``.
public struct ActionSearch: Sendable {
  /// The compared words.
  private let words: [Substring]

  /// Creates a search.
  ///
  /// - Throws: ``RequestError`` if the text is not a valid ``SpokenText``.
  public init(_ text: String) throws(RequestError) {
    words = try SpokenText(text).units[...].text.split(separator: " ")
  }

  /// Returns whether each word is in a text of a combination or of its type, or in the type's name.
  public func matches(_ combination: IntentTypeDescriptor.Combination, of type: IntentTypeDescriptor) -> Bool {
    let texts = combination.texts
    let searched =
      [type.title, type.descriptionText, type.type.text, texts.category] + texts.keywords
      + texts.formats.map { $0.format.outline }
    let compared = searched.map { SpokenText.units(of: $0)[...].text }
    return words.allSatisfy { word in compared.contains { $0.contains(word) } }
  }
}
