public import Foundation
import MarqueeModel

/// What a widget shows at an entry: bytes that the app and the display agree on (rule T10). On the platform a view
/// stands in its place.
public struct EntryContent: ExpressibleByStringInterpolation, Hashable, Sendable {
  /// A media type, such as `application/json`.
  public let mediaType: String
  /// The content, handed to displays unchanged.
  public let data: Data

  /// Content of that type.
  public init(mediaType: String, data: Data) {
    self.mediaType = mediaType
    self.data = data
  }

  /// Text, as `text/plain`.
  public init(stringLiteral value: String) {
    self.init(mediaType: "text/plain", data: Data(value.utf8))
  }

  /// A value, as `application/json` with its keys in order; dates are in ISO 8601.
  public init(json value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    self.init(mediaType: "application/json", data: try encoder.encode(value))
  }
}

extension MarqueeModel.EntryContent {
  init(_ content: EntryContent) throws(Refusal) {
    try self.init(mediaType: content.mediaType, bytes: Array(content.data))
  }
}
