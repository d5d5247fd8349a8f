import Logging
import MarqueeModel
import MarqueeScheduler
import MarqueeStore
import MarqueeTestSupport
import Testing

@testable import MarqueeRuntime

/// Devices are loaded when they are due or requested, and never too late.
@Suite(.timeLimit(.minutes(1))) struct LoadingTests {
  private let directory = StoreDirectory()
  private let samples: [SampleDevice]

  init() throws {
    samples = try (0..<5).map { try SampleDevice("phone \($0)") }
  }

  /// Returns a store with the devices as of midnight; their first decisions are due at 1:00.
  private func store() async throws -> Store {
    let store = try Store(directory: directory.path)
    try await Harness(store).run { (runtime, _) async throws in
      for sample in samples { try await sample.settle(in: runtime) }
    }
    return store
  }

  @Test("A start loads only due devices; another device is loaded on its first request")
  func untouched() async throws {
    let journal = FlakyJournal(try await store())
    try await Harness(at: SampleDevice.time(0, 30), journal).run { (runtime, _) async throws in
      try await runtime.read(samples[3].id) { _ in }
      try await runtime.submit(.developerModeChanged(true), to: samples[3].id)
      #expect(try await runtime.devices(after: nil, count: 9).count == 5)
      #expect(journal.loaded == [samples[3].id])
    }
  }

  @Test("A device that became due between runs decides at the start, without a request", arguments: [false, true])
  func due(isKilled: Bool) async throws {
    let store = try await store()
    // A decision makes the next wake later or earlier; either is restored after a kill.
    try await Harness(at: SampleDevice.time(1), store).run(end: isKilled ? .kill : .shutdown) {
      (runtime, _) async throws in
      for sample in samples { try await runtime.read(sample.id) { _ in } }
    }
    let journal = FlakyJournal(store)
    let harness = Harness(at: SampleDevice.time(2, 30), journal)
    let sink = try await harness.run { (_, sink) in sink }
    for sample in samples { #expect(sink.decisions(of: sample.id).map(\.number) == [2]) }
    #expect(Set(journal.loaded) == Set(samples.map(\.id)) && journal.loaded.count == 5)
  }

  @Test("A device with an invalid stored wake is evaluated at the start, which logs a warning; other devices are not")
  func invalidWake() async throws {
    let journal = FlakyJournal(try await store())
    journal.invalidateWake(of: samples[2].id)
    let entries = LogEntries()
    var harness = Harness(at: SampleDevice.time(0, 30), journal)
    harness.logger = Logger(label: "test") { _ in entries }
    try await harness.run { (runtime, _) async throws in _ = try await runtime.waitUntilIdle() }
    #expect(journal.loaded == [samples[2].id])
    #expect(entries.texts == ["a stored wake was corrupt and has been computed again device=\(samples[2].id)"])
    // Another configured policy makes every stored wake invalid, which is no corruption.
    harness.configuration.policy.margin = 0.25
    try await harness.run { (runtime, _) async throws in _ = try await runtime.waitUntilIdle() }
    #expect(entries.texts.count == 1)
  }

  @Test("Devices adopt another configured policy at the start, without a request; the next start loads none")
  func policy() async throws {
    let store = try await store()
    var harness = Harness(at: SampleDevice.time(0, 10), store)
    harness.configuration.policy.margin = 0.25
    try await harness.run { (_, _) in }
    for sample in samples { #expect(try await store.load(sample.id)?.device.configuredPolicy.margin == 0.25) }
    let journal = FlakyJournal(store)
    var next = Harness(at: SampleDevice.time(0, 20), journal)
    next.configuration.policy.margin = 0.25
    try await next.run { (_, _) in }
    #expect(journal.loaded.isEmpty)
  }

  @Test("A due device that cannot be loaded is skipped; other devices are not affected")
  func unreadable() async throws {
    let journal = FlakyJournal(try await store(), unreadable: samples[0].id)
    let sink = try await Harness(at: SampleDevice.time(1, 30), journal).run { (_, sink) in sink }
    #expect(sink.decisions(of: samples[0].id).isEmpty)
    for sample in samples.dropFirst() { #expect(sink.decisions(of: sample.id).map(\.number) == [1]) }
  }

  @Test("A device that could not be loaded because of a transient failure is retried when requested or due")
  func transientFailure() async throws {
    let journal = FlakyJournal(try await store(), unreadable: samples[0].id)
    journal.fail(.transient)
    let harness = Harness(at: SampleDevice.time(0, 30), journal)
    try await harness.run { (runtime, _) async throws in
      for _ in 0..<2 {
        await expectFailure(.transient) { try await runtime.read(samples[0].id) { _ in } }
      }
      #expect(journal.loaded == [samples[0].id, samples[0].id])
      journal.fail(nil)
      await expectFailure(.unreadable) { try await runtime.read(samples[0].id) { _ in } }
    }
  }

  @Test("Requests do not wait until all due devices are loaded")
  func many() async throws {
    let store = try Store(directory: directory.path)
    let count = 3 * ShardLoop.dueLoadCountMax
    try await store.append(
      created: try (0..<count).map {
        Device(id: try DeviceID("idle \($0)"), timeZone: try TimeZoneID("UTC"), at: SampleDevice.midnight)
      }, events: [], decisions: [], snapshots: [])
    let journal = FlakyJournal(store)
    var harness = Harness(journal)
    harness.configuration.shardCount = 1
    let last = try DeviceID("idle \(count - 1)")
    try await harness.run { (runtime, _) async throws in
      try await runtime.read(last) { _ in }
      let index = try #require(journal.loaded.firstIndex(of: last))
      #expect(index <= 2 * ShardLoop.dueLoadCountMax)
    }
    #expect(Set(journal.loaded).count == count && journal.loaded.count == count)
  }
}
