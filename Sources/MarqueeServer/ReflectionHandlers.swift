import MarqueeRPC
import MarqueeSchema
import MarqueeTransport
import MarqueeWire

/// The handlers of the gRPC server reflection service, by which clients such as `grpcurl` and `buf curl` call methods
/// without the .proto files.
struct ReflectionHandlers {
  /// The maximum number of requests on one stream.
  static let requestCountMax = 1_000

  private let health: HealthStatus
  private let schema = Schema.marquee

  /// Creates handlers whose streams end when `health` is set to NOT_SERVING while the server drains.
  init(health: HealthStatus) {
    self.health = health
  }

  func add(to router: inout Router) {
    for method in [ReflectionService.serverReflectionInfo, ReflectionService.alphaServerReflectionInfo] {
      router.bidirectional(method) { requests, writer, _ in try await serve(requests, writer) }
    }
  }

  /// Answers the requests of a stream until the client finishes it or the server drains.
  private func serve(
    _ requests: MessageStream<ServerReflectionRequest>, _ writer: ResponseWriter<ServerReflectionResponse>
  ) async throws {
    try await withThrowingTaskGroup { group in
      group.addTask {
        var count = 0
        for try await request in requests {
          count += 1
          guard count <= Self.requestCountMax else {
            throw RPCStatus(
              .resourceExhausted,
              "too many requests on one reflection stream (reflection-request-count-max: \(Self.requestCountMax))")
          }
          try await writer.send(response(to: request))
        }
      }
      group.addTask {
        await health.waitUntilDraining()
        throw RPCStatus.shuttingDown
      }
      try await group.next()
      group.cancelAll()
    }
  }

  /// Returns the response to a request.
  private func response(to request: ServerReflectionRequest) -> ServerReflectionResponse {
    ServerReflectionResponse(validHost: request.host, originalRequest: request, content(for: request.query))
  }

  private func content(for query: ServerReflectionRequest.Query?) -> ServerReflectionResponse.Content {
    switch query {
    case .fileByFilename(let name): files(of: schema.file(named: name), orElse: "unknown file name")
    case .fileContainingSymbol(let symbol): files(of: schema.file(declaring: symbol), orElse: "unknown symbol")
    case .fileContainingExtension(let type, _):
      // The files are proto3, so that no message has extensions.
      .error(.notFound, message: schema.message(named: type) == nil ? "unknown message" : "unknown extension")
    case .allExtensionNumbers(let type):
      schema.message(named: type) == nil
        ? .error(.notFound, message: "unknown message") : .extensionNumbers(of: type, [])
    case .listServices: .services(schema.services.map(\.name).sorted())
    case nil: .error(.invalidArgument, message: "message_request: required field is missing")
    }
  }

  private func files(of file: Schema.File?, orElse message: String) -> ServerReflectionResponse.Content {
    file.map { .files(schema.closure(of: $0).map(\.descriptor)) } ?? .error(.notFound, message: message)
  }
}
