import MarqueeModel

/// A deterministic YAML emitter: a value is on one line, and a list of records has a line for each.
enum YAMLText {
  /// A key and its value.
  struct Field {
    let key: String
    let value: YAMLText

    init(_ key: String, _ value: YAMLText) {
      self.key = key
      self.value = value
    }
  }

  /// A scalar, quoted if necessary.
  case text(String)
  /// An empty value.
  case nothing
  /// `[a, b]`.
  case list([YAMLText])
  /// `{a: b, c: d}`.
  case record([Field])
  /// A line for each element.
  case lines([YAMLText])
  /// A line for each key.
  case fields([Field])

  /// Appends the value as it appears after a key at that indentation.
  func write(to text: inout String, indent: Int) {
    let margin = "\n" + String(repeating: " ", count: indent)
    switch self {
    case .text, .nothing, .list, .record: text += " " + inline
    case .lines(let elements) where elements.isEmpty: text += " []"
    case .lines(let elements):
      for element in elements { text += margin + "  - " + element.inline }
    case .fields(let fields) where fields.isEmpty: text += " {}"
    case .fields(let fields):
      for field in fields {
        text += margin + "  " + Self.scalar(field.key) + ":"
        field.value.write(to: &text, indent: indent + 2)
      }
    }
  }

  private var inline: String {
    switch self {
    case .text(let text): return Self.scalar(text)
    case .nothing: return "~"
    case .list(let elements), .lines(let elements):
      return "[" + elements.map(\.inline).joined(separator: ", ") + "]"
    case .record(let fields), .fields(let fields):
      return "{" + fields.map { "\(Self.scalar($0.key)): \($0.value.inline)" }.joined(separator: ", ") + "}"
    }
  }

  /// Returns the text as a scalar that any YAML parser reads as a string: plain if all characters are harmless,
  /// otherwise in double quotes.
  static func scalar(_ text: String) -> String {
    if isPlain(text) { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      // The reader takes a name after `*` for an alias, wherever it is, if another one follows `&`.
      case "*": quoted += "\\u002a"
      case _ where scalar.isASCII && scalar.value >= 0x20 && scalar.value < 0x7F:
        quoted.unicodeScalars.append(scalar)
      case _ where scalar.properties.isAlphabetic && !scalar.isASCII: quoted.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16)
        let (letter, width) = scalar.value < 0x1_0000 ? ("u", 4) : ("U", 8)
        quoted += "\\" + letter + String(repeating: "0", count: width - digits.count) + digits
      }
    }
    return quoted + "\""
  }

  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.utf8.first, isWordSign(first) || first == UInt8(ascii: "-"), text.utf8.count <= 1_024
    else { return false }
    var last = UInt8(ascii: " ")
    for byte in text.utf8 {
      let isInner = [" ", ":", "-", "+", "(", ")", "="].contains { UInt8(ascii: $0) == byte }
      guard isWordSign(byte) || isInner else { return false }
      // A space terminates the indicators `:` and `-`, and consecutive spaces can be folded.
      if byte == UInt8(ascii: " "), [" ", ":", "-"].contains(where: { UInt8(ascii: $0) == last }) { return false }
      last = byte
    }
    return last != UInt8(ascii: " ") && last != UInt8(ascii: ":") && text != "-" && !words.contains(text.lowercased())
      && !text.hasPrefix("--") && !text.hasPrefix("...")
  }

  private static func isWordSign(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "/"):
      true
    default: false
    }
  }

  private static let words: Set<String> = ["null", "true", "false", "yes", "no", "y", "n"]
}
