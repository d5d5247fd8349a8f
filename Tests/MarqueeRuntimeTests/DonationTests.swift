import MarqueeModel
import MarqueeScheduler
import MarqueeStore
import MarqueeTestSupport
import MarqueeTimeZones
import Testing

@testable import MarqueeRuntime

/// The runtime's part in donations: wall time, eviction by the limit, and durable deletions.
@Suite(.timeLimit(.minutes(1))) struct DonationTests {
  private let directory = StoreDirectory()

  private func donation(_ id: Int, at date: Instant) throws -> Donation {
    Donation(id: try .init("\(id)"), date: date, activity: .intent(try Intent(type: IntentType("Read"))))
  }

  @Test("D1 C1 Donations have the wall time of the device's zone, across daylight saving time and changes of the zone")
  func wallTime() async throws {
    let sample = try SampleDevice()
    let harness = Harness(try Store(directory: directory.path))
    let readings = try await harness.run { runtime, _ in
      try await sample.settle(in: runtime)
      // 2021-03-27 and 28, when daylight saving time began in Berlin; then 2021-06-07 in Tokyo.
      for (id, hour) in [(1, -1_718), (2, -1_694)] {
        try await runtime.submit(
          .donated(sample.app, [donation(id, at: SampleDevice.time(Int64(hour)))]), to: sample.id)
      }
      try await runtime.submit(.timeZoneChanged(TimeZoneID("Asia/Tokyo")), to: sample.id)
      try await runtime.submit(.donated(sample.app, [donation(3, at: SampleDevice.midnight)]), to: sample.id)
      return try await runtime.read(sample.id) { $0.donations(count: 9) }
    }
    #expect(readings.reversed().map(\.wallTime.minute) == [11 * 60, 12 * 60, 9 * 60])
    #expect(readings.reversed().map(\.wallTime.weekday) == [5, 6, 0])
  }

  @Test(
    "Offsets follow the zone's rules in the surrounding years",
    arguments: [
      ("Europe/Berlin", [7_200, 3_600, 7_200, 3_600, 7_200, 3_600, 7_200]), ("Asia/Tokyo", [32_400]),
      ("Nowhere/At all", [0]),
    ])
  func offsets(zone: String, seconds: [Int]) throws {
    let offsets = UTCOffsets(of: try TimeZoneID(zone), from: SampleDevice.midnight, around: SampleDevice.midnight)
    // From 400 days before 2021-06-07, during daylight saving time, until two years after.
    #expect(offsets.steps.map(\.seconds) == seconds)
    #expect(offsets.covers(SampleDevice.midnight, SampleDevice.time(24 * 365)))
    guard zone == "Europe/Berlin" else { return }
    // 2021-10-31T01:00:00Z.
    #expect(offsets.steps.contains(.init(start: Instant(milliseconds: 1_635_642_000_000)!, seconds: 3_600)))
  }

  @Test("The oldest donations are evicted at the limit, and a restart evicts the same")
  func room() async throws {
    let sample = try SampleDevice()
    var harness = Harness(try Store(directory: directory.path))
    harness.configuration.limits.donationCountMax = 32
    let before = try await harness.run(end: .kill) { runtime, _ in
      try await sample.settle(in: runtime)
      for id in 0..<50 {
        try await runtime.submit(.donated(sample.app, [donation(id, at: SampleDevice.midnight)]), to: sample.id)
      }
      return try await runtime.read(sample.id) { $0 }
    }
    #expect((28...32).contains(before.donationCount()))
    let after = try await harness.run { runtime, _ in try await runtime.read(sample.id) { $0 } }
    #expect(after == before)
  }

  @Test("A rejected donation changes nothing, not even the known UTC offsets")
  func rejection() async throws {
    let sample = try SampleDevice()
    let harness = Harness(try Store(directory: directory.path))
    try await harness.run { runtime, _ in
      try await sample.settle(in: runtime)
      let before = try await runtime.read(sample.id) { $0 }
      await #expect(throws: RequestError.self) {
        try await runtime.submit(.donated(sample.app, [donation(1, at: SampleDevice.time(1))]), to: sample.id)
      }
      #expect(try await runtime.read(sample.id) { $0 } == before)
    }
  }

  @Test("D5 A deletion survives a shutdown and a kill", arguments: [Harness.End.shutdown, .kill])
  func deletion(end: Harness.End) async throws {
    let sample = try SampleDevice()
    let harness = Harness(try Store(directory: directory.path))
    let before = try await harness.run(end: end) { runtime, _ in
      try await sample.settle(in: runtime)
      for id in 0..<5 {
        try await runtime.submit(.donated(sample.app, [donation(id, at: SampleDevice.midnight)]), to: sample.id)
      }
      let selection = DonationSelection.identifiers([try .init("1"), try .init("3")])
      try await runtime.submit(.donationsDeleted(sample.app, selection), to: sample.id)
      return try await runtime.read(sample.id) { $0 }
    }
    #expect(before.donationCount() == 3)
    let after = try await harness.run { runtime, _ in try await runtime.read(sample.id) { $0 } }
    #expect(after == before)
  }

  @Test("D5 An unfinished deletion fails, is durable, and does not stop the runtime")
  func unfinishedDeletion() async throws {
    let sample = try SampleDevice()
    let journal = FlakyJournal(try Store(directory: directory.path))
    let harness = Harness(journal)
    let before = try await harness.run { runtime, _ in
      try await sample.settle(in: runtime)
      for id in 0..<3 {
        try await runtime.submit(.donated(sample.app, [donation(id, at: SampleDevice.midnight)]), to: sample.id)
      }
      journal.fail(.unfinished)
      let selection = DonationSelection.identifiers([try .init("1")])
      await expectFailure(.unfinished) {
        try await runtime.submit(.donationsDeleted(sample.app, selection), to: sample.id)
      }
      try await runtime.submit(.developerModeChanged(true), to: sample.id)
      journal.fail(nil)
      try await runtime.submit(.donationsDeleted(sample.app, selection), to: sample.id)
      return try await runtime.read(sample.id) { $0 }
    }
    #expect(before.donationCount() == 2)
    let after = try await harness.run { runtime, _ in try await runtime.read(sample.id) { $0 } }
    #expect(after == before)
  }
}
