import MarqueeModel
import MarqueeScheduler
import MarqueeStore
import MarqueeTestSupport
import Testing

@testable import MarqueeRuntime

/// Relearning from many donations runs off the shard's event loop.
@Suite(.timeLimit(.minutes(1))) struct RelearningTests {
  private static let count = 300
  private let directory = StoreDirectory()

  private func harness() throws -> (harness: Harness, journal: FlakyJournal) {
    let journal = FlakyJournal(try Store(directory: directory.path))
    var harness = Harness(journal)
    harness.configuration.shardCount = 1
    return (harness, journal)
  }

  private func settle(_ sample: SampleDevice, _ runtime: Runtime) async throws {
    try await sample.settle(in: runtime)
    for start in stride(from: 0, to: Self.count, by: 100) {
      let batch = try (start..<start + 100).map { number in
        Donation(
          id: try .init("\(number)"), date: SampleDevice.time(-1).advanced(by: .seconds(Int64(number))),
          activity: .intent(try Intent(type: IntentType("Read \(number % 7)"))))
      }
      try await runtime.submit(.donated(sample.app, batch), to: sample.id)
    }
  }

  private func deletion(_ sample: SampleDevice, _ number: Int) throws -> Event {
    .donationsDeleted(sample.app, .identifiers([try .init("\(number)")]))
  }

  @Test("While a device relearns, its requests wait, other devices go on, and its cached state stays durable")
  func others() async throws {
    let (phone, tablet) = (try SampleDevice(), try SampleDevice("tablet"))
    let (harness, journal) = try harness()
    let after = try await harness.run(end: .kill) { (runtime, _) async throws in
      try await settle(phone, runtime)
      try await tablet.settle(in: runtime)
      journal.deletionGate.close()
      async let deleted = runtime.submit(deletion(phone, 5), to: phone.id) { $0.donationCount() }
      await journal.deletionGate.waitForArrival()
      async let read = runtime.read(phone.id) { $0.donationCount() }
      harness.clock.advance(to: SampleDevice.time(1))
      try await runtime.submit(.reported(.scrolled(tablet.stack, to: tablet.widgets[1])), to: tablet.id)
      #expect(try await runtime.read(tablet.id) { $0.decisionCount } > 0)
      journal.deletionGate.open()
      #expect(try await deleted == Self.count)
      #expect(try await read == Self.count - 1)
      _ = try await runtime.waitUntilIdle()
      return try await runtime.read(phone.id) { $0 }
    }
    #expect(after.decisionCount > 0, "a device that was due during its relearning decided nothing")
    let again = try await harness.run { runtime, _ in try await runtime.read(phone.id) { $0 } }
    #expect(again == after)
    var naive = after
    _ = naive.handle(try deletion(phone, 7), at: after.now)
    let deleted = try await harness.run { runtime, _ in
      try await runtime.submit(deletion(phone, 7), to: phone.id)
      return try await runtime.read(phone.id) { $0 }
    }
    #expect(deleted == naive)
  }

  @Test("While a journal rewrites a device for a small deletion, its requests wait, and other devices go on")
  func rewriting() async throws {
    let (phone, tablet) = (try SampleDevice(), try SampleDevice("tablet"))
    let journal = FlakyJournal(try Store(directory: directory.path), deletionRewritesDevice: true)
    var harness = Harness(journal)
    harness.configuration.shardCount = 1
    try await harness.run { (runtime, _) async throws in
      for sample in [phone, tablet] { try await sample.settle(in: runtime) }
      let donation = Donation(
        id: try .init("5"), date: SampleDevice.time(-1), activity: .intent(try Intent(type: IntentType("Read"))))
      try await runtime.submit(.donated(phone.app, [donation]), to: phone.id)
      let before = try await runtime.read(phone.id) { $0.donationCount() }
      journal.deletionGate.close()
      async let deleted = runtime.submit(deletion(phone, 5), to: phone.id) { $0.donationCount() }
      await journal.deletionGate.waitForArrival()
      async let read = runtime.read(phone.id) { $0.donationCount() }
      try await runtime.submit(.reported(.scrolled(tablet.stack, to: tablet.widgets[1])), to: tablet.id)
      journal.deletionGate.open()
      #expect(try await deleted == before)
      #expect(try await read == before - 1)
    }
  }

  @Test("A relearning that cannot be written has no effect, and the next one succeeds")
  func failure() async throws {
    let sample = try SampleDevice()
    let (harness, journal) = try harness()
    try await harness.run { (runtime, _) async throws in
      try await settle(sample, runtime)
      let before = try await runtime.read(sample.id) { $0 }
      journal.fail(.transient)
      await expectFailure(.transient) {
        try await runtime.submit(deletion(sample, 5), to: sample.id)
      }
      #expect(try await runtime.read(sample.id) { $0 } == before)
      journal.fail(nil)
      try await runtime.submit(deletion(sample, 5), to: sample.id)
      #expect(try await runtime.read(sample.id) { $0.donationCount() } == Self.count - 1)
    }
  }

  @Test("A relearning that is written after the runtime has failed succeeds")
  func writtenAfterFailure() async throws {
    let (phone, tablet) = (try SampleDevice(), try SampleDevice("tablet"))
    let (harness, journal) = try harness()
    await expectFailure(.fatal) {
      try await harness.run { (runtime, _) async throws in
        try await settle(phone, runtime)
        try await tablet.settle(in: runtime)
        journal.deletionGate.close()
        async let deleted = runtime.submit(deletion(phone, 5), to: phone.id) { $0.donationCount() }
        await journal.deletionGate.waitForArrival()
        journal.fail(.fatal)
        await expectFailure(.fatal) { try await runtime.submit(.developerModeChanged(true), to: tablet.id) }
        journal.fail(nil)
        journal.deletionGate.open()
        #expect(try await deleted == Self.count)
      }
    }
    let left = try await harness.run { runtime, _ in try await runtime.read(phone.id) { $0.donationCount() } }
    #expect(left == Self.count - 1)
  }

  @Test("Concurrent requests are handled in order, and all are completed before a shutdown")
  func order() async throws {
    let sample = try SampleDevice()
    let (harness, journal) = try harness()
    let counts = try await harness.run { (runtime, _) async throws in
      try await settle(sample, runtime)
      journal.deletionGate.close()
      async let first = runtime.submit(deletion(sample, 1), to: sample.id) { $0.donationCount() }
      await journal.deletionGate.waitForArrival()
      var others: [Task<Int, any Error>] = []
      for number in 2..<5 {
        let event = try deletion(sample, number)
        others.append(Task { try await runtime.submit(event, to: sample.id) { $0.donationCount() } })
      }
      journal.deletionGate.open()
      var counts = [try await first]
      for task in others { counts.append(try await task.value) }
      return counts
    }
    #expect(counts.sorted(by: >) == (0..<4).map { Self.count - $0 })
  }

  @Test("D5 An unfinished deletion with relearning fails, is durable, and does not stop the runtime")
  func unfinishedDeletion() async throws {
    let sample = try SampleDevice()
    let (harness, journal) = try harness()
    let before = try await harness.run { (runtime, _) async throws in
      try await settle(sample, runtime)
      journal.fail(.unfinished)
      await expectFailure(.unfinished) {
        try await runtime.submit(deletion(sample, 5), to: sample.id)
      }
      try await runtime.submit(.developerModeChanged(true), to: sample.id)
      journal.fail(nil)
      try await runtime.submit(deletion(sample, 5), to: sample.id)
      return try await runtime.read(sample.id) { $0 }
    }
    #expect(before.donationCount() == Self.count - 1)
    #expect(try await harness.run { runtime, _ in try await runtime.read(sample.id) { $0 } } == before)
  }

  @Test("The requests of one device stay in order, however much other devices relearn")
  func deviceOrder() async throws {
    let (phone, tablet, watch) = (try SampleDevice(), try SampleDevice("tablet"), try SampleDevice("watch"))
    let (harness, journal) = try harness()
    func donations(_ sample: SampleDevice, _ ids: Range<Int>) throws -> Event {
      .donated(
        sample.app,
        try ids.map { number in
          Donation(
            id: try .init("\(number)"), date: SampleDevice.time(-1).advanced(by: .seconds(Int64(number))),
            activity: .intent(try Intent(type: IntentType("Read"))))
        })
    }
    let count = try await harness.run { (runtime, _) async throws in
      try await settle(phone, runtime)
      for sample in [tablet, watch] { try await sample.settle(in: runtime) }
      try await runtime.submit(donations(watch, 0..<1), to: watch.id)
      // While this write waits, all following requests are queued in order.
      journal.deletionGate.close()
      let blocked = Task { try await runtime.submit(deletion(watch, 0), to: watch.id) }
      await journal.deletionGate.waitForArrival()
      let events: [(SampleDevice, Event)] = [
        (phone, .developerModeChanged(true)), (phone, try deletion(phone, 5)),
        (tablet, try donations(tablet, 0..<100)), (tablet, try donations(tablet, 100..<200)),
        (phone, try donations(phone, 5..<6)), (phone, .developerModeChanged(false)),
      ]
      var tasks: [Task<Void, any Error>] = []
      for (sample, event) in events {
        let count = runtime.queuedCount
        tasks.append(Task { try await runtime.submit(event, to: sample.id) })
        while runtime.queuedCount == count { await Task.yield() }
      }
      journal.deletionGate.open()
      try await blocked.value
      for task in tasks { try await task.value }
      let device = try await runtime.read(phone.id) { $0 }
      #expect(!device.isDeveloperModeOn)
      return device.donationCount()
    }
    #expect(count == Self.count, "a donation was handled before an earlier deletion")
  }

  @Test("A deletion of nothing from a large device runs off the loop, and counts by the size of the device")
  func largeDevice() async throws {
    let (phone, tablet) = (try SampleDevice(), try SampleDevice("tablet"))
    var (harness, journal) = try harness()
    harness.configuration.relearnedDonationRateMax = 300
    try await harness.run { (runtime, _) async throws in
      for sample in [phone, tablet] { try await sample.settle(in: runtime) }
      let content = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: 1, count: 60_000))
      let entries = (1...4 as ClosedRange<Int64>).map { TimelineEntry(date: SampleDevice.time($0), content: content) }
      let event = Event.timelinePublished(phone.widgets[0], Timeline(submitted: entries, policy: .never))
      try await runtime.submit(event, to: phone.id)
      journal.deletionGate.close()
      async let deleted: Void = runtime.submit(deletion(phone, 5), to: phone.id)
      await journal.deletionGate.waitForArrival()
      try await runtime.submit(.developerModeChanged(true), to: tablet.id)
      journal.deletionGate.open()
      try await deleted
      let rejection = await #expect(throws: RuntimeError.self) {
        try await runtime.submit(deletion(phone, 5), to: phone.id)
      }
      #expect(rejection?.message.contains(" exceeds relearned-donation-rate-max (300)") == true)
      // A small device may delete as often as before.
      for _ in 1...3 { try await runtime.submit(deletion(tablet, 5), to: tablet.id) }
    }
  }

  @Test("The relearning rate of one app is limited, and does not affect another app")
  func rate() async throws {
    let sample = try SampleDevice()
    var (harness, _) = try harness()
    harness.configuration.relearnedDonationRateMax = 2 * Self.count
    try await harness.run { (runtime, _) async throws in
      try await settle(sample, runtime)
      for number in 0..<2 { try await runtime.submit(deletion(sample, number), to: sample.id) }
      let rejection = await #expect(throws: RuntimeError.self) {
        try await runtime.submit(deletion(sample, 2), to: sample.id)
      }
      #expect(rejection?.code == .overloaded && rejection?.retryDelay.map { $0 > .zero && $0 <= .minutes(1) } == true)
      #expect(rejection?.message.contains(" exceeds relearned-donation-rate-max (") == true)
      #expect(try await runtime.read(sample.id) { $0.donationCount() } == Self.count - 2)
      let other = try AppID("com.example.other")
      try await runtime.submit(.donationsDeleted(other, .everything), to: sample.id)
    }
  }
}
