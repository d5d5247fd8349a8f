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
    router.unaryWithMetadata(method("UnaryCall", .unary)) { try response(to: .simple($0), $1) }
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

  /// Returns the response to a request of a unary call.
  ///
  /// - Throws: The status that the request asks for.
  private static func response(to request: TestRequest, _ context: CallContext) throws -> UnaryResponse<[UInt8]> {
    if let status = request.status { throw status }
    return UnaryResponse(
      TestRequest.encodedResponse(size: request.responses[0].size), header: initialMetadata(context),
      trailer: trailingMetadata(context))
  }

  /// Sends the responses to one request of a stream.
  ///
  /// - Throws: The status that the request asks for.
  private static func respond(
    to request: TestRequest, _ writer: ResponseWriter<[UInt8]>, _ context: CallContext
  ) async throws {
    if let status = request.status { throw status }
    let header = initialMetadata(context)
    for response in request.responses {
      if response.delay > 0 { try await Task.sleep(for: .microseconds(response.delay)) }
      // Has no effect after the first response.
      if !header.isEmpty { await writer.sendHeader(header) }
      try await writer.send(TestRequest.encodedResponse(size: response.size))
    }
  }

  /// The status of a successful stream, with the metadata to send back.
  private static func end(_ context: CallContext) -> RPCStatus {
    RPCStatus(.ok, "", details: [], metadata: trailingMetadata(context))
  }

  /// The metadata to send back before the first response.
  private static func initialMetadata(_ context: CallContext) -> Metadata {
    var header = Metadata()
    if let value = context.metadata[initialKey] { header.append(initialKey, value) }
    return header
  }

  /// The metadata to send back with the status.
  private static func trailingMetadata(_ context: CallContext) -> Metadata {
    var trailer = Metadata()
    if let value = context.metadata.bytes(for: trailingKey) { trailer.append(trailingKey, bytes: value) }
    return trailer
  }

  private static let initialKey = "x-grpc-test-echo-initial"
  private static let trailingKey = "x-grpc-test-echo-trailing-bin"
}
