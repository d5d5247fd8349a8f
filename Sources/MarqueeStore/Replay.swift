import GRDB
import MarqueeModel
import MarqueeScheduler

/// Rebuilds a device from its stored snapshot or creation and the events after that.
struct Replay {
  private(set) var device: Device
  /// The sequence of the last event applied.
  private(set) var sequence: UInt64
  /// The decisions made during the replay.
  private(set) var decisions: [Decision] = []

  private let number: Int64

  /// Creates a replay that continues after the event with `sequence`, or after the creation for 0.
  init(_ device: Device, number: Int64, sequence: UInt64 = 0) {
    self.device = device
    self.number = number
    self.sequence = sequence
  }

  /// Replays the device's stored events up to and including `instant`. `nil` if the device did not exist then.
  ///
  /// - Throws: ``StoreError`` `notKept` if the retained history of the device begins after `instant`.
  init?(of id: DeviceID, upTo instant: Instant, _ db: Database) throws {
    guard let origin = try Self.origin(of: id, db) else { return nil }
    number = origin.number
    let boundary = try RetentionBoundary(of: id, number, db)
    // A device whose time was restated may have been created at a later instant.
    guard origin.device.now <= instant || boundary.map({ $0.at <= instant }) ?? false else { return nil }
    if let boundary, boundary.at > instant { throw boundary.notKept }
    let newest = try Row.fetchOne(
      db,
      sql: """
        SELECT device, sequence AS number, at, state AS bytes, checksum FROM snapshot
        WHERE device = ? AND at <= ? ORDER BY sequence DESC LIMIT 1
        """, arguments: [number, instant.milliseconds])
    if let newest {
      let snapshot = try StoredRow(newest, of: id)
      device = try snapshot.decodedSnapshot(PublishedTimelines(of: id, number, boundary, db))
      sequence = snapshot.number
      guard device.id == id, device.now == snapshot.at else {
        throw snapshot.corrupt("the snapshot does not match its row")
      }
    } else {
      (device, sequence) = try boundary.map { (try $0.device(db), $0.sequence) } ?? (origin.device, 0)
    }
    try applyEvents(upTo: instant, db)
  }

  /// Returns the device's row number and its state at creation, or `nil` if there is no such device.
  static func origin(of id: DeviceID, _ db: Database) throws -> (number: Int64, device: Device)? {
    let found = try Row.fetchOne(
      db,
      sql:
        "SELECT id AS device, 0 AS number, at, creation AS bytes, checksum FROM device WHERE name = ? AND removed = 0",
      arguments: [id.text])
    guard let found else { return nil }
    let row = try StoredRow(found, of: id)
    let creation = try row.decodedCreation()
    let device = Device(id: id, timeZone: creation.timeZone, policy: creation.policy, at: row.at)
    return (try found.value("device"), device)
  }

  /// Advances the device's time.
  mutating func advance(to instant: Instant) {
    appendDecisions(of: device.advance(to: instant))
  }

  /// Returns the number and instant of the last stored decision up to `instant`.
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

  private mutating func applyEvents(upTo instant: Instant, _ db: Database) throws {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT device, sequence AS number, at, event AS bytes, checksum FROM journal
        WHERE device = ? AND sequence > ? AND at <= ? ORDER BY sequence
        """, arguments: [number, Int64(sequence), instant.milliseconds])
    while let row = try rows.next() { try apply(try StoredRow(row, of: device.id)) }
  }

  /// Applies the next event.
  mutating func apply(_ row: StoredRow) throws {
    guard row.number == sequence + 1 else { throw row.corrupt("the event after \(sequence) is missing") }
    guard row.at >= device.now else { throw row.corrupt("the event is earlier than the one before it") }
    let event: Event = try row.decoded()
    appendDecisions(of: device.advance(to: row.at))
    do {
      try device.check(event, limits: .none)
    } catch {
      throw row.corrupt("the event is not valid for the device", cause: error)
    }
    appendDecisions(of: device.handle(event, at: row.at, sequence: row.number))
    sequence = row.number
  }

  private mutating func appendDecisions(of actions: [Action]) {
    for action in actions {
      if let decision = action.decision { decisions.append(decision) }
    }
  }
}

extension Limits {
  /// No limits: an event that was accepted once is valid even after limits have been lowered.
  fileprivate static let none = {
    var limits = Limits()
    limits.entryCountMax = .max
    limits.contentSizeMax = .max
    limits.timelineSizeMax = .max
    limits.kindCountMax = .max
    limits.appCountMax = .max
    limits.stackCountMax = .max
    limits.memberCountMax = .max
    limits.intentTypeCountMax = .max
    limits.shortcutCountMax = .max
    limits.upcomingMediaCountMax = .max
    limits.homeWidgetCountMax = .max
    limits.focusFilterCountMax = .max
    limits.blockCountMax = .max
    limits.donationBatchCountMax = .max
    limits.donationSizeMax = .max
    limits.donationCountMax = .max
    limits.appDonationCountMax = .max
    limits.configurationSizeMax = .max
    limits.shortcutSizeMax = .max
    limits.intentTypeSizeMax = .max
    limits.descriptionSizeMax = .max
    limits.deviceSizeMax = .max
    return limits
  }()
}
