/// A JSON value whose members keep their order.
enum JSONValue: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral
{
  case string(String)
  case number(Int)
  case bool(Bool)
  case array([JSONValue])
  case object([(key: String, value: JSONValue)])

  init(stringLiteral value: String) { self = .string(value) }
  init(integerLiteral value: Int) { self = .number(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(elements.map { ($0.0, $0.1) }) }

  /// The text: a value that fits is on one line, and any other has a line for each member or element.
  var text: String { text(in: "", after: 0) + "\n" }

  /// Returns the text of a value that follows `prefixSize` characters after the indentation.
  private func text(in indentation: String, after prefixSize: Int) -> String {
    let line = line
    // The last character is a comma.
    if indentation.count + prefixSize + line.count < Self.lineSizeMax { return line }
    let inner = indentation + "  "
    switch self {
    case .array(let elements):
      let lines = elements.map { inner + $0.text(in: inner, after: 0) }
      return "[\n\(lines.joined(separator: ",\n"))\n\(indentation)]"
    case .object(let members):
      let lines = members.map { key, value in
        let prefix = "\(Self.quoted(key)): "
        return inner + prefix + value.text(in: inner, after: prefix.count)
      }
      return "{\n\(lines.joined(separator: ",\n"))\n\(indentation)}"
    default: return line
    }
  }

  private static let lineSizeMax = 120

  private var line: String {
    switch self {
    case .string(let text): Self.quoted(text)
    case .number(let number): "\(number)"
    case .bool(let flag): "\(flag)"
    case .array(let elements): "[\(elements.map(\.line).joined(separator: ", "))]"
    case .object(let members):
      "{\(members.map { "\(Self.quoted($0.key)): \($0.value.line)" }.joined(separator: ", "))}"
    }
  }

  private static func quoted(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    return "\"\(escaped)\""
  }
}

extension [(key: String, value: JSONValue)] {
  /// Appends a member.
  mutating func add(_ key: String, _ value: JSONValue) { append((key, value)) }
}
