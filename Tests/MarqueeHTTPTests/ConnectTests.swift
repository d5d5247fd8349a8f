import MarqueeRPC
import MarqueeSchema
import Testing

@testable import MarqueeHTTP

@Suite("The mapping of the Connect protocol")
struct ConnectTests {
  /// Returns the head of a call with these fields besides the content type.
  private static func head(
    _ fields: [(String, String)] = [], type: String = "application/json", method: String = "POST",
    target: String = "/test.Echo/Unary"
  ) -> HTTPHead {
    HTTPHead(
      method: method, target: target, authority: "localhost",
      fields: [.init("Content-Type", type)] + fields.map { .init($0.0, $0.1) })
  }

  private static func rejection(_ head: HTTPHead) -> ConnectRequest.Rejection? {
    do throws(ConnectRequest.Rejection) {
      _ = try ConnectRequest(head)
      return nil
    } catch {
      return error
    }
  }

  private static func httpStatus(_ head: HTTPHead) -> Int? {
    guard case .http(let response)? = rejection(head) else { return nil }
    return response.status
  }

  /// Returns the code of the status with which a head is rejected.
  private static func code(_ head: HTTPHead) -> StatusCode? {
    guard case .status(let status, _)? = rejection(head) else { return nil }
    return status.code
  }

  @Test(
    "Case 16: the content type names the format, in any case; others and other methods have an HTTP status",
    arguments: [
      ("application/json", ConnectFormat(.json, isStream: false)), ("Application/JSON", .init(.json, isStream: false)),
      ("application/json; charset=utf-8", .init(.json, isStream: false)),
      ("application/json;charset=\"UTF-8\"", .init(.json, isStream: false)),
      ("application/proto", .init(.proto, isStream: false)),
      ("application/connect+json", .init(.json, isStream: true)),
      ("application/connect+proto", .init(.proto, isStream: true)),
      ("application/json; charset=latin1", nil), ("application/proto; charset=utf-8", nil), ("text/plain", nil),
      ("application/x-www-form-urlencoded", nil), ("multipart/form-data; boundary=x", nil), ("", nil),
      ("application/grpc", nil), ("application/jsonx", nil), ("application/connect+foo", nil),
    ] as [(String, ConnectFormat?)])
  func formats(type: String, format: ConnectFormat?) throws {
    #expect(ConnectFormat(contentType: type) == format)
    if format == nil { #expect(Self.httpStatus(Self.head(type: type)) == 415) }
    for method in ["GET", "PUT", "HEAD", "post"] {
      #expect(Self.httpStatus(Self.head(type: type, method: method)) == 405)
    }
    #expect(Self.httpStatus(Self.head([("content-type", "application/proto")])) == 415)
  }

  @Test("Case 20: the protocol's version is absent or 1")
  func version() throws {
    #expect(Self.code(Self.head([("connect-protocol-version", "1")])) == nil)
    for version in ["2", "", "1.0", "01"] {
      #expect(Self.code(Self.head([("connect-protocol-version", version)])) == .invalidArgument)
    }
  }

  @Test("Case 23: a timeout has at most ten digits")
  func timeouts() throws {
    let longest = try ConnectRequest(Self.head([("connect-timeout-ms", "9999999999")]))
    #expect(longest.timeout == .milliseconds(9_999_999_999))
    let none = try ConnectRequest(Self.head())
    #expect(none.timeout == nil)
    for text in ["99999999999", "-1", "1.5", "0x10", "", " ", "+1", "1s"] {
      #expect(Self.code(Self.head([("connect-timeout-ms", text)])) == .invalidArgument)
    }
    #expect(Self.code(Self.head([("connect-timeout-ms", "1"), ("connect-timeout-ms", "1")])) == .invalidArgument)
    #expect(Self.code(Self.head([("connect-timeout-ms", "0")])) == .deadlineExceeded)
  }

  @Test("Case 10: compression is not supported, and the error names the accepted encoding")
  func encodings() throws {
    for name in ["content-encoding", "connect-content-encoding"] {
      let type = "application/connect+proto"
      guard case .status(let status, let format)? = Self.rejection(Self.head([(name, "gzip")], type: type)) else {
        Issue.record("not rejected")
        continue
      }
      #expect(status.code == .unimplemented && status.message.contains("identity") && format.isStream)
      #expect(Self.rejection(Self.head([(name, "identity")], type: type)) == nil)
    }
    #expect(Self.code(Self.head([("content-encoding", "br")])) == .unimplemented)
  }

  @Test("Cases 13 and 14: metadata is all fields of the call, without cookies and those of the connection")
  func metadata() throws {
    let request = try ConnectRequest(
      Self.head([
        ("Authorization", "Bearer x"), ("X-Data-Bin", "AAE, AgM="), ("x-text", " a "), ("x-text", "b"),
        ("Cookie", "session=1"), ("Connection", "close"), ("Accept-Encoding", "gzip"), ("grpc-timeout", "1S"),
        ("connect-accept-encoding", "gzip"), ("x-invalid", "caf\u{E9}"), ("Origin", "https://a.example"),
      ]))
    #expect(request.method == "test.Echo/Unary")
    #expect(
      request.metadata.pairs.map(\.key) == [
        "authorization", "x-data-bin", "x-data-bin", "x-text", "x-text", "origin",
      ])
    #expect(request.metadata.pairs.map(\.value)[1...4] == [[0, 1], [2, 3], [97], [98]])
    #expect(Self.code(Self.head([("a-bin", "*")])) == .invalidArgument)
    #expect(Self.code(Self.head((0..<65).map { ("x-\($0)", "") })) == .resourceExhausted)
    for target in ["/", "/a", "", "*", "/ab c", "/\u{E9}\u{E9}\u{E9}"] {
      #expect(Self.code(Self.head(target: target)) == .unimplemented)
    }
    #expect(RPCStatus.unknownMethod("a.B1/C_d".utf8).message == "unknown method a.B1/C_d")
    for path in ["a b/c", "a/<b>", "a", "\u{E9}/a", "a/" + String(repeating: "b", count: 255)] {
      #expect(RPCStatus.unknownMethod(path.utf8).message == "unknown method", "\(path)")
    }
  }

