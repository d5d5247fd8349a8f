public import Foundation
import MarqueeModel

/// The content of a timeline entry: bytes in a format that the app and the displays agree on.
///
/// On Apple platforms a SwiftUI view takes this place.
public struct EntryContent: ExpressibleByStringInterpolation, Hashable, Sendable {
  /// A media type, such as `application/json`.
  public let mediaType: String
  /// The content, passed to displays unchanged.
  public let data: Data

  /// Creates content of a media type.
  public init(mediaType: String, data: Data) {
    self.mediaType = mediaType
    self.data = data
  }

  /// Creates `text/plain` content from a string literal.
  public init(stringLiteral value: String) {
    self.init(mediaType: "text/plain", data: Data(value.utf8))
  }

  /// Encodes a value as `application/json`, with sorted keys and ISO 8601 dates.
  public init(json value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    self.init(mediaType: "application/json", data: try encoder.encode(value))
  }
}

extension MarqueeModel.EntryContent {
  init(_ content: EntryContent) throws(RequestError) {
    try self.init(mediaType: content.mediaType, bytes: Array(content.data))
  }
}
