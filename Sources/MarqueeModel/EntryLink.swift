/// An absolute URL in an entry or in its content, at which the app opens when the user taps the widget.
public struct EntryLink: Hashable, Sendable {
  /// The maximum size, in bytes of UTF-8.
  public static let sizeMax = 2_048

  /// The URL: a scheme, a colon, and at least one more character.
  public var text: String { exact.text }
  private let exact: ExactText

  /// Creates a link.
  ///
  /// Only the scheme (RFC 3986) and the characters are validated: the rest is the app's, and may be in any language.
  ///
  /// - Throws: ``RequestError`` if the text is too long, is not an absolute URL, or has white space or control
  ///   characters.
  public init(_ text: String) throws(RequestError) {
    let size = text.utf8.count
    guard size <= Self.sizeMax else { throw .over(limit: "link-size-max", maximum: Self.sizeMax, count: size) }
    guard text.utf8.isAbsoluteURL else {
      throw RequestError(.invalidArgument, "must be an absolute URL, with a scheme (\(size) bytes)")
    }
    for scalar in text.unicodeScalars where !scalar.isAllowedInLinks {
      throw RequestError(
        .invalidArgument, "URL contains the disallowed character U+\(String(scalar.value, radix: 16))")
    }
    exact = ExactText(text)
  }
}

extension String.UTF8View {
  /// Whether the text is the scheme of a URL, which is a letter, then letters, digits, `+`, `-` and `.`, followed by a
  /// colon and at least one byte.
  fileprivate var isAbsoluteURL: Bool {
    guard let colon = firstIndex(of: UInt8(ascii: ":")), index(after: colon) != endIndex, let first, first.isLetter
    else { return false }
    return self[..<colon].allSatisfy { byte in
      byte.isLetter || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.".utf8.contains(byte)
    }
  }
}

extension UInt8 {
  fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}

extension Unicode.Scalar {
  /// Whether the scalar is neither white space nor a control character, including those of bidirectional text.
  ///
  /// Unassigned scalars are allowed: the toolchain's version of Unicode must not decide whether a stored link is valid.
  fileprivate var isAllowedInLinks: Bool {
    !properties.isWhitespace && !properties.isBidiControl && properties.generalCategory != .control
  }
}
