import MarqueeSchema

/// Fuzzes the conversion between messages and JSON. The first line is `json` or `message` and the name of a message;
/// its JSON text, or its encoding, follows.
///
/// A message that is converted to JSON must be the same text after reading and converting it again.
enum JSONFuzz {
  private static let transcoder = JSONTranscoder(.marquee)
  private static let sizeMax = 16 << 20

  static func run(_ bytes: [UInt8]) -> Bool {
    let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let line = String(validating: parts[0], as: UTF8.self) else { return false }
    let words = line.split(separator: " ")
    guard words.count == 2, let type = Schema.marquee.message(named: String(words[1])) else { return false }
    switch words[0] {
    case "json":
      guard let message = try? transcoder.message(fromJSON: Array(parts[1]), as: type, sizeMax: sizeMax) else {
        return false
      }
      precondition(isStable(message, type), "a message read from JSON is not converted to JSON")
      return true
    case "message": return isStable(Array(parts[1]), type)
    default: return false
    }
  }

  /// Returns whether a message is converted to JSON.
  private static func isStable(_ message: [UInt8], _ type: Schema.Message) -> Bool {
    // An error is an acceptable result.
    guard let text = try? transcoder.json(fromMessage: message, as: type, sizeMax: sizeMax) else { return false }
    guard let again = try? transcoder.message(fromJSON: text, as: type, sizeMax: sizeMax) else {
      preconditionFailure("\(type.name) cannot be read from its JSON")
    }
    let textAgain = try? transcoder.json(fromMessage: again, as: type, sizeMax: sizeMax)
    precondition(textAgain == text, "the JSON of \(type.name) is not stable")
    return true
  }
}
