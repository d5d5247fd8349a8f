import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeServer
import MarqueeTestKit
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Synchronization
import Testing

@Suite("Donation streams", .timeLimit(.minutes(2)))
struct DonationStreamTests {
  /// A stream with access to individual messages.
  private struct Stream {
    let call: ClientCall<DonationMessage, DonationEvent>
    private var events: MessageStream<DonationEvent>.AsyncIterator

    init(_ connection: RPCClient, device: DeviceID = Fixture.device) async throws {
      call = try await connection.bidirectional(ProviderService.streamDonations)
      events = call.responses.makeAsyncIterator()
      try await call.send(.attach(device, Habits.soupApp))
      guard try await next() == .attached else { throw UnexpectedEvent() }
    }

    mutating func next() async throws -> DonationEvent {
      guard let event = try await events.nextInTime() else { throw UnexpectedEvent() }
      return event
    }

    /// The rejections before the acceptance of that number, which is required.
    mutating func rejections(through number: UInt64) async throws -> [String] {
      var rejections: [String] = []
      while true {
        switch try await next() {
        case .attached: throw UnexpectedEvent()
        case .rejected(let number, let code, let reason): rejections.append("\(number) \(code) \(reason)")
        case .accepted(let through, _): if through == number { return rejections }
        }
      }
    }
  }

  private static func donation(_ number: Int, at date: Instant = Fixture.start) -> Donation {
    Habits.donation("\(number)", Habits.intent("T", ["n": .integer(Int64(number % 7))]), at: date)
  }

