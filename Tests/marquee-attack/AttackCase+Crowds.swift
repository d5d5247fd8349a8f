import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import NIOCore
import NIOPosix
import Synchronization

extension AttackCase {
  /// Large numbers of connections and calls.
  static let crowds = [
    AttackCase(
      number: 30, summary: "10 000 idle connections with 10 000 idle streams; 4 200 connections of one address",
      way: .alone { try await idle() }),
    AttackCase(
      number: 31, summary: "stale, foreign, linked and open Unix sockets", way: .alone { try await sockets() }),
    AttackCase(
      number: 32, summary: "200 displays whose server is killed and restarted", way: .alone { try await storm() }),
    AttackCase(
      number: 34, summary: "a provider publishes as fast as possible for an hour of the server's clock",
      way: .alone {
        try await AttackHarness.run(["--clock", "manual=2026-03-04T08:00:00Z"]) { try await publish(to: $0) }
      }),
  ]

  // MARK: Idle connections

  private static let connectionSizeMax = 10 * 1_024
  /// The number of calls that are opened at the same time.
  private static let callGroupSize = 500

  private static func idle() async throws -> String {
    try await AttackHarness.run(fileCountMax: raiseFileCount()) { harness in
      // The file-descriptor limit of this process, minus some for its own use.
      let count = min(10_000, raiseFileCount() - 256)
      var opened: [RawClient] = []
      let before = try harness.daemon.residentSize()
      let measurement = try await Measurement.of(harness, growthMax: 110, repeats: false) { _ in
        for raw in opened { try await raw.close() }
        opened = try await connect(count, to: harness.unix, RawFrame.hello)
        return "\(opened.count) connections"
      }
      let size = (try harness.daemon.residentSize() - before) * 1_024 / count
      try require(size < connectionSizeMax, "\(size) bytes per connection")
      var streams = 0
      // A shard rejects calls beyond its queue.
      for first in stride(from: 0, to: count, by: callGroupSize) {
        let end = min(first + callGroupSize, count)
        for raw in opened[first..<end] { raw.push(call) }
        streams = try await waitForCalls(end, harness)
      }
      let streamSize = (try harness.daemon.residentSize() - before) * 1_024 / count - size
      for raw in opened { try await raw.close() }
      let accepted = try await overAddressLimit(harness)
      return "\(size) bytes per connection of \(count), \(streamSize) more with a stream of \(streams); "
        + "\(accepted) of 4200 from one address accepted; \(measurement.words)"
    }
  }

  private static let call =
    RawFrame.open(1, DisplayService.watch.path) + RawFrame.message(1, WireBytes.field(1, Fixture.device.text))

