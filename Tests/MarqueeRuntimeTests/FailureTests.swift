import GRDB
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeStore
import MarqueeTestSupport
import Testing

@testable import MarqueeRuntime

@Suite(.timeLimit(.minutes(1))) struct FailureTests {
  private let directory = StoreDirectory()

  private func journal() throws -> FlakyJournal { FlakyJournal(try Store(directory: directory.path)) }

  @Test("An event that cannot be written fails, and has no effect")
  func failedWrite() async throws {
    let (journal, sample) = (try journal(), try SampleDevice())
    let harness = Harness(journal)
    try await harness.run { (runtime, sink) async throws in
      try await sample.settle(in: runtime)
      let (before, shown) = (try await runtime.read(sample.id) { $0 }, sink.all.count)
      journal.fail(.transient)
      let removal = Event.stackEdited(sample.stack, .remove(sample.widgets[0]))
      await expectFailure(.transient) { try await runtime.submit(removal, to: sample.id) }
      await expectFailure(.transient) {
        try await runtime.register(DeviceID("tablet"), timeZone: TimeZoneID("UTC"))
      }
      #expect(try await runtime.read(sample.id) { $0 } == before)
      #expect(sink.all.count == shown)
      journal.fail(nil)
      try await runtime.submit(removal, to: sample.id)
      #expect(sink.all.count == shown + 1)
      let after = try await runtime.read(sample.id) { $0 }
      #expect(try await journal.load(sample.id)?.device == after)
      #expect(try await runtime.devices(after: nil, count: 9) == [sample.id])
    }
  }

  @Test("If the number of devices cannot be read, the runtime does not start, and queued requests fail")
  func failedStart() async throws {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    try store.close()
    let runtime = Runtime(
      Runtime.Configuration(shardCount: 2), clock: ManualClock(at: SampleDevice.midnight),
      journal: FlakyJournal(store), sink: RecordingSink(), logger: .silent)
    let reading = Task.immediate { [id = sample.id] in try await runtime.read(id) { _ in } }
    await #expect(throws: (any Error).self) { try await runtime.run() }
    let error = await #expect(throws: RuntimeError.self) { try await reading.value }
    #expect(error?.code == .stopped)
  }

  @Test("A device that could not be written does not count against the limit")
  func failedRegistration() async throws {
    let (journal, sample) = (try journal(), try SampleDevice())
    var harness = Harness(journal)
    harness.configuration.deviceCountMax = 2
    try await harness.run { (runtime, _) async throws in
      try await sample.settle(in: runtime)
      let (tablet, zone) = (try DeviceID("tablet"), try TimeZoneID("UTC"))
      journal.fail(.transient)
      await expectFailure(.transient) { try await runtime.register(tablet, timeZone: zone) }
      journal.fail(nil)
      #expect(try await runtime.register(tablet, timeZone: zone))
      let third = await #expect(throws: RequestError.self) {
        try await runtime.register(DeviceID("third"), timeZone: zone)
      }
      #expect(third?.reason == "3 exceeds device-count-max (2)")
      let uses = try await runtime.limitUses()
      #expect(uses.first { $0.limit == "device-count-max" }?.count == 2)
      #expect(uses.first { $0.limit == "stack-count-max" } == LimitUse("stack-count-max", 1, holder: sample.id.text))
    }
    await #expect(throws: RuntimeError.self) { try await self.afterTheEnd(harness) }
  }

  /// Requests the limit uses of a stopped runtime.
  private func afterTheEnd(_ harness: Harness) async throws {
    let runtime = Runtime(
      harness.configuration, clock: harness.clock, journal: harness.journal, sink: RecordingSink(), logger: .silent)
    let run = Task { try await runtime.run() }
    run.cancel()
    _ = await run.result
    _ = try await runtime.limitUses()
  }

  @Test("While writes fail, decisions go on, and are recorded once writes succeed")
  func decisionsGoOn() async throws {
    let (journal, sample) = (try journal(), try SampleDevice())
    let harness = Harness(journal)
    try await harness.run { (runtime, sink) async throws in
      try await sample.settle(in: runtime)
      journal.fail(.transient)
      for hour in [1, 2] as [Int64] {
        harness.clock.advance(to: SampleDevice.time(hour))
        try await runtime.read(sample.id) { _ in }
      }
      #expect(sink.decisions(of: sample.id).map(\.number) == [1, 2])
      #expect(try await runtime.decisions(of: sample.id, count: 9).isEmpty)
      journal.fail(nil)
      harness.clock.advance(to: SampleDevice.time(3))
      #expect(try await runtime.decisions(of: sample.id, count: 9).map(\.number) == [3, 2, 1])
    }
  }

  @Test("A write of unknown outcome stops the runtime; the requests fail without effect")
  func fatalWrite() async throws {
    let (journal, sample) = (try journal(), try SampleDevice())
    let harness = Harness(journal)
    do {
      try await harness.run { (runtime, sink) async throws in
        try await sample.settle(in: runtime)
        journal.fail(.fatal)
        let shown = sink.all.count
        let removal = Event.stackEdited(sample.stack, .remove(sample.widgets[0]))
        await expectFailure(.fatal) { try await runtime.submit(removal, to: sample.id) }
        let stopped = await #expect(throws: RuntimeError.self) { try await runtime.submit(removal, to: sample.id) }
        #expect(stopped?.code == .stopped)
        #expect(sink.all.count == shown)
      }
      Issue.record("the runtime did not stop")
    } catch {
      #expect((error as? JournalError)?.cause as? FlakyJournal.Failure == .fatal)
    }
  }

  @Test("A write of unknown outcome on one shard stops all shards, including idle ones")
  func fatalWriteEndsAll() async throws {
    let (journal, sample) = (try journal(), try SampleDevice())
    let harness = Harness(journal)
    let runtime = Runtime(
      harness.configuration, clock: harness.clock, journal: journal, sink: RecordingSink(), logger: .silent)
    await withTaskGroup { group in
      group.addTask { await expectFailure(.fatal) { try await runtime.run() } }
      journal.fail(.fatal)
      await expectFailure(.fatal) {
        try await runtime.register(sample.id, timeZone: .init("UTC"))
      }
      await group.waitForAll()
    }
  }

  @Test("A deletion that reads a corrupt record is rejected; other devices are not affected")
  func corruptDonation() async throws {
    let samples = try ["phone", "tablet"].map { try SampleDevice($0) }
    let harness = Harness(try journal())
    try await harness.run { (runtime, _) async throws in
      for sample in samples { try await sample.settle(in: runtime) }
      let app = try AppID("com.example.soup-chef")
      let activity = Donation.Activity.intent(try Intent(type: .init("OrderSoup")))
      let donation = Donation(id: try .init("1"), date: SampleDevice.midnight, activity: activity)
      try await runtime.submit(.donated(app, [donation]), to: samples[0].id)
      let database = try DatabaseQueue(path: "\(directory.path)/marquee.sqlite")
      try await database.write { db in
        try db.execute(sql: "UPDATE journal SET checksum = checksum + 1 WHERE substr(event, 1, 1) = x'0F'")
        #expect(db.changesCount == 1)
      }
      let deletion = Event.donationsDeleted(app, .identifiers([donation.id]))
      for _ in 0..<2 {
        let error = await #expect(throws: JournalError.self) { try await runtime.submit(deletion, to: samples[0].id) }
        #expect(error?.code == .corrupt)
      }
      let removal = Event.stackEdited(samples[1].stack, .remove(samples[1].widgets[0]))
      try await runtime.submit(removal, to: samples[1].id)
    }
  }

  @Test("Requests of a device that cannot be loaded are rejected; other devices are not affected")
  func unreadableDevice() async throws {
    let store = try Store(directory: directory.path)
    let samples = try ["phone", "tablet"].map { try SampleDevice($0) }
    try await Harness(store).run { (runtime, _) async throws in
      for sample in samples { try await sample.settle(in: runtime) }
    }
    try await Harness(FlakyJournal(store, unreadable: samples[0].id)).run { (runtime, _) async throws in
      await expectFailure(.unreadable) { try await runtime.read(samples[0].id) { $0.now } }
      await expectFailure(.unreadable) {
        try await runtime.register(samples[0].id, timeZone: TimeZoneID("UTC"))
      }
      try await runtime.submit(.developerModeChanged(true), to: samples[1].id)
    }
  }

  @Test("A second runtime on the same directory is rejected")
  func secondRuntime() async throws {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    try await Harness(store).run { (runtime, _) async throws in
      try await sample.settle(in: runtime)
      let error = #expect(throws: JournalError.self) { try Store(directory: directory.path) }
      #expect(error?.code == .directoryLocked)
    }
  }
}
