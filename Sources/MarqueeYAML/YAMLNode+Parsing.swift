import MarqueeModel
internal import Yams

extension YAMLNode {
  /// The maximum nesting depth of lists and mappings.
  public static let depthMax = 16

  /// Parses a document. Returns `nil` if the text contains none.
  ///
  /// The time is proportional to the size of the text, whatever it contains. Aliases, anchors, duplicate keys, keys
  /// that are not strings in Unicode Normalization Form C, a depth of more than ``depthMax`` and a second document are
  /// errors.
  ///
  /// - Throws: ``YAMLError`` with the location of the first problem.
  public init?(yaml text: String) throws(YAMLError) {
    if let hazard = YAMLHazard(in: text) { throw YAMLError(line: hazard.line, hazard.reason) }
    let root: Node?
    // Anchors are known only while their parser exists.
    let parser: Parser
    do {
      parser = try Parser(yaml: text, resolver: .basic)
      root = try parser.singleRoot()
    } catch let error as YamlError {
      throw YAMLError(error)
    } catch {
      throw YAMLError("invalid YAML")
    }
    guard let root else { return nil }
    self.init(node: root, field: "")
    try withExtendedLifetime(parser) { () throws(YAMLError) in try Self.check(root, depth: 1) }
  }

  private static func check(_ node: Node, depth: Int) throws(YAMLError) {
    let place = YAMLNode(node: node, field: "")
    guard node.anchor == nil else { throw place.error("anchors are not supported") }
    guard depth <= depthMax else { throw place.error("nested deeper than \(depthMax)") }
    switch node {
    case .mapping(let mapping):
      for (key, value) in mapping {
        try check(key, depth: depth + 1)
        try checkKey(key)
        try check(value, depth: depth + 1)
      }
    case .sequence(let elements):
      for element in elements { try check(element, depth: depth + 1) }
    case .alias: throw place.error("YAML aliases are not supported")
    case .scalar: break
    }
  }

  private static func checkKey(_ key: Node) throws(YAMLError) {
    let place = YAMLNode(node: key, field: "")
    // A key with a tag of its own could be a duplicate of one without.
    guard case .scalar(let scalar) = key, ["", Tag.Name.str.rawValue].contains(scalar.tag.rawValue) else {
      throw place.error("mapping keys must be strings")
    }
    guard scalar.string.isNormalized else {
      throw place.error("mapping keys must be in Unicode normalization form C (NFC)")
    }
  }
}

extension YAMLError {
  fileprivate init(_ error: YamlError) {
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      self.init(line: mark.line, column: mark.column, "invalid YAML: \(problem)")
    case .duplicatedKeysInMapping(let keys, let context):
      self.init(line: context.mark.line, column: context.mark.column, "duplicate key \(keys.first ?? "")")
    case .reader(let problem, _, _, _): self.init("invalid YAML: \(problem)")
    default: self.init("invalid YAML")
    }
  }
}
