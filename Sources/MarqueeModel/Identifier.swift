/// A name that a peer chose: a checked, non-empty string of at most ``identifierLengthMax`` bytes without control,
/// format (zero-width and bidirectional marks among them), private-use or unassigned characters and line separators.
///
/// Two names are the same when their bytes are, so that equality agrees with the order and with what is stored.
public protocol Identifier: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The name as it was given.
  var text: String { get }

  /// The identifier called `text`, or a refusal (`invalidArgument`) that says what is wrong with it.
  init(_ text: String) throws(Refusal)
}

extension Identifier {
  /// The longest identifier, in UTF-8 bytes.
  public static var identifierLengthMax: Int { 255 }

  public var description: String { text }

  @inlinable
  public static func == (left: Self, right: Self) -> Bool {
    guard left.text.utf8.count == right.text.utf8.count else { return false }
    return left.text.utf8Span.span.bytes.hasBytes(of: right.text.utf8Span.span.bytes)
  }

  public func hash(into hasher: inout Hasher) {
    text.utf8Span.span.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    hasher.combine(0xFF as UInt8)
  }

  /// Byte order of UTF-8, the same in every locale and on every machine.
  public static func < (left: Self, right: Self) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  static func checkName(_ text: String) throws(Refusal) {
    let length = text.utf8.count
    guard length > 0 else { throw Refusal(.invalidArgument, "an empty identifier") }
    guard length <= identifierLengthMax else {
      throw Refusal(.invalidArgument, "identifier-size-max is \(identifierLengthMax), this one has \(length) bytes")
    }
    for scalar in text.unicodeScalars where !scalar.isAllowedInIdentifiers {
      throw Refusal(.invalidArgument, "an identifier with the character U+\(String(scalar.value, radix: 16))")
    }
  }
}

extension RawSpan {
  /// Whether both, which are as long, hold the same bytes: names share their first ones, so words are compared, not
  /// bytes, and the last one first.
  @inlinable
  func hasBytes(of other: RawSpan) -> Bool {
    if byteCount >= 8 { return hasWords(UInt64.self, of: other) }
    if byteCount >= 4 { return hasWords(UInt32.self, of: other) }
    return byteOffsets.allSatisfy { isWord(UInt8.self, at: $0, of: other) }
  }

  /// The same of spans that are at least as long as a word; the last word may overlap the one before.
  @inlinable
  func hasWords<Word: FixedWidthInteger & BitwiseCopyable>(_ type: Word.Type, of other: RawSpan) -> Bool {
    let (size, last) = (MemoryLayout<Word>.size, byteCount - MemoryLayout<Word>.size)
    guard isWord(type, at: last, of: other) else { return false }
    for offset in stride(from: 0, to: last, by: size) {
      guard isWord(type, at: offset, of: other) else { return false }
    }
    return true
  }

  @inlinable
  func isWord<Word: FixedWidthInteger & BitwiseCopyable>(
    _ type: Word.Type, at offset: Int, of other: RawSpan
  ) -> Bool {
    unsafeLoadUnaligned(fromByteOffset: offset, as: type) == other.unsafeLoadUnaligned(fromByteOffset: offset, as: type)
  }
}

extension Unicode.Scalar {
  fileprivate var isAllowedInIdentifiers: Bool {
    if isASCII { return value >= 0x20 && value != 0x7F }
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return false
    default: return true
    }
  }
}

/// One person's Home Screen. Everything belongs to exactly one device.
public struct DeviceID: Identifier {
  public let text: String

  public init(_ text: String) throws(Refusal) {
    try Self.checkName(text)
    self.text = text
  }
}

/// A stack, unique on its device.
public struct StackID: Identifier {
  public let text: String

  public init(_ text: String) throws(Refusal) {
    try Self.checkName(text)
    self.text = text
  }
}

/// A bundle identifier: at least two parts of ASCII letters, digits, `-` and `_`, joined by dots (reverse DNS).
public struct AppID: Identifier {
  public let text: String

  public init(_ text: String) throws(Refusal) {
    try Self.checkName(text)
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count >= 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.isAllowed) }) else {
      throw Refusal(.invalidArgument, "not a bundle identifier in reverse DNS, such as com.example.weather")
    }
    self.text = text
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

/// The name of a widget kind, unique within its app.
public struct KindName: Identifier {
  public let text: String

  public init(_ text: String) throws(Refusal) {
    try Self.checkName(text)
    self.text = text
  }
}

/// The name of an intent type, unique within its app.
public struct IntentType: Identifier {
  public let text: String

  public init(_ text: String) throws(Refusal) {
    try Self.checkName(text)
    self.text = text
  }
}

/// A focus of the person, such as work or sleep, by the name that displays give it.
public struct FocusID: Identifier {
  public let text: String

  public init(_ text: String) throws(Refusal) {
    try Self.checkName(text)
    self.text = text
  }
}

/// An IANA time zone name, such as `Europe/Berlin`.
///
/// Only its form is checked here: which names exist depends on the machine's time zone database.
public struct TimeZoneID: Identifier {
  public let text: String

  public init(_ text: String) throws(Refusal) {
    try Self.checkName(text)
    self.text = text
  }
}
