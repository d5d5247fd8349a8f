import MarqueeModel
import MarqueeScheduler
import MarqueeStore

/// A data directory with many devices, in the state left by a killed server.
struct FleetStore {
  private static let batchCountMax = 1_000

  private let store: Store
  private let home: FleetHome
  private let now: Instant
  private let zone: TimeZoneID

  private init(_ directory: String, at now: Instant) throws {
    store = try Store(directory: directory)
    home = try FleetHome()
    zone = try TimeZoneID("UTC")
    self.now = now
  }

  /// Adds `count` devices whose first wake is a day after `now`.
  static func fill(_ directory: String, count: Int, at now: Instant) async throws {
    let fleet = try FleetStore(directory, at: now)
    let events = try fleet.home.setUp(from: now.advanced(by: .days(1)))
    for start in stride(from: 0, to: count, by: batchCountMax) {
      try await fleet.add(start..<min(count, start + batchCountMax)) { _ in events }
    }
    try fleet.store.close()
  }

  /// Adds devices whose stacks rotate by `schedule`, without dwell and budget.
  static func add(_ numbers: Range<Int>, rotatingBy schedule: FleetSchedule, to directory: String, at now: Instant)
    async throws
  {
    let fleet = try FleetStore(directory, at: now)
    for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: batchCountMax) {
      try await fleet.add(start..<min(numbers.upperBound, start + batchCountMax)) { number in
        try fleet.home.setUp(rotatingAt: schedule.rotations(of: number - numbers.lowerBound))
          + [.developerModeChanged(true)]
      }
    }
    try fleet.store.close()
  }

  private func add(_ numbers: Range<Int>, _ events: (Int) throws -> [Event]) async throws {
    var (created, wakeSchedule): ([Device], [ScheduledWake]) = ([], [])
    var journal: [JournalEntry] = []
    for number in numbers {
      var device = Device(id: try FleetHome.name(number), timeZone: zone, at: now)
      created.append(device)
      for (sequence, event) in zip((1 as UInt64)..., try events(number)) {
        _ = device.handle(event, at: now)
        journal.append(JournalEntry(device.id, sequence: sequence, at: now, event))
      }
      wakeSchedule.append(ScheduledWake(device))
    }
    try await store.append(created: created, events: journal, decisions: [], snapshots: [], wakeSchedule: wakeSchedule)
  }
}

/// A schedule of rotations at a steady rate, round-robin over the devices.
struct FleetSchedule {
  let start: Instant
  let deviceCount: Int
  /// The rotations per second of all devices.
  let rate: Int
  /// The number of rotations of each device.
  let rotationCount: Int

  /// Returns the rotation times of a device.
  func rotations(of device: Int) -> [Instant] {
    (0..<rotationCount).map { rotation in
      start.advanced(by: TimeSpan(milliseconds: Int64((rotation * deviceCount + device) * 1_000 / rate)))
    }
  }

  /// The time from the first to the last rotation, in seconds.
  var seconds: Double { Double(deviceCount * rotationCount) / Double(rate) }
}
