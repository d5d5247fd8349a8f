/// A field of a message as a property of its Swift type, and the code that decodes and encodes it.
struct Property {
  /// The representation of a field.
  enum Form {
    case text, identifier, bytes, flag, enumeration, message
    case instant, span
    /// A number of the same type in C.
    case number
    /// An `Int` that is a 32-bit number in C.
    case int
    /// An `Int` that is a `UInt64` in C.
    case count
    case finite, natural
    /// A maximum number of results.
    case limit
    /// A Swift type that wraps a `number`, and validates it.
    case wrapper
  }

  let field: ProtoField
  let rule: Mapping.Field
  let form: Form
  let name: String
  /// The type of the property, or of its elements.
  let type: String
  let isOptional: Bool
  private let message: ProtoMessage

  init(_ field: ProtoField, of message: ProtoMessage, _ mapping: Mapping) {
    var rule = mapping.message(message.name).fields[field.name] ?? Mapping.Field()
    if let general = mapping.fields[field.name] { rule.merge(general, isText: field.kind == .string) }
    self.field = field
    self.rule = rule
    self.message = message
    (form, type) = Self.form(field, rule, mapping)
    isOptional = rule.isOptional || field.oneof?.isOptionalField == true
    name = rule.property ?? Self.name(field, form)
  }

  private static func form(_ field: ProtoField, _ rule: Mapping.Field, _ mapping: Mapping) -> (Form, String) {
    switch field.kind {
    case .string:
      let type = rule.type ?? "String"
      return (type == "String" ? .text : .identifier, type)
    case .bytes: return (.bytes, "[UInt8]")
    case .bool: return (.flag, "Bool")
    case .double: return (rule.isUnchecked ? .number : .finite, "Double")
    case .message: return (.message, rule.type ?? mapping.message(field.typeName).type)
    case .enum: return (.enumeration, rule.type ?? mapping.enums[field.typeName]?.type ?? field.typeName)
    case .int64:
      guard let type = rule.type else {
        return field.name.hasSuffix("_ms") ? (.instant, "Instant") : (rule.isNatural ? .natural : .number, "Int64")
      }
      return (type == "TimeSpan" ? .span : .number, type)
    case .uint64:
      let type = rule.type ?? "UInt64"
      return (type == "UInt64" ? .number : type == "Int" ? .count : .wrapper, type)
    case .int32, .uint32: return (rule.limits != nil ? .limit : rule.isNatural ? .natural : .int, "Int")
    }
  }

  private static func name(_ field: ProtoField, _ form: Form) -> String {
    switch form {
    case .flag where !field.name.hasPrefix("is_") && !field.name.hasPrefix("has_"):
      "is" + camelCase(field.name, isUpper: true)
    case .instant, .span: camelCase(field.name.dropLast("_ms".count))
    case .limit: camelCase(field.name.dropLast("_max".count))
    default: camelCase(field.name)
    }
  }

  /// The property's type.
  var fullType: String { (field.isRepeated ? "[\(type)]" : type) + (isOptional ? "?" : "") }

  /// The paragraphs of the documentation. The words for the default of a field are those for an absent value.
  var documentation: [String] {
    var paragraphs = field.comment
    if paragraphs.isEmpty { fail("\(message.name).\(field.name) has no comment") }
    if form == .limit { return ["\(paragraphs[0].prefix { $0 != ";" }), in `1 ... \(name)Max`."] }
    guard isOptional else { return paragraphs }
    if paragraphs[0].hasPrefix("Absent ") { paragraphs[0] = "`nil` " + paragraphs[0].dropFirst("Absent ".count) }
    for word in ["absent", "empty", "unspecified", "0"] {
      paragraphs[0] = paragraphs[0].replacing("; \(word) ", with: "; `nil` ")
    }
    return paragraphs
  }

  // MARK: Decoding

  private var source: String { "message.\(field.name)" }

  /// Whether the decoded expression throws.
  var isThrowing: Bool {
    switch form {
    case .bytes, .flag, .span, .number, .int: field.isRepeated
    default: true
    }
  }

