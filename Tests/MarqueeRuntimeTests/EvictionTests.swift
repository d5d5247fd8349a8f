import MarqueeJournal
import MarqueeModel
import MarqueeRuntime
import MarqueeScheduler
import MarqueeStore
import MarqueeTestSupport
import MetricsTestKit
import Testing

/// Goal: eviction and reloading of devices have no visible effect. Method: the same random events at the same times are
/// submitted to a runtime that caches all devices and to one that caches very few; their actions, devices and decisions
/// are compared.
@Suite(.timeLimit(.minutes(2))) struct EvictionTests {
  /// The outcome of a run of many devices.
  private struct Outcome: Equatable {
    var actions: [DeviceID: [Action]] = [:]
    var states: [[UInt8]] = []
    var decisions: [[Decision]] = []
    /// The number of loads.
    var loadCount = 0
  }

  private func outcome(seed: UInt64, caching count: Int, isDiskFull: Bool = false) async throws -> Outcome {
    let directory = StoreDirectory()
    let store = try Store(directory: directory.path)
    let journal = FlakyJournal(store)
    var harness = Harness(journal)
    harness.configuration.cachedDeviceCountMax = count
    harness.configuration.snapshotStride = 16
    let samples = try (0..<12).map { try SampleDevice("phone \($0)") }
    var outcome = Outcome()
    try await harness.run { (runtime, sink) async throws in
      for sample in samples { try await sample.settle(in: runtime) }
      var (generator, now) = (Sampler(seed: seed), SampleDevice.midnight)
      for step in 0..<150 {
        now = now.advanced(by: .seconds(Int64.random(in: 0..<900, using: &generator)))
        harness.clock.advance(to: now)
        _ = try await runtime.waitUntilIdle()
        let sample = samples[Int.random(in: 0..<samples.count, using: &generator)]
        if isDiskFull { journal.fail((50..<80).contains(step) ? .transient : nil) }
        do {
          try await runtime.submit(sample.anything(at: now, &generator), to: sample.id)
        } catch is RequestError {
          // Not every random event is valid.
        } catch let error as JournalError where error.cause as? FlakyJournal.Failure == .transient {
          // The disk is full for a while.
        }
      }
      for sample in samples {
        outcome.states.append(try await runtime.read(sample.id) { $0.encoded })
        outcome.decisions.append(try await runtime.decisions(of: sample.id, count: 1_000))
        outcome.actions[sample.id] = sink.actions(of: sample.id)
      }
    }
    outcome.loadCount = journal.loaded.count
    for (sample, state) in zip(samples, outcome.states) {
      var device = try #require(try await store.load(sample.id)).device
      _ = device.advance(to: harness.clock.now)
      #expect(device.encoded == state, "\(sample.id) differs from the journal")
    }
    try store.close()
    #expect(try Store.verify(directory.path).findings.isEmpty)
    return outcome
  }

  @Test(
    "Evicted devices are reloaded without changes, and no action is performed twice",
    arguments: 1...8 as ClosedRange<UInt64>)
  func reload(seed: UInt64) async throws {
    var steady = try await outcome(seed: seed, caching: 100)
    var lean = try await outcome(seed: seed, caching: 2)
    #expect(steady.loadCount == 12 && lean.loadCount > 100)
    (steady.loadCount, lean.loadCount) = (0, 0)
    #expect(steady == lean)
  }

  @Test(
    "While writes fail, reloaded devices do not repeat their decisions",
    arguments: 1...4 as ClosedRange<UInt64>)
  func unwritten(seed: UInt64) async throws {
    let steady = try await outcome(seed: seed, caching: 100, isDiskFull: true)
    let lean = try await outcome(seed: seed, caching: 2, isDiskFull: true)
    #expect(steady.actions == lean.actions && steady.states == lean.states && steady.decisions == lean.decisions)
  }

  @Test("A device that can be neither written nor loaded is rejected, and is unchanged once it can be loaded")
  func neither() async throws {
    let directory = StoreDirectory()
    let journal = FlakyJournal(try Store(directory: directory.path))
    let harness = Harness(journal)
    let (sample, other) = (try SampleDevice("phone 1"), try SampleDevice("phone 2"))
    try await harness.run { (runtime, sink) async throws in
      try await sample.settle(in: runtime)
      try await other.settle(in: runtime)
      harness.clock.advance(to: SampleDevice.time(3, 30))
      _ = try await runtime.waitUntilIdle()
      let before = try await runtime.read(sample.id) { $0.encoded }
      let (actions, event) = (sink.actions(of: sample.id), Event.reported(.tapped(sample.stack, sample.widgets[0])))
      journal.fail(.transient)
      journal.failLoads(.transient)
      await expectFailure(.transient) { try await runtime.submit(event, to: sample.id) }
      await expectFailure(.transient) { try await runtime.read(sample.id) { _ in } }
      _ = try await runtime.read(other.id) { _ in }
      journal.failLoads(nil)
      #expect(try await runtime.read(sample.id) { $0.encoded } == before)
      await expectFailure(.transient) { try await runtime.submit(event, to: sample.id) }
      #expect(try await runtime.read(sample.id) { $0.encoded } == before)
      #expect(sink.actions(of: sample.id) == actions)
      journal.fail(nil)
      try await runtime.submit(event, to: sample.id)
      #expect(try await runtime.read(sample.id) { $0.encoded } != before)
    }
  }

  @Test("Decisions that could not be written do not keep devices that are only read from being evicted")
  func unrecorded() async throws {
    let directory = StoreDirectory()
    let journal = FlakyJournal(try Store(directory: directory.path))
    var harness = Harness(journal)
    harness.configuration.cachedDeviceCountMax = 2
    harness.configuration.shardCount = 1
    let samples = try (0..<12).map { try SampleDevice("phone \($0)") }
    try await harness.run { (runtime, sink) async throws in
      for sample in samples { try await sample.settle(in: runtime) }
      journal.fail(.transient)
      let count = sink.all.compactMap(\.decision).count
      harness.clock.advance(to: SampleDevice.time(3, 30))
      _ = try await runtime.waitUntilIdle()
      #expect(sink.all.compactMap(\.decision).count > count)
      journal.fail(nil)
      harness.clock.advance(to: SampleDevice.time(3, 31))
      _ = try await runtime.waitUntilIdle()
      for sample in samples { try await runtime.read(sample.id) { _ in } }
      let loadCount = journal.loaded.count
      for sample in samples { try await runtime.read(sample.id) { _ in } }
      #expect(journal.loaded.count > loadCount)
    }
  }

  @Test("While writes fail, eviction is not retried with every request")
  func pause() async throws {
    let directory = StoreDirectory()
    let journal = FlakyJournal(try Store(directory: directory.path))
    var harness = Harness(journal)
    harness.configuration.cachedDeviceCountMax = 2
    harness.configuration.shardCount = 1
    let metrics = TestMetrics()
    harness.metrics = metrics
    let samples = try (0..<4).map { try SampleDevice("phone \($0)") }
    try await harness.run { (runtime, _) async throws in
      for sample in samples { try await sample.settle(in: runtime) }
      journal.fail(.transient)
      for _ in 0..<20 { for sample in samples { try await runtime.read(sample.id) { _ in } } }
      #expect(metrics.counterTotal(label: "marquee_write_failures_total") == 1)
      let loadCount = journal.loaded.count
      journal.fail(nil)
      harness.clock.advance(to: harness.clock.now.advanced(by: .seconds(1)))
      for _ in 0..<2 { for sample in samples { try await runtime.read(sample.id) { _ in } } }
      #expect(journal.loaded.count > loadCount)
    }
  }

  @Test("The cache is bounded, and recently used devices stay in it")
  func bound() async throws {
    let directory = StoreDirectory()
    let journal = FlakyJournal(try Store(directory: directory.path))
    var harness = Harness(journal)
    harness.configuration.cachedDeviceCountMax = 10
    harness.configuration.shardCount = 1
    let metrics = TestMetrics()
    harness.metrics = metrics
    let samples = try (0..<100).map { try SampleDevice("phone \($0)") }
    try await harness.run { (runtime, _) async throws in
      for sample in samples {
        try await sample.settle(in: runtime)
        try await runtime.read(samples[0].id) { _ in }
      }
      let loadCount = journal.loaded.count
      try await runtime.read(samples[0].id) { _ in }
      #expect(journal.loaded.count == loadCount)
      try await runtime.read(samples[1].id) { _ in }
      #expect(journal.loaded.count == loadCount + 1)
    }
    // Evicted devices have a snapshot, so that they are loaded without their events.
    #expect(try Store.verify(directory.path).snapshotCount >= 90)
    #expect(try metrics.expectGauge("marquee_devices_loaded", [("shard", "0")]).values.max() ?? 0 <= 20)
  }
}
