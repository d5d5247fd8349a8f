internal import CMarqueeProtos
internal import MarqueeModel
public import MarqueeRPC

/// The standard gRPC server reflection service (`grpc/reflection/v1/reflection.proto`).
public enum ReflectionService {
  /// The service's name on the wire.
  public static let name = "grpc.reflection.v1.ServerReflection"
  /// The service's earlier name, under which it has the same messages.
  public static let alphaName = "grpc.reflection.v1alpha.ServerReflection"

  /// The maximum size of a request, in bytes.
  public static let requestSizeMax = 4_096
  /// The maximum size of a response, in bytes.
  public static let responseSizeMax = 1 << 20

  /// Answers queries of the server's descriptors, one response for each request.
  public static let serverReflectionInfo = method(of: name)
  /// The same method under the service's earlier name.
  public static let alphaServerReflectionInfo = method(of: alphaName)

  private static func method(of service: String) -> RPCMethod<ServerReflectionRequest, ServerReflectionResponse> {
    RPCMethod(
      path: "\(service)/ServerReflectionInfo", kind: .bidirectional, request: .wire, response: .wire,
      requestSizeMax: requestSizeMax, responseSizeMax: responseSizeMax)
  }
}

/// A query of the server's descriptors.
public struct ServerReflectionRequest: Hashable, Sendable {
  /// The subject of a query.
  public enum Query: Hashable, Sendable {
    /// The file of this name.
    case fileByFilename(String)
    /// The file that declares the symbol of this full name.
    case fileContainingSymbol(String)
    /// The file that declares the extension of a message with this field number.
    case fileContainingExtension(of: String, number: Int32)
    /// The field numbers of the extensions of a message.
    case allExtensionNumbers(of: String)
    /// The names of all services; the value is ignored.
    case listServices(String = "")
  }

  /// The host, which is not checked.
  public var host: String
  /// The query; `nil` if it is absent or of a later version.
  public var query: Query?

  /// Creates a request.
  public init(host: String = "", _ query: Query?) {
    self.host = host
    self.query = query
  }
}

/// The response to a query of the server's descriptors.
public struct ServerReflectionResponse: Hashable, Sendable {
  /// The content of a response.
  public enum Content: Hashable, Sendable {
    /// Encoded `google.protobuf.FileDescriptorProto` messages: the file, followed by the files that it imports.
    case files([[UInt8]])
    /// The field numbers of the extensions of a message.
    case extensionNumbers(of: String, [Int32])
    /// The full names of all services.
    case services([String])
    /// The request failed.
    case error(StatusCode, message: String)
  }

  /// The host of the request.
  public var validHost: String
  /// The request.
  public var originalRequest: ServerReflectionRequest?
  /// The content; `nil` if it is absent or of a later version.
  public var content: Content?

  /// Creates a response.
  public init(validHost: String = "", originalRequest: ServerReflectionRequest?, _ content: Content?) {
    self.validHost = validHost
    self.originalRequest = originalRequest
    self.content = content
  }
}

extension ServerReflectionRequest: WireValue {
  init(_ message: Grpc__Reflection__V1__ServerReflectionRequest) throws(RequestError) {
    self.init(host: try Field.text(message.host, "host"), try Query(message))
  }

  func fill(_ message: inout Grpc__Reflection__V1__ServerReflectionRequest, _ scratch: EncodeScratch) {
    message.host = scratch.text(host)
    query?.fill(&message, scratch)
  }
}

extension ServerReflectionRequest.Query {
  fileprivate init?(_ message: Grpc__Reflection__V1__ServerReflectionRequest) throws(RequestError) {
    switch message.message_request_case {
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_BY_FILENAME:
      self = .fileByFilename(try Field.text(message.file_by_filename, "file_by_filename"))
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_SYMBOL:
      self = .fileContainingSymbol(try Field.text(message.file_containing_symbol, "file_containing_symbol"))
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_EXTENSION:
      let name = "file_containing_extension"
      guard let pointer = message.file_containing_extension else { throw Field.absent(name) }
      self = .fileContainingExtension(
        of: try Field.text(pointer.pointee.containing_type, "\(name).containing_type"),
        number: pointer.pointee.extension_number)
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_ALL_EXTENSION_NUMBERS_OF_TYPE:
      self = .allExtensionNumbers(
        of: try Field.text(message.all_extension_numbers_of_type, "all_extension_numbers_of_type"))
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_LIST_SERVICES:
      self = .listServices(try Field.text(message.list_services, "list_services"))
    default: return nil
    }
  }

