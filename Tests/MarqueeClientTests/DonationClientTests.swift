import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Synchronization
import Testing

@testable import MarqueeClient

@Suite(.timeLimit(.minutes(1)))
struct DonationClientTests {
  /// Handles one stream after its attach message, which has been answered.
  private typealias Handler =
    @Sendable (inout MessageStream<DonationMessage>.AsyncIterator, ResponseWriter<DonationEvent>) async throws -> Void

  /// Returns a server that handles donation streams with these handlers, one after the other.
  private func server(_ handlers: [Handler]) async throws -> FakeServer {
    let rest = Mutex(handlers)
    return try await FakeServer(others: { router in
      router.bidirectional(ProviderService.streamDonations) { requests, responses, _ in
        var messages = requests.makeAsyncIterator()
        guard case .attach = try await messages.next() else { throw RPCStatus(.failedPrecondition, "not attached") }
        let handler = rest.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let handler else { throw RPCStatus(.internalError, "unexpected stream") }
        try await responses.send(.attached)
        try await handler(&messages, responses)
      }
    })
  }

  private func provider(_ connection: RPCClient) throws -> ProviderClient {
    try ProviderClient(
      connection, device: Fixture.device, app: Fixture.weatherApp, kinds: [], reconnection: .fast)
  }

  private static func donations(_ count: Int) throws -> [Donation] {
    try (0..<count).map { index in
      Donation(id: try .init("\(index)"), date: .min, activity: .intent(try Intent(type: IntentType("T"))))
    }
  }

  private func stream(_ donations: [Donation]) -> AsyncStream<Donation> {
    AsyncStream { continuation in
      for donation in donations { continuation.yield(donation) }
      continuation.finish()
    }
  }

  /// Returns the names of the next donations, which must be numbered from `first`.
  private static func names(
    _ messages: inout MessageStream<DonationMessage>.AsyncIterator, from first: UInt64, count: Int
  ) async throws -> [String] {
    var names: [String] = []
    while names.count < count {
      guard case .donation(let number, let donation) = try await messages.next(),
        number == first + UInt64(names.count)
      else { throw RPCStatus(.invalidArgument, "not the next donation") }
      names.append(donation.id.text)
    }
    return names
  }

  @Test("D6 Unacknowledged donations are sent again on a new stream, numbered from 1")
  func again() async throws {
    let sent = Mutex<[[String]]>([])
    let server = try await server([
      { messages, responses in
        let names = try await Self.names(&messages, from: 1, count: 6)
        sent.withLock { $0.append(names) }
        let warning = LintWarning(code: "found", message: "", index: 1)
        try await responses.send(.accepted(through: 2, warnings: [warning]))
        try await responses.send(.rejected(4, .invalidArgument, message: "no"))
        throw RPCStatus(.unavailable, "gone")
      },
      { messages, responses in
        let names = try await Self.names(&messages, from: 1, count: 3)
        sent.withLock { $0.append(names) }
        let warnings = ["found", "other"].map { LintWarning(code: $0, message: "", index: 2) }
        try await responses.send(.accepted(through: 3, warnings: warnings))
        _ = try await messages.next()
      },
    ])
    let totals = try await provider(server.client()).donate(contentsOf: stream(Self.donations(6)))
    #expect(sent.withLock(\.self) == [["0", "1", "2", "3", "4", "5"], ["2", "4", "5"]])
    #expect(totals.acceptedCount == 5 && totals.rejectedCount == 1)
    #expect(totals.rejected == [.init(index: 3, status: RPCStatus(.invalidArgument, "no"))])
    #expect(totals.warnings.map(\.code) == ["found", "other"] && totals.warnings.map(\.index) == [1, 5])
    await server.shutDown()
  }

  @Test("Unacknowledged donations are sent again after a stream that ended because the server is overloaded")
  func overloaded() async throws {
    let overloaded: Handler = { messages, responses in
      _ = try await Self.names(&messages, from: 1, count: 2)
      try await responses.send(.accepted(through: 1, warnings: []))
      throw RPCStatus(.resourceExhausted, "the disk is full").retryable()
    }
    let server = try await server([
      overloaded, overloaded,
      { messages, responses in
        _ = try await Self.names(&messages, from: 1, count: 4)
        try await responses.send(.accepted(through: 4, warnings: []))
        _ = try await messages.next()
      },
    ])
    let totals = try await provider(server.client()).donate(contentsOf: stream(Self.donations(6)))
    #expect(totals.acceptedCount == 6 && totals.rejectedCount == 0)
    await server.shutDown()
  }

