import MarqueeRPC
import MarqueeSchema

/// The responses of the Connect protocol.
public enum ConnectResponse {
  /// The flag of the message that ends a stream.
  static let endOfStreamFlag: UInt8 = 2

  // MARK: Errors

  private static let codes: [(name: String, status: Int)] = [
    ("ok", 200), ("canceled", 499), ("unknown", 500), ("invalid_argument", 400), ("deadline_exceeded", 504),
    ("not_found", 404), ("already_exists", 409), ("permission_denied", 403), ("resource_exhausted", 429),
    ("failed_precondition", 400), ("aborted", 409), ("out_of_range", 400), ("unimplemented", 501), ("internal", 500),
    ("unavailable", 503), ("data_loss", 500), ("unauthenticated", 401),
  ]

  /// Returns the HTTP status of a unary call's response; 500 for codes that the protocol does not have.
  public static func httpStatus(of code: StatusCode) -> Int {
    code.rawValue < UInt32(codes.count) ? codes[Int(code.rawValue)].status : 500
  }

  /// Returns the response of a unary call that failed, without metadata. Its body is JSON in any format.
  static func failure(_ status: RPCStatus) -> HTTPResponse {
    let code = status.isUnknownMethod ? 404 : httpStatus(of: status.code)
    var response = HTTPResponse(code, [HTTPHead.Field("content-type", "application/json")], body: error(status))
    if status.code == .unimplemented { response.fields.append(HTTPHead.Field("accept-encoding", "identity")) }
    if status.code == .unauthenticated { response.fields.append(HTTPHead.Field("www-authenticate", "Bearer")) }
    if status.isRefusal { response.fields.append(HTTPHead.Field("retry-after", "1")) }
    return response
  }

  /// Returns the JSON object of an error, with the code, the message and the details of a status.
  ///
  /// It is the body of a unary call's response, whose content type is `application/json` in any format.
  public static func error(_ status: RPCStatus) -> [UInt8] {
    let name = status.code.rawValue < UInt32(codes.count) ? codes[Int(status.code.rawValue)].name : "unknown"
    var json = Array("{\"code\":\"\(name)\"".utf8)
    if !status.message.isEmpty {
      json += ",\"message\":".utf8
      JSONString.append(status.message.cut(to: RPCStatus.messageSizeMax), to: &json)
    }
    if !status.details.isEmpty {
      json += ",\"details\":[".utf8
      for (index, detail) in status.details.enumerated() {
        if index > 0 { json.append(UInt8(ascii: ",")) }
        json += "{\"type\":".utf8
        JSONString.append(String(detail.typeURL.split(separator: "/").last ?? ""), to: &json)
        json += ",\"value\":\"".utf8
        json += Base64.encode(detail.value)
        json += "\"}".utf8
      }
      json.append(UInt8(ascii: "]"))
    }
    json.append(UInt8(ascii: "}"))
    return json
  }

  // MARK: Streams

  /// Returns the JSON object at the end of a stream: the error, if any, and the metadata of a status.
  public static func endOfStream(_ status: RPCStatus) -> [UInt8] {
    var json = Array("{".utf8)
    if status.code != .ok {
      json += "\"error\":".utf8
      json += error(status)
    }
    var values: [(key: String, values: [String])] = []
    for field in fields(status.metadata) {
      if let index = values.firstIndex(where: { $0.key == field.name }) {
        values[index].values.append(field.value)
      } else {
        values.append((field.name, [field.value]))
      }
    }
    if !values.isEmpty {
      if json.count > 1 { json.append(UInt8(ascii: ",")) }
      json += "\"metadata\":{".utf8
      for (index, entry) in values.enumerated() {
        if index > 0 { json.append(UInt8(ascii: ",")) }
        JSONString.append(entry.key, to: &json)
        json += ":[".utf8
        for (index, value) in entry.values.enumerated() {
          if index > 0 { json.append(UInt8(ascii: ",")) }
          JSONString.append(value, to: &json)
        }
        json.append(UInt8(ascii: "]"))
      }
      json.append(UInt8(ascii: "}"))
    }
    json.append(UInt8(ascii: "}"))
    return json
  }

  /// Returns a message of a stream in its envelope: a flag and the length, before the bytes.
  ///
  /// - Parameters:
  ///   - message: The message, of less than 4 GiB.
  ///   - flag: The first byte: 0, or that of the message that ends the stream.
  public static func envelope(_ message: [UInt8], flag: UInt8 = 0) -> [UInt8] {
    let size = UInt32(message.count)
    var bytes = [flag]
    bytes.reserveCapacity(MessageDeframer.prefixSize + message.count)
    for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: size >> shift)) }
    bytes += message
    return bytes
  }

  // MARK: Metadata

  /// Returns metadata as header fields, with a prefix for their names. Fields that describe the connection, the body
  /// or the browser's policy are omitted.
  public static func fields(_ metadata: Metadata, prefix: String = "") -> [HTTPHead.Field] {
    if metadata.isEmpty { return [] }
    return metadata.pairs.filter { !ReservedField.isInResponse($0.key) }.map { pair in
      let value = pair.isBinary ? Base64.encode(pair.value) : pair.value
      return HTTPHead.Field(prefix + pair.key, String(decoding: value, as: UTF8.self))
    }
  }
}
