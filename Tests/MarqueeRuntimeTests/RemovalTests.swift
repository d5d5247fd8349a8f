import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeStore
import MarqueeTestSupport
import Synchronization
import Testing

@testable import MarqueeRuntime

/// Rule W6 in the runtime: removals of content and of devices among other requests.
@Suite(.timeLimit(.minutes(1))) struct RemovalTests {
  private let directory = StoreDirectory()

  private func harness() throws -> (harness: Harness, journal: FlakyJournal) {
    let journal = FlakyJournal(try Store(directory: directory.path))
    var harness = Harness(journal)
    harness.configuration.shardCount = 1
    return (harness, journal)
  }

  /// Expects that a call fails because there is no such device.
  private func expectUnknown(_ body: () async throws -> Void) async {
    let error = await #expect(throws: RequestError.self) { try await body() }
    #expect(error?.code == .notFound)
  }

  @Test("W6 A removed device is unknown, its place in the quota is free, and its name can be registered again")
  func device() async throws {
    let (phone, tablet) = (try SampleDevice(), try SampleDevice("tablet"))
    var (harness, journal) = try harness()
    harness.configuration.deviceCountMax = 2
    try await harness.run { (runtime, sink) async throws in
      try await phone.settle(in: runtime)
      try await tablet.settle(in: runtime)
      #expect(try await runtime.remove(phone.id))
      #expect(try await runtime.remove(phone.id) == false)
      await expectUnknown { try await runtime.requireDevice(phone.id) }
      await expectUnknown { try await runtime.submit(.developerModeChanged(true), to: phone.id) }
      await expectUnknown { _ = try await runtime.decisions(of: phone.id, count: 9) }
      await expectUnknown { _ = try await runtime.origin(of: phone.id) }
      #expect(try await runtime.devices(after: nil, count: 9) == [tablet.id])
      // Its wake is gone, and the other device's is not.
      let count = sink.actions(of: phone.id).count
      harness.clock.advance(to: SampleDevice.time(3))
      _ = try await runtime.waitUntilIdle()
      #expect(sink.actions(of: phone.id).count == count)
      #expect(!sink.decisions(of: tablet.id).isEmpty)
      #expect(try await runtime.register(phone.id, timeZone: TimeZoneID("UTC")))
      #expect(try await runtime.read(phone.id) { $0.allStacks.isEmpty && $0.now == SampleDevice.time(3) })
      let error = await #expect(throws: RequestError.self) {
        try await runtime.register(DeviceID("third"), timeZone: TimeZoneID("UTC"))
      }
      #expect(error?.code == .resourceExhausted)
    }
    let found = try await journal.load(phone.id)
    #expect(found?.sequence == 0 || found?.device.allStacks.isEmpty == true)
    #expect(try await journal.wakeSchedule(policy: .default, after: nil, count: 9).map(\.device).contains(tablet.id))
  }

  @Test("W6 Requests before a removal are handled before it, and those after it find no device")
  func order() async throws {
    let sample = try SampleDevice()
    let (harness, journal) = try harness()
    try await harness.run { (runtime, _) async throws in
      try await sample.settle(in: runtime)
      journal.deletionGate.close()
      async let removed = runtime.remove(sample.id)
      await journal.deletionGate.waitForArrival()
      // They wait for the removal, and other devices do not.
      async let read: Void = runtime.requireDevice(sample.id)
      async let registered = runtime.register(sample.id, timeZone: TimeZoneID("UTC"))
      _ = try await runtime.register(DeviceID("tablet"), timeZone: TimeZoneID("UTC"))
      journal.deletionGate.open()
      #expect(try await removed)
      do { try await read } catch let error as RequestError { #expect(error.code == .notFound) }
      #expect(try await registered)
    }
  }

  @Test("W6 A device is removed in the batch that changes it, whatever follows, and nothing is written of it later")
  func batch() async throws {
    let (sample, store, sink) = (try SampleDevice(), try Store(directory: directory.path), RecordingSink())
    let shard = Harness(store).shard(sink)
    let outcomes = OutcomeLog()
    try shard.queue.add(.register(sample.id, TimeZoneID("UTC"), outcomes.reply("register")))
    for event in try sample.setUp() { try shard.queue.add(.submit(sample.id, event, outcomes.reply("submit"))) }
    try shard.queue.add(.remove(sample.id, outcomes.reply("remove")))
    try shard.queue.add(.submit(sample.id, .developerModeChanged(true), outcomes.reply("after")))
    shard.queue.close()
    try await shard.run()
    #expect(outcomes.lines.suffix(3) == ["submit done", "remove done", "after failed"])
    #expect(try await store.deviceCount() == 0 && shard.deviceQuota.count == 0)
  }

  @Test("W6 If a removal fails, the device continues as before")
  func failure() async throws {
    let sample = try SampleDevice()
    let (harness, journal) = try harness()
    let before = try await harness.run { (runtime, sink) async throws in
      try await sample.settle(in: runtime)
      journal.fail(.transient)
      await expectFailure { try await runtime.remove(sample.id) }
      // Decisions that cannot be written do not belong to a device that is removed.
      harness.clock.advance(to: SampleDevice.time(2))
      _ = try await runtime.waitUntilIdle()
      #expect(!sink.decisions(of: sample.id).isEmpty)
      await expectFailure { try await runtime.remove(sample.id) }
      journal.fail(nil)
      harness.clock.advance(to: SampleDevice.time(4))
      _ = try await runtime.waitUntilIdle()
      return try await runtime.read(sample.id) { $0 }
    }
    #expect(before.decisionCount >= 3)
    let again = try await harness.run { runtime, _ in try await runtime.read(sample.id) { $0 } }
    #expect(again == before)
    let count = try await journal.decisions(of: sample.id, stack: nil, before: nil, count: 99).count
    #expect(count == Int(before.decisionCount))
    try await harness.run { (runtime, _) async throws in
      harness.clock.advance(to: SampleDevice.time(6))
      journal.fail(.transient)
      _ = try await runtime.waitUntilIdle()
      journal.fail(nil)
      #expect(try await runtime.remove(sample.id))
      _ = try await runtime.register(DeviceID("tablet"), timeZone: TimeZoneID("UTC"))
      await expectUnknown { try await runtime.requireDevice(sample.id) }
    }
  }

  @Test("W6 A device whose erasure is unfinished is removed, and the call fails")
  func unfinished() async throws {
    let sample = try SampleDevice()
    let (harness, journal) = try harness()
    try await harness.run { (runtime, _) async throws in
      try await sample.settle(in: runtime)
      journal.fail(.unfinished)
      await expectFailure { try await runtime.remove(sample.id) }
      journal.fail(nil)
      await expectUnknown { try await runtime.requireDevice(sample.id) }
      #expect(try await runtime.remove(sample.id) == false)
    }
    #expect(try await journal.deviceCount() == 0)
  }

  @Test("W6 A device that cannot be loaded can be removed")
  func unreadable() async throws {
    let sample = try SampleDevice()
    let store = try Store(directory: directory.path)
    try await Harness(store).run { (runtime, _) async throws in try await sample.settle(in: runtime) }
    let harness = Harness(FlakyJournal(store, unreadable: sample.id))
    try await harness.run { (runtime, _) async throws in
      await expectFailure { try await runtime.requireDevice(sample.id) }
      #expect(try await runtime.remove(sample.id))
    }
    #expect(try await store.deviceCount() == 0)
  }

  @Test(
    "W6 Content is removed for good, also with decisions that could not be written before", arguments: [false, true])
  func content(isLate: Bool) async throws {
    let sample = try SampleDevice()
    let (harness, journal) = try harness()
    let after = try await harness.run { (runtime, _) async throws in
      try await sample.settle(in: runtime)
      if isLate { journal.fail(.transient) }
      harness.clock.advance(to: SampleDevice.time(3))
      _ = try await runtime.waitUntilIdle()
      journal.fail(nil)
      #expect(try await runtime.submit(.appRemoved(sample.app), to: sample.id) { $0.hasContent(of: sample.app) })
      #expect(try await runtime.read(sample.id) { !$0.hasContent(of: sample.app) })
      #expect(try await runtime.decisions(of: sample.id, count: 9) == [])
      let past = await #expect(throws: JournalError.self) {
        try await runtime.past(sample.id, at: SampleDevice.time(1))
      }
      #expect(past?.code == .notKept)
      return try await runtime.read(sample.id) { $0 }
    }
    let again = try await harness.run { runtime, _ in try await runtime.read(sample.id) { $0 } }
    #expect(again == after)
    #expect(try await journal.decisions(of: sample.id, stack: nil, before: nil, count: 9) == [])
  }
}

/// The outcomes of requests, in the order of their completion.
private final class OutcomeLog: Sendable {
  private let state = Mutex<[String]>([])

  var lines: [String] { state.withLock(\.self) }

  func reply<Value>(_ name: String) -> Request.Reply<Value> {
    { outcome in
      let word = if case .failure = outcome { "failed" } else { "done" }
      self.state.withLock { $0.append("\(name) \(word)") }
    }
  }
}
