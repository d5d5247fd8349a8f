import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeTransport

/// The test methods; their messages are plain bytes.
enum Methods {
  static let echo = method("test.Echo/Unary", .unary)
  static let echoNow = method("test.Echo/Now", .unary)
  static let sum = method("test.Echo/Sum", .clientStreaming)
  static let count = method("test.Echo/Count", .serverStreaming)
  static let chat = method("test.Echo/Chat", .bidirectional)
  static let fail = method("test.Echo/Fail", .unary)
  static let wait = method("test.Echo/Wait", .unary)
  static let deaf = method("test.Echo/Deaf", .bidirectional)
  static let flood = method("test.Echo/Flood", .serverStreaming)
  static let breakOff = method("test.Echo/BreakOff", .serverStreaming)
  static let offer = method("test.Echo/Offer", .bidirectional)
  static let offerState = method("test.Echo/OfferState", .serverStreaming)
  static let peer = method("test.Echo/Peer", .unary)
  static let control = method("test.Echo/Control", .unary)
  static let refuse = method("test.Echo/Refuse", .unary)
  static let refuseStream = method("test.Echo/RefuseStream", .serverStreaming)
  static let sized = method("test.Echo/Sized", .unary)
  static let sizes = method("test.Echo/Sizes", .serverStreaming)
  static let shared = method("test.Echo/Shared", .serverStreaming)
  static let parts = method("test.Echo/Parts", .serverStreaming)

  static func method(_ path: String, _ kind: CallKind) -> RPCMethod<[UInt8], [UInt8]> {
    RPCMethod(path: path, kind: kind, request: .bytes, response: .bytes, requestSizeMax: 1 << 20)
  }
}

/// A server with the methods of ``Methods``.
final class EchoServer: Sendable {
  let server: RPCServer
  let endpoint: Endpoint
  /// Recorded when a handler starts to wait.
  let waits: EventRecorder<Void>
  /// Recorded when a handler observes its cancellation.
  let cancellations: EventRecorder<Void>
  /// Records the code of each call that has ended.
  let ends = EventRecorder<StatusCode>()

  init(
    _ endpoint: Endpoint = .tcp(host: "127.0.0.1", port: 0), configuration: ServerConfiguration = .init(),
    transcoder: any MessageTranscoder = ByteListTranscoder(), tls: TLSPair? = nil
  ) async throws {
    waits = EventRecorder<Void>()
    cancellations = EventRecorder<Void>()
    server = RPCServer(
      router: Self.router(waits, cancellations, ends, transcoder), configuration: configuration, logger: .silent)
    self.endpoint = try await server.start([endpoint], tls: tls?.server)[0]
  }

  /// Runs a server and a client of HTTP/1.1, and expects that the server is unaffected afterward.
  ///
  /// - Returns: The server's counts, with one more call.
  static func run(
    _ change: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (EchoServer, inout HTTP1RawClient) async throws -> Void
  ) async throws -> ServerCounts {
    var configuration = ServerConfiguration()
    change(&configuration)
    let server = try await EchoServer(configuration: configuration)
    var client = try await HTTP1RawClient(server.endpoint)
    try await body(server, &client)
    var other = try await HTTP1RawClient(server.endpoint)
    let last = await other.answer(Methods.echo.path, [9])
    #expect(last?.status == 200 && last?.body == [9])
    try await other.close()
    await server.shutDown()
    let counts = server.server.statistics
    #expect(counts.callsRunning == 0 && counts.connectionsOpen == 0)
    return counts
  }

  func client(_ change: (inout ClientConfiguration) -> Void = { _ in }) -> RPCClient {
    var configuration = ClientConfiguration()
    configuration.backoff.first = .milliseconds(1)
    change(&configuration)
    return RPCClient(endpoint, configuration: configuration)
  }

  func shutDown() async {
    await server.shutDown(grace: .zero)
  }

  static func status(of error: any Error) -> RPCStatus {
    switch error {
    case let status as RPCStatus: status
    case is CancellationError: RPCStatus(.cancelled, "cancelled")
    default: RPCStatus(.unknown, "an error")
    }
  }

  private static func router(
    _ waits: EventRecorder<Void>, _ cancellations: EventRecorder<Void>, _ ends: EventRecorder<StatusCode>,
    _ transcoder: any MessageTranscoder
  ) -> Router {
    var router = Router(observer: { _, _ in EndObserver(ends: ends) }, status: Self.status)
    router.transcoder = transcoder
    addAnswering(to: &router)
    addWaiting(to: &router, waits, cancellations)
    addStraining(to: &router)
    addLarge(to: &router, waits, cancellations)
    return router
  }

  /// Adds methods that respond to their requests.
  private static func addAnswering(to router: inout Router) {
    router.unary(Methods.echo) { request, _ in request }
    router.synchronous(Methods.echoNow) { request, _ in request }
    router.clientStreaming(Methods.sum) { requests, _ in
      var sum: UInt8 = 0
      for try await request in requests { sum = request.reduce(sum, &+) }
      return [sum]
    }
    router.serverStreaming(Methods.count) { request, writer, _ in
      for number in 0..<(request.first ?? 0) { try await writer.send([number]) }
    }
    router.serverStreaming(Methods.breakOff) { request, writer, _ in
      for number in 0..<(request.first ?? 0) { try await writer.send([number]) }
      throw RPCStatus(.aborted, "broken off")
    }
    router.bidirectional(Methods.chat) { requests, writer, context in
      var metadata = Metadata()
      metadata.append("seen", context.metadata["greeting"] ?? "nothing")
      await writer.sendHeader(metadata)
      for try await request in requests { try await writer.send(request) }
    }
    router.unary(Methods.fail) { request, _ in
      var metadata = Metadata()
      metadata.append("reason", "asked")
      throw RPCStatus(
        StatusCode(rawValue: UInt32(request[0])), "as asked",
        details: [StatusDetail(typeURL: "test/Detail", value: [1, 0, 2])], metadata: metadata)
    }
  }

