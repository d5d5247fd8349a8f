/// The OpenAPI 3.1 description of the calls that clients of the Connect protocol make in JSON.
///
/// The paths are those of unary calls and of server streams, and the schemas those of the messages that they reach.
/// Methods that stream requests need HTTP/2, and are left out.
struct OpenAPI {
  private let services: [ProtoService]
  private let messages: [String: ProtoMessage]
  private let enums: [String: ProtoEnum]
  /// The names of all messages and enumerations, in the order of the files.
  private let names: [String]

  init(_ files: [ProtoFile]) {
    func nested(_ message: ProtoMessage) -> [ProtoMessage] { [message] + message.nestedMessages.flatMap(nested) }
    let messages = files.flatMap(\.messages).flatMap(nested)
    let enums = files.flatMap(\.enums) + messages.flatMap(\.nestedEnums)
    services = files.flatMap(\.services)
    self.messages = Dictionary(uniqueKeysWithValues: messages.map { ($0.fullName, $0) })
    self.enums = Dictionary(uniqueKeysWithValues: enums.map { ($0.fullName, $0) })
    names = messages.map(\.fullName) + enums.map(\.fullName)
  }

  /// The document.
  var document: JSONValue {
    let services = services.filter { !Self.calls(of: $0).isEmpty }
    let paths = services.flatMap { service in Self.calls(of: service).map { path($0, of: service) } }
    let tags = services.map { service -> JSONValue in
      ["name": .string(service.fullName), "description": Self.text(service.comment, of: service.fullName)]
    }
    return [
      "openapi": "3.1.0", "info": Self.info, "servers": Self.servers, "security": [["bearer": []], [:]],
      "tags": .array(tags), "paths": .object(paths), "components": components(reachable(from: services)),
    ]
  }

  private static func calls(of service: ProtoService) -> [ProtoService.Method] {
    service.methods.filter { !$0.isClientStreaming }
  }

  // MARK: Paths

  private func path(_ method: ProtoService.Method, of service: ProtoService) -> (String, JSONValue) {
    let name = "\(service.fullName)/\(method.name)"
    let service = service.fullName
    var description = Self.paragraphs(method.comment, of: name)
    if method.isServerStreaming { description += Self.streamParagraphs }
    let operation: JSONValue = [
      "tags": [.string(service)], "operationId": .string(name.replacing("/", with: ".")),
      "description": .string(description.joined(separator: "\n\n")),
      "parameters": .array(
        Self.parameters.map { name, _ -> JSONValue in ["$ref": .string("#/components/parameters/\(name)")] }),
      "requestBody": ["required": true, "content": Self.content(method.request, method)],
      "responses": [
        "200": [
          "description": .string(method.isServerStreaming ? "The stream." : "The response."),
          "headers": Self.references(to: ["marquee-ignored-fields"]),
          "content": Self.content(method.response, method, isResponse: true),
        ],
        "default": ["$ref": "#/components/responses/Error"],
      ],
    ]
    return ("/\(name)", ["post": operation])
  }

  private static let streamParagraphs = [
    "A server stream: each message of the request and the response has an envelope of five bytes, a byte of flags and "
      + "the size of the message in four bytes, big-endian. The request is one message. The last message of the "
      + "response has the flag 2, and is an EndOfStream; the status is 200 even if the call fails."
  ]

  private static func content(
    _ message: String, _ method: ProtoService.Method, isResponse: Bool = false
  ) -> JSONValue {
    let schema = reference(to: message)
    guard method.isServerStreaming else { return ["application/json": ["schema": schema]] }
    let description = isResponse ? "Messages in their envelopes." : "A message in its envelope."
    var members: [(key: String, value: JSONValue)] = []
    members.add("schema", ["type": "string", "format": "binary", "description": .string(description)])
    members.add("x-message", schema)
    if isResponse { members.add("x-end-of-stream", reference(to: "EndOfStream")) }
    return ["application/connect+json": .object(members)]
  }

  /// Returns the header fields of a response, as references to their descriptions.
  static func references(to fields: [String]) -> JSONValue {
    .object(fields.map { (key: $0, value: ["$ref": .string("#/components/headers/\($0)")]) })
  }

