/// The form of the messages of a call in the Connect protocol, which the content type names.
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

  /// The content type of requests and responses.
  public var contentType: String {
    switch (codec, isStream) {
    case (.proto, false): "application/proto"
    case (.proto, true): "application/connect+proto"
    case (.json, false): "application/json"
    case (.json, true): "application/connect+json"
    }
  }

  /// All formats.
  public static let all = [true, false].flatMap { isStream in
    Codec.allCases.map { ConnectFormat($0, isStream: isStream) }
  }
}