  /// The constant that states whether an optional field of a oneof is set, and its value.
  var presence: (name: String, condition: String)? {
    guard let oneof = field.oneof, oneof.isOptionalField else { return nil }
    let name = "has" + camelCase(oneof.name.dropFirst("maybe_".count), isUpper: true)
    return (name, "message.\(oneof.name)_case == \(CNames.oneofCase(oneof, field, of: message))")
  }

  /// The expression that decodes the field.
  var decoded: String {
    if field.isRepeated { return decodedArray }
    if let presence { return "\(presence.name) ? \(decodedValue) : nil" }
    guard isOptional else { return decodedValue }
    switch form {
    case .identifier: return "Field.identifierIfPresent(\(source), \"\(field.name)\")"
    case .message: return "Field.optional(\(source), \"\(field.name)\")"
    case .enumeration: return "\(source).rawValue == 0 ? nil : \(decodedValue)"
    case .number: return "\(source) == 0 ? nil : \(decodedValue)"
    default: fail("\(message.name).\(field.name) cannot be optional")
    }
  }

  private var decodedArray: String {
    let function =
      switch form {
      case .message: "array"
      case .identifier: "identifiers"
      case .text: "texts"
      default: fail("\(message.name).\(field.name) cannot be repeated")
      }
    return "Field.\(function)(message.n_\(field.name), \(source), \"\(field.name)\")"
  }

  private var decodedValue: String {
    let name = "\"\(field.name)\""
    return switch form {
    case .text: "Field.text(\(source), \(name))"
    case .identifier: "Field.identifier(\(source), \(name))"
    case .bytes: "Field.bytes(\(source))"
    case .flag: "\(source) != 0"
    case .enumeration, .wrapper: "\(type)(\(source), \(name))"
    case .message: "Field.required(\(source), \(name))"
    case .instant: "Field.instant(\(source), \(name))"
    case .span: "TimeSpan(milliseconds: \(source))"
    case .number: source
    case .int: "Int(\(source))"
    case .count: "Field.count(\(source), \(name))"
    case .finite: "Field.finite(\(source), \(name))"
    case .natural: type == "Int" ? "Int(Field.natural(\(source), \(name)))" : "Field.natural(\(source), \(name))"
    case .limit:
      "Field.count(\(source), \(name), default: Self.\(self.name)Default, maximum: Self.\(self.name)Max)"
    }
  }

  // MARK: Encoding

  /// The statements that encode the property.
  var encoded: [String] {
    let value = rule.derived ?? (["message", "scratch"].contains(name) ? "self.\(name)" : name)
    if field.isRepeated {
      let elements = form == .message ? "array(\(value))" : "elements(\(value)) { scratch.text($0) }"
      return ["(message.n_\(field.name), \(source)) = scratch.\(elements)"]
    }
    let assignment = "\(source) = \(encodedValue(value))"
    if let oneof = field.oneof, oneof.isOptionalField {
      let selection = "message.\(oneof.name)_case = \(CNames.oneofCase(oneof, field, of: message))"
      return ["if let \(value) {", selection, assignment, "}"]
    }
    switch form {
    case .enumeration where isOptional: return ["if let \(value) { \(assignment) }"]
    case .number where isOptional: return ["\(assignment) ?? 0"]
    default: return [assignment]
    }
  }

  private func encodedValue(_ value: String) -> String {
    switch form {
    case .text, .identifier: "scratch.text(\(value))"
    case .bytes: "scratch.bytes(\(value))"
    case .flag: "\(value) ? 1 : 0"
    case .enumeration: "\(CNames.type(field.typeName, in: message.package))(\(value))"
    case .message: "scratch.message(\(value))"
    case .instant, .span: "\(value).milliseconds"
    case .number, .finite: value
    case .int: "\(field.kind == .int32 ? "Int32" : "UInt32")(clamping: \(value))"
    case .count: "UInt64(\(value))"
    case .natural: type == "Int" ? "\(field.kind == .int32 ? "Int32" : "UInt32")(clamping: \(value))" : value
    case .limit: "UInt32(\(value))"
    case .wrapper: "\(value).number"
    }
  }
}
