import MarqueeJournal
import MarqueeModel
import MarqueeScheduler

/// A device that is used without a runtime, and its records that are not stored yet.
struct DeviceHistory {
  private let home: BusyHome
  private var created: [Device]
  private(set) var device: Device
  /// The sequence of the last event.
  private(set) var sequence: UInt64 = 0
  private var events: [JournalEntry] = []
  private var decisions: [RecordedDecision] = []
  private var snapshots: [DeviceSnapshot] = []

  /// Creates a device, and sets it up.
  init(_ id: DeviceID) throws {
    home = try BusyHome()
    let start = BusyHome.instant(day: 0, minute: 0)
    device = Device(id: id, timeZone: try TimeZoneID("UTC"), at: start)
    created = [device]
    for event in try home.setUp(day: 0) { apply(event, at: start) }
  }

  /// Applies the events of a session.
  mutating func live(day: Int, session: Int) throws {
    let instant = BusyHome.time(day: day, session: session)
    while let wake = device.nextWake, wake <= instant { record(device.advance(to: wake)) }
    for event in try home.session(day: day, session) { apply(event, at: instant) }
  }

  /// Deletes the donation of a session.
  mutating func deleteDonation(day: Int, session: Int) throws {
    let app = try AppID("com.example.applications.number\((session * 3 + day) % BusyHome.appCount)")
    let name = try Donation.ID("\(day)-\(session)")
    apply(.donationsDeleted(app, .identifiers([name])), at: device.now)
    takeSnapshot()
  }

  /// Adds a snapshot after the last event.
  mutating func takeSnapshot() { snapshots.append(DeviceSnapshot(device, sequence: sequence)) }

  private mutating func apply(_ event: Event, at instant: Instant) {
    record(device.handle(event, at: instant))
    sequence += 1
    events.append(JournalEntry(device.id, sequence: sequence, at: instant, event))
  }

  private mutating func record(_ actions: [Action]) {
    decisions += actions.compactMap { $0.decision.map { RecordedDecision($0, of: device.id) } }
  }

  /// Stores the records, and forgets them.
  mutating func store(in journals: [any DeviceJournal]) async throws {
    for journal in journals {
      try await journal.append(
        created: created, events: events, decisions: decisions, snapshots: snapshots,
        wakeSchedule: [ScheduledWake(device)])
    }
    forget()
  }

  /// Forgets the records, which have been stored.
  mutating func forget() { (created, events, decisions, snapshots) = ([], [], [], []) }
}