  @Test("Case 17: an error is a JSON object with its code, and has the HTTP status of the specification")
  func errors() {
    let statuses = [200, 499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401]
    for (code, status) in statuses.enumerated() {
      #expect(ConnectResponse.httpStatus(of: StatusCode(rawValue: UInt32(code))) == status)
    }
    #expect(ConnectResponse.httpStatus(of: StatusCode(rawValue: 99)) == 500)
    let plain = String(decoding: ConnectResponse.error(RPCStatus(.cancelled, "")), as: UTF8.self)
    #expect(plain == #"{"code":"canceled"}"#)
    let detail = StatusDetail(typeURL: "type.googleapis.com/test.Detail", value: [1, 0, 2])
    let status = RPCStatus(.internalError, "a \"b\" \\ \n \u{1} \u{FC}", details: [detail])
    let full = String(decoding: ConnectResponse.error(status), as: UTF8.self)
    #expect(
      full == #"{"code":"internal","message":"a \"b\" \\ \n \u0001 ü","#
        + #""details":[{"type":"test.Detail","value":"AQAC"}]}"#)
  }

  @Test("The name of each field in an error is its name in JSON")
  func fieldNames() {
    for message in Schema.marquee.messages {
      for field in message.fields {
        #expect(FieldViolation(field: field.name, "").jsonField == field.jsonName, "\(message.name)")
      }
    }
  }