  @Test(
    "A rejected donation is identified and affects neither the others nor the stream; acknowledged ones are durable",
    arguments: TestProtocol.duplex)
  func rejections(over callProtocol: TestProtocol) async throws {
    let change = { @Sendable (configuration: inout MarqueeConfiguration) in
      configuration.limits.donationBatchCountMax = 4
    }
    try await InProcessServer.run(over: callProtocol, change) { server in
      try await Fixture.register(server.connection())
      var stream = try await Stream(server.connection())
      let future = Fixture.after(.seconds(61))
      for number in 1...20 {
        // Some donations of one batch have the same name.
        let donation = Self.donation(number % 10, at: number == 7 ? future : Fixture.start)
        try await stream.call.send(.donation(UInt64(number), donation))
      }
      let bad = RequestError(.invalidArgument, "written as a donation without content")
      try await stream.call.send(.malformed(21, bad))
      try await stream.call.send(.donation(22, Self.donation(30)))
      #expect(
        try await stream.rejections(through: 22) == [
          "7 INVALID_ARGUMENT donation.date_ms: 1 min 1 s in the future, more than 1 min",
          "21 INVALID_ARGUMENT donation: required field is missing",
        ])
      try await server.restart()
      let admin = server.admin()
      #expect(try await admin.donations(on: Fixture.device).donationCount == 11)
    }
  }

  @Test(
    "A stream that skips a number, attaches twice or to an unknown device ends, and acknowledged donations stay",
    arguments: TestProtocol.duplex)
  func ends(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.register(server.connection())
      var first = try await Stream(server.connection())
      try await first.call.send(.donation(1, Self.donation(1)))
      _ = try await first.rejections(through: 1)
      try await first.call.send(.donation(3, Self.donation(3)))
      let skipped = try await callStatus { _ = try await first.next() }
      #expect(skipped.map { "\($0)" } == "INVALID_ARGUMENT: donation.number: 3 is out of sequence; expected 2")
      var second = try await Stream(server.connection())
      try await second.call.send(.attach(Fixture.device, Habits.soupApp))
      #expect(try await callStatus { _ = try await second.next() }?.code == .failedPrecondition)
      let nowhere = try await callStatus { _ = try await Stream(server.connection(), device: Fixture.otherDevice) }
      #expect(nowhere?.code == .notFound)
      let unattached = try await server.connection().bidirectional(ProviderService.streamDonations)
      try await unattached.send(.donation(1, Self.donation(1)))
      #expect(try await unattached.status().code == .failedPrecondition)
      #expect(try await server.admin().donations(on: Fixture.device).donationCount == 1)
    }
  }

  @Test(
    "D6 An acknowledged donation sent again on another stream or by a call counts once",
    arguments: TestProtocol.duplex)
  func again(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.register(server.connection())
      for _ in 0..<3 {
        var stream = try await Stream(server.connection())
        try await stream.call.send(.donation(1, Self.donation(1)))
        #expect(try await stream.rejections(through: 1).isEmpty)
      }
      try await Habits.provider(server.connection()).donate([Self.donation(1), Self.donation(2)])
      let before = try await server.admin().donations(on: Fixture.device).donations
      #expect(before.map(\.date) == [Fixture.start, Fixture.start])
      // With the same name and another time, it replaces the first.
      server.clock.advance(to: Fixture.after(.hours(1)))
      let later = Self.donation(1, at: Fixture.after(.hours(1)))
      try await Habits.provider(server.connection()).donate([later])
      let after = try await server.admin().donations(on: Fixture.device).donations
      #expect(after.map(\.date) == [Fixture.after(.hours(1)), Fixture.start])
    }
  }

  @Test(
    "D6 A stream with repeatedly lost connections delivers each donation exactly once",
    arguments: TestProtocol.duplex)
  func cut(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.register(server.connection())
      try await ServerLink.run(from: server.directory.file("relay"), to: server.directory.file("socket")) { relay in
        let soup = Habits.provider(relay.connection())
        let counter = Counter()
        let donations = AsyncStream<Donation> {
          let number = counter.increment()
          if number.isMultiple(of: 400) { await relay.cut() }
          return number <= 3_000 ? Self.donation(number) : nil
        }
        let totals = try await soup.donate(contentsOf: donations)
        #expect(totals.acceptedCount == 3_000 && totals.rejectedCount == 0)
        #expect(Habits.codes(totals.warnings) == ["intent-type-unregistered 0"])
      }
      #expect(try await server.admin().donations(on: Fixture.device).donationCount == 3_000)
    }
  }

  @Test(
    "A client's stream reports rejected donations by index, including one that is too large to send",
    arguments: TestProtocol.duplex)
  func totals(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.register(server.connection())
      let soup = Habits.provider(server.connection())
      let texts = try (0..<9).map { index in
        IntentParameter(name: try .init("p\(index)"), value: .single(.string(String(repeating: "a", count: 4_096))))
      }
      let large = Habits.donation("large", .intent(try Intent(type: IntentType("T"), parameters: texts)))
      let medium = Habits.donation("medium", .intent(try Intent(type: IntentType("T"), parameters: Array(texts[..<5]))))
      let future = Self.donation(9, at: Fixture.after(.minutes(2)))
      let all = [Self.donation(1), large, Self.donation(2), future, medium, Self.donation(3)]
      let donations = AsyncStream { continuation in
        for donation in all { continuation.yield(donation) }
        continuation.finish()
      }
      let totals = try await soup.donate(contentsOf: donations)
      #expect(totals.acceptedCount == 3 && totals.rejectedCount == 3)
      #expect(totals.rejected.map(\.index).sorted() == [1, 3, 4])
      #expect(totals.rejected.map(\.status.code).contains(.invalidArgument))
      #expect(try await server.admin().donations(on: Fixture.device).donationCount == 3)
      let empty = try await soup.donate(contentsOf: AsyncStream<Donation> { $0.finish() })
      #expect(empty.acceptedCount == 0 && empty.rejectedCount == 0)
    }
  }

  @Test(
    "Donations over a budget that is refilled are not rejected: the client sends them again",
    arguments: TestProtocol.duplex)
  func budget(over callProtocol: TestProtocol) async throws {
    let change = { @Sendable (configuration: inout MarqueeConfiguration) in
      configuration.appWriteSizeBurst = 20_000
      configuration.appWriteSizeHourly = 20_000
    }
    try await InProcessServer.run(over: callProtocol, change) { server in
      try await Fixture.register(server.connection())
      let counter = Counter()
      let reasons = Mutex<Set<String>>([])
      var reconnection = Reconnection.eager
      reconnection.failed = { status in
        reasons.withLock { _ = $0.insert("\(status.code) \(status.message.contains("app-write-size-burst"))") }
        server.clock.advance(to: Fixture.after(.hours(Int64(counter.increment()))))
      }
      let soup = try ProviderClient(
        server.connection(), device: Fixture.device, app: Habits.soupApp, kinds: [], reconnection: reconnection)
      let donations = AsyncStream { continuation in
        for number in 1...1_000 { continuation.yield(Self.donation(number)) }
        continuation.finish()
      }
      let totals = try await soup.donate(contentsOf: donations)
      #expect(totals.acceptedCount == 1_000 && totals.rejectedCount == 0)
      #expect(reasons.withLock(\.self) == ["RESOURCE_EXHAUSTED true"])
      #expect(try await server.admin().donations(on: Fixture.device).donationCount == 1_000)
    }
  }

  @Test("A stopping server ends streams, and the client resumes at the next server", arguments: TestProtocol.duplex)
  func restart(over callProtocol: TestProtocol) async throws {
    try await InProcessServer.run(over: callProtocol) { server in
      try await Fixture.register(server.connection())
      let soup = Habits.provider(server.connection())
      let (donations, more) = AsyncStream<Donation>.makeStream()
      async let totals = soup.donate(contentsOf: donations)
      more.yield(Self.donation(1))
      try await server.restart()
      more.yield(Self.donation(2))
      more.finish()
      #expect(try await totals.acceptedCount == 2)
      #expect(try await server.admin().donations(on: Fixture.device).donationCount == 2)
    }
  }
}