  /// Adds methods with large responses, and with errors of fields.
  private static func addLarge(
    to router: inout Router, _ waits: EventRecorder<Void>, _ cancellations: EventRecorder<Void>
  ) {
    let refused = RPCStatus(.invalidArgument, field: "entries[3].date_ms", "must be after end_ms")
    router.unary(Methods.refuse) { _, _ in throw refused }
    router.serverStreaming(Methods.refuseStream) { _, _, _ in throw refused }
    // A message of one byte for 0, and of 70,000 bytes for 1 and more than 2.
    @Sendable func message(_ value: UInt8) -> [UInt8] {
      [UInt8](repeating: value, count: value == 0 ? 1 : value == 2 ? 140_000 : 70_000)
    }
    router.unary(Methods.sized) { request, _ in message(request[0]) }
    router.serverStreaming(Methods.sizes) { request, writer, _ in
      do {
        for value in request { _ = writer.offer(message(value), isInitial: true) }
        try await writer.waitUntilSent()
      } catch {
        cancellations.record()
        throw error
      }
    }
    router.serverStreaming(Methods.parts) { request, writer, _ in
      for value in request { try await writer.send(message(value)) }
    }
    let shared = message(3)
    router.serverStreaming(Methods.shared) { _, writer, _ in
      waits.record()
      try await writer.send(encoded: shared)
    }
  }

  /// Adds methods that signal that they wait, and that they are cancelled.
  private static func addWaiting(
    to router: inout Router, _ waits: EventRecorder<Void>, _ cancellations: EventRecorder<Void>
  ) {
    router.unary(Methods.wait) { request, _ in
      waits.record()
      do {
        try await Forever().wait()
      } catch {
        cancellations.record()
        throw error
      }
      return request
    }
    router.bidirectional(Methods.deaf) { _, _, _ in
      waits.record()
      do {
        try await Forever().wait()
      } catch {
        cancellations.record()
        throw error
      }
    }
    router.serverStreaming(Methods.flood) { request, writer, _ in
      do {
        let message = [UInt8](repeating: 7, count: 32_768)
        waits.record()
        while true { try await writer.send(message) }
      } catch {
        cancellations.record()
        throw error
      }
    }
  }

  /// Adds methods for offers, for peer information, and for messages that need decoding.
  private static func addStraining(to router: inout Router) {
    router.bidirectional(Methods.offer) { requests, writer, _ in
      let message = [UInt8](repeating: 1, count: 32_768)
      var count: UInt8 = 0
      while count < 255, writer.offer(encoded: message) { count += 1 }
      try await writer.send(encoded: [count])
      for try await request in requests {
        let isTaken = await Task.detached { writer.offer(request) }.value
        guard isTaken else { throw RPCStatus(.internalError, "the offer was rejected although nothing is queued") }
      }
    }
    router.serverStreaming(Methods.offerState) { _, writer, _ in
      // Initial responses of four times the backlog limit, which do not count; then responses that do.
      for _ in 1...2 { _ = writer.offer(encoded: [UInt8](repeating: 2, count: 1 << 19), isInitial: true) }
      var count: UInt8 = 0
      while count < 255, writer.offer(encoded: [UInt8](repeating: 1, count: 32_768)) { count += 1 }
      try await writer.send(encoded: [count])
    }
    router.unary(Methods.peer) { _, context in
      let peer = context.peer
      let user = peer.credentials.map { "\($0.userID)" } ?? "none"
      return Array("\(peer.address) \(user) \(peer.certificateNames.joined(separator: ","))".utf8)
    }
    let control = RPCMethod<[UInt8], [UInt8]>(
      path: Methods.control.path, kind: .unary,
      request: MessageCodec(
        decode: { (bytes, arena) throws(RPCStatus) in
          _ = try ControlMessages.decodeStatus(bytes, arena)
          return []
        }, encode: { _, _ in }),
      response: .bytes, requestSizeMax: 4 << 20)
    router.unary(control) { request, _ in request }
  }
}

/// Records the codes of calls.
struct EndObserver: CallObserver {
  let ends: EventRecorder<StatusCode>

  func ended(
    _ code: StatusCode, after duration: Duration, over callProtocol: CallProtocol, in trace: TraceParent?
  ) { ends.record(code) }
}

struct Forever {
  /// Waits until the task is cancelled.
  func wait() async throws {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    for await _ in stream {}
    continuation.finish()
    throw CancellationError()
  }
}

/// Writes plain bytes as a JSON array of numbers.
struct ByteListTranscoder: MessageTranscoder {
  func request(fromJSON text: [UInt8], of method: String, sizeMax: Int) throws(RPCStatus) -> TranscodedRequest {
    guard text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]") else {
      throw RPCStatus(.invalidArgument, "not an array")
    }
    let parts = text.dropFirst().dropLast().split(separator: UInt8(ascii: ",")).map {
      String(decoding: $0, as: UTF8.self)
    }
    return TranscodedRequest(
      parts.compactMap(UInt8.init), ignoredFields: parts.filter { UInt8($0) == nil }.joined(separator: ", "))
  }

  /// The beginning of an encoded response that has no JSON.
  static let unconvertible: [UInt8] = [255, 255]

  func response(toJSON bytes: [UInt8], of method: String) throws(RPCStatus) -> [UInt8] {
    if bytes.starts(with: Self.unconvertible) { throw RPCStatus(.dataLoss, "no JSON") }
    return Array("[\(bytes.map(String.init).joined(separator: ","))]".utf8)
  }
}
