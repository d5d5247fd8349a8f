import Foundation
import Logging
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeStore
import MarqueeTestSupport
import Metrics
import MetricsTestKit
import Testing

@testable import MarqueeRuntime

/// Clock jumps, and devices whose time is ahead.
@Suite(.timeLimit(.minutes(2))) struct DeviceClockTests {
  private static let day: Int64 = 86_400_000
  private let directory = StoreDirectory()

  @Test("A temporary jump is ignored, and time advances meanwhile", arguments: [1, 7_300, -1, -7_300])
  func temporaryJump(days: Int64) {
    var filter = ClockJumpFilter()
    for second in 0..<200 as Range<Int64> {
      let elapsed = second * 1_000
      let jump = (50..<75).contains(second) || (100..<125).contains(second) ? days * Self.day : 0
      #expect(filter.time(9_000_000_000_000 + elapsed + jump, elapsed: elapsed) == 9_000_000_000_000 + elapsed)
    }
  }

  @Test("A permanent jump is accepted after 30 seconds, a small one at once", arguments: [1, 7_300, -1, -7_300])
  func permanentJump(days: Int64) {
    var filter = ClockJumpFilter()
    for second in 0..<100 as Range<Int64> {
      let (elapsed, shift) = (second * 1_000, second < 50 ? 0 : days * Self.day)
      let expected = second < 80 ? elapsed : elapsed + shift
      #expect(filter.time(1_000 * Self.day + elapsed + shift, elapsed: elapsed) == 1_000 * Self.day + expected)
    }
    #expect(filter.time(5_000, elapsed: 100_000) != 5_000)
    var other = ClockJumpFilter()
    #expect(other.time(0, elapsed: 0) == 0 && other.time(59_000, elapsed: 10) == 59_000)
    #expect(other.time(1_000, elapsed: 20) == 1_000)
  }

  @Test("Two readings are too few to accept a jump")
  func lateReadings() {
    var filter = ClockJumpFilter()
    #expect(filter.time(0, elapsed: 0) == 0)
    #expect(filter.time(Self.day, elapsed: 1_000) == 1_000)
    #expect(filter.time(Self.day, elapsed: 50_000) == 50_000)
    #expect(filter.time(50_001, elapsed: 50_001) == 50_001)
  }

  private func play(
    _ count: Int, _ sample: SampleDevice, _ runtime: Runtime, _ clock: ManualClock, seed: UInt64
  ) async throws {
    var generator = Sampler(seed: seed)
    for number in 0..<count {
      clock.advance(to: clock.now.advanced(by: .seconds(Int64.random(in: 0..<900, using: &generator))))
      let date = clock.now
      do {
        try await runtime.submit(sample.anything(at: date, &generator), to: sample.id)
        guard number % 3 == 0 else { continue }
        let activity = Donation.Activity.intent(try Intent(type: IntentType("Read")))
        let donation = Donation(id: try .init("\(seed) \(number)"), date: date, activity: activity)
        try await runtime.submit(.donated(sample.app, [donation]), to: sample.id)
      } catch is RequestError {
        // Not every random event is valid.
      }
    }
  }

  @Test(
    "A device whose clock was ahead continues after a reset, and a restart restores the same state",
    arguments: 1...8 as ClosedRange<UInt64>)
  func reset(seed: UInt64) async throws {
    let sample = try SampleDevice()
    let metrics = TestMetrics()
    let store = try Store(directory: directory.path)
    var harness = Harness(store)
    harness.configuration.shardCount = 1
    harness.configuration.snapshotStride = seed % 2 == 0 ? 5 : 256
    harness.metrics = metrics
    let clock = harness.clock
    let before = try await harness.run(end: .kill) { (runtime, _) async throws in
      try await sample.settle(in: runtime)
      try await play(20, sample, runtime, clock, seed: seed)
      let present = clock.now
      clock.advance(to: present.advanced(by: .days(7_300)))
      try await play(40, sample, runtime, clock, seed: seed + 100)
      clock.setBack(to: present)
      let future = try await runtime.read(sample.id) { $0 }
      #expect(future.now > present.advanced(by: .days(7_299)))
      #expect(try metrics.expectGauge("marquee_device_clock_ahead_seconds", [("shard", "0")]).lastValue ?? 0 > 6e8)
      let (was, now) = try await runtime.resetClock(of: sample.id)
      #expect(was == future.now && now == present)
      #expect(try await store.latestInstants(count: 9).map(\.instant) == [present])
      let device = try await runtime.read(sample.id) { $0 }
      #expect(device.now == present && device.decisionCount >= future.decisionCount)
      #expect(device.donationCount() == future.donationCount() && device.stack(sample.stack) != nil)
      #expect(device.registeredKinds == future.registeredKinds)
      // Without offsets, habits and pins would use UTC until the next event.
      #expect(device.offsets?.covers(present, present.advanced(by: .days(1))) ?? false)
      #expect(device.timeline(of: sample.widgets[0]) == future.timeline(of: sample.widgets[0]))
      #expect(try Device(decoding: device.encoded) == device)
      await #expect(throws: RequestError.self) { try await runtime.resetClock(of: sample.id) }
      // The device decides again.
      for event in try sample.setUp().dropFirst(2) {
        do { try await runtime.submit(event, to: sample.id) } catch is RequestError {}
      }
      clock.advance(to: SampleDevice.time(23))
      try await play(20, sample, runtime, clock, seed: seed + 200)
      #expect(try metrics.expectGauge("marquee_device_clock_ahead_seconds", [("shard", "0")]).lastValue == 0)
      await #expect(throws: JournalError.self) { try await runtime.past(sample.id, at: SampleDevice.midnight) }
      let last = try await runtime.read(sample.id) { $0 }
      #expect(try await runtime.past(sample.id, at: last.now) == last)
      return last
    }
    let after = try await harness.run { runtime, _ in try await runtime.read(sample.id) { $0 } }
    #expect(after == before)
    #expect(try await harness.run { runtime, _ in try await runtime.read(sample.id) { $0 } } == before)
    #expect(try Store.verify(directory.path).findings.isEmpty)
  }

  @Test("A deletion and a reset in one batch are both stored, in either order", arguments: [true, false])
  func deletion(isFirst: Bool) async throws {
    let (sample, other) = (try SampleDevice(), try SampleDevice("other"))
    let journal = FlakyJournal(try Store(directory: directory.path))
    var harness = Harness(journal)
    harness.configuration.shardCount = 1
    let secret = "a donation that is to be forgotten"
    func donation(_ id: String, _ name: String) throws -> Donation {
      Donation(id: try .init(id), date: SampleDevice.midnight, activity: .intent(try Intent(type: IntentType(name))))
    }
    let before = try await harness.run(end: .kill) { (runtime, _) async throws in
      for sample in [sample, other] {
        try await sample.settle(in: runtime)
        try await runtime.submit(
          .donated(sample.app, [donation("1", secret), donation("2", "Read")]), to: sample.id)
      }
      harness.clock.advance(to: SampleDevice.time(24 * 365))
      _ = try await runtime.read(sample.id) { $0 }
      try await runtime.submit(.developerModeChanged(true), to: sample.id)
      harness.clock.setBack(to: SampleDevice.time(2))
      let selection = DonationSelection.identifiers([try .init("1")])
      journal.deletionGate.close()
      let blocked = Task { try await runtime.submit(.donationsDeleted(other.app, selection), to: other.id) }
      await journal.deletionGate.waitForArrival()
      func delete() -> Task<Void, any Error> {
        Task { try await runtime.submit(.donationsDeleted(sample.app, selection), to: sample.id) }
      }
      func reset() -> Task<Void, any Error> { Task { _ = try await runtime.resetClock(of: sample.id) } }
      var tasks: [Task<Void, any Error>] = []
      for begin in isFirst ? [delete, reset] : [reset, delete] {
        let count = runtime.queuedCount
        tasks.append(begin())
        while runtime.queuedCount == count { await Task.yield() }
      }
      journal.deletionGate.open()
      try await blocked.value
      for task in tasks { try await task.value }
      return try await runtime.read(sample.id) { $0 }
    }
    #expect(before.donationCount() == 1 && before.now == SampleDevice.time(2))
    #expect(try await harness.run { runtime, _ in try await runtime.read(sample.id) { $0 } } == before)
    #expect(try Store.verify(directory.path).findings.isEmpty)
    for file in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
      let bytes = try Data(contentsOf: URL(filePath: directory.path + "/" + file))
      #expect(bytes.firstRange(of: Data(secret.utf8)) == nil, "\(file)")
    }
  }

  @Test("A reset that cannot be written changes nothing")
  func failure() async throws {
    let sample = try SampleDevice()
    let journal = FlakyJournal(try Store(directory: directory.path))
    let harness = Harness(journal)
    try await harness.run { (runtime, _) async throws in
      try await sample.settle(in: runtime)
      harness.clock.advance(to: SampleDevice.time(24 * 365))
      let before = try await runtime.read(sample.id) { $0 }
      harness.clock.setBack(to: SampleDevice.time(2))
      journal.fail(.transient)
      await expectFailure(.transient) { try await runtime.resetClock(of: sample.id) }
      #expect(try await runtime.read(sample.id) { $0 } == before)
      journal.fail(nil)
      #expect(try await runtime.resetClock(of: sample.id).before == before.now)
    }
  }

  @Test("A device without requests is found to be ahead at the start, and when the clock is set back")
  func untouched() async throws {
    let sample = try SampleDevice()
    var harness = Harness(try Store(directory: directory.path))
    harness.configuration.shardCount = 1
    let clock = harness.clock
    try await harness.run(end: .kill) { (runtime, _) async throws in
      try await sample.settle(in: runtime)
      clock.advance(to: clock.now.advanced(by: .days(7_300)))
      try await runtime.submit(.developerModeChanged(true), to: sample.id)
    }
    clock.setBack(to: SampleDevice.time(1))
    let gauge = GaugeValues("marquee_device_clock_ahead_seconds")
    harness.metrics = gauge
    try await harness.run { (_, _) async throws in
      #expect(await gauge.values.first { $0 > 0 } ?? 0 > 600_000_000)
    }
    try await harness.run { (runtime, _) async throws in
      clock.advance(to: clock.now.advanced(by: .days(7_301)))
      _ = try await runtime.read(sample.id) { $0.now }
      clock.setBack(to: SampleDevice.time(2))
      runtime.checkClock()
      // More than the previous lead: the device's time is later than its last stored instant.
      #expect(await gauge.values.first { $0 > 7_300 * 86_400 } != nil)
    }
  }

  @Test("Only a start with a clock more than a day ahead of the last stored time logs a warning")
  func wrongClock() async throws {
    let sample = try SampleDevice()
    let entries = LogEntries()
    var harness = Harness(try Store(directory: directory.path))
    harness.configuration.shardCount = 1
    harness.logger = Logger(label: "test") { _ in entries }
    let clock = harness.clock
    for lead in [TimeSpan.zero, .hours(23), .days(2)] {
      let gauge = GaugeValues("marquee_device_clock_ahead_seconds")
      harness.metrics = gauge
      clock.advance(to: clock.now.advanced(by: lead))
      try await harness.run { (runtime, _) async throws in
        // The stored instants have been read once the gauge is set for the first time.
        for await _ in gauge.values { break }
        if lead == .zero { return try await sample.settle(in: runtime) }
        try await runtime.submit(.developerModeChanged(true), to: sample.id)
      }
    }
    let warnings = entries.texts.filter { $0.contains("the clock is more than a day ahead") }
    #expect(warnings.count == 1 && warnings[0].contains("clock=\(clock.now)") && warnings[0].contains("latest_stored="))
  }
}

/// A metrics factory that streams every value of one gauge.
private final class GaugeValues: MetricsFactory, RecorderHandler {
  let values: AsyncStream<Int64>
  private let continuation: AsyncStream<Int64>.Continuation
  private let name: String

  init(_ name: String) {
    self.name = name
    (values, continuation) = AsyncStream.makeStream()
  }

  func record(_ value: Int64) { continuation.yield(value) }
  func record(_ value: Double) {}

  func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    label == name ? self : NOOPMetricsHandler.instance
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { NOOPMetricsHandler.instance }
  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { NOOPMetricsHandler.instance }
  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
}