  /// Raises the file-descriptor limit of this process to its maximum, and returns it.
  private static func raiseFileCount() -> Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_cur)
  }

  private static func connect(_ count: Int, to endpoint: Endpoint, _ bytes: [UInt8]) async throws -> [RawClient] {
    var opened: [RawClient] = []
    while opened.count < count {
      do {
        let raw = try await RawClient(endpoint)
        raw.push(bytes)
        opened.append(raw)
      } catch let error as IOError where error.errnoCode == EAGAIN {
        // The accept queue is full.
        try await Task.sleep(for: .milliseconds(1))
      }
    }
    return opened
  }

  private static func waitForCalls(_ count: Int, _ harness: AttackHarness) async throws -> Int {
    let begin = ContinuousClock.now
    while true {
      let running = try await harness.metric("marquee_calls_running")
      if running >= count { return running }
      try require(begin.duration(to: .now) < .seconds(60), "\(running) of \(count) calls are running")
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  private static func overAddressLimit(_ harness: AttackHarness) async throws -> Int {
    let opened = try await connect(4_200, to: harness.tcp, [])
    let begin = ContinuousClock.now
    while try await harness.metric("marquee_limits_rejected_total", "connections") < 104 {
      try require(begin.duration(to: .now) < .seconds(30), "not 104 connections were rejected")
      try await Task.sleep(for: .milliseconds(20))
    }
    let rejected = try await harness.metric("marquee_limits_rejected_total", "connections")
    for raw in opened { try? await raw.close() }  // The server closed the rejected ones.
    return 4_200 - rejected
  }

  // MARK: Reconnecting

  private static let clientCount = 200
  private static let window = Duration.milliseconds(50)

  private static func storm() async throws -> String {
    let directory = try TemporaryDirectory()
    let endpoint = Endpoint.unix(path: directory.file("socket"))
    return try await withThrowingTaskGroup(of: ContinuousClock.Instant.self) { group in
      try await AttackHarness.run(in: directory) { harness in
        for _ in 0..<clientCount {
          group.addTask {
            // The first update of each connection is the complete state.
            var updates = try DisplayClient(RPCClient(endpoint)).watch(Fixture.device).makeAsyncIterator()
            for _ in 1...2 { _ = try await updates.next() }
            return .now
          }
        }
        _ = try await waitForCalls(clientCount, harness)
      }
      let begin = ContinuousClock.now
      let attempts = try await attempts(at: directory.file("socket"))
      // The first attempts are close together, since all clients lost their server at the same time.
      let crowd = crowd(attempts.filter { begin.duration(to: $0) > .seconds(1) })
      try require(crowd < clientCount / 4, "\(crowd) of \(attempts.count) attempts within \(window.words)")
      return try await AttackHarness.run(in: directory) { harness in
        let last = try await group.reduce(begin) { max($0, $1) }
        return "\(attempts.count) attempts in 3 s, after the first second at most \(crowd) within \(window.words); "
          + "all reconnected after \(begin.duration(to: last).words); \(try harness.toll())"
      }
    }
  }

  /// Returns the times of connection attempts to the socket of a dead server, at which a listener rejects connections
  /// for 3 s.
  private static func attempts(at path: String) async throws -> [ContinuousClock.Instant] {
    unlink(path)
    let attempts = Mutex<[ContinuousClock.Instant]>([])
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        attempts.withLock { $0.append(.now) }
        return channel.close()
      }
      .bind(unixDomainSocketPath: path).get()
    try await Task.sleep(for: .seconds(3))
    try await listener.close()
    unlink(path)
    return attempts.withLock { $0.sorted() }
  }

  /// Returns the maximum number of attempts within a window.
  private static func crowd(_ attempts: [ContinuousClock.Instant]) -> Int {
    var (most, first) = (0, 0)
    for index in attempts.indices {
      while attempts[first].duration(to: attempts[index]) > window { first += 1 }
      most = max(most, index - first + 1)
    }
    return most
  }

  // MARK: At full speed

  private static func publish(to harness: AttackHarness) async throws -> String {
    let client = harness.client()
    let admin = OperatorClient(client)
    var provider = try await ProviderStream(client, app: Fixture.sportApp)
    let start = try await admin.clock().now
    var number: UInt64 = 0
    let measurement = try await Measurement.of(harness, growthMax: 16, repeats: false) { _ in
      let begin = try await admin.clock().now
      for minute in 1...60 as ClosedRange<Int64> {
        for _ in 1...100 {
          number += 1
          let date = begin.advanced(by: .minutes(minute))
          let entries = (0..<24).map { Fixture.entry(date.advanced(by: .minutes($0)), "\(number)", score: Double($0)) }
          guard case .accepted = try await provider.publish(number, Fixture.score, entries) else {
            throw RequirementFailure("timeline \(number) was not accepted")
          }
        }
        try await admin.advanceClock(to: begin.advanced(by: .minutes(minute)))
      }
      return "6000 timelines of 24 entries"
    }
    let hours = start.span(to: try await admin.clock().now).milliseconds / 3_600_000
    try require(hours >= 1, "the clock did not advance")
    return measurement.words
  }
}
