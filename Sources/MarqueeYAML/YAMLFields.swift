internal import Yams

/// The fields of a mapping with known keys.
public struct YAMLFields {
  /// The mapping.
  public let node: YAMLNode
  private let mapping: Node.Mapping
  /// The keys in order.
  private let names: [String]
  private var readNames: [String] = []

  init(node: YAMLNode, mapping: Node.Mapping) {
    self.node = node
    self.mapping = mapping
    names = mapping.map { $0.key.scalar?.string ?? "" }
  }

  /// Whether the key exists.
  public func has(_ key: String) -> Bool { names.contains(key) }

  /// Returns the value of `key` and marks the key as read; `nil` if the key is absent or its value is null.
  public mutating func read(_ key: String) -> YAMLNode? {
    guard let node = readIncludingNull(key), !node.isNull else { return nil }
    return node
  }

  /// Returns the value of `key`, even if it is null, and marks the key as read; `nil` if the key is absent.
  public mutating func readIncludingNull(_ key: String) -> YAMLNode? {
    readNames.append(key)
    return names.firstIndex(of: key).map { YAMLNode(node: mapping[$0].value, field: node.path(to: key)) }
  }

  /// Returns the value of a required key and marks the key as read.
  public mutating func require(_ key: String) throws(YAMLError) -> YAMLNode {
    guard let node = read(key) else { throw self.node.error("expected the key \(key)") }
    return node
  }

  /// Rejects the mapping if a key was not read.
  public func rejectUnreadKeys() throws(YAMLError) {
    for (index, name) in names.enumerated() where !readNames.contains(name) {
      throw YAMLNode(node: mapping[index].key, field: node.path(to: name)).error(
        "unknown key; expected \(readNames.joined(separator: ", "))")
    }
  }
}
