import MarqueeHTTP

/// The head of the last call on a connection of HTTP/1.1 with its meaning: consecutive calls usually differ only in
/// their bodies, and are recognized by their bytes instead of being decoded.
///
/// A class, because requests that wait refer to it.
final class HTTP1HeadCache: Sendable {
  let relation: Origins.Relation
  let request: ConnectRequest
  let traits: HTTP1Exchange.HeadTraits
  private let raw: HTTP1RawHead
  private let head: HTTPHead
  /// The index of the field `content-length` in the head.
  private let lengthIndex: Int

  /// Creates a cache; `nil` if the connection ends with the call, which the decoder must know.
  ///
  /// - Parameters:
  ///   - raw: The head as received, which was accepted.
  ///   - head: The head as converted.
  ///   - relation: The relation of the request to the pages that may call the server.
  ///   - request: The call.
  init?(_ raw: HTTP1RawHead, _ head: HTTPHead, _ relation: Origins.Relation, _ request: ConnectRequest) {
    traits = HTTP1Exchange.HeadTraits(head)
    guard !traits.endsConnection, let index = head.fields.firstIndex(where: { $0.name == "content-length" }) else {
      return nil
    }
    lengthIndex = index
    self.raw = raw
    self.head = head
    self.relation = relation
    self.request = request
  }

  /// Returns the request at the beginning of the input if it is complete and the same call.
  func repetition(in input: UnsafeRawBufferPointer) -> HTTP1Repetition? {
    guard let match = raw.match(input) else { return nil }
    var head = head
    if let length = match.otherLength { head.fields[lengthIndex] = HTTPHead.Field("content-length", length) }
    return HTTP1Repetition(original: self, head: head, headSize: match.headSize, bodySize: match.bodySize)
  }
}

/// A whole request that differs from an earlier one on its connection only in its body.
struct HTTP1Repetition {
  let original: HTTP1HeadCache
  let head: HTTPHead
  /// The sizes of the parts, in bytes.
  let headSize: Int
  let bodySize: Int
}
