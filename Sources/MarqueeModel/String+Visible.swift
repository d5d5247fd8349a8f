extension String {
  /// The maximum size, in bytes, of untrusted text quoted in logs, metric labels and error messages.
  public static var quotedSizeMax: Int { 256 }

  /// Returns the string with characters escaped that could affect a terminal, a log or the writing direction, as in
  /// `\u{1B}`, truncated to about `sizeMax` bytes with an ellipsis.
  ///
  /// Control characters (C0, DEL and C1), line and paragraph separators, and format characters (direction marks,
  /// invisible characters and tags) are escaped. The zero-width joiners of scripts and emoji are kept.
  ///
  /// - Parameters:
  ///   - keepsLines: Whether to keep U+000A.
  ///   - sizeMax: The size above which the string is truncated.
  public func visible(keepsLines: Bool = false, sizeMax: Int = .max) -> String {
    if utf8.count <= sizeMax, utf8.allSatisfy({ 0x20 <= $0 && $0 < 0x7F || keepsLines && $0 == 0x0A }) { return self }
    var (text, size) = (UnicodeScalarView(), 0)
    for scalar in unicodeScalars {
      let isPlain = scalar == "\n" ? keepsLines : !scalar.steersTerminals
      let escape = isPlain ? "" : "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      size += isPlain ? UTF8.width(scalar) : escape.utf8.count
      guard size <= sizeMax else { return Self(text) + "…" }
      if isPlain { text.append(scalar) } else { text.append(contentsOf: escape.unicodeScalars) }
    }
    return Self(text)
  }
}

extension Unicode.Scalar {
  /// Whether a terminal or a line-based log reader may interpret the scalar.
  fileprivate var steersTerminals: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    case .format: self != "\u{200C}" && self != "\u{200D}"
    default: false
    }
  }
}
