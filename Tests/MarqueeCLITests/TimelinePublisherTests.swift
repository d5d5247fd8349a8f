import Foundation
import Logging
import MarqueeModel
import MarqueeRPC
import MarqueeSimulator
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Synchronization
import Testing

@testable import MarqueeCLI

/// `marquee publish` against a server with scripted responses.
@Suite(.timeLimit(.minutes(1))) struct TimelinePublisherTests {
  /// The responses to timelines: `nil` accepts one.
  private typealias Responses = [RPCStatus?]

  private let directory: TemporaryDirectory
  private var file: String { directory.file("timeline") }

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Publishes a file with a number of entries, and returns the numbers of entries that the server accepts, the given
  /// count of them.
  ///
  /// - Parameters:
  ///   - responses: The responses to the first timelines. Later ones are accepted.
  ///   - count: The number of accepted timelines.
  ///   - changed: Called when the file has been read.
  private func accepted(
    _ responses: Responses, count: Int, read changed: @escaping @Sendable (_ readCount: Int) -> Void
  ) async throws -> [Int] {
    try await run(responses, read: changed) { publisher, accepted in
      let running = Task { try await publisher.run() }
      var found: [Int] = []
      while found.count < count, let next = await accepted.next() { found.append(next) }
      running.cancel()
      _ = await running.result
      return found
    }
  }

  /// Runs `body` with a publisher of the file and a recorder of the numbers of entries that the server accepts.
  private func run<Value>(
    _ responses: Responses, read changed: @escaping @Sendable (_ readCount: Int) -> Void,
    _ body: (TimelinePublisher, EventRecorder<Int>) async throws -> Value
  ) async throws -> Value {
    let accepted = EventRecorder<Int>()
    let server = RPCServer(router: router(responses, accepted), logger: .silent)
    let endpoint = try await server.start([.unix(path: directory.file("socket"))])[0]
    let readCount = Mutex(0)
    let publisher = TimelinePublisher(
      session: Session(endpoint: endpoint, connection: RPCClient(endpoint), isJSON: false),
      device: Fixture.device, descriptor: Fixture.descriptors(of: [Fixture.forecast])[0], isNewKind: false,
      widget: Fixture.forecast, family: nil, stack: nil, timeZone: nil,
      details: PublishedDetails(lifetime: nil, sensitivity: .none, link: nil, fallback: nil, group: nil), path: file
    ) { [file] now, _ in
      // A file that cannot be read has no entries.
      let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
      changed(
        readCount.withLock { count in
          count += 1
          return count
        })
      let entries = text.indices.map { index in
        TimelineEntry(date: now.advanced(by: .minutes(Int64(text.distance(from: text.startIndex, to: index)))))
      }
      return [SubmittedTimeline(entries, policy: .never)]
    }
    do {
      let value = try await body(publisher, accepted)
      await server.shutDown(grace: .zero)
      return value
    } catch {
      await server.shutDown(grace: .zero)
      throw error
    }
  }

  /// Returns a server's router, which responds to timelines and records the number of entries of those that it accepts.
  private func router(_ responses: Responses, _ accepted: EventRecorder<Int>) -> Router {
    let rest = Mutex(responses[...])
    var router = Router { ($0 as? RPCStatus) ?? RPCStatus(.internalError, "\($0)") }
    router.synchronous(ProviderService.registerKinds) { _, _ in RegisterKindsResponse() }
    router.synchronous(DisplayService.getDeviceTime) { _, _ in
      GetDeviceTimeResponse(at: Fixture.start, timeZone: Fixture.berlin)
    }
    router.bidirectional(ProviderService.provide) { messages, responses, _ in
      for try await message in messages {
        switch message {
        case .attach: try await responses.send(.attached(.english))
        case .timeline(let part):
          if let status = rest.withLock({ $0.popFirst() ?? nil }) {
            let delay = status.retryDelay.map { TimeSpan.seconds($0.components.seconds) }
            try await responses.send(
              .rejected(part.publish, status.code, message: status.message, retryDelay: delay))
          } else {
            try await responses.send(.accepted(part.publish, warnings: []))
            accepted.record(part.entries.count)
          }
        case .malformed, .abandon: break
        }
      }
    }
    return router
  }

  @Test("A change of the file that follows its reading is published, also before the first acknowledgement")
  func earlyChange() async throws {
    try "1".write(toFile: file, atomically: false, encoding: .utf8)
    let counts = try await accepted([], count: 2) { [file] readCount in
      // The test fails if the file cannot be written.
      if readCount == 1 { try? "22".write(toFile: file, atomically: false, encoding: .utf8) }
    }
    #expect(counts == [1, 2])
  }

  @Test(
    "A publication that fails for a reason that may pass is repeated, without another cause",
    arguments: [StatusCode.resourceExhausted, .deadlineExceeded, .cancelled, .unavailable])
  func repeated(code: StatusCode) async throws {
    try "1".write(toFile: file, atomically: false, encoding: .utf8)
    var status = RPCStatus(code, "not now")
    if code == .resourceExhausted { status = status.retryable() }
    let counts = try await accepted([nil, status], count: 2) { [file] readCount in
      // The test fails if the file cannot be written.
      if readCount == 1 { try? "22".write(toFile: file, atomically: false, encoding: .utf8) }
    }
    #expect(counts == [1, 2])
  }

  @Test(
    "A publication that is rejected for its content waits for a change of the file",
    arguments: [StatusCode.resourceExhausted, .invalidArgument])
  func content(code: StatusCode) async throws {
    try "1".write(toFile: file, atomically: false, encoding: .utf8)
    let counts = try await accepted([nil, RPCStatus(code, "never")], count: 2) { [file] readCount in
      let text = String(repeating: "2", count: readCount + 1)
      // The test fails if the file cannot be written.
      if readCount < 3 { try? text.write(toFile: file, atomically: false, encoding: .utf8) }
    }
    #expect(counts == [1, 3])
  }

  @Test(
    "A publication that cannot succeed ends the command with the error, also after an accepted one",
    arguments: [StatusCode.notFound, .permissionDenied])
  func permanent(code: StatusCode) async throws {
    try "1".write(toFile: file, atomically: false, encoding: .utf8)
    let error = await #expect(throws: RPCStatus.self) {
      try await run([nil, RPCStatus(code, "never")]) { [file] readCount in
        // The test runs into its time limit if the file cannot be written.
        if readCount == 1 { try? "22".write(toFile: file, atomically: false, encoding: .utf8) }
      } _: { publisher, _ in
        try await publisher.run()
      }
    }
    #expect(error?.code == code && error?.message == "never")
  }

  @Test("The delays before repetitions double up to 256 seconds")
  func delays() {
    let pauses = [0, 1, 6, 7, 8, 1_000].map { TimelinePublisher.pause(after: $0) }
    #expect(pauses == [2, 4, 128, 256, 256, 256].map { .seconds($0) })
  }
}
