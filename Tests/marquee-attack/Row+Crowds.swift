import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeTransport
import MarqueeWire
import NIOCore
import NIOPosix
import ServerProcess
import Synchronization

extension Row {
  /// Many at once.
  static let crowds = [
    Row(
      number: 30, deed: "10 000 idle connections with 10 000 idle streams; 4 200 connections of one address",
      way: .alone { try await idle() }),
    Row(number: 31, deed: "stale, foreign, linked and open Unix sockets", way: .alone { try await sockets() }),
    Row(number: 32, deed: "200 displays whose server is killed and comes back", way: .alone { try await storm() }),
    Row(
      number: 34, deed: "a provider publishes as fast as it can for an hour of the server's clock",
      way: .alone {
        try await Siege.run(["--clock", "manual=2026-03-04T08:00:00Z"]) { try await publish(to: $0) }
      }),
  ]

  // MARK: Idle connections

  private static let connectionSizeMax = 10 * 1_024

  private static func idle() async throws -> String {
    try await Siege.run(fileCountMax: raiseFileCount()) { siege in
      // As many as this process may have open, besides some of its own.
      let count = min(10_000, raiseFileCount() - 256)
      var opened: [RawClient] = []
      let before = try siege.daemon.residentSize()
      let measurement = try await Measurement.of(siege, growthMax: 110, repeats: false) { _ in
        for raw in opened { try await raw.close() }
        opened = try await connect(count, to: siege.unix, RawFrame.hello)
        return "\(opened.count) connections"
      }
      let size = (try siege.daemon.residentSize() - before) * 1_024 / count
      try require(size < connectionSizeMax, "\(size) bytes a connection")
      for raw in opened { raw.push(call) }
      let streams = try await waitForCalls(count, siege)
      let streamSize = (try siege.daemon.residentSize() - before) * 1_024 / count - size
      for raw in opened { try await raw.close() }
      let accepted = try await overAddressLimit(siege)
      return "\(size) bytes for each of \(count) connections, \(streamSize) more with a stream of \(streams); "
        + "\(accepted) of 4200 from one address accepted; \(measurement.words)"
    }
  }

  private static let call =
    RawFrame.open(1, DisplayService.watch.path) + RawFrame.message(1, WireBytes.field(1, Home.device.text))

  /// Lets this process open as many files as it may, and gives how many.
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
        // The queue of those who are to be accepted is full.
        try await Task.sleep(for: .milliseconds(1))
      }
    }
    return opened
  }

  private static func waitForCalls(_ count: Int, _ siege: Siege) async throws -> Int {
    let begin = ContinuousClock.now
    while true {
      let running = try await siege.metric("marquee_calls_running")
      if running >= count { return running }
      try require(begin.duration(to: .now) < .seconds(10), "\(running) of \(count) calls run")
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  private static func overAddressLimit(_ siege: Siege) async throws -> Int {
    let opened = try await connect(4_200, to: siege.tcp, [])
    let begin = ContinuousClock.now
    while try await siege.metric("marquee_limits_refused_total", "connections") < 104 {
      try require(begin.duration(to: .now) < .seconds(3), "not 104 connections were refused")
      try await Task.sleep(for: .milliseconds(20))
    }
    let refused = try await siege.metric("marquee_limits_refused_total", "connections")
    for raw in opened { try? await raw.close() }  // The server has closed those that it refused.
    return 4_200 - refused
  }

  // MARK: Reconnecting

  private static let clientCount = 200
  private static let window = Duration.milliseconds(50)

  private static func storm() async throws -> String {
    let directory = try TemporaryDirectory()
    let endpoint = Endpoint.unix(path: directory.file("socket"))
    return try await withThrowingTaskGroup(of: ContinuousClock.Instant.self) { group in
      try await Siege.run(in: directory) { siege in
        for _ in 0..<clientCount {
          group.addTask {
            // The whole state is the first that a display is told, on each connection.
            var updates = try DisplayClient(RPCClient(endpoint)).watch(Home.device).makeAsyncIterator()
            for _ in 1...2 { _ = try await updates.next() }
            return .now
          }
        }
        _ = try await waitForCalls(clientCount, siege)
      }
      let begin = ContinuousClock.now
      let attempts = try await attempts(at: directory.file("socket"))
      // The first attempts come in the first tenths of a second, since all have lost their server at once.
      let crowd = crowd(attempts.filter { begin.duration(to: $0) > .seconds(1) })
      try require(crowd < clientCount / 4, "\(crowd) of \(attempts.count) attempts within \(window.words)")
      return try await Siege.run(in: directory) { siege in
        let last = try await group.reduce(begin) { max($0, $1) }
        return "\(attempts.count) attempts in 3 s, after the first second at most \(crowd) within \(window.words); "
          + "all are back after \(begin.duration(to: last).words); \(try siege.toll())"
      }
    }
  }

  /// When clients came to a dead server's place, in which one stands for 3 s that takes nobody.
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

  /// The most attempts that came within a window.
  private static func crowd(_ attempts: [ContinuousClock.Instant]) -> Int {
    var (most, first) = (0, 0)
    for index in attempts.indices {
      while attempts[first].duration(to: attempts[index]) > window { first += 1 }
      most = max(most, index - first + 1)
    }
    return most
  }

  // MARK: At full speed

  private static func publish(to siege: Siege) async throws -> String {
    let client = siege.client()
    let admin = OperatorClient(client)
    var provider = try await ProviderStream(client, app: Home.sportApp)
    let start = try await admin.clock().now
    var number: UInt64 = 0
    let measurement = try await Measurement.of(siege, growthMax: 16, repeats: false) { _ in
      let begin = try await admin.clock().now
      for minute in 1...60 as ClosedRange<Int64> {
        for _ in 1...100 {
          number += 1
          let date = begin.advanced(by: .minutes(minute))
          let entries = (0..<24).map { Home.entry(date.advanced(by: .minutes($0)), "\(number)", score: Double($0)) }
          guard case .accepted = try await provider.publish(number, Home.score, entries) else {
            throw Finding("timeline \(number) was not accepted")
          }
        }
        try await admin.advanceClock(to: begin.advanced(by: .minutes(minute)))
      }
      return "6000 timelines of 24 entries"
    }
    let hours = start.span(to: try await admin.clock().now).milliseconds / 3_600_000
    try require(hours >= 1, "the clock did not go on")
    return measurement.words
  }
}
