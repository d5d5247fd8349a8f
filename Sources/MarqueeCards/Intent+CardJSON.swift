import MarqueeModel
import MarqueeSchema

// The JSON form of intents in the wire protocol, by the proto3 mapping.

extension Intent {
  /// Reads an intent.
  init(card fields: CardFields) throws(CardError) {
    let type = try Self.checked(fields.path(of: "type"), fields.string("type")) { text throws(RequestError) in
      try IntentType(text)
    }
    var parameters: [IntentParameter] = []
    for (index, node) in try fields.array("parameters", of: "parameters", isOptional: true).enumerated() {
      let path = "\(fields.path(of: "parameters"))[\(index)]"
      parameters.append(try IntentParameter(card: CardFields(node, path, form: "a parameter")))
    }
    self = try Self.checked(fields.path, parameters) { parameters throws(RequestError) in
      try Intent(type: type, parameters: parameters)
    }
  }

  /// Returns a value of the model, or throws the reason why it is invalid.
  fileprivate static func checked<Input, Output>(
    _ path: String, _ input: Input, _ body: (Input) throws(RequestError) -> Output
  ) throws(CardError) -> Output {
    do { return try body(input) } catch { throw CardError(path, "\(error)") }
  }

  /// The intent as JSON.
  var cardJSON: JSONNode {
    var members = [JSONNode.Member("type", .string(type.text))]
    if !parameters.isEmpty { members.append(.init("parameters", .array(parameters.map(\.cardJSON)))) }
    return .object(members)
  }
}

extension IntentParameter {
  fileprivate init(card fields: CardFields) throws(CardError) {
    let name = try Intent.checked(fields.path(of: "name"), fields.string("name")) { text throws(RequestError) in
      try IntentParameter.Name(text)
    }
    let isArray = try fields.boolean(fields["is_array"] == nil ? "isArray" : "is_array", default: false)
    var values: [IntentValue] = []
    for (index, node) in try fields.array("values", of: "values", isOptional: isArray).enumerated() {
      let path = "\(fields.path(of: "values"))[\(index)]"
      values.append(try IntentValue(card: CardFields(node, path, form: "a value")))
    }
    if isArray {
      self.init(name: name, value: .array(values))
    } else if let value = values.first, values.count == 1 {
      self.init(name: name, value: .single(value))
    } else {
      throw .expected("exactly one value unless isArray is set", at: fields.path(of: "values"))
    }
  }

  fileprivate var cardJSON: JSONNode {
    let name = JSONNode.Member("name", .string(name.text))
    switch value {
    case .single(let value): return .object([name, .init("values", .array([value.cardJSON]))])
    case .array(let values):
      return .object([name, .init("values", .array(values.map(\.cardJSON))), .init("isArray", .boolean(true))])
    }
  }
}

extension IntentValue {
  fileprivate init(card fields: CardFields) throws(CardError) {
    if fields.either("stringValue", "string_value") != nil {
      self = .string(try fields.text("stringValue", "string_value"))
    } else if let node = fields.either("integerValue", "integer_value") {
      self = .integer(try Self.integer(node, fields.path(of: "integerValue")))
    } else if let node = fields.either("doubleValue", "double_value") {
      self = .double(try Self.double(node, fields.path(of: "doubleValue")))
    } else if let node = fields.either("booleanValue", "boolean_value") {
      let path = fields.path(of: "booleanValue")
      guard case .boolean(let flag) = node else { throw .expected("true or false", at: path) }
      self = .boolean(flag)
    } else if let node = fields.either("dateMs", "date_ms") {
      let path = fields.path(of: "dateMs")
      guard let date = Instant(milliseconds: try Self.integer(node, path)) else {
        throw .expected("milliseconds in the years 1970 to 9999", at: path)
      }
      self = .date(date)
    } else if fields.either("enumCase", "enum_case") != nil {
      self = .enumCase(try fields.text("enumCase", "enum_case"))
    } else {
      self = try Self.structure(fields)
    }
  }

  private static func structure(_ fields: CardFields) throws(CardError) -> IntentValue {
    if fields["object"] != nil { return .object(try identity(fields, "object")) }
    if fields["person"] != nil { return .person(try identity(fields, "person")) }
    guard fields["place"] != nil else { throw .expected("a value such as {\"stringValue\": \"…\"}", at: fields.path) }
    let place = try CardFields(fields["place"], fields.path(of: "place"))
    func coordinate(_ name: String) throws(CardError) -> Double {
      try place[name].map { node throws(CardError) in try double(node, place.path(of: name)) } ?? 0
    }
    let (latitude, longitude) = (try coordinate("latitude"), try coordinate("longitude"))
    let display = try place.optionalString("display") ?? ""
    return .place(
      try Intent.checked(place.path, display) { display throws(RequestError) in
        try Place(latitude: latitude, longitude: longitude, display: display)
      })
  }

  private static func identity(_ fields: CardFields, _ name: String) throws(CardError) -> DisplayIdentity {
    let identity = try CardFields(fields[name], fields.path(of: name))
    return DisplayIdentity(
      identifier: try identity.optionalString("identifier") ?? "", display: try identity.optionalString("display") ?? ""
    )
  }

  /// Reads a whole number, which is a number or, because of its range, a string.
  private static func integer(_ node: JSONNode, _ path: String) throws(CardError) -> Int64 {
    switch node {
    case .number(let number):
      if let integer = number.integer(Int64.self) { return integer }
    case .string(let text):
      if let integer = Int64(text) { return integer }
    default: break
    }
    throw .expected("a whole number of 64 bits", at: path)
  }

  private static func double(_ node: JSONNode, _ path: String) throws(CardError) -> Double {
    guard case .number(let number) = node, let double = number.double else { throw .expected("a number", at: path) }
    return double
  }

  fileprivate var cardJSON: JSONNode {
    switch self {
    case .string(let text): .object([.init("stringValue", .string(text))])
    case .integer(let number): .object([.init("integerValue", .string(String(number)))])
    case .double(let number): .object([.init("doubleValue", .double(number))])
    case .boolean(let flag): .object([.init("booleanValue", .boolean(flag))])
    case .date(let date): .object([.init("dateMs", .string(String(date.milliseconds)))])
    case .enumCase(let text): .object([.init("enumCase", .string(text))])
    case .object(let identity): .object([.init("object", identity.cardJSON)])
    case .person(let identity): .object([.init("person", identity.cardJSON)])
    case .place(let place):
      .object([
        .init(
          "place",
          .object([
            .init("latitude", .double(place.latitude)), .init("longitude", .double(place.longitude)),
            .init("display", .string(place.display)),
          ]))
      ])
    }
  }
}

extension DisplayIdentity {
  fileprivate var cardJSON: JSONNode {
    .object([.init("identifier", .string(identifier)), .init("display", .string(display))])
  }
}

extension CardFields {
  /// Returns the string of a member that has one of two names.
  fileprivate func text(_ name: String, _ other: String) throws(CardError) -> String {
    try string(self[name] == nil ? other : name)
  }
}
