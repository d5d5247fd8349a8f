import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeServer
import MarqueeTestKit
import MarqueeTransport
import MarqueeWire
import ServerProcess
import Testing

@Suite("Streams of donations", .timeLimit(.minutes(2)))
struct DonationStreamTests {
  /// A stream, message by message.
  private struct Stream {
    let call: ClientCall<DonationMessage, DonationEvent>
    private var events: MessageStream<DonationEvent>.AsyncIterator

    init(_ connection: RPCClient, device: DeviceID = Home.device) async throws {
      call = try await connection.bidirectional(ProviderService.streamDonations)
      events = call.responses.makeAsyncIterator()
      try await call.send(.attach(device, Habits.soupApp))
      guard try await next() == .attached else { throw UnexpectedEvent() }
    }

    mutating func next() async throws -> DonationEvent {
      guard let event = try await events.next() else { throw UnexpectedEvent() }
      return event
    }

    /// The refusals until the acceptance of that number, which must come.
    mutating func refusals(through number: UInt64) async throws -> [String] {
      var refusals: [String] = []
      while true {
        switch try await next() {
        case .attached: throw UnexpectedEvent()
        case .refused(let number, let code, let reason): refusals.append("\(number) \(code) \(reason)")
        case .accepted(let through, _): if through == number { return refusals }
        }
      }
    }
  }

  private static func donation(_ number: Int, at date: Instant = Home.start) -> Donation {
    Habits.donation("\(number)", Habits.intent("T", ["n": .integer(Int64(number % 7))]), at: date)
  }

