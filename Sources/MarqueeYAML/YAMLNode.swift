public import MarqueeModel
internal import Yams

/// A node of a YAML document, with its location and path for error messages.
///
/// A plain scalar is text, whatever it looks like: callers decide which texts are numbers.
public struct YAMLNode {
  /// The kinds of nodes.
  public enum Kind: Sendable {
    case scalar, list, mapping
  }

  let node: Node
  /// The path, such as `events[3].relevance[0]`, or an empty string for the root.
  public let field: String

  init(node: Node, field: String) {
    self.node = node
    self.field = field
  }

  /// The kind of the node.
  public var kind: Kind {
    switch node {
    // The parser rejects aliases.
    case .scalar, .alias: .scalar
    case .sequence: .list
    case .mapping: .mapping
    }
  }

  /// The line, counted from 1.
  public var line: Int? { node.mark?.line }

  /// The column, counted from 1 in Unicode scalars.
  public var column: Int? { node.mark?.column }

  /// Creates an error at this node.
  public func error(_ message: String) -> YAMLError {
    YAMLError(line: node.mark?.line, column: node.mark?.column, field: field, message)
  }

  /// Converts a request error to an error at this node.
  public func error(_ error: RequestError) -> YAMLError { self.error("\(error)") }

  /// Builds a value with `make` and locates its errors at this node.
  public func checked<Value>(_ make: () throws(RequestError) -> Value) throws(YAMLError) -> Value {
    do { return try make() } catch { throw self.error(error) }
  }
}

// MARK: Scalars

extension YAMLNode {
  /// Whether the node is empty, `~` or `null`, without quotation marks.
  public var isNull: Bool {
    guard case .scalar(let scalar) = node, scalar.style == .plain else { return false }
    return ["", "~", "null"].contains(scalar.string)
  }

  /// The text of a scalar, even if it is null, or `nil` for a list or mapping.
  public var scalarText: String? { node.scalar?.string }

  /// Whether the node is a scalar without quotation marks.
  public var isPlain: Bool { node.scalar?.style == .plain }

  /// Returns the text of a scalar that is not null. `expected` describes it in errors.
  public func text(_ expected: String) throws(YAMLError) -> String {
    guard case .scalar(let scalar) = node, !isNull else { throw error("expected \(expected)") }
    return scalar.string
  }

  /// Parses the text of a scalar with `make`.
  public func value<Value>(
    _ expected: String, _ make: (String) throws(RequestError) -> Value
  ) throws(YAMLError) -> Value {
    let text = try text(expected)
    do { return try make(text) } catch { throw self.error("expected \(expected): \(error)") }
  }

  /// Parses the text of a scalar with `make`, where `nil` means an invalid text.
  public func parsed<Value>(_ expected: String, _ make: (String) -> Value?) throws(YAMLError) -> Value {
    guard let value = make(try text(expected)) else { throw error("expected \(expected)") }
    return value
  }

  /// Returns a finite number.
  public func number() throws(YAMLError) -> Double {
    try parsed("a finite number") { Double($0).flatMap { $0.isFinite ? $0 : nil } }
  }
}

// MARK: Lists and mappings

extension YAMLNode {
  /// Returns the elements of a list.
  public func list(_ expected: String) throws(YAMLError) -> [YAMLNode] {
    guard case .sequence(let elements) = node else { throw error("expected \(expected)") }
    return elements.enumerated().map { YAMLNode(node: $1, field: "\(field)[\($0)]") }
  }

  /// Parses each element of a list with `make`.
  public func list<Value>(
    _ expected: String, _ make: (YAMLNode) throws(YAMLError) -> Value
  ) throws(YAMLError) -> [Value] {
    var values: [Value] = []
    for element in try list(expected) { values.append(try make(element)) }
    return values
  }

  /// A key of a mapping and its value.
  public struct Entry {
    /// The key, whose path is that of the value.
    public let key: YAMLNode
    /// The text of the key.
    public let name: String
    /// The value.
    public let value: YAMLNode
  }

  /// Returns the keys of a mapping and their values, in order.
  public func entries(_ expected: String) throws(YAMLError) -> [Entry] {
    guard case .mapping(let mapping) = node else { throw error("expected \(expected)") }
    return mapping.map { key, value in
      let name = key.scalar?.string ?? ""
      let field = path(to: name)
      return Entry(key: YAMLNode(node: key, field: field), name: name, value: YAMLNode(node: value, field: field))
    }
  }

  /// Parses each key of a mapping and its value with `make`.
  public func entries<Value>(
    _ expected: String, _ make: (String, YAMLNode) throws(YAMLError) -> Value
  ) throws(YAMLError) -> [Value] {
    var values: [Value] = []
    for entry in try entries(expected) { values.append(try make(entry.name, entry.value)) }
    return values
  }

  /// Returns the value of a key, even if it is null, or `nil` if the node is no mapping or the key is absent.
  public subscript(key: String) -> YAMLNode? {
    guard case .mapping(let mapping) = node else { return nil }
    return mapping.first { $0.key.scalar?.string == key }.map { YAMLNode(node: $0.value, field: path(to: key)) }
  }

  /// Returns the fields of a mapping, which are read by name.
  ///
  /// ``YAMLFields/rejectUnreadKeys()`` rejects the keys that were not read.
  public func fields(_ expected: String) throws(YAMLError) -> YAMLFields {
    guard case .mapping(let mapping) = node else { throw error("expected \(expected)") }
    return YAMLFields(node: self, mapping: mapping)
  }

  func path(to key: String) -> String {
    let short = key.count <= 40 ? key : key.prefix(39) + "…"
    return field.isEmpty ? short : "\(field).\(short)"
  }
}
