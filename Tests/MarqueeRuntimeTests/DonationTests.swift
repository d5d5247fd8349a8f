import MarqueeModel
import MarqueeSamples
import MarqueeScheduler
import MarqueeStore
import Testing

@testable import MarqueeRuntime

/// What the runtime adds to donations: wall time, room for new ones, and deletions that last.
@Suite(.timeLimit(.minutes(1))) struct DonationTests {
  private let directory = StoreDirectory()

  private func donation(_ id: Int, at date: Instant) throws -> Donation {
    Donation(id: try .init("\(id)"), date: date, deed: .intent(try Intent(type: IntentType("Read"))))
  }

  @Test("D1 Donations have the wall time of the device's zone, across a change of its clocks and of the zone")
  func wallTime() async throws {
    let home = try Home()
    let harness = Harness(try Store(directory: directory.path))
    let readings = try await harness.run { runtime, _ in
      try await home.settle(in: runtime)
      // 2021-03-27 and 28, on which the clocks of Berlin went to summer time; 2021-06-07 later in Tokyo.
      for (id, hour) in [(1, -1_718), (2, -1_694)] {
        try await runtime.submit(.donated(home.app, [donation(id, at: Home.time(Int64(hour)))]), to: home.id)
      }
      try await runtime.submit(.timeZoneChanged(TimeZoneID("Asia/Tokyo")), to: home.id)
      try await runtime.submit(.donated(home.app, [donation(3, at: Home.midnight)]), to: home.id)
      return try await runtime.read(home.id) { $0.donations(count: 9) }
    }
    #expect(readings.reversed().map(\.wallTime.minute) == [11 * 60, 12 * 60, 9 * 60])
    #expect(readings.reversed().map(\.wallTime.weekday) == [5, 6, 0])
  }

  @Test(
    "Offsets are those of the zone's rules, in the years around",
    arguments: [
      ("Europe/Berlin", [7_200, 3_600, 7_200, 3_600, 7_200, 3_600, 7_200]), ("Asia/Tokyo", [32_400]),
      ("Nowhere/At all", [0]),
    ])
  func offsets(zone: String, seconds: [Int]) throws {
    let offsets = UTCOffsets(of: try TimeZoneID(zone), from: Home.midnight, around: Home.midnight)
    // 400 days before 2021-06-07, when it was summer, until two years after.
    #expect(offsets.steps.map(\.seconds) == seconds)
    #expect(offsets.covers(Home.midnight, Home.time(24 * 365)))
    guard zone == "Europe/Berlin" else { return }
    // 2021-10-31T01:00:00Z.
    #expect(offsets.steps.contains(.init(start: Instant(milliseconds: 1_635_642_000_000)!, seconds: 3_600)))
  }

  @Test("The oldest donations are forgotten before new ones pass the limit, and a restart forgets the same")
  func room() async throws {
    let home = try Home()
    var harness = Harness(try Store(directory: directory.path))
    harness.configuration.limits.donationCountMax = 32
    let before = try await harness.run(end: .kill) { runtime, _ in
      try await home.settle(in: runtime)
      for id in 0..<50 { try await runtime.submit(.donated(home.app, [donation(id, at: Home.midnight)]), to: home.id) }
      return try await runtime.read(home.id) { $0 }
    }
    #expect((28...32).contains(before.donationCount()))
    let after = try await harness.run { runtime, _ in try await runtime.read(home.id) { $0 } }
    #expect(after == before)
  }

  @Test("A refused donation changes nothing, not even what is known of the zone")
  func refusal() async throws {
    let home = try Home()
    let harness = Harness(try Store(directory: directory.path))
    try await harness.run { runtime, _ in
      try await home.settle(in: runtime)
      let before = try await runtime.read(home.id) { $0 }
      await #expect(throws: Refusal.self) {
        try await runtime.submit(.donated(home.app, [donation(1, at: Home.time(1))]), to: home.id)
      }
      #expect(try await runtime.read(home.id) { $0 } == before)
    }
  }

  @Test("D5 A deletion lasts, whether the process ends well or not", arguments: [Harness.End.shutdown, .kill])
  func deletion(end: Harness.End) async throws {
    let home = try Home()
    let harness = Harness(try Store(directory: directory.path))
    let before = try await harness.run(end: end) { runtime, _ in
      try await home.settle(in: runtime)
      for id in 0..<5 { try await runtime.submit(.donated(home.app, [donation(id, at: Home.midnight)]), to: home.id) }
      let selection = DonationSelection.identifiers([try .init("1"), try .init("3")])
      try await runtime.submit(.donationsDeleted(home.app, selection), to: home.id)
      return try await runtime.read(home.id) { $0 }
    }
    #expect(before.donationCount() == 3)
    let after = try await harness.run { runtime, _ in try await runtime.read(home.id) { $0 } }
    #expect(after == before)
  }
}
