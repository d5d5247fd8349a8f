import Foundation
import MarqueeCards
import Testing

/// The published schema, compared with the reader.
@Suite struct SchemaTests {
  private static let article = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources/MarqueeCards/MarqueeCards.docc")

  private static func schema() throws -> CardSchema {
    let data = try Data(contentsOf: article.appending(path: "Resources/card.schema.json"))
    return CardSchema(root: try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any]))
  }

  private static func value(_ text: String) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
  }

  /// The JSON texts of the article.
  private static func examples() throws -> [String] {
    let text = try String(contentsOf: article.appending(path: "Cards.md"), encoding: .utf8)
    return text.matches(of: #/```json\n(?<json>[^`]*)```/#).map { String($0.json) }
  }

  @Test("The schema accepts the cards that the reader accepts")
  func valid() throws {
    let schema = try Self.schema()
    let lower = Sample.everything.replacing("\"Large\"", with: "\"large\"")
    let written = String(decoding: try Sample.reading(lower).card.json, as: UTF8.self)
    let unknown = Sample.card(
      #"{"type": "Media", "fallback": {"type": "Chart", "fallback": "drop"}}"#, actions: #"{"type": "Action.Submit"}"#)
    for text in [lower, written, Sample.card(""), unknown, try Self.examples()[0]] {
      #expect(Sample.error(text) == "none")
      #expect(schema.accepts(try Self.value(text)), "\(text)")
    }
  }

  @Test("The schema rejects the cards that the reader rejects", arguments: Sample.invalid)
  func invalid(sample: Sample.Invalid) throws {
    // A schema cannot compare the numbers of cells and columns, or require a value unless another member is set.
    guard !sample.error.contains("one for each column") else { return }
    #expect(!(try Self.schema().accepts(try Self.value(sample.text))), "\(sample.error)")
  }

  @Test("The schema's words are those of the reader")
  func words() throws {
    let definitions = try #require(try Self.schema().root["$defs"] as? [String: [String: Any]])
    func words(_ name: String) -> [String] { definitions[name]?["enum"] as? [String] ?? [] }
    #expect(Set(words("size")) == Set(Card.TextSize.allCases.map(\.rawValue)))
    #expect(Set(words("weight")) == Set(Card.TextWeight.allCases.map(\.rawValue)))
    #expect(Set(words("color")) == Set(Card.TextColor.allCases.map(\.rawValue)))
    #expect(Set(words("alignment")) == Set(Card.Alignment.allCases.map(\.rawValue)))
    #expect(Set(words("style")) == Set(Card.ContainerStyle.allCases.map(\.rawValue)))
    #expect(Set(words("actionStyle")) == Set(Card.Action.Style.allCases.map(\.rawValue)))
  }

  @Test("The article's examples are cards with the text that it shows, and it lists the limits")
  func example() throws {
    let examples = try Self.examples()
    let card = try Sample.reading(examples[0]).card
    let text = try String(contentsOf: Self.article.appending(path: "Cards.md"), encoding: .utf8)
    #expect(text.contains("```\n" + card.text(width: 40).joined(separator: "\n") + "\n```"))
    #expect(Sample.error(Sample.card(examples[1])) == "none")
    for word in ["65,536", "\(Card.depthMax) levels", "\(Card.elementCountMax) elements", Card.mediaType] {
      #expect(text.contains(word), "\(word)")
    }
  }
}

/// The keywords of JSON Schema that the schema of cards uses.
struct CardSchema {
  let root: [String: Any]

  func accepts(_ value: Any) -> Bool { accepts(value, root) }

  private func accepts(_ value: Any, _ schema: [String: Any]) -> Bool {
    schema.allSatisfy { key, rule in
      switch key {
      case "$ref": accepts(value, definition(rule))
      case "anyOf": ((rule as? [[String: Any]]) ?? []).contains { accepts(value, $0) }
      case "not": !accepts(value, rule as? [String: Any] ?? [:])
      case "type": hasType(value, rule as? String ?? "")
      case "const": isEqual(value, rule)
      case "enum": ((rule as? [Any]) ?? []).contains { isEqual(value, $0) }
      case "required": has(value, rule as? [String] ?? [])
      case "properties": acceptsMembers(of: value, rule as? [String: [String: Any]] ?? [:])
      case "items": (value as? [Any]).map { $0.allSatisfy { accepts($0, rule as? [String: Any] ?? [:]) } } ?? true
      case "pattern": matches(value, rule as? String ?? "")
      case "minimum": number(value).map { $0 >= number(rule) ?? 0 } ?? true
      case "maximum": number(value).map { $0 <= number(rule) ?? 0 } ?? true
      case "maxItems": (value as? [Any]).map { Double($0.count) <= number(rule) ?? 0 } ?? true
      case "$schema", "title", "$defs": true
      default: false
      }
    }
  }

  private func has(_ value: Any, _ names: [String]) -> Bool {
    guard let object = value as? [String: Any] else { return true }
    return names.allSatisfy { object[$0] != nil }
  }

  private func acceptsMembers(of value: Any, _ rules: [String: [String: Any]]) -> Bool {
    guard let object = value as? [String: Any] else { return true }
    return rules.allSatisfy { name, rule in object[name].map { accepts($0, rule) } ?? true }
  }

  private func matches(_ value: Any, _ pattern: String) -> Bool {
    (value as? String).map { $0.range(of: pattern, options: .regularExpression) != nil } ?? true
  }

  private func definition(_ reference: Any) -> [String: Any] {
    let name = (reference as? String)?.split(separator: "/").last.map(String.init) ?? ""
    return (root["$defs"] as? [String: [String: Any]])?[name] ?? ["not": [String: Any]()]
  }

  private func isBoolean(_ value: Any) -> Bool {
    (value as? NSNumber).map { String(cString: $0.objCType) == "c" } ?? (value is Bool)
  }

  private func number(_ value: Any) -> Double? { isBoolean(value) ? nil : (value as? NSNumber)?.doubleValue }

  private func isEqual(_ value: Any, _ other: Any) -> Bool {
    if let text = value as? String { return text == other as? String }
    return isBoolean(value) && isBoolean(other) && value as? Bool == other as? Bool
  }

  private func hasType(_ value: Any, _ type: String) -> Bool {
    switch type {
    case "object": value is [String: Any]
    case "array": value is [Any]
    case "string": value is String
    case "boolean": isBoolean(value)
    case "integer": number(value).map { $0 == $0.rounded() } ?? false
    case "number": number(value) != nil
    default: false
    }
  }
}
