import MarqueeModel

/// A JSON value whose objects preserve the order of their fields, so that output is deterministic.
package enum JSONValue: Equatable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  /// Written as `null` if not finite, since JSON cannot represent such numbers.
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([Field])

  /// A field of an object.
  package struct Field: Equatable, Sendable {
    package let name: String
    package let value: JSONValue

    package init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// Returns the value as text on one line, or indented by two spaces per level.
  package func text(isPretty: Bool) -> String {
    var text = ""
    write(to: &text, indent: isPretty ? 0 : nil)
    return text
  }

  private func write(to text: inout String, indent: Int?) {
    switch self {
    case .null: text += "null"
    case .boolean(let flag): text += flag ? "true" : "false"
    case .integer(let number): text += String(number)
    case .number(let number): text += Self.text(of: number)
    case .string(let string): Self.write(string, to: &text)
    case .array(let values):
      Self.write(values, "[", "]", to: &text, indent) { value, text, indent in
        value.write(to: &text, indent: indent)
      }
    case .object(let fields):
      Self.write(fields, "{", "}", to: &text, indent) { field, text, indent in
        Self.write(field.name, to: &text)
        text += indent == nil ? ":" : ": "
        field.value.write(to: &text, indent: indent)
      }
    }
  }

  private static func write<Element>(
    _ elements: [Element], _ open: String, _ close: String, to text: inout String, _ indent: Int?,
    _ body: (Element, inout String, Int?) -> Void
  ) {
    text += open
    for (index, element) in elements.enumerated() {
      if index > 0 { text += "," }
      if let indent { text += "\n" + String(repeating: " ", count: indent + 2) }
      body(element, &text, indent.map { $0 + 2 })
    }
    if let indent, !elements.isEmpty { text += "\n" + String(repeating: " ", count: indent) }
    text += close
  }

  private static func text(of number: Double) -> String {
    guard number.isFinite else { return "null" }
    if number == number.rounded(), number.magnitude < 1e15 { return String(Int64(saturating: number)) }
    return String(number)
  }

  private static func write(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case "\r": text += "\\r"
      case _ where scalar.isEscapedInJSON:
        for unit in UTF16.encode(scalar) ?? .init() {
          let digits = String(unit, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is escaped: JSON requires it, or it controls the terminal or the text direction, or it is
  /// invisible. Joiners and variation selectors, which scripts and emoji need, are not escaped.
  fileprivate var isEscapedInJSON: Bool {
    if isASCII { return value < 0x20 || value == 0x7F }
    switch self {
    case "\u{200C}", "\u{200D}", "\u{FE0E}", "\u{FE0F}": return false
    default: break
    }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return properties.isDefaultIgnorableCodePoint
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByBooleanLiteral {
  package init(stringLiteral value: String) { self = .string(value) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(booleanLiteral value: Bool) { self = .boolean(value) }
}
