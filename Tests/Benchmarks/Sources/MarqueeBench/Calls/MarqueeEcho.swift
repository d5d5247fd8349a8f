import Logging
import MarqueeRPC
import MarqueeTransport
import MarqueeWire
import NIOCore
import NIOEmbedded
import NIOPosix

/// Marquee's calls, with all features of a server: deadlines, metadata, flow control.
enum MarqueeEcho: EchoPeer {
  static let small = method("Small", .unary, HealthService.check.request)
  private static let smallTask = method("SmallTask", .unary, HealthService.check.request)
  private static let smallStream = method("SmallStream", .bidirectional, HealthService.check.request)
  private static let timeline = method("Timeline", .unary, ProviderService.provide.request)
  private static let timelineTask = method("TimelineTask", .unary, ProviderService.provide.request)
  private static let timelineStream = method("TimelineStream", .bidirectional, ProviderService.provide.request)

  private static func method<Message>(
    _ name: String, _ kind: CallKind, _ codec: MessageCodec<Message>
  ) -> RPCMethod<Message, Message> {
    RPCMethod(path: "marquee.bench.v1.Echo/\(name)", kind: kind, request: codec, response: codec)
  }

  static func serve(_ endpoint: Endpoint, bound: (Endpoint) -> Void, until end: () async -> Void) async throws {
    var router = Router { $0 as? RPCStatus ?? RPCStatus(.internalError, "\($0)") }
    router.transcoder = EchoTranscoder()
    add(to: &router)
    var configuration = ServerConfiguration()
    configuration.connectionsPerAddressMax = configuration.connectionCountMax
    configuration.eventLoopGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let server = RPCServer(router: router, configuration: configuration, logger: Logger(label: "echo"))
    bound(try await server.start([endpoint])[0])
    await end()
    await server.shutDown(grace: .zero)
  }

  /// Returns a server for the channels of a loop in memory.
  static func server(on loop: EmbeddedEventLoop) -> RPCServer {
    var router = Router { _ in RPCStatus(.internalError, "the echo failed") }
    router.transcoder = EchoTranscoder()
    add(to: &router)
    var configuration = ServerConfiguration()
    configuration.eventLoopGroup = loop
    return RPCServer(router: router, configuration: configuration, logger: Logger(label: "kernel"))
  }

  private static func add(to router: inout Router) {
    router.synchronous(small) { request, _ in request }
    router.synchronous(timeline) { request, _ in request }
    router.unary(smallTask) { request, _ in request }
    router.unary(timelineTask) { request, _ in request }
    router.bidirectional(smallStream) { requests, writer, _ in try await echo(requests, writer) }
    router.bidirectional(timelineStream) { requests, writer, _ in try await echo(requests, writer) }
  }

  private static func echo<Message>(
    _ requests: MessageStream<Message>, _ writer: ResponseWriter<Message>
  ) async throws {
    for try await request in requests { try await writer.send(request) }
  }

  static func load(_ load: EchoLoad) async throws -> LoadMeter.Report {
    switch (load.payload, load.mode) {
    case (.small, .unary): try await run(load, small, EchoPayload.smallMessage)
    case (.small, .task): try await run(load, smallTask, EchoPayload.smallMessage)
    case (.small, .stream): try await run(load, smallStream, EchoPayload.smallMessage)
    case (.timeline, .unary): try await run(load, timeline, EchoPayload.timelineMessage)
    case (.timeline, .task): try await run(load, timelineTask, EchoPayload.timelineMessage)
    case (.timeline, .stream): try await run(load, timelineStream, EchoPayload.timelineMessage)
    }
  }

  private static func run<Message: Equatable>(
    _ load: EchoLoad, _ method: RPCMethod<Message, Message>, _ message: Message
  ) async throws -> LoadMeter.Report {
    let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    let work = EchoWork(load, method, message, loop)
    let executor = LoopExecutor(loop)
    try await withThrowingTaskGroup { group in
      for client in 0..<load.connections {
        for _ in 0..<(load.mode == .stream ? 1 : load.inFlight) {
          group.addTask(executorPreference: executor) {
            try await load.mode == .stream ? work.stream(client) : work.calls(client)
          }
        }
      }
      try await group.waitForAll()
    }
    return try await loop.submit { work.meter.report }.get()
  }
}

/// The calls of one load.
///
/// `@unchecked Sendable`: the meter is accessed only on the event loop, on which all tasks run.
private final class EchoWork<Message: Equatable & Sendable>: @unchecked Sendable {
  var meter: LoadMeter
  private let load: EchoLoad
  private let method: RPCMethod<Message, Message>
  private let message: Message
  private let clients: [RPCClient]
  private let options: CallOptions

  init(_ load: EchoLoad, _ method: RPCMethod<Message, Message>, _ message: Message, _ loop: any EventLoop) {
    self.load = load
    self.method = method
    self.message = message
    meter = load.meter
    var configuration = ClientConfiguration()
    configuration.eventLoopGroup = loop
    clients = (0..<load.connections).map { _ in RPCClient(load.endpoint, configuration: configuration) }
    var options = CallOptions(timeout: .seconds(10))
    options.metadata.append("x-request-id", "0123456789abcdef")
    options.metadata.append("x-client", "bench")
    self.options = options
  }

  /// Makes unary calls sequentially.
  func calls(_ client: Int) async throws {
    var goesOn = true
    while goesOn {
      let begin = LoadMeter.now
      let answer = try await clients[client].unary(method, message, options: options)
      precondition(answer == message, "the echo differs from the message")
      goesOn = meter.ended(begin)
    }
  }

  /// Keeps messages in flight on one streaming call, sending one for each echo.
  func stream(_ client: Int) async throws {
    let call = try await clients[client].bidirectional(method, options: CallOptions(metadata: options.metadata))
    var begins = CircularBuffer<UInt64>(initialCapacity: load.inFlight)
    for _ in 0..<load.inFlight {
      begins.append(LoadMeter.now)
      try await call.send(message)
    }
    for try await answer in call.responses {
      precondition(answer == message, "the echo differs from the message")
      guard meter.ended(begins.removeFirst()) else { break }
      begins.append(LoadMeter.now)
      try await call.send(message)
    }
    call.cancel()
  }
}
