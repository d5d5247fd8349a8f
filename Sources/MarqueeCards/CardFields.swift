import MarqueeModel
import MarqueeSchema

/// The members of an object in a card, with its path for errors.
struct CardFields {
  let path: String
  private let members: [JSONNode.Member]

  /// Creates the fields of an object.
  init(_ node: JSONNode?, _ path: String, form: String = "an object") throws(CardError) {
    guard case .object(let members)? = node else { throw .expected(form, at: path) }
    self.path = path
    self.members = members
  }

  /// Returns the path of a member.
  func path(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  /// The value of a member; `nil` if it is missing or null.
  subscript(name: String) -> JSONNode? {
    guard let value = members.first(where: { $0.name == name })?.value else { return nil }
    if case .null = value { return nil }
    return value
  }

  /// Returns the value of a member that has one of two names in the JSON form of messages.
  func either(_ name: String, _ other: String) -> JSONNode? { self[name] ?? self[other] }

  /// Returns a string that may be missing.
  func optionalString(_ name: String) throws(CardError) -> String? {
    guard let value = self[name] else { return nil }
    guard case .string(let text) = value else { throw .expected("a string", at: path(of: name)) }
    return text
  }

  /// Returns a string.
  func string(_ name: String, form: String = "a string") throws(CardError) -> String {
    guard let text = try optionalString(name) else { throw .expected(form, at: path(of: name)) }
    return text
  }

  /// Returns a Boolean value that may be missing.
  func boolean(_ name: String, default value: Bool) throws(CardError) -> Bool {
    guard let node = self[name] else { return value }
    guard case .boolean(let flag) = node else { throw .expected("true or false", at: path(of: name)) }
    return flag
  }

  /// Returns an array; empty if it is missing and may be.
  func array(_ name: String, of form: String, isOptional: Bool = false) throws(CardError) -> [JSONNode] {
    if isOptional, self[name] == nil { return [] }
    guard case .array(let values)? = self[name] else { throw .expected("an array of \(form)", at: path(of: name)) }
    return values
  }

  /// Returns a case of an enumeration, in upper or lower case; the default if it is missing.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, default value: Choice
  ) throws(CardError) -> Choice {
    guard let node = self[name] else { return value }
    if case .string(let text) = node, text.utf8.count <= 32 {
      let lower = text.lowercased()
      if let found = Choice.allCases.first(where: { $0.rawValue.lowercased() == lower }) { return found }
    }
    throw .expected(Self.list(Choice.allCases.map { "\"\($0.rawValue)\"" }), at: path(of: name))
  }

  /// Returns a text such as `"a", "b" or "c"`.
  static func list(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.joined() }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }
}

extension JSONNode {
  /// Whether the value is null, which is treated like a missing one.
  var isNull: Bool { if case .null = self { true } else { false } }
}
