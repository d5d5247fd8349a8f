import MarqueeModel
import Yams

/// A place in a scenario's text: a YAML node and the path that leads there, so that every error can name both.
struct ScenarioNode {
  let node: Node
  /// The path, such as `events[3].relevance[0]`.
  let field: String

  func error(_ message: String) -> ScenarioError {
    ScenarioError(line: node.mark?.line, column: node.mark?.column, field: field, message)
  }

  /// The refusal of what this place says.
  func error(_ refusal: Refusal) -> ScenarioError { error("\(refusal)") }

  /// Whether it is empty, `~` or `null`.
  var isNothing: Bool {
    guard case .scalar(let scalar) = node, scalar.style == .plain else { return false }
    return ["", "~", "null"].contains(scalar.string)
  }

  /// The text of a scalar; `expected` says what should be there.
  func text(_ expected: String) throws(ScenarioError) -> String {
    guard case .scalar(let scalar) = node, !isNothing else { throw error("expected \(expected)") }
    return scalar.string
  }

  /// What `make` reads from the text of a scalar.
  func value<Value>(
    _ expected: String, _ make: (String) throws(Refusal) -> Value
  ) throws(ScenarioError) -> Value {
    let text = try text(expected)
    do { return try make(text) } catch { throw self.error("expected \(expected): \(error)") }
  }

  /// What `make` reads from the text of a scalar, `nil` being nothing of the kind.
  func known<Value>(_ expected: String, _ make: (String) -> Value?) throws(ScenarioError) -> Value {
    guard let value = make(try text(expected)) else { throw error("expected \(expected)") }
    return value
  }

  /// What `make` builds from values that were read here.
  func checked<Value>(_ make: () throws(Refusal) -> Value) throws(ScenarioError) -> Value {
    do { return try make() } catch { throw self.error(error) }
  }

  /// The elements of a list.
  func list(_ expected: String) throws(ScenarioError) -> [ScenarioNode] {
    guard case .sequence(let elements) = node else { throw error("expected \(expected)") }
    return elements.enumerated().map { ScenarioNode(node: $1, field: "\(field)[\($0)]") }
  }

  /// What `make` reads from each element of a list.
  func list<Value>(
    _ expected: String, _ make: (ScenarioNode) throws(ScenarioError) -> Value
  ) throws(ScenarioError) -> [Value] {
    var values: [Value] = []
    for element in try list(expected) { values.append(try make(element)) }
    return values
  }

  /// The keys of a mapping and what is under each, in their order.
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

  /// What `make` reads from each key of a mapping and what is under it.
  func entries<Value>(
    _ expected: String, _ make: (String, ScenarioNode) throws(ScenarioError) -> Value
  ) throws(ScenarioError) -> [Value] {
    var values: [Value] = []
    for (key, value) in try entries(expected) { values.append(try make(key, value)) }
    return values
  }

  /// A mapping whose keys are known; each is asked for by name, and ``ScenarioFields/end()`` finds the others.
  func fields(_ expected: String) throws(ScenarioError) -> ScenarioFields {
    guard case .mapping(let mapping) = node else { throw error("expected \(expected)") }
    return ScenarioFields(place: self, mapping: mapping)
  }

  func inner(_ key: String) -> String {
    let short = key.count <= 40 ? key : key.prefix(39) + "…"
    return field.isEmpty ? short : "\(field).\(short)"
  }
}

/// The keys of a mapping that are known to mean something.
struct ScenarioFields {
  let place: ScenarioNode
  private let mapping: Node.Mapping
  private var asked: [String] = []

  init(place: ScenarioNode, mapping: Node.Mapping) {
    self.place = place
    self.mapping = mapping
  }

  /// Whether the key is there.
  func has(_ key: String) -> Bool { mapping[Node(key)] != nil }

  /// What is under `key`; `nil` when the key is absent or nothing is under it.
  mutating func take(_ key: String) -> ScenarioNode? {
    guard let node = takeAny(key), !node.isNothing else { return nil }
    return node
  }

  /// What is under `key`, even if it is nothing; `nil` when the key is absent.
  mutating func takeAny(_ key: String) -> ScenarioNode? {
    asked.append(key)
    return mapping[Node(key)].map { ScenarioNode(node: $0, field: place.inner(key)) }
  }

  /// What is under `key`, which must be there.
  mutating func require(_ key: String) throws(ScenarioError) -> ScenarioNode {
    guard let node = take(key) else { throw place.error("expected the key \(key)") }
    return node
  }

  /// Refuses a key that nobody has asked for.
  func end() throws(ScenarioError) {
    for (key, _) in mapping where !asked.contains(where: { $0 == key.scalar?.string }) {
      let name = key.scalar?.string ?? ""
      throw ScenarioNode(node: key, field: place.inner(name)).error(
        "unknown key; expected \(asked.joined(separator: ", "))")
    }
  }
}
