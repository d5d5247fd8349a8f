import MarqueeModel
import Yams

/// A YAML node of an access policy with its path, which every error message states.
struct PolicyNode {
  let node: Node
  /// The path, such as `rules[3].role`.
  let field: String

  func error(_ message: String) -> ConfigurationError {
    let place = node.mark.map { "line \($0.line)" } ?? "the file"
    return ConfigurationError("access-policy", "\(place): \(field.isEmpty ? "" : "\(field): ")\(message)")
  }

  /// Returns the text of a nonempty scalar in Unicode normalization form C.
  func text(_ expected: String) throws(ConfigurationError) -> String {
    guard case .scalar(let scalar) = node, !scalar.string.isEmpty else { throw error("expected \(expected)") }
    guard scalar.string.isNormalized else { throw error("must be in Unicode normalization form C (NFC)") }
    return scalar.string
  }

  /// Returns an integer from 1 to 1,000,000,000.
  func count() throws(ConfigurationError) -> Int {
    guard let number = Int(try text("a number")), (1...1_000_000_000).contains(number) else {
      throw error("expected an integer from 1 to 1000000000")
    }
    return number
  }

  /// Returns the elements of a list.
  func list(_ expected: String) throws(ConfigurationError) -> [PolicyNode] {
    guard case .sequence(let elements) = node else { throw error("expected \(expected)") }
    return elements.enumerated().map { PolicyNode(node: $1, field: "\(field)[\($0)]") }
  }

  /// Returns the values of a mapping by key.
  func entries(_ expected: String) throws(ConfigurationError) -> [String: PolicyNode] {
    guard case .mapping(let mapping) = node else { throw error("expected \(expected)") }
    var entries: [String: PolicyNode] = [:]
    for (key, value) in mapping {
      guard let name = key.scalar?.string else { throw error("mapping keys must be strings") }
      guard name.isNormalized else { throw error("mapping keys must be in Unicode normalization form C (NFC)") }
      entries[name] = PolicyNode(node: value, field: field.isEmpty ? name : "\(field).\(name)")
    }
    return entries
  }

  /// Returns the values of a mapping by key; throws if a key is not among `known`.
  func entries(_ expected: String, of known: [String]) throws(ConfigurationError) -> [String: PolicyNode] {
    let entries = try entries(expected)
    for key in entries.keys.sorted() where !known.contains(key) {
      throw (entries[key] ?? self).error("unknown key; expected \(known.joined(separator: ", "))")
    }
    return entries
  }
}
