/// A key press in full-screen mode.
enum Key: Equatable, Sendable {
  case up, down, pageUp, pageDown, home, end, enter, escape
  case character(Character)
}

/// Decodes key presses from terminal input.
struct KeyReader {
  private static let sequences: [String: Key] = [
    "A": .up, "B": .down, "H": .home, "F": .end, "5~": .pageUp, "6~": .pageDown, "1~": .home, "4~": .end,
    "7~": .home, "8~": .end,
  ]

  /// Decodes the keys in `bytes`, which must be all available input: a trailing escape byte is the Escape key. Unknown
  /// sequences are ignored.
  static func keys(_ bytes: [UInt8]) -> [Key] {
    var keys: [Key] = []
    var rest = Substring(String(decoding: bytes, as: UTF8.self))
    while let character = rest.popFirst() {
      switch character {
      case "\r", "\n", "\r\n": keys.append(.enter)
      case "\u{1B}":
        guard let next = rest.first, next == "[" || next == "O" else {
          keys.append(.escape)
          continue
        }
        rest.removeFirst()
        let middle = rest.prefix { $0.isNumber || $0 == ";" }
        rest = rest.dropFirst(middle.count)
        guard let last = rest.popFirst() else { continue }
        if let key = sequences[middle + String(last)] { keys.append(key) }
      default: keys.append(.character(character))
      }
    }
    return keys
  }
}
