import GRDB
import MarqueeModel
import MarqueeScheduler

/// A device being built anew from what is stored of it: a snapshot or its creation, and the events after that.
struct Replay {
  private(set) var device: Device
  /// The sequence of the last event taken in.
  private(set) var sequence: UInt64
  /// The decisions taken on the way.
  private(set) var decisions: [Decision] = []

  private let number: Int64

  /// A device as it was right after the event of that sequence, or its creation, to take in those that follow.
  init(_ device: Device, number: Int64, sequence: UInt64 = 0) {
    self.device = device
    self.number = number
    self.sequence = sequence
  }

  /// Replays the device's stored events up to and including `instant`; `nil` when there was no such device then.
  ///
  /// Throws `notKept` when the kept history of the device begins after `instant`.
  init?(of id: DeviceID, upTo instant: Instant, _ db: Database) throws {
    guard let origin = try Self.origin(of: id, db), origin.device.now <= instant else { return nil }
    number = origin.number
    let base = try Base(of: id, number, db)
    if let base, base.at > instant { throw base.notKept }
    let newest = try Row.fetchOne(
      db,
      sql: """
        SELECT device, sequence AS number, at, state AS bytes, checksum FROM snapshot
        WHERE device = ? AND at <= ? ORDER BY sequence DESC LIMIT 1
        """, arguments: [number, instant.milliseconds])
    if let newest {
      let snapshot = try StoredRow(newest, of: id)
      device = try snapshot.decodedSnapshot()
      sequence = snapshot.number
      guard device.id == id, device.now == snapshot.at else { throw snapshot.corrupt("a snapshot of something else") }
    } else {
      (device, sequence) = try base.map { (try $0.device(db), $0.sequence) } ?? (origin.device, 0)
    }
    try takeEvents(upTo: instant, db)
  }

  /// The device's number in the tables, and the device as it was created; `nil` when there is none of that name.
  static func origin(of id: DeviceID, _ db: Database) throws -> (number: Int64, device: Device)? {
    let found = try Row.fetchOne(
      db, sql: "SELECT id AS device, 0 AS number, at, creation AS bytes, checksum FROM device WHERE name = ?",
      arguments: [id.text])
    guard let found else { return nil }
    let row = try StoredRow(found, of: id)
    let creation = try row.decodedCreation()
    let device = Device(id: id, timeZone: creation.timeZone, policy: creation.policy, at: row.at)
    return (try found.value("device"), device)
  }

  /// Lets time pass.
  mutating func advance(to instant: Instant) {
    keepDecisions(of: device.advance(to: instant))
  }

  /// The number and the instant of the last decision stored, up to `instant`.
  func lastStoredDecision(upTo instant: Instant = .max, _ db: Database) throws -> (number: UInt64, at: Instant)? {
    let row = try Row.fetchOne(
      db,
      sql: """
        SELECT device, number, at, body AS bytes, checksum FROM decision
        WHERE device = ? AND at <= ? ORDER BY number DESC LIMIT 1
        """, arguments: [number, instant.milliseconds])
    return try row.map {
      let stored = try StoredRow($0, of: device.id)
      return (stored.number, stored.at)
    }
  }

  private mutating func takeEvents(upTo instant: Instant, _ db: Database) throws {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT device, sequence AS number, at, event AS bytes, checksum FROM journal
        WHERE device = ? AND sequence > ? AND at <= ? ORDER BY sequence
        """, arguments: [number, Int64(sequence), instant.milliseconds])
    while let row = try rows.next() { try take(try StoredRow(row, of: device.id)) }
  }

  /// Takes in the next event.
  mutating func take(_ row: StoredRow) throws {
    guard row.number == sequence + 1 else { throw row.corrupt("the event after \(sequence) is missing") }
    guard row.at >= device.now else { throw row.corrupt("an event before the one it follows") }
    let event: Event = try row.decoded()
    keepDecisions(of: device.advance(to: row.at))
    do {
      try device.check(event, limits: .none)
    } catch {
      throw row.corrupt("an event that does not fit the device", cause: error)
    }
    keepDecisions(of: device.handle(event, at: row.at))
    sequence = row.number
  }

  private mutating func keepDecisions(of actions: [Action]) {
    for action in actions {
      if let decision = action.decision { decisions.append(decision) }
    }
  }
}

extension Limits {
  /// No limits: what was accepted once stays accepted when limits are lowered.
  fileprivate static let none = {
    var limits = Limits()
    limits.entryCountMax = .max
    limits.contentSizeMax = .max
    limits.timelineSizeMax = .max
    limits.timelineCountMax = .max
    limits.kindCountMax = .max
    limits.appCountMax = .max
    limits.stackCountMax = .max
    limits.memberCountMax = .max
    limits.intentTypeCountMax = .max
    limits.shortcutCountMax = .max
    limits.upcomingMediaCountMax = .max
    limits.homeWidgetCountMax = .max
    limits.blockCountMax = .max
    limits.donationBatchCountMax = .max
    limits.donationSizeMax = .max
    limits.donationCountMax = .max
    limits.appDonationCountMax = .max
    return limits
  }()
}
