/// The parts of a timeline entry that few entries have.
public struct EntryDetails: Hashable, Sendable {
  /// No expiry, not private, and no link.
  public static let none = EntryDetails()

  /// When the entry expires if it is still current; `nil` if it never does (rule W4).
  public let expiry: Instant?
  /// Whether the content may be read by others.
  public let sensitivity: EntrySensitivity
  /// The URL that the app opens when the user taps the widget; `nil` to open the app only. Private if the entry is.
  public let link: EntryLink?

  /// Creates details.
  public init(expiry: Instant? = nil, sensitivity: EntrySensitivity = .none, link: EntryLink? = nil) {
    self.expiry = expiry
    self.sensitivity = sensitivity
    self.link = link
  }

  /// Whether screens that others can read do not show the content (rule W5).
  public var isPrivate: Bool { sensitivity != .none }

  /// The content that such screens show in place of a private one.
  public var redacted: EntryContent? { if case .isPrivate(let redacted) = sensitivity { redacted } else { nil } }
}

/// Whether others may read the content of an entry (rule W5).
public enum EntrySensitivity: Hashable, Sendable {
  /// Every screen shows the content.
  case none
  /// Screens that others can read show the redacted content or, without one, none.
  case isPrivate(EntryContent?)
}

/// A URL at which an app opens when the user taps its widget.
public struct EntryLink: Hashable, Sendable {
  /// The maximum size, in bytes of UTF-8.
  public static let sizeMax = 2_048

  /// The URL: a scheme, a colon, and at least one more character.
  public let text: String

  /// Creates a link.
  ///
  /// Only the scheme (RFC 3986) and the characters are validated: the rest is the app's, and may be in any language.
  ///
  /// - Throws: ``RequestError`` if the text is too long, is not an absolute URL, or has white space or control
  ///   characters.
  public init(_ text: String) throws(RequestError) {
    guard text.utf8.count <= Self.sizeMax else {
      throw .over(limit: "link-size-max", maximum: Self.sizeMax, count: text.utf8.count)
    }
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(text.utf8[..<colon]),
      text.utf8.index(after: colon) != text.utf8.endIndex
    else { throw RequestError(.invalidArgument, "not an absolute URL") }
    guard text.unicodeScalars.allSatisfy({ $0.isAllowedInLinks }) else {
      throw RequestError(.invalidArgument, "white space or a control character in a URL")
    }
    self.text = text
  }

  /// Whether the bytes are a letter, followed by letters, digits, `+`, `-` and `.`.
  private static func isScheme(_ bytes: Substring.UTF8View) -> Bool {
    guard let first = bytes.first, isLetter(first) else { return false }
    return bytes.allSatisfy { isLetter($0) || (48...57).contains($0) || "+-.".utf8.contains($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }

  public static func == (left: EntryLink, right: EntryLink) -> Bool { left.text.hasBytes(of: right.text) }

  public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension Unicode.Scalar {
  /// Whether the scalar is neither white space nor a control character, including those of bidirectional text.
  ///
  /// Unassigned scalars are allowed: the toolchain's version of Unicode must not decide whether a stored link is valid.
  fileprivate var isAllowedInLinks: Bool {
    !properties.isWhitespace && !properties.isBidiControl && properties.generalCategory != .control
  }
}
