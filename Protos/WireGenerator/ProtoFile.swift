/// A .proto file, decoded from its descriptor with the comments.
struct ProtoFile: Sendable {
  /// The path from the folder of all protocols, such as `marquee/v1/admin.proto`.
  let path: String
  let package: String
  let messages: [ProtoMessage]
  /// The enumerations outside messages.
  let enums: [ProtoEnum]
  let services: [ProtoService]

  /// The file's name in CamelCase, such as `Admin`.
  var title: String {
    let name = path.split(separator: "/").last ?? ""
    return camelCase(name.prefix { $0 != "." }, isUpper: true)
  }

  /// Decodes a `google.protobuf.FileDescriptorSet`.
  static func all(in descriptorSet: [UInt8]) -> [ProtoFile] {
    (ProtobufReader.fields(descriptorSet[...])[1] ?? []).map { ProtoFile($0.bytes) }
  }

  private init(_ descriptor: ArraySlice<UInt8>) {
    let fields = ProtobufReader.fields(descriptor)
    let package = fields[2]?.first?.text ?? ""
    let comments = Comments(fields[9]?.first?.bytes ?? [])
    path = fields[1]?.first?.text ?? ""
    self.package = package
    messages = (fields[4] ?? []).enumerated().map { index, value in
      ProtoMessage(value.bytes, package: package, scope: package, path: [4, index], comments)
    }
    enums = (fields[5] ?? []).enumerated().map { index, value in
      ProtoEnum(value.bytes, scope: package, path: [5, index], comments)
    }
    services = (fields[6] ?? []).enumerated().map { index, value in
      ProtoService(value.bytes, package: package, path: [6, index], comments)
    }
  }
}

/// The comments of a file, by the paths of the descriptors that they precede.
struct Comments {
  private var texts: [[Int]: String] = [:]

  /// Decodes a `google.protobuf.SourceCodeInfo`.
  init(_ sourceInfo: ArraySlice<UInt8>) {
    for location in ProtobufReader.fields(sourceInfo)[1] ?? [] {
      let fields = ProtobufReader.fields(location.bytes)
      guard let text = fields[3]?.first?.text else { continue }
      texts[fields[1]?.first?.integers ?? []] = text
    }
  }

  /// Returns the paragraphs of a comment, each on one line.
  subscript(path: [Int]) -> [String] {
    let lines = (texts[path] ?? "").split(separator: "\n", omittingEmptySubsequences: false)
    let paragraphs = lines.split { $0.allSatisfy { $0 == " " } }
    return paragraphs.map { $0.map { $0.drop { $0 == " " } }.joined(separator: " ") }
  }
}

/// A message of a .proto file.
struct ProtoMessage: Sendable {
  let package: String
  let name: String
  /// The name with its package and outer messages.
  let fullName: String
  let comment: [String]
  let fields: [ProtoField]
  let nestedMessages: [ProtoMessage]
  let nestedEnums: [ProtoEnum]
  /// Whether the message is an entry of a map, with a key and a value.
  let isMapEntry: Bool

  init(_ descriptor: ArraySlice<UInt8>, package: String, scope: String, path: [Int], _ comments: Comments) {
    let values = ProtobufReader.fields(descriptor)
    let oneofs = (values[8] ?? []).enumerated().map { index, value in
      ProtoField.Oneof(
        name: ProtobufReader.fields(value.bytes)[1]?.first?.text ?? "", comment: comments[path + [8, index]])
    }
    let name = values[1]?.first?.text ?? ""
    let fullName = "\(scope).\(name)"
    self.package = package
    self.name = name
    self.fullName = fullName
    comment = comments[path]
    fields = (values[2] ?? []).enumerated().map { index, value in
      ProtoField(value.bytes, oneofs, comment: comments[path + [2, index]])
    }
    nestedMessages = (values[3] ?? []).enumerated().map { index, value in
      ProtoMessage(value.bytes, package: package, scope: fullName, path: path + [3, index], comments)
    }
    nestedEnums = (values[4] ?? []).enumerated().map { index, value in
      ProtoEnum(value.bytes, scope: fullName, path: path + [4, index], comments)
    }
    let options = ProtobufReader.fields(values[7]?.first?.bytes ?? [])
    isMapEntry = options[7]?.first?.int == 1
  }
}

