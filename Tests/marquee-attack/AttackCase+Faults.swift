import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

extension AttackCase {
  /// Faults of the process and its machine.
  static let faults = [
    AttackCase(number: 24, summary: "SIGTERM while 8 providers publish", way: .alone { try await terminate() }),
    AttackCase(number: 25, summary: "kill -9 at any write", way: .elsewhere("Tests/Scripts/crash-recovery.sh")),
    AttackCase(number: 26, summary: "disk full, EIO, read-only", way: .elsewhere("Tests/Scripts/fault-injection.sh")),
    AttackCase(number: 27, summary: "corrupted files", way: .elsewhere("Tests/Scripts/fault-injection.sh")),
    AttackCase(
      number: 28, summary: "the clock is set a day forward, back and to a time zone transition; the process is stopped",
      way: .waitingAlone { try await jump() }),
    AttackCase(
      number: 29, summary: "1 000 connections to a process with 256 file descriptors",
      way: .alone { try await AttackHarness.run(fileCountMax: 256) { try await exhaustFiles($0) } }),
  ]

  // MARK: SIGTERM

  private static let apps = valid { try (1...8).map { try AppID("com.example.app\($0)") } }
  private static let widgets = apps.map { Fixture.widget("Count", of: $0) }
  private static let grace = Duration.seconds(1)

  private static func terminate() async throws -> String {
    let directory = try TemporaryDirectory()
    let (acknowledged, time, toll) = try await AttackHarness.run(["--shutdown-grace", "1"], in: directory) { harness in
      try await Fixture.register(harness.client(), widgets: widgets)
      let health = try await harness.client().serverStreaming(HealthService.watch, HealthCheckRequest())
      var states = health.responses.makeAsyncIterator()
      try require(try await states.next()?.status == .serving, "not serving at first")
      // A call without a request, which only its client or the grace period can end.
      var open = try await RawAttacker(harness.tcp, within: .seconds(10))
      open.push(RawFrame.hello + RawFrame.open(1, AdminService.listDevices.path))
      try await open.settle()
      async let published = publish(to: harness)
      try await Task.sleep(for: .seconds(1))
      let toll = try harness.toll()
      harness.probe.end()
      let begin = ContinuousClock.now
      harness.daemon.send(signal: SIGTERM)
      try require(try await states.next()?.status == .notServing, "health does not say NOT_SERVING")
      let frames = try await open.ending().frames
      let retry = frames.first(where: \.isGoAway)?.number(4) ?? 0
      try require(retry > 0, "GOAWAY has no retry delay")
      try require(frames.last { $0.type == 5 }?.statusCode == 4, "the open call did not end with DEADLINE_EXCEEDED")
      let exit = try await harness.daemon.wait()
      try require(exit == .code(0), "\(exit)")
      return (try await published, begin.duration(to: .now), toll)
    }
    try require(time > grace && time < grace + .seconds(2), "ended after \(time.words)")
    try await AttackHarness.run(in: directory) { harness in
      for (widget, number) in zip(widgets, acknowledged) {
        let stored = try await OperatorClient(harness.client()).timeline(of: widget, on: Fixture.device)
        let found = stored.timeline?.entries.first.map { $0.date.milliseconds - Fixture.start.milliseconds } ?? 0
        try require([number, number + 1].map { $0 * 1_000 }.contains(found), "\(widget): \(found), not \(number)")
      }
    }
    return "NOT_SERVING, GOAWAY with a retry delay, the open call DEADLINE_EXCEEDED, exit 0 after \(time.words); "
      + "all of \(acknowledged.reduce(0, +)) acknowledged timelines are stored; \(toll)"
  }

  /// Publishes numbered timelines of each widget until the server exits.
  ///
  /// - Returns: The last acknowledged number of each widget.
  private static func publish(to harness: AttackHarness) async throws -> [Int64] {
    try await withThrowingTaskGroup(of: (Int, Int64).self) { group in
      for (index, widget) in widgets.enumerated() {
        group.addTask {
          var last: Int64 = 0
          let end = try await callStatus {
            var provider = try await ProviderStream(harness.client(), app: widget.kind.app)
            while true {
              let entries = [Fixture.entry(Fixture.after(.seconds(last + 1)), "\(last + 1)")]
              guard case .accepted = try await provider.publish(UInt64(last + 1), widget, entries) else { break }
              last += 1
            }
          }
          try require(end?.code == .unavailable, "a provider's stream ended with \(end as Any)")
          try require(last > 0, "a provider published nothing")
          return (index, last)
        }
      }
      return try await group.reduce(into: [Int64](repeating: 0, count: widgets.count)) { $0[$1.0] = $1.1 }
    }
  }

  // MARK: Clocks

  private static let library = ["x86_64", "aarch64"].map { "/usr/lib/\($0)-linux-gnu/faketime/libfaketimeMT.so.1" }

  /// Returns the environment of a process whose clock offset is read from a file.
  static func fakedTime(by shift: String) throws -> [String: String] {
    guard let library = library.first(where: FileManager.default.fileExists) else {
      throw RequirementFailure("libfaketime is missing: Deploy/setup.sh installs it")
    }
    return [
      "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": shift, "FAKETIME_NO_CACHE": "1",
      "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_FORCE_MONOTONIC_FIX": "0",
    ]
  }

