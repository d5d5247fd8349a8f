/// A string that is compared and hashed by its UTF-8 bytes.
///
/// Swift's `String` compares by canonical equivalence: the Kelvin sign U+212A equals `K`. Untrusted strings that affect
/// security, such as names in certificates and tokens, must be compared byte by byte.
public struct ExactText: Hashable, Sendable, CustomStringConvertible {
  /// The string.
  public let text: String

  /// Creates a string that is compared by its bytes.
  public init(_ text: String) {
    self.text = text
  }

  public var description: String { text }

  @inlinable
  public static func == (left: ExactText, right: ExactText) -> Bool { left.text.hasBytes(of: right.text) }

  public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension String {
  /// Whether both strings have the same UTF-8 bytes.
  @inlinable
  public func hasBytes(of other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    return utf8Span.span.bytes.hasBytes(of: other.utf8Span.span.bytes)
  }

  /// Hashes the bytes that ``hasBytes(of:)`` compares.
  func hashBytes(into hasher: inout Hasher) {
    utf8Span.span.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    hasher.combine(0xFF as UInt8)
  }

  /// Whether the string is in Unicode Normalization Form C, in which canonically equivalent strings have the same
  /// bytes.
  public var isNormalized: Bool {
    var span = utf8Span
    return span.checkForNFC(quickCheck: false)
  }
}