  @Test("At most one window of donations is unacknowledged")
  func window() async throws {
    let countMax = ProviderClient.donationWindowCountMax
    let taken = Mutex(0)
    let server = try await server([
      { messages, responses in
        _ = try await Self.names(&messages, from: 1, count: countMax)
        // One donation has been read from the sequence but does not fit the window yet.
        #expect(taken.withLock(\.self) <= countMax + 1)
        try await responses.send(.accepted(through: UInt64(countMax), warnings: []))
        _ = try await Self.names(&messages, from: UInt64(countMax) + 1, count: 5)
        try await responses.send(.accepted(through: UInt64(countMax) + 5, warnings: []))
        _ = try await messages.next()
      }
    ])
    let all = try Self.donations(countMax + 5)
    let sequence = AsyncStream<Donation> {
      let index = taken.withLock { count -> Int in
        count += 1
        return count - 1
      }
      return all.indices.contains(index) ? all[index] : nil
    }
    #expect(try await provider(server.client()).donate(contentsOf: sequence).acceptedCount == countMax + 5)
    await server.shutDown()
  }

  @Test("A rejected stream and an invalid acknowledgement are thrown")
  func thrown() async throws {
    let answers: [DonationEvent] = [
      .accepted(through: 2, warnings: []), .rejected(0, .invalidArgument, message: ""), .attached,
    ]
    let odd = answers.map { answer -> Handler in
      { messages, responses in
        _ = try await messages.next()
        try await responses.send(answer)
        _ = try await messages.next()
      }
    }
    let server = try await server(odd + [{ _, _ in throw RPCStatus(.resourceExhausted, "full") }])
    let provider = try provider(server.client())
    for _ in answers {
      let status = await #expect(throws: RPCStatus.self) {
        try await provider.donate(contentsOf: stream(Self.donations(1)))
      }
      #expect(status?.code == .internalError)
    }
    let full = await #expect(throws: RPCStatus.self) {
      try await provider.donate(contentsOf: stream(Self.donations(1)))
    }
    #expect(full == RPCStatus(.resourceExhausted, "full"))
    await server.shutDown()
  }

  @Test("An error of the sequence, or cancellation, ends the call even without a server")
  func ended() async throws {
    struct Torn: Error {}
    let server = try await server([{ messages, _ in while try await messages.next() != nil {} }])
    let provider = try provider(server.client())
    let donations = try Self.donations(1)
    let torn = AsyncThrowingStream<Donation, any Error> { continuation in
      continuation.yield(donations[0])
      continuation.finish(throwing: Torn())
    }
    await #expect(throws: Torn.self) { try await provider.donate(contentsOf: torn) }
    await server.shutDown()
    let task = Task { try await provider.donate(contentsOf: stream(donations)) }
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
  }

  @Test("Donations and deletions transmit the app and the device, and are not retried")
  func calls() async throws {
    let calls = Mutex<[String]>([])
    let warning = LintWarning(code: "found", message: "", index: 0)
    let server = try await FakeServer(others: { router in
      router.synchronous(ProviderService.donate) { request, _ in
        calls.withLock { $0.append("donate \(request.donations.count) of \(request.app) on \(request.device)") }
        guard request.donations.count < 3 else { throw RPCStatus(.unavailable, "lost") }
        return DonateResponse(warnings: [warning])
      }
      router.synchronous(ProviderService.deleteDonations) { request, _ in
        calls.withLock { $0.append("delete \(request.selection)") }
        return DeleteDonationsResponse(count: 7)
      }
    })
    let provider = try provider(server.client())
    #expect(try await provider.donate(Self.donations(2)) == [warning])
    await #expect(throws: RPCStatus(.unavailable, "lost")) { try await provider.donate(Self.donations(3)) }
    #expect(try await provider.deleteDonations(.intents) == 7)
    let whose = "of \(Fixture.weatherApp) on \(Fixture.device)"
    #expect(calls.withLock(\.self) == ["donate 2 \(whose)", "donate 3 \(whose)", "delete intents"])
    await server.shutDown()
  }
}