  @Test("A refused donation is named and leaves the others and the stream; each is durable once acknowledged")
  func refusals() async throws {
    let change = { @Sendable (configuration: inout MarqueeConfiguration) in
      configuration.limits.donationBatchCountMax = 4
    }
    try await TestServer.run(change) { server in
      try await Home.register(server.connection())
      var stream = try await Stream(server.connection())
      let future = Home.after(.seconds(1))
      for number in 1...20 {
        // Some of one name among those that become durable together.
        let donation = Self.donation(number % 10, at: number == 7 ? future : Home.start)
        try await stream.call.send(.donation(UInt64(number), donation))
      }
      let bad = Refusal(.invalidArgument, "written as a donation without content")
      try await stream.call.send(.malformed(21, bad))
      try await stream.call.send(.donation(22, Self.donation(30)))
      #expect(
        try await stream.refusals(through: 22) == [
          "7 INVALID_ARGUMENT donation.date_ms: 1000 ms in the future", "21 INVALID_ARGUMENT donation: absent",
        ])
      try await server.restart()
      let admin = server.admin()
      #expect(try await admin.donations(on: Home.device).donationCount == 11)
    }
  }

  @Test("A stream that skips a number, attaches twice or to no device ends, and what was acknowledged stays")
  func ends() async throws {
    try await TestServer.run { server in
      try await Home.register(server.connection())
      var first = try await Stream(server.connection())
      try await first.call.send(.donation(1, Self.donation(1)))
      _ = try await first.refusals(through: 1)
      try await first.call.send(.donation(3, Self.donation(3)))
      let skipped = try await status { _ = try await first.next() }
      #expect(skipped.map { "\($0)" } == "INVALID_ARGUMENT: donation.number: 3, but 2 comes next")
      var second = try await Stream(server.connection())
      try await second.call.send(.attach(Home.device, Habits.soupApp))
      #expect(try await status { _ = try await second.next() }?.code == .failedPrecondition)
      let nowhere = try await status { _ = try await Stream(server.connection(), device: Home.otherDevice) }
      #expect(nowhere?.code == .notFound)
      let unattached = try await server.connection().bidirectional(ProviderService.streamDonations)
      try await unattached.send(.donation(1, Self.donation(1)))
      #expect(try await unattached.status().code == .failedPrecondition)
      #expect(try await server.admin().donations(on: Home.device).donationCount == 1)
    }
  }

  @Test("D6 A donation that was acknowledged and is sent again on another stream or by a call counts once")
  func again() async throws {
    try await TestServer.run { server in
      try await Home.register(server.connection())
      for _ in 0..<3 {
        var stream = try await Stream(server.connection())
        try await stream.call.send(.donation(1, Self.donation(1)))
        #expect(try await stream.refusals(through: 1).isEmpty)
      }
      try await Habits.provider(server.connection()).donate([Self.donation(1), Self.donation(2)])
      let before = try await server.admin().donations(on: Home.device).donations
      #expect(before.map(\.date) == [Home.start, Home.start])
      // Under the same name at another time, it replaces the first.
      server.clock.advance(to: Home.after(.hours(1)))
      let later = Self.donation(1, at: Home.after(.hours(1)))
      try await Habits.provider(server.connection()).donate([later])
      let after = try await server.admin().donations(on: Home.device).donations
      #expect(after.map(\.date) == [Home.after(.hours(1)), Home.start])
    }
  }

  @Test("D6 A stream whose connections are cut again and again brings each donation exactly once")
  func cut() async throws {
    try await TestServer.run { server in
      try await Home.register(server.connection())
      try await ServerLink.run(from: server.directory.file("relay"), to: server.directory.file("socket")) { relay in
        let soup = Habits.provider(relay.connection())
        let counter = Counter()
        let donations = AsyncStream<Donation> {
          let number = counter.increment()
          if number.isMultiple(of: 400) { await relay.cut() }
          return number <= 3_000 ? Self.donation(number) : nil
        }
        let tally = try await soup.donate(contentsOf: donations)
        #expect(tally.acceptedCount == 3_000 && tally.refusedCount == 0)
        #expect(Habits.codes(tally.warnings) == ["intent-type-unregistered 0"])
      }
      #expect(try await server.admin().donations(on: Home.device).donationCount == 3_000)
    }
  }

  @Test("A client's stream tells what was refused by its index, one that no stream takes among it")
  func tally() async throws {
    try await TestServer.run { server in
      try await Home.register(server.connection())
      let soup = Habits.provider(server.connection())
      let texts = try (0..<9).map { index in
        IntentParameter(name: try .init("p\(index)"), value: .single(.string(String(repeating: "a", count: 4_096))))
      }
      let large = Habits.donation("large", .intent(try Intent(type: IntentType("T"), parameters: texts)))
      let medium = Habits.donation("medium", .intent(try Intent(type: IntentType("T"), parameters: Array(texts[..<5]))))
      let future = Self.donation(9, at: Home.after(.minutes(1)))
      let all = [Self.donation(1), large, Self.donation(2), future, medium, Self.donation(3)]
      let donations = AsyncStream { continuation in
        for donation in all { continuation.yield(donation) }
        continuation.finish()
      }
      let tally = try await soup.donate(contentsOf: donations)
      #expect(tally.acceptedCount == 3 && tally.refusedCount == 3)
      #expect(tally.refused.map(\.index).sorted() == [1, 3, 4])
      #expect(tally.refused.map(\.status.code).contains(.invalidArgument))
      #expect(try await server.admin().donations(on: Home.device).donationCount == 3)
      let empty = try await soup.donate(contentsOf: AsyncStream<Donation> { $0.finish() })
      #expect(empty.acceptedCount == 0 && empty.refusedCount == 0)
    }
  }

  @Test("A server that stops ends streams, and a client goes on with the next server where it was")
  func restart() async throws {
    try await TestServer.run { server in
      try await Home.register(server.connection())
      let soup = Habits.provider(server.connection())
      let (donations, more) = AsyncStream<Donation>.makeStream()
      async let tally = soup.donate(contentsOf: donations)
      more.yield(Self.donation(1))
      try await server.restart()
      more.yield(Self.donation(2))
      more.finish()
      #expect(try await tally.acceptedCount == 2)
      #expect(try await server.admin().donations(on: Home.device).donationCount == 2)
    }
  }
}
