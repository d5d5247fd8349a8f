import Logging
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire
import ServerProcess
import Testing

/// The times are short here, and real: nothing but the server's own timers ends these connections.
@Suite("Clients that take their time", .timeLimit(.minutes(2)))
struct SlowClientTests {
  /// Runs a server with short times, and checks afterwards that a provider on another connection was never disturbed.
  static func run(
    _ change: @escaping @Sendable (inout RPCLimits) -> Void, _ body: (TestServer) async throws -> Void
  ) async throws {
    try await TestServer.run({ change(&$0.transport.limits) }) { server in
      try await Home.build(server.connection())
      var provider = try await ProviderStream(server.connection(), app: Home.weatherApp)
      let before = try await provider.publish(1, Home.forecast, [Home.entry(Home.start)])
      #expect(before == .accepted(1))
      try await body(server)
      let after = try await provider.publish(2, Home.forecast, [Home.entry(Home.start)])
      #expect(after == .accepted(2))
    }
  }

  @Test("A client that says nothing, or half the preface, is closed when its time is over", arguments: [0, 6])
  func silent(size: Int) async throws {
    try await Self.run({ $0.handshakeTimeMax = .milliseconds(300) }) { server in
      var raw = try await RawClient(server.tcpEndpoint)
      raw.push(Array(RawFrame.preface.prefix(size)))
      let answer = await raw.frames()
      #expect(answer.isEmpty)
    }
  }

  @Test("A client that sends a frame byte by byte is told so and closed, however regular the bytes are")
  func slow() async throws {
    try await Self.run({ $0.frameTimeMax = .milliseconds(300) }) { server in
      var raw = try await RawClient(server.endpoint)
      raw.push(RawFrame.hello)
      raw.push(RawFrame.open(1, ProviderService.provide.path), each: .milliseconds(50))
      let answer = await raw.frames()
      #expect(answer.last?.isGoAway == true)
    }
  }

  @Test("A client that never reads is let go when nothing of its answers moves for too long")
  func neverReads() async throws {
    try await Self.run({ $0.stallTimeMax = .milliseconds(300) }) { server in
      var raw = try await RawClient(server.endpoint, reads: false)
      let request = WireBytes.field(1, Home.device.text)
      let watch = RawFrame.open(1, DisplayService.watch.path) + RawFrame.message(1, request)
      raw.push(RawFrame.hello + RawFrame.credit(0, 0x7000_0000) + watch + RawFrame.credit(1, 0x7000_0000))
      var provider = try await ProviderStream(server.connection(), app: Home.sportApp)
      for number in 1...40 as ClosedRange<UInt64> {
        let content = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: UInt8(number), count: 60_000))
        let answer = try await provider.publish(
          number, Home.score, [TimelineEntry(date: Home.start, content: content)])
        #expect(answer == .accepted(number))
      }
      // Only its close makes the socket give out what it holds.
      _ = await raw.frames()
    }
  }
}
