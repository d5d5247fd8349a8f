import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeStore
import MarqueeTestSupport
import Testing

@testable import MarqueeRuntime

/// Barriers: waiting until all due work is done.
@Suite(.timeLimit(.minutes(1))) struct BarrierTests {
  private let directory = StoreDirectory()

  @Test("R9 After a barrier, each device has decided at its own instants, and the decisions are recorded")
  func days() async throws {
    let store = try Store(directory: directory.path)
    let harness = Harness(store)
    let samples = try (0..<5).map { try SampleDevice("phone \($0)") }
    try await harness.run { (runtime, sink) async throws in
      #expect(try await runtime.waitUntilIdle() == nil)
      for sample in samples { try await sample.settle(in: runtime) }
      #expect(try await runtime.waitUntilIdle() == SampleDevice.time(1))
      harness.clock.advance(to: SampleDevice.time(5, 30))
      #expect(try await runtime.waitUntilIdle() == SampleDevice.time(6))
      for sample in samples {
        #expect(sink.decisions(of: sample.id).map(\.at) == (1...5).map { SampleDevice.time($0) })
        let recorded = try await store.decisions(of: sample.id, stack: nil, before: nil, count: 9)
        #expect(recorded == sink.decisions(of: sample.id).reversed())
      }
    }
  }

  @Test("A barrier completes only after the last of many due devices")
  func manyDevices() async throws {
    let samples = try (0..<ShardLoop.wakeCountMax + 10).map { try SampleDevice("phone \($0)") }
    let harness = Harness(MemoryJournal(try samples.map { try Self.device($0) }))
    let sink = RecordingSink()
    let shard = harness.shard(sink)
    harness.clock.advance(to: SampleDevice.time(1, 30))
    let completions = AsyncStream<(next: Instant?, decisionCount: Int)>.makeStream()
    let barrier: ShardMessage.Barrier = { outcome in
      guard case .success(let next) = outcome else { return completions.continuation.finish() }
      completions.continuation.yield((next, sink.all.count { $0.decision != nil }))
    }
    shard.queue.add(.barrier(barrier))
    async let end: Void = shard.run()
    for await (next, decisionCount) in completions.stream {
      #expect(next == SampleDevice.time(2) && decisionCount == samples.count)
      break
    }
    shard.queue.close()
    try await end
  }

  @Test("A barrier fails when the runtime stops, and after it has stopped")
  func end() async throws {
    let sample = try SampleDevice()
    let store = try Store(directory: directory.path)
    let harness = Harness(store)
    let runtime = try await harness.run { (runtime, _) async throws in
      try await sample.settle(in: runtime)
      return runtime
    }
    await #expect(throws: RuntimeError.self) { try await runtime.waitUntilIdle() }
    let journal = FlakyJournal(store)
    journal.fail(.fatal)
    let shard = Harness(at: SampleDevice.time(1), journal).shard(RecordingSink())
    let failures = AsyncStream<Bool>.makeStream()
    let barrier: ShardMessage.Barrier = { outcome in
      if case .failure = outcome { failures.continuation.yield(true) }
      failures.continuation.finish()
    }
    shard.queue.add(.barrier(barrier))
    await expectFailure { try await shard.run() }
    var hasFailed = false
    for await value in failures.stream { hasFailed = value }
    #expect(hasFailed)
  }

  /// Returns the device of a sample at midnight.
  private static func device(_ sample: SampleDevice) throws -> Device {
    var device = Device(id: sample.id, timeZone: try TimeZoneID("UTC"), at: SampleDevice.midnight)
    for event in try sample.setUp() { _ = device.handle(event, at: SampleDevice.midnight) }
    return device
  }
}

/// A journal of fixed devices, which discards all records.
private struct MemoryJournal: DeviceJournal {
  private let devices: [DeviceID: Device]

  init(_ devices: [Device]) {
    self.devices = Dictionary(uniqueKeysWithValues: devices.map { ($0.id, $0) })
  }

  func append(
    created: [Device], events: [JournalEntry], decisions: [RecordedDecision], snapshots: [DeviceSnapshot],
    wakeSchedule: [ScheduledWake]
  ) async throws {}

  func wakeSchedule(
    policy: Policy, of shards: ShardSet?, after name: DeviceID?, count: Int
  ) async throws -> [(device: DeviceID, wake: Instant)] {
    try await devices(after: name, count: count).map { ($0, devices[$0]?.nextWake ?? .min) }
  }

  func remove(_ id: DeviceID) async throws -> Bool { false }

  func load(_ id: DeviceID) async throws -> (device: Device, sequence: UInt64, unrecorded: [Decision])? {
    devices[id].map { ($0, 6, []) }
  }

  func history(of id: DeviceID, at instant: Instant) async throws -> Device? { nil }

  func origin(of id: DeviceID) async throws -> (device: Device, eventCount: UInt64, lastEvent: Instant)? { nil }

  func events(of id: DeviceID, after sequence: UInt64) async throws -> [JournalEntry] { [] }

  func deviceCount(of shards: ShardSet?) async throws -> Int { devices.count }

  func devices(after name: DeviceID?, count: Int) async throws -> [DeviceID] {
    Array(devices.keys.sorted().drop { id in name.map { id <= $0 } ?? false }.prefix(count))
  }

  func decisions(
    of id: DeviceID, stack: StackID?, before number: UInt64?, count: Int
  ) async throws -> [Decision] { [] }
}
