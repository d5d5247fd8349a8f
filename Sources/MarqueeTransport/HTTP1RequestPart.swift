import NIOCore
import NIOHTTP1

/// A part of a request on a connection of HTTP/1.1.
enum HTTP1RequestPart {
  /// A decoded head, with its bytes if a repetition of it can be recognized.
  case head(HTTPRequestHead, HTTP1RawHead?)
  /// The head of a repetition.
  case repetition(HTTP1Repetition)
  case body(ByteBuffer)
  /// The end, with the number of trailers.
  case end(trailerCount: Int)

  /// The approximate size of the part in memory, in bytes.
  var memorySize: Int {
    switch self {
    case .head(let head, _): 256 + head.uri.utf8.count + 64 * head.headers.count
    case .repetition(let repetition): 256 + repetition.head.target.utf8.count + 64 * (repetition.head.fields.count + 1)
    case .body(let buffer): 64 + buffer.readableBytes
    case .end(let trailerCount): 64 + 64 * trailerCount
    }
  }
}
