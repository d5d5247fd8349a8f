extension Schema {
  /// A .proto file.
  public struct File: Hashable, Sendable {
    /// The path, such as `marquee/v1/display.proto`.
    public let name: String
    /// The package, such as `marquee.v1`.
    public let package: String
    /// The encoded `google.protobuf.FileDescriptorProto`.
    public let descriptor: [UInt8]
    /// The names of the files that the file imports itself.
    public let imports: [String]
  }

  /// A service.
  public struct Service: Hashable, Sendable {
    /// The full name, such as `marquee.v1.Display`.
    public let name: String
    /// The methods, in the order of the file.
    public let methods: [Method]
  }

  /// A method of a service.
  public struct Method: Hashable, Sendable {
    /// The path, such as `marquee.v1.Display/Watch`.
    public let path: String
    /// The full name of the request message.
    public let request: String
    /// The full name of the response message.
    public let response: String
    /// Whether the client sends any number of requests.
    public let isClientStreaming: Bool
    /// Whether the server sends any number of responses.
    public let isServerStreaming: Bool
  }

  /// A message.
  public struct Message: Hashable, Sendable {
    /// The full name, such as `marquee.v1.Widget`.
    public let name: String
    /// The fields, by ascending number.
    public let fields: [Field]
    /// The names of the oneofs.
    public let oneofs: [String]
    /// Whether the message is the entry of a map, with the fields `key` and `value`.
    public let isMapEntry: Bool
  }

  /// A field of a message.
  public struct Field: Hashable, Sendable {
    /// The type of a value.
    public enum Kind: Hashable, Sendable {
      case bool, int32, uint32, int64, uint64, double, string, bytes
      /// An enumeration, as its index in ``Schema/enumerations``.
      case enumeration(Int)
      /// A message, as its index in ``Schema/messages``.
      case message(Int)
    }

    /// The name, such as `at_ms`.
    public let name: String
    /// The name in JSON, such as `atMs`.
    public let jsonName: String
    /// The number, of which a message has each once.
    public let number: Int
    /// The type of the value, or of each value.
    public let kind: Kind
    /// Whether the field has any number of values.
    public let isRepeated: Bool
    /// The index of the field's oneof in ``Schema/Message/oneofs``.
    public let oneof: Int?
    /// The bytes of the names.
    private let nameBytes: [UInt8]
    private let jsonNameBytes: [UInt8]
    /// The beginning of the field in a JSON object: the name in JSON, in quotes, and a colon.
    let jsonKey: [UInt8]

    init(name: String, jsonName: String, number: Int, kind: Kind, isRepeated: Bool, oneof: Int?) {
      self.name = name
      self.jsonName = jsonName
      self.number = number
      self.kind = kind
      self.isRepeated = isRepeated
      self.oneof = oneof
      nameBytes = Array(name.utf8)
      jsonNameBytes = Array(jsonName.utf8)
      jsonKey = Array("\"\(jsonName)\":".utf8)
    }

    /// Whether a key of a JSON object is one of the field's names.
    func hasName(_ key: ArraySlice<UInt8>) -> Bool {
      key == jsonNameBytes[...] || key == nameBytes[...]
    }
  }

  /// An enumeration.
  public struct Enumeration: Hashable, Sendable {
    /// A value of an enumeration.
    public struct Value: Hashable, Sendable {
      /// The name, such as `SCREEN_STATE_LOCKED`.
      public let name: String
      /// The number.
      public let number: Int32
    }

    /// The full name, such as `marquee.v1.ScreenState`.
    public let name: String
    /// The values, in the order of the file.
    public let values: [Value]
  }
}
