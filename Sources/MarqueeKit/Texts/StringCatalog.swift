import Foundation

/// The content of a string catalog (`.xcstrings`): the texts of all languages by their keys.
struct StringCatalog: Decodable {
  /// The localizations of a key.
  struct Entry: Decodable {
    /// The localizations by language.
    let localizations: [String: Localization]?
  }

  /// A key's text in one language: one text, several of which the first counts, or variations, of which the one for
  /// all other numbers or devices counts.
  struct Localization: Decodable {
    struct Unit: Decodable {
      let value: String
    }

    struct Values: Decodable {
      let values: [String]
    }

    let stringUnit: Unit?
    let stringSet: Values?
    let variations: [String: [String: Localization]]?

    /// The text; `nil` if there is none.
    var text: String? {
      if let stringUnit { return stringUnit.value }
      if let stringSet { return stringSet.values.first }
      guard let variations else { return nil }
      return (variations["plural"] ?? variations["device"])?["other"]?.text
    }
  }

  let strings: [String: Entry]

  /// The tables by language.
  var tables: [String: [String: String]] {
    var tables: [String: [String: String]] = [:]
    for (key, entry) in strings {
      for (language, localization) in entry.localizations ?? [:] {
        if let text = localization.text { tables[language, default: [:]][key] = text }
      }
    }
    return tables
  }
}
