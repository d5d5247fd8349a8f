import MarqueeModel
import Yams

/// A place in a policy's text, so that every error can name it.
struct PolicyNode {
  let node: Node
  /// The path, such as `rules[3].role`.
  let field: String

  func error(_ message: String) -> ConfigurationError {
    let place = node.mark.map { "line \($0.line)" } ?? "the file"
    return ConfigurationError("access-policy", "\(place): \(field.isEmpty ? "" : "\(field): ")\(message)")
  }

  /// The text of a scalar that is not empty.
  func text(_ expected: String) throws(ConfigurationError) -> String {
    guard case .scalar(let scalar) = node, !scalar.string.isEmpty else { throw error("expected \(expected)") }
    return scalar.string
  }

  /// A whole number, at least 1.
  func count() throws(ConfigurationError) -> Int {
    guard let number = Int(try text("a number")), (1...1_000_000_000).contains(number) else {
      throw error("expected a whole number from 1 to 1000000000")
    }
    return number
  }

  /// The elements of a list.
  func list(_ expected: String) throws(ConfigurationError) -> [PolicyNode] {
    guard case .sequence(let elements) = node else { throw error("expected \(expected)") }
    return elements.enumerated().map { PolicyNode(node: $1, field: "\(field)[\($0)]") }
  }

  /// What is under each key of a mapping.
  func entries(_ expected: String) throws(ConfigurationError) -> [String: PolicyNode] {
    guard case .mapping(let mapping) = node else { throw error("expected \(expected)") }
    var entries: [String: PolicyNode] = [:]
    for (key, value) in mapping {
      guard let name = key.scalar?.string else { throw error("expected plain keys") }
      entries[name] = PolicyNode(node: value, field: field.isEmpty ? name : "\(field).\(name)")
    }
    return entries
  }

  /// What is under each key of a mapping, all of whose keys are among `known`.
  func entries(_ expected: String, of known: [String]) throws(ConfigurationError) -> [String: PolicyNode] {
    let entries = try entries(expected)
    for key in entries.keys.sorted() where !known.contains(key) {
      throw (entries[key] ?? self).error("unknown key; expected \(known.joined(separator: ", "))")
    }
    return entries
  }
}
