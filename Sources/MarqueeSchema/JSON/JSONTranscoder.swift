/// Converts messages between their encoding and JSON by the proto3 mapping, without structures for their types.
///
/// Reading is strict where a sender and a receiver could understand a text differently: duplicate keys, numbers out of
/// range, unknown names of enumeration values, and text that is not UTF-8 are rejected. Unknown fields are skipped, so
/// that clients of a later version are served.
public struct JSONTranscoder: Sendable {
  /// The maximum nesting of objects and arrays.
  public static let depthMax = 32
  /// The maximum size of a text, in bytes.
  public static let textSizeMax = 16 << 20
  /// The maximum size of a number, in bytes.
  public static let numberSizeMax = 1_024
  /// The maximum number of unknown keys in an object.
  public static let unknownKeyCountMax = 256

  private let schema: Schema

  /// Creates a transcoder for the messages of a schema.
  public init(_ schema: Schema) {
    self.schema = schema
  }

  /// Encodes a message from its JSON text.
  ///
  /// - Parameters:
  ///   - text: UTF-8 of at most ``textSizeMax`` bytes.
  ///   - type: A message of the transcoder's schema.
  ///   - sizeMax: The maximum size of the encoded message, in bytes.
  /// - Throws: ``JSONTranscodingError`` with the path of the invalid value.
  public func message(
    fromJSON text: [UInt8], as type: Schema.Message, sizeMax: Int
  ) throws(JSONTranscodingError) -> [UInt8] {
    var ignored = IgnoredFields()
    return try message(fromJSON: text, as: type, sizeMax: sizeMax, ignoring: &ignored)
  }

  /// Encodes a message from its JSON text, and reports its unknown fields.
  ///
  /// - Parameters:
  ///   - text: UTF-8 of at most ``textSizeMax`` bytes.
  ///   - type: A message of the transcoder's schema.
  ///   - sizeMax: The maximum size of the encoded message, in bytes.
  ///   - ignored: Set to the unknown fields, which are skipped.
  /// - Throws: ``JSONTranscodingError`` with the path of the invalid value.
  public func message(
    fromJSON text: [UInt8], as type: Schema.Message, sizeMax: Int, ignoring ignored: inout IgnoredFields
  ) throws(JSONTranscodingError) -> [UInt8] {
    guard text.count <= Self.textSizeMax else {
      throw JSONTranscodingError(
        .tooLarge, "text of \(text.count) bytes exceeds the limit (json-text-size-max: \(Self.textSizeMax))")
    }
    var parser = MessageParser(schema, text, sizeMax: sizeMax)
    defer { ignored = parser.ignored }
    return try parser.parse(type)
  }

  /// Converts an encoded message to JSON text without white space.
  ///
  /// - Parameters:
  ///   - bytes: The encoded message.
  ///   - type: A message of the transcoder's schema.
  ///   - sizeMax: The maximum size of the text, in bytes.
  /// - Throws: ``JSONTranscodingError`` if the message is malformed, has a string that is not UTF-8, or is too large.
  public func json(
    fromMessage bytes: [UInt8], as type: Schema.Message, sizeMax: Int
  ) throws(JSONTranscodingError) -> [UInt8] {
    var printer = MessagePrinter(schema, sizeMax: sizeMax)
    return try printer.text(of: bytes, as: type)
  }
}

/// An error of a conversion between JSON and encoded messages. It contains no values of the message.
public struct JSONTranscodingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  public enum Kind: Hashable, Sendable {
    /// The text or the encoded message is invalid.
    case invalid
    /// The text, the message, or a part of them exceeds a limit.
    case tooLarge
  }

  /// The kind.
  public let kind: Kind
  /// The path of the invalid value, such as `entries[3].dateMs`; empty for the whole message.
  public private(set) var path = ""
  /// The condition.
  public let reason: String

  init(_ kind: Kind = .invalid, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }

  public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }

  /// The error with the path of an outer value.
  func within(_ outer: String) -> JSONTranscodingError {
    var error = self
    error.path = path.isEmpty ? outer : path.hasPrefix("[") ? outer + path : "\(outer).\(path)"
    return error
  }
}
