import MarqueeCluster
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeStore
import MarqueeTestSupport
import Testing

@testable import MarqueeRuntime

/// The shards that a runtime serves, which change while it runs.
@Suite(.timeLimit(.minutes(1))) struct OwnershipTests {
  private static let shardCount = 16

  private let directory = StoreDirectory()
  private let phone: SampleDevice
  private let tablet: SampleDevice

  init() throws {
    phone = try SampleDevice()
    tablet = try SampleDevice("tablet")
  }

  /// Returns a harness, whose runtimes serve no shards at first, and its journal with both devices.
  private func harness() async throws -> (harness: Harness, journal: FlakyJournal) {
    let journal = FlakyJournal(try Store(directory: directory.path))
    var harness = Harness(journal)
    try await harness.run { runtime, _ in
      for sample in [phone, tablet] { try await sample.settle(in: runtime) }
    }
    harness.configuration.shards = ShardSet([], of: Self.shardCount)
    return (harness, journal)
  }

  private func shard(of sample: SampleDevice) -> [ShardID] { [ShardID(of: sample.id, count: Self.shardCount)] }

  /// Expects that a device is served by another server.
  private func expectMoved(_ sample: SampleDevice, to owner: String? = nil, _ runtime: Runtime) async {
    let error = await #expect(throws: RuntimeError.self) { try await runtime.requireDevice(sample.id) }
    #expect(error?.code == .moved && error?.owner?.name == owner)
  }

  private func deviceCount(_ runtime: Runtime) async throws -> Int? {
    try await runtime.limitUses().first { $0.limit == "device-count-max" }?.count
  }

  @Test("Devices are woken, and their requests handled, as long as their shards are served")
  func service() async throws {
    let (harness, _) = try await harness()
    #expect(shard(of: phone) != shard(of: tablet))
    try await harness.run { runtime, sink in
      harness.clock.advance(to: SampleDevice.time(2))
      #expect(try await runtime.waitUntilIdle() == nil && sink.all.isEmpty)
      await expectMoved(phone, runtime)
      try await runtime.beginServing(shard(of: phone))
      _ = try await runtime.waitUntilIdle()
      let first = sink.decisions(of: phone.id).count
      #expect(first > 0 && sink.decisions(of: tablet.id).isEmpty)
      try await runtime.requireDevice(phone.id)
      await expectMoved(tablet, runtime)
      #expect(try await deviceCount(runtime) == 1)
      // Those that are served already are ignored.
      try await runtime.beginServing(shard(of: tablet) + shard(of: phone))
      #expect(try await deviceCount(runtime) == 2)
      try await runtime.endServing(shard(of: phone), owner: NodeRecord(name: "b"))
      harness.clock.advance(to: SampleDevice.time(5))
      _ = try await runtime.waitUntilIdle()
      #expect(sink.decisions(of: phone.id).count == first && !sink.decisions(of: tablet.id).isEmpty)
      await expectMoved(phone, to: "b", runtime)
      #expect(try await deviceCount(runtime) == 1)
      try await runtime.beginServing(shard(of: phone))
      _ = try await runtime.waitUntilIdle()
      let numbers = sink.decisions(of: phone.id).map(\.number)
      #expect(numbers.count > first && numbers == Array(1...UInt64(numbers.count)))
    }
  }

  @Test("The end of serving waits for a removal under way")
  func removal() async throws {
    let (harness, journal) = try await harness()
    try await harness.run { runtime, _ in
      try await runtime.beginServing(shard(of: phone) + shard(of: tablet))
      journal.deletionGate.close()
      async let removed = runtime.remove(phone.id)
      await journal.deletionGate.waitForArrival()
      async let end: Void = runtime.endServing(shard(of: phone))
      // Other shards do not wait for it.
      try await runtime.requireDevice(tablet.id)
      journal.deletionGate.open()
      #expect(try await removed)
      try await end
      await expectMoved(phone, runtime)
      #expect(try await deviceCount(runtime) == 1)
    }
  }

  @Test("Relearnings that have not begun end with the service, and are requested from the next server")
  func relearning() async throws {
    let (harness, _) = try await harness()
    let samples = try (1...12).map { try SampleDevice("relearning-\($0)") }
    let shards = Set(samples.flatMap { shard(of: $0) }).sorted()
    func donations(_ sample: SampleDevice, _ runtime: Runtime) async throws -> Int {
      try await runtime.read(sample.id) { $0.donationCount() }
    }
    try await harness.run { runtime, _ in
      try await runtime.beginServing(shards)
      for sample in samples {
        try await sample.settle(in: runtime)
        let batch = try (0..<200).map { number in
          Donation(
            id: try .init("\(number)"), date: SampleDevice.time(-1).advanced(by: .seconds(Int64(number))),
            activity: .intent(try Intent(type: IntentType("Read \(number % 7)"))))
        }
        for part in [batch.prefix(100), batch.suffix(100)] {
          try await runtime.submit(.donated(sample.app, Array(part)), to: sample.id)
        }
      }
      let outcomes = try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
        for (index, sample) in samples.enumerated() {
          group.addTask {
            let deletion = Event.donationsDeleted(sample.app, .identifiers([try .init("5")]))
            do { try await runtime.submit(deletion, to: sample.id) } catch let error as RuntimeError {
              #expect(error.code == .moved && error.owner?.name == "b")
              return (index, false)
            }
            return (index, true)
          }
        }
        group.addTask {
          try await runtime.endServing(shards, owner: NodeRecord(name: "b"))
          return (-1, false)
        }
        return try await group.reduce(into: [Int: Bool]()) { $0[$1.0] = $1.1 }
      }
      try await runtime.beginServing(shards)
      for (index, sample) in samples.enumerated() {
        #expect(try await donations(sample, runtime) == (outcomes[index] == true ? 199 : 200))
      }
    }
  }

  @Test("Serving ends although snapshots cannot be written, and nothing acknowledged is lost")
  func failure() async throws {
    let (harness, journal) = try await harness()
    try await harness.run { runtime, sink in
      try await runtime.beginServing(shard(of: phone))
      try await runtime.submit(.timeZoneChanged(TimeZoneID("UTC")), to: phone.id)
      journal.fail(.transient)
      harness.clock.advance(to: SampleDevice.time(2))
      _ = try await runtime.waitUntilIdle()
      let shown = sink.decisions(of: phone.id).map(\.number)
      #expect(!shown.isEmpty)
      try await runtime.endServing(shard(of: phone))
      await expectMoved(phone, runtime)
      journal.fail(nil)
      try await runtime.beginServing(shard(of: phone))
      #expect(try await runtime.read(phone.id) { $0.timeZone } == TimeZoneID("UTC"))
      harness.clock.advance(to: SampleDevice.time(4))
      _ = try await runtime.waitUntilIdle()
      let stored = try await runtime.decisions(of: phone.id, count: 99).map(\.number)
      #expect(stored.reversed() == Array(1...UInt64(stored.count)) && stored.count > shown.count)
    }
  }

  @Test("A runtime that has stopped refuses changes")
  func stopped() async throws {
    let (harness, _) = try await harness()
    let runtime = try await harness.run { runtime, _ in runtime }
    let shards = shard(of: phone)
    for error in [
      await #expect(throws: RuntimeError.self) { try await runtime.beginServing(shards) },
      await #expect(throws: RuntimeError.self) { try await runtime.endServing(shards) },
    ] { #expect(error?.code == .stopped) }
  }
}
