import MarqueeRPC

/// A request of a method of the test service that responds with payloads: `SimpleRequest` or
/// `StreamingOutputCallRequest`, whose field numbers agree.
struct TestRequest {
  /// A response to send.
  struct Response {
    /// The number of zeros in the payload.
    let size: Int
    /// The delay before the response, in microseconds.
    let delay: Int
  }

  let responses: [Response]
  /// The status with which to end the call; `nil` for `OK`.
  let status: RPCStatus?

  /// Decodes a `SimpleRequest`.
  static func simple(_ bytes: [UInt8]) throws -> TestRequest {
    let fields = try MessageFields(bytes[...])
    try checkUncompressed(expected: fields.message(8), response: fields.message(6))
    let response = try Response(size: size(fields.int32(2), ofType: fields.int32(1)), delay: 0)
    return TestRequest(responses: [response], status: try status(fields))
  }

  /// Decodes a `StreamingOutputCallRequest`.
  static func streaming(_ bytes: [UInt8]) throws -> TestRequest {
    let fields = try MessageFields(bytes[...])
    let type = fields.int32(1)
    let responses = try fields.messages(2).map { parameters in
      try checkUncompressed(expected: nil, response: parameters.message(3))
      return Response(size: try size(parameters.int32(1), ofType: type), delay: parameters.int32(2))
    }
    return TestRequest(responses: responses, status: try status(fields))
  }

  /// Decodes a `StreamingInputCallRequest` and returns the size of its payload.
  static func payloadSize(_ bytes: [UInt8]) throws -> Int {
    let fields = try MessageFields(bytes[...])
    try checkUncompressed(expected: fields.message(2), response: nil)
    return try fields.message(1)?.bytes(2).count ?? 0
  }

  /// Returns an encoded response, whose only field is the payload.
  static func encodedResponse(size: Int) -> [UInt8] {
    var payload: [UInt8] = []
    payload.append(field: 2, bytes: [UInt8](repeating: 0, count: size))
    var message: [UInt8] = []
    message.append(field: 1, bytes: payload)
    return message
  }

  private static func size(_ size: Int, ofType type: Int) throws -> Int {
    guard type == 0 else { throw RPCStatus(.invalidArgument, "response_type: unknown type \(type)") }
    guard (0...TestService.responseSizeMax).contains(size) else {
      throw RPCStatus(.invalidArgument, "response_size: not in 0...\(TestService.responseSizeMax)")
    }
    return size
  }

  private static func status(_ fields: MessageFields) throws -> RPCStatus? {
    guard let status = try fields.message(7) else { return nil }
    let code = StatusCode(rawValue: UInt32(truncatingIfNeeded: status.int32(1)))
    guard code != .ok else { return nil }
    return RPCStatus(code, String(decoding: status.bytes(2), as: UTF8.self))
  }

  /// Refuses what the server cannot do: a compressed request never reaches a handler, and no response is compressed.
  private static func checkUncompressed(expected: MessageFields?, response: MessageFields?) throws {
    if expected?.int32(1) == 1 {
      throw RPCStatus(.invalidArgument, "expect_compressed: the request is not compressed")
    }
    if response?.int32(1) == 1 { throw RPCStatus(.unimplemented, "compressed responses are not supported") }
  }
}
