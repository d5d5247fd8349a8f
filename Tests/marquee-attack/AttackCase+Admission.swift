import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

extension AttackCase {
  /// Unauthenticated peers, and many concurrent connections and disconnections.
  static let admission = [
    AttackCase(
      number: 45, summary: "20 connections of unauthenticated peers make denied calls, and reconnect when closed",
      way: .alone {
        try await AttackHarness.run(policy: AttackHarness.closedPolicy) { try await makeDeniedCalls($0) }
      }),
    AttackCase(
      number: 46, summary: "600 idle connections of unauthenticated peers with a limit of 256",
      way: .alone {
        let environment = ["MARQUEED_LIMITS_CONNECTION_COUNT_MAX": "256"]
        return try await AttackHarness.run(environment: environment, policy: AttackHarness.closedPolicy) {
          try await hold($0)
        }
      }),
    AttackCase(
      number: 47, summary: "400 connections to a process with 64, 128 and 300 file descriptors",
      way: .alone {
        var words: [String] = []
        for count in [64, 128, 300] {
          let seen = try await AttackHarness.run(fileCountMax: count, policy: AttackHarness.closedPolicy) {
            try await rush($0)
          }
          words.append("\(count) files: \(seen)")
        }
        return words.joined(separator: "; ")
      }),
    AttackCase(
      number: 48, summary: "7 680 provider streams of one app end at the same time",
      way: .alone { try await AttackHarness.run { try await endAtOnce($0) } }),
    AttackCase(
      number: 49, summary: "connects and disconnects as fast as possible for 2 s",
      way: .alone { try await AttackHarness.run(policy: AttackHarness.closedPolicy) { try await comeAndGo($0) } }),
  ]

  // MARK: Denied calls

  private static let deniedCalls = (0..<1_000 as Range<UInt32>).flatMap { number in
    RawFrame.open(number * 2 + 1, AdminService.listDevices.path) + RawFrame.message(number * 2 + 1, [])
  }

