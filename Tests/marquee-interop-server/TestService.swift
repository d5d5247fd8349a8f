import MarqueeRPC
import MarqueeTransport

/// The service `grpc.testing.TestService` of gRPC's published interoperability cases.
///
/// Metadata of requests with the key `x-grpc-test-echo-initial` is sent back before the first response, and metadata
/// with the key `x-grpc-test-echo-trailing-bin` with the status.
enum TestService {
  /// The maximum size of a response's payload, in bytes.
  static let responseSizeMax = 1 << 22

  /// Returns a router with the service's methods.
  static var router: Router {
    var router = Router { error in
      switch error {
      case let status as RPCStatus: status
      case is CancellationError: RPCStatus(.cancelled, "cancelled")
      default: RPCStatus(.unknown, "\(error)")
      }
    }
    router.synchronous(method("EmptyCall", .unary)) { _, _ in [] }
    // Registered as streaming, because only such handlers send metadata before the response; a single response is
    // sent in the same way.
    router.serverStreaming(method("UnaryCall", .serverStreaming)) { request, writer, context in
      try await respond(to: try .simple(request), writer, context)
      throw end(context)
    }
    router.serverStreaming(method("StreamingOutputCall", .serverStreaming)) { request, writer, context in
      try await respond(to: try .streaming(request), writer, context)
      throw end(context)
    }
    router.clientStreaming(method("StreamingInputCall", .clientStreaming)) { requests, _ in
      var size = 0
      for try await request in requests { size += try TestRequest.payloadSize(request) }
      var response: [UInt8] = []
      response.append(field: 1, number: UInt64(size))
      return response
    }
    router.bidirectional(method("FullDuplexCall", .bidirectional)) { requests, writer, context in
      for try await request in requests { try await respond(to: try .streaming(request), writer, context) }
      throw end(context)
    }
    router.bidirectional(method("HalfDuplexCall", .bidirectional)) { requests, writer, context in
      var all: [[UInt8]] = []
      for try await request in requests { all.append(request) }
      for request in all { try await respond(to: try .streaming(request), writer, context) }
      throw end(context)
    }
    return router
  }

  private static func method(_ name: String, _ kind: CallKind) -> RPCMethod<[UInt8], [UInt8]> {
    RPCMethod(
      path: "grpc.testing.TestService/\(name)", kind: kind, request: .bytes, response: .bytes,
      responseSizeMax: responseSizeMax + 64)
  }

  /// Sends the responses to one request.
  ///
  /// - Throws: The status that the request asks for.
  private static func respond(
    to request: TestRequest, _ writer: ResponseWriter<[UInt8]>, _ context: CallContext
  ) async throws {
    if let status = request.status { throw status }
    var initial = Metadata()
    if let value = context.metadata[initialKey] { initial.append(initialKey, value) }
    for response in request.responses {
      if response.delay > 0 { try await Task.sleep(for: .microseconds(response.delay)) }
      // Has no effect after the first response.
      if !initial.isEmpty { await writer.sendHeader(initial) }
      try await writer.send(TestRequest.encodedResponse(size: response.size))
    }
  }

  /// The status of a successful call, with the metadata to send back.
  private static func end(_ context: CallContext) -> RPCStatus {
    var trailing = Metadata()
    if let value = context.metadata.bytes(for: trailingKey) { trailing.append(trailingKey, bytes: value) }
    return RPCStatus(.ok, "", details: [], metadata: trailing)
  }

  private static let initialKey = "x-grpc-test-echo-initial"
  private static let trailingKey = "x-grpc-test-echo-trailing-bin"
}
