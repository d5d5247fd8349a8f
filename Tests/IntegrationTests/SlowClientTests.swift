import Logging
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// The time limits are short and in real time: only the server's own timers end these connections.
@Suite("Slow clients", .timeLimit(.minutes(2)))
struct SlowClientTests {
  /// Runs a server with short time limits, and checks that a provider on another connection is not affected.
  static func run(
    _ change: @escaping @Sendable (inout RPCLimits) -> Void, _ body: (InProcessServer) async throws -> Void
  ) async throws {
    try await InProcessServer.run({ change(&$0.transport.limits) }) { server in
      try await Fixture.build(server.connection())
      var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      let before = try await provider.publish(1, Fixture.forecast, [Fixture.entry(Fixture.start)])
      #expect(before == .accepted(1))
      try await body(server)
      let after = try await provider.publish(2, Fixture.forecast, [Fixture.entry(Fixture.start)])
      #expect(after == .accepted(2))
    }
  }

  @Test("A client that sends nothing, or half the preface, is closed after the time limit", arguments: [0, 6])
  func silent(size: Int) async throws {
    try await Self.run({ $0.handshakeTimeMax = .milliseconds(300) }) { server in
      var raw = try await RawClient(server.tcpEndpoint)
      raw.push(Array(RawFrame.preface.prefix(size)))
      let answer = await raw.frames()
      #expect(answer.isEmpty)
    }
  }

  @Test("A client that sends a frame byte by byte receives a status and is closed, even with steady progress")
  func slow() async throws {
    try await Self.run({ $0.frameTimeMax = .milliseconds(300) }) { server in
      var raw = try await RawClient(server.endpoint)
      raw.push(RawFrame.hello)
      raw.push(RawFrame.open(1, ProviderService.provide.path), each: .milliseconds(50))
      let answer = await raw.frames()
      #expect(answer.last?.isGoAway == true)
    }
  }

  @Test("A client that never reads is closed when its output makes no progress for too long")
  func neverReads() async throws {
    try await Self.run({ $0.stallTimeMax = .milliseconds(300) }) { server in
      var raw = try await RawClient(server.endpoint, reads: false)
      let request = WireBytes.field(1, Fixture.device.text)
      let watch = RawFrame.open(1, DisplayService.watch.path) + RawFrame.message(1, request)
      raw.push(RawFrame.hello + RawFrame.credit(0, 0x7000_0000) + watch + RawFrame.credit(1, 0x7000_0000))
      var provider = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      for number in 1...40 as ClosedRange<UInt64> {
        let content = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: UInt8(number), count: 60_000))
        let answer = try await provider.publish(
          number, Fixture.score, [TimelineEntry(date: Fixture.start, content: content)])
        #expect(answer == .accepted(number))
      }
      // The remaining bytes can only be read after the server closes the socket.
      _ = await raw.frames()
    }
  }

  @Test("A display that reads a large initial state slowly receives the changes made meanwhile")
  func readsSlowly() async throws {
    try await Self.run({ $0.streamBacklogSizeMax = 16_384 }) { server in
      let content = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: 7, count: 60_000))
      let entries = [TimelineEntry(date: Fixture.start, content: content)]
      var weather = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      var provider = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      #expect(try await weather.publish(1, Fixture.forecast, entries) == .accepted(1))
      #expect(try await provider.publish(1, Fixture.score, entries) == .accepted(1))
      // The initial flow-control window is 64 KiB, so that the rest of the state waits.
      var raw = try await RawClient(server.endpoint)
      let request = WireBytes.field(1, Fixture.device.text)
      raw.push(RawFrame.hello + RawFrame.open(1, DisplayService.watch.path) + RawFrame.message(1, request))
      var frames = await raw.frames { $0.type == 4 }
      for number in 2...4 as ClosedRange<UInt64> {
        let answer = try await provider.publish(number, Fixture.score, [Fixture.entry(Fixture.start, "\(number)")])
        #expect(answer == .accepted(number))
      }
      raw.push(RawFrame.credit(1, 1 << 20))
      var updateCount = 0
      frames += await raw.frames { frame in
        // The last frame of a message does not have the flag for more frames.
        if frame.type == 4, frame.flags & 2 == 0 { updateCount += 1 }
        return updateCount == 4 || frame.type == 5
      }
      #expect(frames.allSatisfy { $0.statusCode == nil } && updateCount == 4)
    }
  }
}
