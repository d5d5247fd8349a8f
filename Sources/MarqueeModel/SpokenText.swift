/// A text that a user said or typed, compared with phrases by its letters, digits and symbols.
///
/// Case, diacritics, punctuation and the amount of white space are not compared. Dashes and slashes count as white
/// space. Signs and separators within numbers, as in `-3.5`, and the characters `#`, `%`, `&`, `@`, `*` and `+` are
/// compared.
public struct SpokenText: Sendable {
  /// The maximum size of a text, and of a phrase, in bytes.
  public static let sizeMax = 1_000

  /// A compared character, with its place in the text.
  struct Unit: Sendable {
    let character: Character
    let source: Range<String.Index>
  }

  private let text: String
  /// The compared characters, without white space at either end.
  let units: [Unit]

  /// Creates a text.
  ///
  /// - Throws: ``RequestError`` if the text is empty, consists of punctuation and white space, or exceeds ``sizeMax``.
  public init(_ text: String) throws(RequestError) {
    let size = text.utf8.count
    guard size > 0 else { throw RequestError(.invalidArgument, "must not be empty") }
    guard size <= Self.sizeMax else { throw .over(limit: "phrase-size-max", maximum: Self.sizeMax, count: size) }
    let units = Self.units(of: text).trimmed
    guard !units.isEmpty else { throw RequestError(.invalidArgument, "must contain a letter, digit or symbol") }
    self.text = text
    self.units = Array(units)
  }

  /// Returns the original text of a range of ``units``.
  func original(_ range: Range<Int>) -> String {
    guard let first = units[range].first, let last = units[range].last else { return "" }
    return String(text[first.source.lowerBound..<last.source.upperBound])
  }

  /// Returns the original text from the unit before a range of ``units`` to the unit after it, without white space at
  /// either end.
  func originalWithPunctuation(_ range: Range<Int>) -> String {
    guard let first = units[range].first, let last = units[range].last else { return "" }
    let start = range.lowerBound > 0 ? units[range.lowerBound - 1].source.upperBound : text.startIndex
    let end = range.upperBound < units.count ? self.start(ofUnit: range.upperBound) : text.endIndex
    // A character such as a ligature can be several units.
    var original = text[min(start, first.source.lowerBound)..<max(end, last.source.upperBound)]
    while original.first?.isWhitespace == true { original.removeFirst() }
    while original.last?.isWhitespace == true { original.removeLast() }
    return String(original)
  }

  /// Returns the place of a unit; for a space, the first white space among the characters that it stands for.
  private func start(ofUnit index: Int) -> String.Index {
    let start = units[index].source.lowerBound
    guard units[index].character == " " else { return start }
    let end = index + 1 < units.count ? units[index + 1].source.lowerBound : text.endIndex
    return text[start..<end].firstIndex(where: \.isWhitespace) ?? start
  }

  /// Whether a boundary of units is between two letters or digits of a word.
  ///
  /// Only scripts are considered that separate words by spaces and do not join particles to other words: Latin, Greek,
  /// Cyrillic, Armenian and Georgian.
  func isWithinWord(_ boundary: Int) -> Bool {
    guard boundary > 0, boundary < units.count else { return false }
    let (previous, next) = (units[boundary - 1], units[boundary])
    guard previous.source.upperBound >= next.source.lowerBound else { return false }
    return previous.character.isOfSpacedWord && next.character.isOfSpacedWord
  }

  /// Returns the number of units that equal a prefix; `nil` if the text does not start with it.
  func end(ofPrefix prefix: String) -> Int? {
    var end = 0
    for character in prefix {
      guard end < units.count, units[end].character == character else { return nil }
      end += 1
    }
    return end
  }

  /// Returns the index of the first unit of a suffix; `nil` if the text does not end with it.
  func start(ofSuffix suffix: String) -> Int? {
    var start = units.count
    for character in suffix.reversed() {
      guard start > 0, units[start - 1].character == character else { return nil }
      start -= 1
    }
    return start
  }
}

