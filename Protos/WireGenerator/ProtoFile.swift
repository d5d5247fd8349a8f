/// A .proto file, decoded from its descriptor with the comments.
struct ProtoFile {
  /// The path from the folder of all protocols, such as `marquee/v1/admin.proto`.
  let path: String
  let package: String
  let messages: [ProtoMessage]
  /// The enumerations outside messages.
  let enums: [String]

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
      ProtoMessage(value.bytes, package: package, path: [4, index], comments)
    }
    enums = (fields[5] ?? []).compactMap { ProtobufReader.fields($0.bytes)[1]?.first?.text }
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
struct ProtoMessage {
  let package: String
  let name: String
  let comment: [String]
  let fields: [ProtoField]

  init(_ descriptor: ArraySlice<UInt8>, package: String, path: [Int], _ comments: Comments) {
    let values = ProtobufReader.fields(descriptor)
    let oneofs = (values[8] ?? []).enumerated().map { index, value in
      ProtoField.Oneof(
        name: ProtobufReader.fields(value.bytes)[1]?.first?.text ?? "", comment: comments[path + [8, index]])
    }
    self.package = package
    name = values[1]?.first?.text ?? ""
    comment = comments[path]
    fields = (values[2] ?? []).enumerated().map { index, value in
      ProtoField(value.bytes, oneofs, comment: comments[path + [2, index]])
    }
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
  let comment: [String]
  let kind: Kind
  let isRepeated: Bool
  /// The name of the message or enumeration, without its package.
  let typeName: String
  let oneof: Oneof?

  init(_ descriptor: ArraySlice<UInt8>, _ oneofs: [Oneof], comment: [String]) {
    let values = ProtobufReader.fields(descriptor)
    name = values[1]?.first?.text ?? ""
    guard let kind = Kind(rawValue: values[5]?.first?.int ?? 0) else {
      fail("field \(name) has an unsupported type")
    }
    self.kind = kind
    isRepeated = values[4]?.first?.int == 3
    typeName = String(values[6]?.first?.text.split(separator: ".").last ?? "")
    oneof = values[9]?.first.map { oneofs[$0.int] }
    self.comment = comment.isEmpty ? oneof?.comment ?? [] : comment
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
