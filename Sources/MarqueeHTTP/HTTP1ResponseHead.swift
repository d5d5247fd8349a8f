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

  /// The line of nearly all responses.
  private static let okLine = "HTTP/1.1 200 OK\r\n"

  private var statusLine: String {
    status == 200 ? Self.okLine : "HTTP/1.1 \(status) \(Self.reasons[status] ?? "Unknown")\r\n"
  }

  /// Returns the encoded head, with the empty line at its end.
  ///
  /// - Parameters:
  ///   - contentLength: The value of an additional field `content-length`; `nil` for none.
  ///   - date: The value of an additional field `date`; `nil` for none.
  public func bytes(contentLength: Int? = nil, date: String? = nil) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    bytes.append(statusLine)
    for field in fields {
      // Values are valid wherever they come from, but a line break would begin another field.
      precondition(field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "invalid value of \(field.name)")
      bytes.append(field.name)
      bytes.append(": ")
      bytes.append(field.value)
      bytes.append("\r\n")
    }
    if let date {
      bytes.append("date: ")
      bytes.append(date)
      bytes.append("\r\n")
    }
    if let contentLength {
      bytes.append("content-length: ")
      bytes.append(String(contentLength))
      bytes.append("\r\n")
    }
    bytes.append("\r\n")
    return bytes
  }

  /// Returns a part of a chunked body; an empty one is its end.
  public static func chunk(_ part: [UInt8]) -> [UInt8] {
    Array((String(part.count, radix: 16) + "\r\n").utf8) + part + "\r\n".utf8
  }
}

extension [UInt8] {
  /// Appends the UTF-8 of a text, which is faster than appending its view.
  fileprivate mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append(contentsOf: $0) }
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