  fileprivate func fill(
    _ message: inout Grpc__Reflection__V1__ServerReflectionRequest, _ scratch: EncodeScratch
  ) {
    switch self {
    case .fileByFilename(let name):
      message.message_request_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_BY_FILENAME
      message.file_by_filename = scratch.text(name)
    case .fileContainingSymbol(let symbol):
      message.message_request_case =
        GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_SYMBOL
      message.file_containing_symbol = scratch.text(symbol)
    case .fileContainingExtension(let type, let number):
      message.message_request_case =
        GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_EXTENSION
      message.file_containing_extension = scratch.build { (inner: inout Grpc__Reflection__V1__ExtensionRequest) in
        inner.containing_type = scratch.text(type)
        inner.extension_number = number
      }
    case .allExtensionNumbers(let type):
      message.message_request_case =
        GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_ALL_EXTENSION_NUMBERS_OF_TYPE
      message.all_extension_numbers_of_type = scratch.text(type)
    case .listServices(let text):
      message.message_request_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_LIST_SERVICES
      message.list_services = scratch.text(text)
    }
  }
}

extension ServerReflectionResponse: WireValue {
  init(_ message: Grpc__Reflection__V1__ServerReflectionResponse) throws(RequestError) {
    self.init(
      validHost: try Field.text(message.valid_host, "valid_host"),
      originalRequest: try Field.optional(message.original_request, "original_request"), try Content(message))
  }

  func fill(_ message: inout Grpc__Reflection__V1__ServerReflectionResponse, _ scratch: EncodeScratch) {
    message.valid_host = scratch.text(validHost)
    message.original_request = scratch.message(originalRequest)
    content?.fill(&message, scratch)
  }
}

extension ServerReflectionResponse.Content {
  fileprivate init?(_ message: Grpc__Reflection__V1__ServerReflectionResponse) throws(RequestError) {
    switch message.message_response_case {
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_FILE_DESCRIPTOR_RESPONSE:
      guard let inner = message.file_descriptor_response?.pointee else {
        throw Field.absent("file_descriptor_response")
      }
      let files = UnsafeBufferPointer(start: inner.file_descriptor_proto, count: inner.n_file_descriptor_proto)
      self = .files(files.map(Field.bytes))
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ALL_EXTENSION_NUMBERS_RESPONSE:
      let name = "all_extension_numbers_response"
      guard let inner = message.all_extension_numbers_response?.pointee else { throw Field.absent(name) }
      self = .extensionNumbers(
        of: try Field.text(inner.base_type_name, "\(name).base_type_name"),
        Array(UnsafeBufferPointer(start: inner.extension_number, count: inner.n_extension_number)))
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_LIST_SERVICES_RESPONSE:
      let name = "list_services_response"
      guard let inner = message.list_services_response?.pointee else { throw Field.absent(name) }
      self = .services(
        try Field.array(inner.n_service, inner.service, "\(name).service") { (service) throws(RequestError) in
          guard let service else { throw Field.absent("") }
          return try Field.text(service.pointee.name, "name")
        })
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ERROR_RESPONSE:
      let name = "error_response"
      guard let inner = message.error_response?.pointee else { throw Field.absent(name) }
      let code = try Field.natural(inner.error_code, "\(name).error_code")
      self = .error(
        StatusCode(rawValue: UInt32(code)), message: try Field.text(inner.error_message, "\(name).error_message"))
    default: return nil
    }
  }

  fileprivate func fill(
    _ message: inout Grpc__Reflection__V1__ServerReflectionResponse, _ scratch: EncodeScratch
  ) {
    switch self {
    case .files(let files):
      message.message_response_case =
        GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_FILE_DESCRIPTOR_RESPONSE
      message.file_descriptor_response = scratch.build {
        ($0.n_file_descriptor_proto, $0.file_descriptor_proto) = scratch.elements(files) { scratch.bytes($0) }
      }
    case .extensionNumbers(let type, let numbers):
      message.message_response_case =
        GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ALL_EXTENSION_NUMBERS_RESPONSE
      message.all_extension_numbers_response = scratch.build {
        $0.base_type_name = scratch.text(type)
        ($0.n_extension_number, $0.extension_number) = scratch.elements(numbers) { $0 }
      }
    case .services(let names):
      message.message_response_case =
        GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_LIST_SERVICES_RESPONSE
      message.list_services_response = scratch.build {
        ($0.n_service, $0.service) = scratch.elements(names) {
          (name) -> UnsafeMutablePointer<Grpc__Reflection__V1__ServiceResponse>? in
          scratch.build { $0.name = scratch.text(name) }
        }
      }
    case .error(let code, let text):
      message.message_response_case =
        GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ERROR_RESPONSE
      message.error_response = scratch.build {
        $0.error_code = Int32(clamping: code.rawValue)
        $0.error_message = scratch.text(text)
      }
    }
  }
}