  @Test("Cases 18 and 19: the end of a stream has the error, or none, and the metadata by name")
  func endOfStream() {
    func text(_ status: RPCStatus) -> String { String(decoding: ConnectResponse.endOfStream(status), as: UTF8.self) }
    #expect(text(.ok) == "{}")
    var metadata = Metadata()
    metadata.append("x", "1")
    metadata.append("y-bin", bytes: [255])
    metadata.append("x", "2")
    metadata.append("set-cookie", "a=b")
    #expect(
      text(RPCStatus(.ok, "", details: [], metadata: metadata)) == #"{"metadata":{"x":["1","2"],"y-bin":["/w"]}}"#)
    #expect(
      text(RPCStatus(.notFound, "no", details: [], metadata: metadata))
        == #"{"error":{"code":"not_found","message":"no"},"metadata":{"x":["1","2"],"y-bin":["/w"]}}"#)
    #expect(ConnectResponse.envelope([7], flag: ConnectResponse.endOfStreamFlag) == [2, 0, 0, 0, 1, 7])
    #expect(ConnectResponse.envelope([UInt8](repeating: 0, count: 258)).prefix(5) == [0, 0, 0, 1, 2])
    #expect(
      ConnectResponse.fields(metadata, prefix: "trailer-").map(\.name) == ["trailer-x", "trailer-y-bin", "trailer-x"])
  }

  /// Returns the message of a body that arrives in these chunks, or the code of its error.
  private static func body(
    _ chunks: [[UInt8]], _ format: ConnectFormat, sizeMax: Int = 4
  ) -> Result<[UInt8], RPCStatus> {
    var body = ConnectBody(format, sizeMax: sizeMax)
    return Result { () throws(RPCStatus) in
      for chunk in chunks {
        var failure: RPCStatus?
        chunk.withUnsafeBytes { bytes in
          do throws(RPCStatus) { try body.append(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
      }
      return try body.message()
    }
  }

  @Test("The error of a body over its limit names the limit of the message, and that JSON may be larger")
  func limits() {
    func text(_ codec: ConnectFormat.Codec, isStream: Bool) -> String? {
      var body = ConnectBody(ConnectFormat(codec, isStream: isStream), messageSizeMax: 2)
      return ([0, 0, 0, 0, 9, 1, 1, 1, 1] as [UInt8]).withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> String? in
        do throws(RPCStatus) {
          try body.append(bytes)
          return nil
        } catch {
          return error.message
        }
      }
    }
    #expect(text(.proto, isStream: false) == "message exceeds message-size-max (2)")
    #expect(text(.json, isStream: false) == "message exceeds 4 times message-size-max (2) in JSON")
    #expect(text(.proto, isStream: true) == "message of 9 bytes exceeds message-size-max (2)")
    #expect(text(.json, isStream: true) == "message of 9 bytes exceeds 4 times message-size-max (2) in JSON")
  }

  @Test("Cases 7 to 9, 12 and 22: a body has exactly one message within its limit")
  func bodies() {
    let (unary, json) = (ConnectFormat(.proto, isStream: false), ConnectFormat(.json, isStream: false))
    let stream = ConnectFormat(.proto, isStream: true)
    #expect(Self.body([[1, 2], [3]], unary) == .success([1, 2, 3]))
    #expect(Self.body([], unary) == .success([]))
    #expect(Self.body([], json).code == .invalidArgument)
    #expect(Self.body([[1, 2, 3, 4], [5]], unary).code == .resourceExhausted)
    let whole: [UInt8] = [0, 0, 0, 0, 2, 8, 9]
    #expect(Self.body([whole], stream) == .success([8, 9]))
    #expect(Self.body(whole.map { [$0] }, stream) == .success([8, 9]))
    #expect(Self.body([[0, 0, 0, 0, 0]], stream) == .success([]))
    for count in 1..<whole.count { #expect(Self.body([Array(whole.prefix(count))], stream).code == .invalidArgument) }
    #expect(Self.body([], stream).code == .unimplemented)
    #expect(Self.body([whole + [0]], stream).code == .unimplemented)
    #expect(Self.body([whole, whole], stream).code == .unimplemented)
    #expect(Self.body([[0, 0, 0, 0], [5]], stream).code == .resourceExhausted)
    #expect(Self.body([[0, 255, 255, 255, 255, 1]], stream).code == .resourceExhausted)
    #expect(Self.body([[1, 0, 0, 0, 0]], stream).code == .internalError)
    for flags in [2, 3, 128] as [UInt8] { #expect(Self.body([[flags, 0, 0, 0, 0]], stream).code == .invalidArgument) }
  }

  @Test("A response's head has its fields in order, and a chunk its size in hexadecimal")
  func responseHead() {
    let head = HTTP1ResponseHead(404, [.init("A", " b "), .init("c", "d")])
    #expect(String(decoding: head.bytes(), as: UTF8.self) == "HTTP/1.1 404 Not Found\r\na: b\r\nc: d\r\n\r\n")
    #expect(HTTP1ResponseHead.chunk([UInt8](repeating: 65, count: 17)) == Array("11\r\nAAAAAAAAAAAAAAAAA\r\n".utf8))
    #expect(HTTP1ResponseHead.chunk([]) == Array("0\r\n\r\n".utf8))
  }
}

extension Result where Success == [UInt8], Failure == RPCStatus {
  /// The code of the error; `OK` for a message.
  fileprivate var code: StatusCode {
    switch self {
    case .success: .ok
    case .failure(let status): status.code
    }
  }
}