// MARK: Normalization

extension SpokenText {
  /// Returns the compared characters of a text. Each sequence of white space is one space, also at the ends.
  static func units(of text: String) -> [Unit] {
    let characters = Array(text)
    var units: [Unit] = []
    var start = text.startIndex
    for (index, character) in characters.enumerated() {
      let end = text.index(after: start)
      let previous = index > 0 ? characters[index - 1] : nil
      let next = index + 1 < characters.count ? characters[index + 1] : nil
      for compared in folded(character, after: previous, before: next) where compared != " " || !units.endsWithSpace {
        units.append(Unit(character: compared, source: start..<end))
      }
      start = end
    }
    return units
  }

  private static func folded(
    _ character: Character, after previous: Character?, before next: Character?
  ) -> String {
    if isInNumber(character, after: previous, before: next) { return character == "\u{2212}" ? "-" : "\(character)" }
    var folded = String.UnicodeScalarView()
    for scalar in character.unicodeScalars {
      if scalar.separatesWords {
        folded.append(" ")
      } else if !scalar.isPunctuation {
        folded.append(contentsOf: scalar.baseLetters)
      }
    }
    return String(folded)
  }

  /// Whether a character is the sign of a number, or a separator of its digits.
  private static func isInNumber(
    _ character: Character, after previous: Character?, before next: Character?
  ) -> Bool {
    guard next?.isWholeNumber == true else { return false }
    switch character {
    case ".", ",", ":": return previous?.isWholeNumber == true
    case "-", "\u{2212}": return previous.map { !$0.isLetter && !$0.isNumber } ?? true
    default: return false
    }
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is compared as white space.
  fileprivate var separatesWords: Bool {
    if self == "/" || properties.isWhitespace { return true }
    switch properties.generalCategory {
    case .dashPunctuation, .connectorPunctuation: return true
    default: return false
    }
  }

  /// Whether the scalar is not compared.
  fileprivate var isPunctuation: Bool {
    switch self {
    // These have the category of punctuation, but are parts of names and values such as `C#`.
    case "#", "%", "&", "@", "*": return false
    default: break
    }
    switch properties.generalCategory {
    case .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation, .control,
      .format:
      return true
    default: return false
    }
  }

  /// The scalar without case and diacritics: none, one, or several as of a ligature.
  fileprivate var baseLetters: [Unicode.Scalar] {
    // The upper case also unifies letters such as the final sigma, and separates ligatures.
    properties.uppercaseMapping.unicodeScalars.flatMap { Array($0.properties.lowercaseMapping.unicodeScalars) }
      .filter { !Diacritics.isMark($0) }.map { Diacritics.baseLetters[$0] ?? $0 }
  }
}

extension Character {
  /// Whether the character is a letter of a script that separates words by spaces, or a digit.
  fileprivate var isOfSpacedWord: Bool {
    guard isLetter || isNumber, let scalar = unicodeScalars.first else { return false }
    switch scalar.value {
    case 0...0x58F, 0x10A0...0x10FF, 0x1C80...0x1CBF, 0x1E00...0x1FFF, 0x2C60...0x2C7F, 0xA720...0xA7FF: return true
    default: return scalar.properties.generalCategory == .decimalNumber
    }
  }
}

extension Array where Element == SpokenText.Unit {
  fileprivate var endsWithSpace: Bool { last?.character == " " }
  /// The units without white space at either end.
  var trimmed: ArraySlice<Element> { self[...].trimmed }
}

extension ArraySlice where Element == SpokenText.Unit {
  /// The characters.
  var text: String { String(map(\.character)) }
  /// The units without white space at either end.
  var trimmed: Self { trimmedAtStart.trimmedAtEnd }
  /// The units without white space at the start.
  var trimmedAtStart: Self { first?.character == " " ? dropFirst() : self }
  /// The units without white space at the end.
  var trimmedAtEnd: Self { last?.character == " " ? dropLast() : self }
}