  private static func jump() async throws -> String {
    let directory = try TemporaryDirectory()
    let shift = try directory.write("+0", to: "shift")
    let environment = try fakedTime(by: shift)
    return try await AttackHarness.run(environment: environment, in: directory) { harness in
      let client = harness.client()
      var updates = try DisplayClient(client).watch(Fixture.device).makeAsyncIterator()
      _ = try await updates.next()
      var provider = try await ProviderStream(client, app: Fixture.sportApp)
      let now = try await OperatorClient(client).clock().now
      let texts = ["now", "soon", "tomorrow"]
      let spans: [TimeSpan] = [.zero, .seconds(2), .hours(24)]
      let entries = zip(texts, spans).map { Fixture.entry(now.advanced(by: $1), $0) }
      guard case .accepted = try await provider.publish(1, Fixture.score, entries) else {
        throw RequirementFailure("rejected")
      }
      var shown = [try await content(&updates), try await content(&updates)]
      harness.daemon.send(signal: SIGSTOP)
      try await Task.sleep(for: .seconds(2))
      harness.daemon.send(signal: SIGCONT)
      _ = try directory.write("+1d", to: "shift")
      shown.append(try await content(&updates))
      let mark = harness.probe.mark()
      try require(shown == texts, "shown: \(shown)")
      _ = try directory.write("+0", to: "shift")
      // Longer than the server sleeps without reading the clock: no entry may appear twice.
      try await Task.sleep(for: .seconds(6))
      guard case .accepted = try await provider.publish(2, Fixture.score, [Fixture.entry(now, "back")]) else {
        throw RequirementFailure("rejected after the clock was set back")
      }
      let next = try await content(&updates)
      try require(next == "back", "after the clock was set back: \(next)")
      // Two seconds before the next transition of the device's time zone.
      let change = try nextChange(of: Fixture.berlin)
      let around = [-1, 0, 1].map { Fixture.entry(change.advanced(by: .seconds($0)), "\($0) s") }
      guard case .accepted = try await provider.publish(3, Fixture.score, around) else {
        throw RequirementFailure("rejected")
      }
      let distance = Int64(Date(timeIntervalSince1970: Double(change.milliseconds) / 1_000).timeIntervalSinceNow)
      _ = try directory.write("+\(distance - 2)", to: "shift")
      // None of the entries is current at first.
      for entry in ["", "-1 s", "0 s", "1 s"] {
        let next = try await content(&updates)
        try require(next == entry, "at the time zone transition: \(next)")
      }
      return "each entry shown once and on time; since then \(try harness.toll(since: mark))"
    }
  }

  private static func nextChange(of zone: TimeZoneID) throws -> Instant {
    guard let date = TimeZone(identifier: zone.text)?.nextDaylightSavingTimeTransition,
      let change = Instant(milliseconds: Int64(date.timeIntervalSince1970) * 1_000)
    else { throw RequirementFailure("\(zone.text) has no further transition") }
    return change
  }

  /// Returns the next content update of a display.
  private static func content(_ updates: inout DisplayUpdates.AsyncIterator) async throws -> String {
    while let update = try await updates.next() {
      if case .entry(let current) = update.change {
        return String(decoding: current.entry?.content.bytes ?? [], as: UTF8.self)
      }
    }
    throw RequirementFailure("the watch has ended")
  }

  // MARK: Files

  private static func exhaustFiles(_ harness: AttackHarness) async throws -> String {
    let client = harness.client()
    _ = try await OperatorClient(client).devices()
    var opened: [RawClient] = []
    var used = Duration.zero
    let measurement = try await Measurement.of(harness, growthMax: 8, repeats: false) { _ in
      for raw in opened { try? await raw.close() }  // The server may have closed it already.
      opened = []
      for number in 0..<1_000 {
        // A connection that finds the accept queue full is not counted.
        guard let raw = try? await RawClient(number % 2 == 0 ? harness.unix : harness.tcp) else { continue }
        raw.push(RawFrame.hello)
        opened.append(raw)
      }
      let before = try harness.daemon.processorTime()
      try await Task.sleep(for: .seconds(2))
      used = try harness.daemon.processorTime() - before
      // Operations that need file descriptors still work.
      try await OperatorClient(client).setDeveloperMode(true, on: Fixture.device)
      for try await _ in OperatorClient(client).history(of: Fixture.device) {}
      for try await _ in OperatorClient(client).backup() {}
      return "calls and a backup continue with \(used.words) of processor time in 2 s"
    }
    try require(used < .seconds(1), "\(used.words) of processor time in 2 s")
    for raw in opened { try? await raw.close() }  // The server may have closed it already.
    let begin = ContinuousClock.now
    _ = try await HealthClient(harness.client()).check()
    let time = begin.duration(to: .now)
    try require(time < .seconds(10), "accepted after \(time.words)")
    let rejected = try await harness.metric("marquee_limits_rejected_total", "connections")
    return "\(rejected) connections rejected and counted; \(measurement.words); accepts \(time.words) after they close"
  }
}
