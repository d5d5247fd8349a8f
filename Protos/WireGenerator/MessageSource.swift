/// The generated Swift declarations of a message.
struct MessageSource {
  private let message: ProtoMessage
  private let rule: Mapping.Message
  private let properties: [Property]

  init(_ message: ProtoMessage, _ mapping: Mapping) {
    let rule = mapping.message(message.name)
    self.message = message
    self.rule = rule
    let ordered = rule.order.compactMap { name in message.fields.first { $0.name == name } }
    let fields = rule.order.isEmpty ? message.fields : ordered
    if fields.count != message.fields.count { fail("the order of \(message.name) is incomplete") }
    properties = fields.map { Property($0, of: message, mapping) }
    let isMechanical = message.fields.allSatisfy { $0.oneof?.isOptionalField != false }
    if !isMechanical, rule.scope != .hand { fail("\(message.name) has a oneof, so it must be written by hand") }
  }

  var hasStructure: Bool { rule.scope == .message || rule.scope == .struct }
  var hasCodec: Bool { rule.scope == .message || rule.scope == .codec }

  /// The types of the structure's properties.
  var propertyTypes: [String] { properties.map(\.type) }

  private var stored: [Property] { properties.filter { $0.rule.derived == nil } }

  /// The conformance of the C structure.
  var conformance: [String] {
    [
      "extension \(CNames.type(message.name, in: message.package)): CMessage {",
      "static var initialize: Initializer { \(CNames.initializer(message)) }", "}", "",
    ]
  }

  /// The structure with its documentation.
  var structure: [String] {
    let path = rule.type.split(separator: ".").map(String.init)
    if message.comment.isEmpty { fail("\(message.name) has no comment") }
    var lines = document(message.comment, at: path.count - 1)
    lines += ["public struct \(path.last ?? ""): Hashable, Sendable {"] + limits
    for property in stored {
      lines += document(property.documentation, at: path.count)
      lines.append("public \(property.form == .limit ? "let" : "var") \(property.name): \(shortType(property))")
    }
    if !stored.isEmpty { lines.append("") }
    lines += initializer + ["}"]
    for outer in path.dropLast().reversed() { lines = ["extension \(outer) {"] + lines + ["}"] }
    return lines + [""]
  }

  /// Returns the type of a property, as it is named within the structure.
  private func shortType(_ property: Property) -> String { property.fullType.replacing("\(rule.type).", with: "") }

  private var limits: [String] {
    stored.filter { $0.form == .limit }.flatMap { property in
      [
        "/// The default of ``\(property.name)``.",
        "public static let \(property.name)Default = \(property.rule.limits?.default ?? "")",
        "/// The maximum of ``\(property.name)``.",
        "public static let \(property.name)Max = \(property.rule.limits?.maximum ?? "")", "",
      ]
    }
  }

  private var initializer: [String] {
    let noun = rule.noun ?? Mapping.words(of: rule.type).split(separator: " ").last.map(String.init) ?? ""
    var summary = "/// Creates \("aeio".contains(noun.prefix(1)) ? "an" : "a") \(noun)."
    for property in stored where property.form == .limit {
      summary += " Clamps `\(property.name)` to `1 ... \(property.name)Max`."
    }
    guard !stored.isEmpty else { return [summary, "public init() {}"] }
    let parameters = stored.map { property in
      let label = property.rule.label.map { "\($0) " } ?? ""
      return "\(label)\(property.name): \(shortType(property))\(defaultValue(property).map { " = \($0)" } ?? "")"
    }
    let assignments = stored.map { property in
      let name = property.name
      return "self.\(name) = \(property.form == .limit ? "min(max(\(name), 1), Self.\(name)Max)" : name)"
    }
    return [summary, "public init(\(parameters.joined(separator: ", "))) {"] + assignments + ["}"]
  }

  /// Returns the default of a parameter. Those of requests are optional if the property is.
  private func defaultValue(_ property: Property) -> String? {
    if let value = property.rule.defaultValue { return value }
    if property.form == .limit { return "\(property.name)Default" }
    return property.isOptional && message.name.hasSuffix("Request") ? "nil" : nil
  }

  /// The conformance to `WireValue`.
  var codec: [String] {
    let isThrowing = rule.isThrowing || stored.contains { $0.isThrowing }
    let arguments = stored.map { property in
      let label = property.rule.label ?? property.name
      return (label == "_" ? "" : "\(label): ") + property.decoded
    }
    let type = CNames.type(message.name, in: message.package)
    var lines = ["extension \(rule.type): WireValue {"]
    if stored.isEmpty {
      lines.append("init(_ message: \(type)) {}")
    } else {
      lines.append("init(_ message: \(type)) \(isThrowing ? "throws(RequestError) " : ""){")
      lines += stored.compactMap(\.presence).map { "let \($0.name) = \($0.condition)" }
      lines += ["\(isThrowing ? "try " : "")self.init(\(arguments.joined(separator: ", ")))", "}"]
    }
    lines.append("")
    guard !properties.isEmpty else {
      return lines + ["func fill(_ message: inout \(type), _ scratch: EncodeScratch) {}", "}", ""]
    }
    lines.append("func fill(_ message: inout \(type), _ scratch: EncodeScratch) {")
    return lines + properties.flatMap(\.encoded) + ["}", "}", ""]
  }
}

/// Returns the code between an enumeration of a .proto file and its Swift type, which have the same numbers.
func codec(of enumeration: String, _ rule: Mapping.Enumeration, in package: String) -> [String] {
  let type = CNames.type(enumeration, in: package)
  var lines = [
    "extension \(rule.type) {", "/// Decodes a value of the field `name`.",
    "init(_ value: \(type), _ name: String) throws(RequestError) {",
  ]
  if let unspecified = rule.unspecified {
    lines += ["guard value.rawValue != 0 else {", "self = .\(unspecified)", "return", "}"]
  }
  let message = "\"unknown \(rule.noun): \\(Int32(bitPattern: value.rawValue))\""
  return lines + [
    "guard let known = UInt8(exactly: value.rawValue).flatMap(Self.init(rawValue:)) else {",
    "throw RequestError(.invalidArgument, field: name, \(message))", "}",
    "self = known", "}", "}", "",
    "extension \(type) {", "init(_ value: \(rule.type)) {", "self.init(rawValue: UInt32(value.rawValue))", "}", "}", "",
  ]
}

/// Returns the lines of a documentation comment at an indentation level, wrapped at 120 characters.
func document(_ paragraphs: [String], at level: Int) -> [String] {
  let width = 120 - 2 * level
  var lines: [String] = []
  for paragraph in paragraphs {
    if !lines.isEmpty { lines.append("///") }
    var line = "///"
    for word in paragraph.split(separator: " ") {
      if line.count + 1 + word.count > width {
        lines.append(line)
        line = "///"
      }
      line += " \(word)"
    }
    lines.append(line)
  }
  return lines
}
