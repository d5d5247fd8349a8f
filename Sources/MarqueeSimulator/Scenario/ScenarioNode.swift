import MarqueeModel
import Yams

/// A YAML node of a scenario and its path, for error messages.
struct ScenarioNode {
  let node: Node
  /// The path, such as `events[3].relevance[0]`.
  let field: String

  func error(_ message: String) -> ScenarioError {
    ScenarioError(line: node.mark?.line, column: node.mark?.column, field: field, message)
  }

  /// Converts a request error to an error at this node.
  func error(_ refusal: RequestError) -> ScenarioError { error("\(refusal)") }

  /// Whether the node is empty, `~` or `null`.
  var isNothing: Bool {
    guard case .scalar(let scalar) = node, scalar.style == .plain else { return false }
    return ["", "~", "null"].contains(scalar.string)
  }

  /// Returns the text of a scalar. `expected` describes it in errors.
  func text(_ expected: String) throws(ScenarioError) -> String {
    guard case .scalar(let scalar) = node, !isNothing else { throw error("expected \(expected)") }
    return scalar.string
  }

  /// Parses the text of a scalar with `make`.
  func value<Value>(
    _ expected: String, _ make: (String) throws(RequestError) -> Value
  ) throws(ScenarioError) -> Value {
    let text = try text(expected)
    do { return try make(text) } catch { throw self.error("expected \(expected): \(error)") }
  }

  /// Parses the text of a scalar with `make`, where `nil` means an invalid text.
  func known<Value>(_ expected: String, _ make: (String) -> Value?) throws(ScenarioError) -> Value {
    guard let value = make(try text(expected)) else { throw error("expected \(expected)") }
    return value
  }

  /// Builds a value with `make` and locates its errors at this node.
  func checked<Value>(_ make: () throws(RequestError) -> Value) throws(ScenarioError) -> Value {
    do { return try make() } catch { throw self.error(error) }
  }

  /// Returns the elements of a list.
  func list(_ expected: String) throws(ScenarioError) -> [ScenarioNode] {
    guard case .sequence(let elements) = node else { throw error("expected \(expected)") }
    return elements.enumerated().map { ScenarioNode(node: $1, field: "\(field)[\($0)]") }
  }

  /// Parses each element of a list with `make`.
  func list<Value>(
    _ expected: String, _ make: (ScenarioNode) throws(ScenarioError) -> Value
  ) throws(ScenarioError) -> [Value] {
    var values: [Value] = []
    for element in try list(expected) { values.append(try make(element)) }
    return values
  }

  /// Returns the keys of a mapping and their values, in order.
  func entries(_ expected: String) throws(ScenarioError) -> [(key: String, value: ScenarioNode)] {
    guard case .mapping(let mapping) = node else { throw error("expected \(expected)") }
    var entries: [(String, ScenarioNode)] = []
    for (key, value) in mapping {
      guard case .scalar(let scalar) = key else {
        throw ScenarioNode(node: key, field: field).error("expected a plain key")
      }
      entries.append((scalar.string, ScenarioNode(node: value, field: inner(scalar.string))))
    }
    return entries
  }

  /// Parses each key of a mapping and its value with `make`.
  func entries<Value>(
    _ expected: String, _ make: (String, ScenarioNode) throws(ScenarioError) -> Value
  ) throws(ScenarioError) -> [Value] {
    var values: [Value] = []
    for (key, value) in try entries(expected) { values.append(try make(key, value)) }
    return values
  }

  /// Returns the fields of a mapping, which are read by name; ``ScenarioFields/end()`` rejects the unread ones.
  func fields(_ expected: String) throws(ScenarioError) -> ScenarioFields {
    guard case .mapping(let mapping) = node else { throw error("expected \(expected)") }
    return ScenarioFields(place: self, mapping: mapping)
  }

  func inner(_ key: String) -> String {
    let short = key.count <= 40 ? key : key.prefix(39) + "…"
    return field.isEmpty ? short : "\(field).\(short)"
  }
}

/// The fields of a mapping with known keys.
struct ScenarioFields {
  let place: ScenarioNode
  private let mapping: Node.Mapping
  private var readKeys: [String] = []

  init(place: ScenarioNode, mapping: Node.Mapping) {
    self.place = place
    self.mapping = mapping
  }

  /// Whether the key exists.
  func has(_ key: String) -> Bool { mapping[Node(key)] != nil }

  /// Returns the value of `key` and marks the key as read; `nil` if the key is absent or its value is empty.
  mutating func read(_ key: String) -> ScenarioNode? {
    guard let node = readAllowingEmpty(key), !node.isNothing else { return nil }
    return node
  }

  /// Returns the value of `key`, even if empty, and marks the key as read; `nil` if the key is absent.
  mutating func readAllowingEmpty(_ key: String) -> ScenarioNode? {
    readKeys.append(key)
    return mapping[Node(key)].map { ScenarioNode(node: $0, field: place.inner(key)) }
  }

  /// Returns the value of a required key and marks the key as read.
  mutating func require(_ key: String) throws(ScenarioError) -> ScenarioNode {
    guard let node = read(key) else { throw place.error("expected the key \(key)") }
    return node
  }

  /// Throws if a key was not read.
  func end() throws(ScenarioError) {
    for (key, _) in mapping where !readKeys.contains(where: { $0 == key.scalar?.string }) {
      let name = key.scalar?.string ?? ""
      throw ScenarioNode(node: key, field: place.inner(name)).error(
        "unknown key; expected \(readKeys.joined(separator: ", "))")
    }
  }
}