/// A field of a message.
struct ProtoField {
  /// The types that occur in this repository, with their numbers in `google.protobuf.FieldDescriptorProto`.
  enum Kind: Int {
    case double = 1, int64 = 3, uint64 = 4, int32 = 5, bool = 8, string = 9, message = 11, bytes = 12, uint32 = 13
    case `enum` = 14
  }

  struct Oneof {
    let name: String
    let comment: [String]

    /// Whether the oneof has a single member and stands for an optional field.
    var isOptionalField: Bool { name.hasPrefix("maybe_") }
  }

  let name: String
  /// The name in JSON.
  let jsonName: String
  let comment: [String]
  let kind: Kind
  let isRepeated: Bool
  /// The name of the message or enumeration, without its package.
  let typeName: String
  /// The name of the message or enumeration with its package and outer messages.
  let fullTypeName: String
  let oneof: Oneof?

  init(_ descriptor: ArraySlice<UInt8>, _ oneofs: [Oneof], comment: [String]) {
    let values = ProtobufReader.fields(descriptor)
    name = values[1]?.first?.text ?? ""
    jsonName = values[10]?.first?.text ?? ""
    guard let kind = Kind(rawValue: values[5]?.first?.int ?? 0) else {
      fail("field \(name) has an unsupported type")
    }
    self.kind = kind
    isRepeated = values[4]?.first?.int == 3
    fullTypeName = String(values[6]?.first?.text.dropFirst() ?? "")
    typeName = String(fullTypeName.split(separator: ".").last ?? "")
    oneof = values[9]?.first.map { oneofs[$0.int] }
    self.comment = comment.isEmpty ? oneof?.comment ?? [] : comment
  }
}

/// An enumeration of a .proto file.
struct ProtoEnum {
  let name: String
  /// The name with its package and outer messages.
  let fullName: String
  let comment: [String]
  let values: [(name: String, comment: [String])]

  init(_ descriptor: ArraySlice<UInt8>, scope: String, path: [Int], _ comments: Comments) {
    let fields = ProtobufReader.fields(descriptor)
    name = fields[1]?.first?.text ?? ""
    fullName = "\(scope).\(name)"
    comment = comments[path]
    values = (fields[2] ?? []).enumerated().map { index, value in
      (ProtobufReader.fields(value.bytes)[1]?.first?.text ?? "", comments[path + [2, index]])
    }
  }
}

/// A service of a .proto file.
struct ProtoService {
  struct Method {
    let name: String
    let comment: [String]
    /// The name of the request's message with its package.
    let request: String
    /// The name of the response's message with its package.
    let response: String
    let isClientStreaming: Bool
    let isServerStreaming: Bool
  }

  /// The name with its package.
  let fullName: String
  let comment: [String]
  let methods: [Method]

  init(_ descriptor: ArraySlice<UInt8>, package: String, path: [Int], _ comments: Comments) {
    let fields = ProtobufReader.fields(descriptor)
    fullName = "\(package).\(fields[1]?.first?.text ?? "")"
    comment = comments[path]
    methods = (fields[2] ?? []).enumerated().map { index, value in
      let fields = ProtobufReader.fields(value.bytes)
      return Method(
        name: fields[1]?.first?.text ?? "", comment: comments[path + [2, index]],
        request: String(fields[2]?.first?.text.dropFirst() ?? ""),
        response: String(fields[3]?.first?.text.dropFirst() ?? ""), isClientStreaming: fields[5]?.first?.int == 1,
        isServerStreaming: fields[6]?.first?.int == 1)
    }
  }
}

/// Returns a `snake_case` name in camelCase; a final `id` becomes `ID`.
func camelCase(_ name: some StringProtocol, isUpper: Bool = false) -> String {
  let words = String(name).split(separator: "_").map(String.init)
  return words.enumerated().map { index, word in
    if index > 0, word == "id" || word == "ids" { return "ID" + word.dropFirst(2) }
    return index == 0 && !isUpper ? word : word.prefix(1).uppercased() + word.dropFirst()
  }.joined()
}