  private static func reference(to name: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(name)")] }

  // MARK: Schemas

  /// Returns the names of the messages and enumerations that calls of the services contain, in the order of the files.
  private func reachable(from services: [ProtoService]) -> [String] {
    var waiting = services.flatMap(Self.calls).flatMap { [$0.request, $0.response] }
    var found: Set<String> = []
    while let name = waiting.popLast() {
      guard found.insert(name).inserted else { continue }
      waiting += messages[name]?.fields.map(\.fullTypeName).filter { !$0.isEmpty } ?? []
    }
    return names.filter { found.contains($0) && messages[$0]?.isMapEntry != true }
  }

  private func components(_ names: [String]) -> JSONValue {
    let schemas = names.map { name -> (String, JSONValue) in
      if let message = messages[name] { return (name, schema(of: message)) }
      guard let enumeration = enums[name] else { fail("no type is named \(name)") }
      return (name, Self.schema(of: enumeration))
    }
    return [
      "schemas": .object(schemas + Self.protocolSchemas), "parameters": .object(Self.parameters),
      "headers": Self.headers, "responses": Self.responses, "securitySchemes": Self.securitySchemes,
    ]
  }

  private func schema(of message: ProtoMessage) -> JSONValue {
    var members: [(key: String, value: JSONValue)] = []
    members.add("type", "object")
    members.add("description", Self.text(message.comment, of: message.fullName))
    if !message.fields.isEmpty {
      members.add("properties", .object(message.fields.map { ($0.jsonName, schema(of: $0, in: message)) }))
    }
    let oneofs = Self.oneofs(of: message)
    if !oneofs.isEmpty { members.add("allOf", .array(oneofs)) }
    return .object(members)
  }

  /// Returns the constraint of each oneof with several members: at most one of the properties is present.
  private static func oneofs(of message: ProtoMessage) -> [JSONValue] {
    var names: [String] = []
    for oneof in message.fields.compactMap(\.oneof) where !oneof.isOptionalField && !names.contains(oneof.name) {
      names.append(oneof.name)
    }
    return names.map { name in
      let members = message.fields.filter { $0.oneof?.name == name }
      let choices = members.map { field -> JSONValue in ["required": [.string(field.jsonName)]] }
      return ["oneOf": .array(choices + [["not": ["anyOf": .array(choices)]]])]
    }
  }

  private func schema(of field: ProtoField, in message: ProtoMessage) -> JSONValue {
    let description = Self.text(field.comment, of: "\(message.fullName).\(field.name)")
    if let entry = messages[field.fullTypeName], entry.isMapEntry {
      return [
        "type": "object", "description": description, "additionalProperties": Self.value(of: entry.fields[1]),
      ]
    }
    if field.isRepeated { return ["type": "array", "description": description, "items": Self.value(of: field)] }
    guard case .object(let members) = Self.value(of: field) else { return [:] }
    return .object(members + [("description", description)])
  }

  private static func value(of field: ProtoField) -> JSONValue {
    switch field.kind {
    case .message, .enum: reference(to: field.fullTypeName)
    case .string: ["type": "string"]
    case .bytes: ["type": "string", "contentEncoding": "base64"]
    case .bool: ["type": "boolean"]
    case .int32: ["type": "integer", "format": "int32"]
    case .uint32: ["type": "integer", "format": "uint32", "minimum": 0]
    case .int64: ["type": "string", "format": "int64", "pattern": "^-?[0-9]+$"]
    case .uint64: ["type": "string", "format": "uint64", "pattern": "^[0-9]+$"]
    case .double: reference(to: "Double")
    }
  }

  private static func schema(of enumeration: ProtoEnum) -> JSONValue {
    let values = enumeration.values.map { value in
      "- `\(value.name)`: \(paragraphs(value.comment, of: value.name).joined(separator: " "))"
    }
    let description = paragraphs(enumeration.comment, of: enumeration.fullName) + [values.joined(separator: "\n")]
    return [
      "type": "string", "description": .string(description.joined(separator: "\n\n")),
      "enum": .array(enumeration.values.map { .string($0.name) }),
    ]
  }

  // MARK: Comments

  private static func paragraphs(_ comment: [String], of name: String) -> [String] {
    if comment.isEmpty { fail("\(name) has no comment") }
    return comment
  }

  private static func text(_ comment: [String], of name: String) -> JSONValue {
    .string(paragraphs(comment, of: name).joined(separator: "\n\n"))
  }
}
