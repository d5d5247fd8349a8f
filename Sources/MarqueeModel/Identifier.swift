/// A validated identifier chosen by a client: a non-empty string of at most ``identifierLengthMax`` bytes in Unicode
/// Normalization Form C (NFC).
///
/// Control, format (including zero-width and bidirectional), private-use and unassigned characters and line separators
/// are not allowed. Identifiers are compared by their bytes, so that equality is consistent with the order and with
/// storage. Because all are in NFC, canonically equivalent strings cannot be different identifiers.
public protocol Identifier: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The string.
  var text: String { get }

  /// Creates an identifier.
  ///
  /// - Throws: ``RequestError`` (`invalidArgument`) if `text` is not a valid identifier.
  init(_ text: String) throws(RequestError)
}

extension Identifier {
  /// The maximum length of an identifier, in UTF-8 bytes.
  public static var identifierLengthMax: Int { 255 }

  public var description: String { text }

  @inlinable
  public static func == (left: Self, right: Self) -> Bool { left.text.hasBytes(of: right.text) }

  public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }

  /// Compares by UTF-8 bytes, independent of the locale and platform.
  public static func < (left: Self, right: Self) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  /// Validates the text of an identifier.
  package static func checkName(_ text: String) throws(RequestError) {
    let length = text.utf8.count
    guard length > 0 else { throw RequestError(.invalidArgument, "identifier is empty") }
    guard length <= identifierLengthMax else {
      throw RequestError(
        .invalidArgument, "identifier of \(length) bytes exceeds identifier-size-max (\(identifierLengthMax))")
    }
    for scalar in text.unicodeScalars where !scalar.isAllowedInIdentifiers {
      throw RequestError(
        .invalidArgument,
        "identifier contains the disallowed character U+\(String(scalar.value, radix: 16)), \(scalar.objection)")
    }
    guard text.isStreamSafe else {
      throw RequestError(
        .invalidArgument, "identifier has more than \(MarkRun.lengthMax) consecutive combining marks")
    }
    guard text.isNormalized else {
      throw RequestError(.invalidArgument, "identifier is not in Unicode Normalization Form C (NFC)")
    }
  }
}

extension RawSpan {
  /// Whether both spans, which have equal lengths, have equal bytes. Identifiers often share a prefix, so the
  /// comparison is word by word, starting with the last word.
  @inlinable
  func hasBytes(of other: RawSpan) -> Bool {
    if byteCount >= 8 { return hasWords(UInt64.self, of: other) }
    if byteCount >= 4 { return hasWords(UInt32.self, of: other) }
    return byteOffsets.allSatisfy { isWord(UInt8.self, at: $0, of: other) }
  }

  /// Compares spans of at least one word; the last word may overlap the previous one.
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
  /// The reason why the scalar is not allowed.
  fileprivate var objection: String {
    switch properties.generalCategory {
    case .control: "a control character"
    case .format: "an invisible format character, which joins the parts of some emoji"
    case .unassigned: "which is not assigned in the Unicode version of this program"
    case .privateUse: "a character for private use"
    default: "a line separator"
    }
  }

  fileprivate var isAllowedInIdentifiers: Bool {
    if isASCII { return value >= 0x20 && value != 0x7F }
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return false
    default: return true
    }
  }
}

/// The identifier of a device: one user's Home Screen. Everything else belongs to exactly one device.
///
/// It has no slash, which separates a device from a stack in the names of commands, and no space at its ends.
public struct DeviceID: Identifier {
  public let text: String

  public init(_ text: String) throws(RequestError) {
    try Self.checkName(text)
    guard !text.utf8.contains(UInt8(ascii: "/")) else {
      throw RequestError(.invalidArgument, "the name of a device must not contain a slash (/)")
    }
    guard text.utf8.first != UInt8(ascii: " "), text.utf8.last != UInt8(ascii: " ") else {
      throw RequestError(.invalidArgument, "the name of a device must not begin or end with a space")
    }
    self.text = text
  }
}

/// The identifier of a stack, unique on its device.
public struct StackID: Identifier {
  public let text: String

  public init(_ text: String) throws(RequestError) {
    try Self.checkName(text)
    self.text = text
  }
}

/// A bundle identifier: at least two parts of ASCII letters, digits, `-` and `_`, joined by dots (reverse DNS).
public struct AppID: Identifier {
  public let text: String

  public init(_ text: String) throws(RequestError) {
    try Self.checkName(text)
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count >= 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.isAllowed) }) else {
      throw RequestError(
        .invalidArgument, "not a bundle identifier in reverse-DNS notation, such as com.example.weather")
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

  public init(_ text: String) throws(RequestError) {
    try Self.checkName(text)
    self.text = text
  }
}

/// The name of a group of an app's widgets, of which a stack brings one at most to the front (rule R15).
public struct GroupName: Identifier {
  /// The maximum number of groups in which an app's relevant shortcuts and relevant intents together put a widget.
  public static let countMax = 16
  /// The beginning of the names of automatic groups: of all widgets of a kind, whose name follows.
  public static let automaticPrefix = "kind:"

  public let text: String

  public init(_ text: String) throws(RequestError) {
    try Self.checkName(text)
    self.text = text
  }
}

/// The name of an intent type, unique within its app.
public struct IntentType: Identifier {
  public let text: String

  public init(_ text: String) throws(RequestError) {
    try Self.checkName(text)
    self.text = text
  }
}

/// The identifier of a Focus, such as work or sleep, chosen by displays.
public struct FocusID: Identifier {
  public let text: String

  public init(_ text: String) throws(RequestError) {
    try Self.checkName(text)
    self.text = text
  }
}

/// An IANA time zone identifier, such as `Europe/Berlin`.
///
/// Only the syntax is validated: the existing zones depend on Foundation's time zone database.
public struct TimeZoneID: Identifier {
  public let text: String

  public init(_ text: String) throws(RequestError) {
    try Self.checkName(text)
    self.text = text
  }
}
