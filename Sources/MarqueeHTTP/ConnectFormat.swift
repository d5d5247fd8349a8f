/// The form of the messages of a call in the Connect protocol, or in gRPC-Web over HTTP/1.1 or as text, by its content
/// type.
public struct ConnectFormat: Hashable, Sendable {
  /// The encoding of messages.
  public enum Codec: String, Hashable, Sendable, CaseIterable {
    /// The encoding of protocol buffers.
    case proto
    /// JSON by the mapping of proto3.
    case json
  }

  /// The encoding of messages.
  public var codec: Codec
  /// Whether messages are enveloped, as in calls that stream; the body of any other call is one message.
  public var isStream: Bool
  /// Whether the call is in gRPC-Web: messages are enveloped in any call, and the last one has the trailers.
  public private(set) var isGRPCWeb = false
  /// Whether the bodies of the call in gRPC-Web are base64, for clients that can only read text.
  public private(set) var isText = false

  /// The content types of the text form of gRPC-Web. The last one is that of responses.
  private static let textTypes = ["application/grpc-web-text", "application/grpc-web-text+proto"]

  /// Creates a format.
  public init(_ codec: Codec, isStream: Bool) {
    self.codec = codec
    self.isStream = isStream
  }

  /// Creates the format of a content type; `nil` for any other type, such as `text/plain`, which a page of another
  /// origin may send without asking.
  ///
  /// Types are compared in any case. The only parameter is `charset=utf-8` for JSON.
  public init?(contentType: String) {
    let parts = contentType.split(separator: ";", omittingEmptySubsequences: false).map {
      HTTPHead.Field.trimmed($0).lowercased()
    }
    guard let known = Self.all.first(where: { $0.contentType == parts[0] }) else { return nil }
    for parameter in parts.dropFirst() where !parameter.isEmpty {
      guard known.codec == .json, parameter == "charset=utf-8" || parameter == "charset=\"utf-8\"" else { return nil }
    }
    self = known
  }

  /// Creates the format of a content type of gRPC-Web, in any case and with any parameters; `nil` for any other type.
  init?(grpcWebContentType text: String) {
    let trimmed = HTTPHead.Field.trimmed(text[...])
    let type = trimmed.prefix { $0 != ";" && $0 != " " && $0 != "\t" }.lowercased()
    isText = Self.textTypes.contains(type)
    guard isText || GRPCVariant(contentType: trimmed.utf8) == .web else { return nil }
    (codec, isStream, isGRPCWeb) = (.proto, true, true)
  }

  /// The content type of requests and responses.
  public var contentType: String {
    if isGRPCWeb { return isText ? Self.textTypes[1] : GRPCVariant.web.contentType }
    return switch (codec, isStream) {
    case (.proto, false): "application/proto"
    case (.proto, true): "application/connect+proto"
    case (.json, false): "application/json"
    case (.json, true): "application/connect+json"
    }
  }

  /// The field with the content type.
  var contentTypeField: HTTPHead.Field {
    if isGRPCWeb { return HTTPHead.Field("content-type", contentType) }
    return Self.contentTypeFields[(isStream ? 2 : 0) + (codec == .json ? 1 : 0)]
  }

  private static let contentTypeFields = [false, true].flatMap { isStream in
    [Codec.proto, .json].map { HTTPHead.Field("content-type", ConnectFormat($0, isStream: isStream).contentType) }
  }

  /// All formats.
  public static let all = [true, false].flatMap { isStream in
    Codec.allCases.map { ConnectFormat($0, isStream: isStream) }
  }
}
