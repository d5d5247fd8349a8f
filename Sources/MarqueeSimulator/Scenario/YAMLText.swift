import MarqueeModel

/// YAML as text that is written once, in one way: a value is on one line, a list of records has a line for each.
enum YAMLText {
  /// A key and what is under it.
  struct Field {
    let key: String
    let value: YAMLText

    init(_ key: String, _ value: YAMLText) {
      self.key = key
      self.value = value
    }
  }

  /// A scalar, quoted where it must be.
  case text(String)
  /// Nothing at all.
  case nothing
  /// `[a, b]`.
  case list([YAMLText])
  /// `{a: b, c: d}`.
  case record([Field])
  /// A line for each element.
  case lines([YAMLText])
  /// A line for each key.
  case fields([Field])

  /// Appends the value as it stands after a key at that indentation.
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

  /// The text as a scalar that any YAML reader takes for it: plain where every sign is harmless, else in double quotes.
  static func scalar(_ text: String) -> String {
    if isPlain(text) { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
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
      // A space ends what a colon or a dash begins, and two of them are one.
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
