import Foundation
import MarqueeModel

/// A JSON object of a token (its header or payload) without duplicate member names.
///
/// JSON parsers disagree on which of two members with the same name applies, so duplicates are rejected. Names are
/// compared by their UTF-8 bytes.
struct TokenObject: Sendable {
  /// The value of a member.
  enum Value: Decodable, Sendable {
    case text(String)
    case list([String])
    case number(Double)
    /// A value of another type, which is described for error messages.
    case other(String)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      // Each failed attempt falls through to the next type.
      if container.decodeNil() {
        self = .other("null")
      } else if let text = try? container.decode(String.self) {
        self = .text(text)
      } else if let list = try? container.decode([String].self) {
        self = .list(list)
      } else if (try? container.decode(Bool.self)) != nil {
        self = .other("a boolean")
      } else if let number = try? container.decode(Double.self) {
        self = .number(number)
      } else if (try? decoder.unkeyedContainer()) != nil {
        self = .other("a list with non-string elements")
      } else if (try? decoder.container(keyedBy: AnyKey.self)) != nil {
        self = .other("an object")
      } else {
        self = .other("a number that is out of range")
      }
    }

    /// A description of the value's type for error messages.
    var kind: String {
      switch self {
      case .text: "a string"
      case .list: "a list of strings"
      case .number: "a number"
      case .other(let kind): kind
      }
    }
  }

  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private let members: [ExactText: Value]

  /// Parses a JSON object; returns `nil` if the bytes are not UTF-8 JSON, a member name is duplicate, or more than 30
  /// combining marks are in a row.
  init?(_ bytes: Data) {
    // Rejects UTF-16 and UTF-32, which Foundation accepts: their JSON texts contain NUL bytes, UTF-8 ones do not.
    // Combining marks are checked before decoding, since the decoder hashes names.
    guard let text = String(validating: bytes, as: UTF8.self), text.isStreamSafeSource, !bytes.contains(0),
      // The parse error is not reported, since the message must not quote the token.
      let members = try? JSONDecoder().decode([String: Value].self, from: bytes),
      members.count == Self.memberCount(bytes)
    else { return nil }
    self.members = Dictionary(uniqueKeysWithValues: members.map { (ExactText($0), $1) })
  }

  /// Returns the value of a member.
  subscript(name: String) -> Value? { members[ExactText(name)] }

  /// Returns the number of members in the text of a JSON object, duplicates included: the number of colons outside
  /// strings and nested values.
  private static func memberCount(_ json: Data) -> Int {
    var (count, depth, isInString, isEscaped) = (0, 0, false, false)
    for byte in json {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\"): isEscaped = isInString
      case UInt8(ascii: "\""): isInString.toggle()
      case _ where isInString: break
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ":") where depth == 1: count += 1
      default: break
      }
    }
    return count
  }
}
