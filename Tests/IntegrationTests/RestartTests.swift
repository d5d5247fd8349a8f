import Foundation
import MarqueeClient
import MarqueeJournal
import MarqueeModel
import MarqueeRPC
import MarqueeScheduler
import MarqueeTestSupport
import MarqueeTransport
import Testing

@testable import MarqueeStore

/// Goal: the start time does not depend on the stored data. Method: the real `marqueed` is started on a data directory
/// with many devices, written as rows; `Tests/Scripts/restart-time.sh` uses 100 000 devices with 50 donations each.
@Suite("Restarts", .serialized, .timeLimit(.minutes(20)))
struct RestartTests {
  private static let deviceCount =
    ProcessInfo.processInfo.environment["MARQUEE_RESTART_DEVICES"].flatMap { Int($0) } ?? 500
  private static let donationCount = 50
  /// The maximum time from the start of the process to the first response about a device.
  private static let answerTimeMax = Duration.seconds(5)

  private static func name(_ number: Int) throws -> DeviceID { try DeviceID("phone-\(number)") }

  /// The events of every device: a stack of two widgets, a timeline of the next hours, and donations.
  private static func events(at now: Instant) throws -> [Event] {
    let entries = (1...24).map { Fixture.entry(now.advanced(by: .minutes(60 * $0)), "\($0)", score: Double($0 % 3)) }
    let donations = (0..<donationCount).map { number in
      let activity = Habits.intent("Order", ["dish": .string("dish \(number % 9)"), "count": .integer(Int64(number))])
      return Habits.donation("d\(number)", activity, at: now.advanced(by: .minutes(Int64(-number))))
    }
    let members = [Fixture.forecast, Fixture.rain]
    return [
      .kindsRegistered(Fixture.weatherApp, Fixture.descriptors(of: members)),
      .stackEdited(Fixture.stack, .create(.systemSmall)),
    ]
      + members.map { .stackEdited(Fixture.stack, .add($0, at: nil)) }
      + [.timelinePublished(Fixture.forecast, Timeline(submitted: entries, policy: .never))]
      + stride(from: 0, to: donationCount, by: 10).map { .donated(Habits.soupApp, Array(donations[$0..<$0 + 10])) }
  }

  /// Writes the devices. Each has the same history, so that it is encoded once. Without a wake schedule, all are due.
  private static func fill(_ directory: String, at now: Instant, hasWakeSchedule: Bool) async throws {
    let store = try Store(directory: directory)
    let events = try events(at: now)
    let rows = events.map(\.encoded)
    var pattern = Device(id: try name(0), timeZone: Fixture.berlin, at: now)
    for event in events { _ = pattern.handle(event, at: now) }
    let creation = Creation(of: pattern).encoded
    for start in stride(from: 0, to: deviceCount, by: 500) {
      let names = try (start..<min(start + 500, deviceCount)).map { try name($0) }
      var batch = Batch.Rows()
      batch.created = names.map { .init($0, number: 0, at: now, creation) }
      batch.events = names.flatMap { name in
        rows.enumerated().map { .init(name, number: UInt64($0 + 1), at: now, $1) }
      }
      if hasWakeSchedule {
        batch.wakes = names.map {
          Batch.WakeEntry(ScheduledWake($0, wake: pattern.nextWake, policy: pattern.configuredPolicy))
        }
      }
      try await store.tables.write(Batch([.insert(batch)]))
    }
    try store.close()
  }

  @Test(
    "The start time does not depend on the number of devices and donations, even if all devices are due",
    arguments: [false, true])
  func start(isDue: Bool) async throws {
    let directory = try TemporaryDirectory()
    let now = try #require(Instant(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1_000) - 60_000))
    try await Self.fill(directory.file("data"), at: now, hasWakeSchedule: !isDue)
    let arguments = DaemonTests.arguments(directory)
    let begin = ContinuousClock.now
    try await Daemon.run(arguments) { daemon, endpoints in
      let listening = begin.duration(to: .now)
      let admin = OperatorClient(RPCClient(endpoints[0]))
      let device = try Self.name(Self.deviceCount / 2)
      #expect(try await admin.stacks(of: device).map(\.members) == [[Fixture.forecast, Fixture.rain]])
      let answered = begin.duration(to: .now)
      #expect(try await admin.donations(on: device).donationCount == Self.donationCount)
      #expect(answered < Self.answerTimeMax)
      let counts = "\(Self.deviceCount) devices, \(Self.deviceCount * Self.donationCount) donations"
      let times = "listening after \(listening), first answer after \(answered)"
      print("\(counts)\(isDue ? ", all due" : ""): \(times), \(try daemon.residentSize()) KiB")
    }
  }
}