  private static func makeDeniedCalls(_ harness: AttackHarness) async throws -> String {
    let time = Duration.seconds(2)
    let measurement = try await Measurement.of(harness, growthMax: 32, repeats: false) { _ in
      let (start, begin) = (ContinuousClock.now, try harness.daemon.processorTime())
      let counts = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 1...20 { group.addTask { try await makeDeniedCalls(harness.tcp, for: time) } }
        return try await group.reduce(0, +)
      }
      let (used, taken) = (try harness.daemon.processorTime() - begin, start.duration(to: .now))
      return "\(counts) connections, each ended by GOAWAY, \(used.words) of processor time in \(taken.words)"
    }
    return "\(measurement.words); served again after \(try await waitForService(harness).words)"
  }

  /// Makes denied calls on sequential connections.
  ///
  /// - Returns: The number of connections.
  private static func makeDeniedCalls(_ endpoint: Endpoint, for time: Duration) async throws -> Int {
    let begin = ContinuousClock.now
    var count = 0
    while begin.duration(to: .now) < time {
      var raw = try await RawClient(endpoint)
      raw.push(RawFrame.hello + deniedCalls)
      raw.close(in: .seconds(2))
      let last = await raw.frames { $0.isGoAway }.last
      try require(last == nil || last?.isGoAway == true, "the last frame is of type \(last?.type ?? 0)")
      try? await raw.close()  // The server may have closed it already.
      count += 1
    }
    return count
  }

  /// Returns the time until a peer without earlier violations gets a response over TCP.
  private static func waitForService(_ harness: AttackHarness) async throws -> Duration {
    let begin = ContinuousClock.now
    while true {
      do {
        _ = try await HealthClient(harness.client(harness.tcp)).check()
        return begin.duration(to: .now)
      } catch {
        try require(begin.duration(to: .now) < .seconds(30), "not served over TCP after 30 s: \(error)")
      }
    }
  }

  // MARK: Held connections

  private static func connect(_ count: Int, to endpoint: Endpoint) async -> [RawClient] {
    var opened: [RawClient] = []
    for _ in 1...count {
      // A connection that finds the accept queue full is not counted.
      guard let raw = try? await RawClient(endpoint) else { continue }
      raw.push(RawFrame.hello)
      opened.append(raw)
    }
    return opened
  }

  private static func hold(_ harness: AttackHarness) async throws -> String {
    var opened: [RawClient] = []
    let measurement = try await Measurement.of(harness, growthMax: 16, repeats: false) { _ in
      for raw in opened { try? await raw.close() }  // The server may have closed it already.
      opened = await connect(600, to: harness.tcp)
      _ = try await OperatorClient(harness.client()).devices()
      _ = try await HealthClient(harness.client(harness.tcp)).check()
      return "\(opened.count) connections accepted, an operator and a TCP client were served"
    }
    for raw in opened { try? await raw.close() }  // The server may have closed it already.
    let made = try await harness.metric("marquee_connections_failed_total", "\"evicted\"")
    try require(made > 300, "\(made) connections were evicted")
    return "\(made) evicted; \(measurement.words)"
  }

  private static func rush(_ harness: AttackHarness) async throws -> String {
    let opened = await connect(400, to: harness.tcp)
    let before = try harness.daemon.processorTime()
    try await Task.sleep(for: .seconds(1))
    let used = try harness.daemon.processorTime() - before
    try require(used < .milliseconds(500), "\(used.words) of processor time in 1 s")
    let client = harness.client()
    _ = try await OperatorClient(client).devices()
    for try await _ in OperatorClient(client).backup() {}
    for raw in opened { try? await raw.close() }  // The server may have closed it already.
    return "\(used.words) of processor time in 1 s, an operator made a backup"
  }

  // MARK: Ending streams

  private static let attached = (0..<256 as Range<UInt32>).flatMap { number in
    RawFrame.open(number * 2 + 1, ProviderService.provide.path)
      + RawFrame.message(number * 2 + 1, WireBytes.attach(Fixture.device, Fixture.weatherApp), flags: 0)
  }

  private static func endAtOnce(_ harness: AttackHarness) async throws -> String {
    let (count, connectionCount) = (7_680, 30)
    let measurement = try await Measurement.of(harness, growthMax: 192, repeats: false) { _ in
      let opened = await connect(connectionCount, to: harness.unix)
      try require(opened.count == connectionCount, "\(opened.count) of \(connectionCount) connections")
      let begin = ContinuousClock.now
      for (number, raw) in opened.enumerated() {
        raw.push(attached)
        // Sequentially: more requests than a shard's queue holds would be rejected.
        while try await harness.metric("marquee_calls_running") < count / connectionCount * (number + 1) {
          try require(begin.duration(to: .now) < .seconds(20), "not all streams are attached after 20 s")
          try await Task.sleep(for: .milliseconds(5))
        }
      }
      let mark = harness.probe.mark()
      for raw in opened { raw.push(RawFrame(type: 9).bytes) }
      for raw in opened { try await raw.close() }
      let time = try await harness.wait(until: "marquee_calls_running", isAtMost: 1, within: .seconds(10))
      let p99 = try harness.probe.interval(since: mark).p99
      try require(p99 < .milliseconds(250), "p99 \(p99.words) while they ended")
      return "all ended after \(time.words), p99 \(p99.words) meanwhile"
    }
    return measurement.words
  }

  private static func comeAndGo(_ harness: AttackHarness) async throws -> String {
    let measurement = try await Measurement.of(harness, growthMax: 32, repeats: false) { _ in
      let begin = ContinuousClock.now
      var count = 0
      while begin.duration(to: .now) < .seconds(2) {
        guard let raw = try? await RawClient(harness.tcp) else { continue }  // The accept queue is full.
        raw.push(RawFrame.hello)
        try? await raw.close()  // The server may have closed it already.
        count += 1
      }
      return "\(count) connections"
    }
    return "\(measurement.words); served after \(try await waitForService(harness).words)"
  }
}
