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

  public static func == (left: Self, right: Self) -> Bool {
    guard left.text.utf8.count == right.text.utf8.count else { return false }
    return left.text.withBytes { left in right.text.withBytes { right in left.hasBytes(of: right) } }
  }

  public func hash(into hasher: inout Hasher) {
    text.withBytes { hasher.combine(bytes: $0) }
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

extension String {
  /// Runs `body` on the UTF-8 of the text, which stays where it is.
  @inline(__always)
  fileprivate func withBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
    if let value = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) { return value }
    return Array(utf8).withUnsafeBytes(body)
  }
}

extension UnsafeRawBufferPointer {
  /// Whether both, which are as long, hold the same bytes: names share their first bytes, so words are compared, not
  /// bytes, and the last one first.
  @inline(__always)
  fileprivate func hasBytes(of other: UnsafeRawBufferPointer) -> Bool {
    guard baseAddress != other.baseAddress else { return true }
    guard count >= 8 else { return elementsEqual(other) }
    guard isWord(at: count - 8, of: other) else { return false }
    var offset = 0
    while offset + 8 < count {
      guard isWord(at: offset, of: other) else { return false }
      offset += 8
    }
    return true
  }

  @inline(__always)
  private func isWord(at offset: Int, of other: UnsafeRawBufferPointer) -> Bool {
    let word = loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    return word == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
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
