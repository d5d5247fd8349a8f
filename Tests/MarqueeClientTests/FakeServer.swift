import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Synchronization

/// A scripted server on a Unix socket in its own directory.
final class FakeServer: Sendable {
  /// Handles one Provide stream after its attach message, which has been answered.
  typealias Provide =
    @Sendable (inout MessageStream<ProviderMessage>.AsyncIterator, ResponseWriter<ProviderEvent>) async throws -> Void
  /// Handles one Watch stream.
  typealias Watch = @Sendable (ResponseWriter<DisplayUpdate>) async throws -> Void

  let endpoint: Endpoint
  private let router: Router
  private let server: Mutex<RPCServer>
  private let directory: TemporaryDirectory

  /// Creates a server that uses the handlers one after the other for its streams, and the last one for all further
  /// streams.
  init(
    provide: [Provide] = [], watch: [Watch] = [],
    register: @escaping @Sendable (RegisterKindsRequest) throws -> Void = { _ in },
    others: (inout Router) -> Void = { _ in }
  ) async throws {
    directory = try TemporaryDirectory()
    var router = Router { ($0 as? RPCStatus) ?? RPCStatus(.internalError, "\($0)") }
    router.synchronous(ProviderService.registerKinds) { request, _ in
      try register(request)
      return RegisterKindsResponse()
    }
    router.synchronous(DisplayService.getDeviceTime) { _, _ in
      GetDeviceTimeResponse(at: Fixture.start, timeZone: Fixture.berlin)
    }
    let (provides, watches) = (Script(provide), Script(watch))
    router.bidirectional(ProviderService.provide) { requests, responses, _ in
      var messages = requests.makeAsyncIterator()
      guard case .attach = try await messages.next() else { throw RPCStatus(.failedPrecondition, "not attached") }
      try await responses.send(.attached(.english))
      try await provides.next()(&messages, responses)
    }
    router.serverStreaming(DisplayService.watch) { _, responses, _ in try await watches.next()(responses) }
    others(&router)
    self.router = router
    let first = Self.server(router)
    server = Mutex(first)
    endpoint = try await first.start([.unix(path: directory.file("socket"))])[0]
  }

  private static func server(_ router: Router) -> RPCServer {
    RPCServer(router: router, logger: .silent)
  }

  /// Restarts the server at the same endpoint.
  func restart() async throws {
    await server.withLock { $0 }.shutDown(grace: .zero)
    let next = Self.server(router)
    server.withLock { $0 = next }
    _ = try await next.start([endpoint])
  }

  func client() -> RPCClient {
    var configuration = ClientConfiguration()
    configuration.backoff.first = .milliseconds(1)
    configuration.backoff.last = .milliseconds(5)
    return RPCClient(endpoint, configuration: configuration)
  }

  func shutDown() async {
    await server.withLock { $0 }.shutDown(grace: .zero)
  }

  /// Acknowledges every timeline at its commit, with a warning that contains the number of its parts.
  static let acknowledge: Provide = { messages, responses in
    var pieceCount = 0
    while let message = try await messages.next() {
      guard case .timeline(let part) = message else { continue }
      pieceCount += 1
      guard part.isCommit else { continue }
      let warning = LintWarning(code: "pieces", message: "\(pieceCount)")
      try await responses.send(.accepted(part.publish, warnings: [warning]))
      pieceCount = 0
    }
  }
}

/// Returns elements in order, and the last one repeatedly.
private final class Script<Element: Sendable>: Sendable {
  private let elements: [Element]
  private let index = Mutex(0)

  init(_ elements: [Element]) {
    self.elements = elements
  }

  func next() -> Element {
    index.withLock { index in
      defer { index = min(index + 1, elements.count - 1) }
      return elements[index]
    }
  }
}

extension Reconnection {
  /// Delays of a millisecond, without jitter.
  static var fast: Reconnection {
    var reconnection = Reconnection()
    reconnection.backoff.first = .milliseconds(1)
    reconnection.backoff.last = .milliseconds(2)
    reconnection.chance = { 0.5 }
    return reconnection
  }
}
