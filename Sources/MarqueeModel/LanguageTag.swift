/// The language of a device's user: a BCP 47 language tag, such as `de-AT`.
///
/// Only the syntax is validated. The case of letters has no meaning, and is normalized as RFC 5646 recommends: `de-AT`,
/// `zh-Hant-TW`.
public struct LanguageTag: Identifier {
  /// The maximum size of a tag, in bytes.
  public static let sizeMax = 35
  /// The language of a device until another one is set.
  public static let english = LanguageTag(checked: "en")

  public let text: String

  private init(checked text: String) { self.text = text }

  public init(_ text: String) throws(RequestError) {
    let size = text.utf8.count
    guard size <= Self.sizeMax else {
      throw RequestError(
        .invalidArgument, "language tag of \(size) bytes exceeds language-size-max (\(Self.sizeMax))")
    }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard let language = parts.first, Self.isLanguage(language), parts.dropFirst().allSatisfy(Self.isSubtag),
      parts.count == 1 || parts.last?.utf8.count != 1
    else {
      throw RequestError(.invalidArgument, "not a BCP 47 language tag, such as en or de-AT")
    }
    self.text = Self.normalized(parts)
  }

  /// The tag and its prefixes, the longest first: `zh-Hant-TW`, `zh-Hant`, `zh`.
  ///
  /// A prefix does not end with a subtag of one character, which introduces the next one (RFC 4647, 3.4).
  public var prefixes: [LanguageTag] {
    var parts = text.split(separator: "-")
    var prefixes = [self]
    while parts.count > 1 {
      parts.removeLast()
      if parts.count > 1, parts.last?.utf8.count == 1 { parts.removeLast() }
      prefixes.append(LanguageTag(checked: parts.joined(separator: "-")))
    }
    return prefixes
  }

  /// Whether a first subtag is a language: two or three letters, or a registered word of at most eight.
  private static func isLanguage(_ part: Substring) -> Bool {
    (2...8).contains(part.utf8.count) && part.utf8.count != 4 && part.utf8.allSatisfy(isLetter)
  }

  private static func isSubtag(_ part: Substring) -> Bool {
    (1...8).contains(part.utf8.count)
      && part.utf8.allSatisfy { isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  /// Returns the tag with regions in upper case, scripts capitalized, and everything else in lower case.
  private static func normalized(_ parts: [Substring]) -> String {
    var isAfterSingleton = false
    let cased = parts.enumerated().map { index, part in
      let part = part.lowercased()
      defer { if part.utf8.count == 1 { isAfterSingleton = true } }
      guard index > 0, !isAfterSingleton else { return part }
      switch part.utf8.count {
      case 2: return part.uppercased()
      case 4 where part.utf8.first.map(isLetter) ?? false:
        return part.prefix(1).uppercased() + part.dropFirst()
      default: return part
      }
    }
    return cased.joined(separator: "-")
  }
}
