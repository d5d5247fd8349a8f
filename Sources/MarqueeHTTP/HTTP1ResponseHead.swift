import MarqueeRPC

/// The head of a response in HTTP/1.1.
public struct HTTP1ResponseHead: Hashable, Sendable {
  /// The response that asks for the body of a request with `Expect: 100-continue`.
  public static let continueResponse = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  /// The status.
  public var status: Int
  /// The fields, in order.
  public var fields: [HTTPHead.Field]

  /// Creates a head.
  public init(_ status: Int, _ fields: [HTTPHead.Field] = []) {
    self.status = status
    self.fields = fields
  }

  private static let reasons = [
    200: "OK", 204: "No Content", 304: "Not Modified", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
    404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict", 413: "Content Too Large",
    415: "Unsupported Media Type", 417: "Expectation Failed", 421: "Misdirected Request", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 499: "Client Closed Request", 500: "Internal Server Error",
    501: "Not Implemented", 503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
  ]

  private static let statusLines = Dictionary(
    uniqueKeysWithValues: reasons.map { ($0, Array("HTTP/1.1 \($0) \($1)\r\n".utf8)) })

  /// Returns the encoded head, with the empty line at its end.
  ///
  /// - Parameter contentLength: The value of an additional field `content-length`; `nil` for none.
  public func bytes(contentLength: Int? = nil) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    bytes += Self.statusLines[status] ?? Array("HTTP/1.1 \(status) Unknown\r\n".utf8)
    for field in fields {
      // Values are valid wherever they come from, but a line break would begin another field.
      precondition(field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "invalid value of \(field.name)")
      bytes += field.name.utf8
      bytes += ": ".utf8
      bytes += field.value.utf8
      bytes += "\r\n".utf8
    }
    if let contentLength {
      bytes += "content-length: ".utf8
      bytes += String(contentLength).utf8
      bytes += "\r\n".utf8
    }
    bytes += "\r\n".utf8
    return bytes
  }

  /// Returns a part of a chunked body; an empty one is its end.
  public static func chunk(_ part: [UInt8]) -> [UInt8] {
    Array((String(part.count, radix: 16) + "\r\n").utf8) + part + "\r\n".utf8
  }
}

extension HTTP1ResponseHead {
  /// Returns the response with which a server rejects a connection: the status as an error of the Connect protocol.
  public static func rejection(_ status: RPCStatus) -> [UInt8] {
    let body = ConnectResponse.error(status)
    let fields: [HTTPHead.Field] = [.init("content-type", "application/json"), .init("connection", "close")]
    return HTTP1ResponseHead(503, fields).bytes(contentLength: body.count) + body
  }
}
