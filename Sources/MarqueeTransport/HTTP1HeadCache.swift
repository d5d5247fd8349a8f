import MarqueeHTTP
import NIOHTTP1

/// The head of the last call on a connection of HTTP/1.1 with its meaning: consecutive calls usually differ only in the
/// size of their bodies.
struct HTTP1HeadCache {
  /// The maximum size of a head that is kept, in bytes.
  static let sizeMax = 1_024

  let relation: Origins.Relation
  let request: ConnectRequest
  let traits: HTTP1Exchange.HeadTraits
  private let received: HTTPRequestHead
  private let head: HTTPHead
  /// The index of the field `content-length` in the received head and, without `host`, in the head.
  private let lengthPlace: (received: Int, head: Int)?

  /// Creates a cache; `nil` if the head is not worth keeping.
  ///
  /// - Parameters:
  ///   - received: The head as received, which was accepted.
  ///   - head: The head as converted.
  ///   - relation: The relation of the request to the pages that may call the server.
  ///   - request: The call.
  init?(_ received: HTTPRequestHead, _ head: HTTPHead, _ relation: Origins.Relation, _ request: ConnectRequest) {
    var size = received.uri.utf8.count
    var receivedPlace: Int?
    for (index, field) in received.headers.enumerated() {
      size += field.name.utf8.count + field.value.utf8.count
      // Texts that differ can be equal as strings, unless they are ASCII.
      guard size <= Self.sizeMax, Self.isASCII(field.name), Self.isASCII(field.value) else { return nil }
      if field.name.lowercased() == "content-length" { receivedPlace = index }
    }
    guard size <= Self.sizeMax, Self.isASCII(received.uri) else { return nil }
    self.received = received
    self.head = head
    self.relation = relation
    self.request = request
    traits = HTTP1Exchange.HeadTraits(head)
    if let receivedPlace, let headPlace = head.fields.firstIndex(where: { $0.name == "content-length" }) {
      lengthPlace = (receivedPlace, headPlace)
    } else {
      lengthPlace = nil
    }
  }

  /// Returns the converted head of a request that is the same call; `nil` if it may be another.
  func head(ofSame other: HTTPRequestHead) -> HTTPHead? {
    guard other.method == received.method, other.version == received.version, Self.isSame(other.uri, received.uri),
      other.headers.count == received.headers.count
    else { return nil }
    var head = head
    for (index, (field, last)) in zip(other.headers, received.headers).enumerated() {
      guard Self.isSame(field.name, last.name) else { return nil }
      if Self.isSame(field.value, last.value) { continue }
      guard let lengthPlace, index == lengthPlace.received else { return nil }
      head.fields[lengthPlace.head] = HTTPHead.Field("content-length", field.value)
    }
    return head
  }

  private static func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }

  /// Whether the bytes of a text are those of another, which is ASCII.
  private static func isSame(_ text: String, _ ascii: String) -> Bool {
    text.utf8.count == ascii.utf8.count && text == ascii
  }
}
