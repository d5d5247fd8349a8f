import MarqueeRPC

/// Converts the messages of a server's methods between their encoding and JSON. Called on event loops, and on other
/// threads for large messages.
public protocol MessageTranscoder: Sendable {
  /// Encodes the request of a method from its JSON text.
  ///
  /// - Throws: The status of a text that is not a request, with the path of the invalid value.
  func request(fromJSON text: [UInt8], of method: String, sizeMax: Int) throws(RPCStatus) -> TranscodedRequest

  /// Converts an encoded response of a method to JSON.
  func response(toJSON bytes: [UInt8], of method: String) throws(RPCStatus) -> [UInt8]
}

/// A request that was encoded from JSON.
public struct TranscodedRequest: Hashable, Sendable {
  /// The encoded request.
  public let message: [UInt8]
  /// The paths of the unknown fields that were skipped, in printable ASCII; empty without any.
  public let ignoredFields: String

  /// Creates a request.
  public init(_ message: [UInt8], ignoredFields: String = "") {
    self.message = message
    self.ignoredFields = ignoredFields
  }
}
