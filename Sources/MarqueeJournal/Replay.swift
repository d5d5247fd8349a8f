import MarqueeModel
import MarqueeScheduler

/// Rebuilds a device from its stored snapshot or creation and the events after that.
struct Replay {
  private(set) var device: Device
  /// The sequence of the last event applied.
  private(set) var sequence: UInt64
  /// The decisions made during the replay.
  private(set) var decisions: [Decision] = []

  /// The number of the device.
  let number: Int64
  private let lastDecision: TableRow?

  /// Creates a replay that continues after the event with `sequence`, or after the creation for 0.
  init(_ device: Device, number: Int64, sequence: UInt64 = 0) {
    self.device = device
    self.number = number
    self.sequence = sequence
    lastDecision = nil
  }

  /// Replays the device's stored events up to and including `instant`. `nil` if the device did not exist then.
  ///
  /// - Throws: ``JournalError`` `notKept` if the retained history of the device begins after `instant`.
  init?(of id: DeviceID, upTo instant: Instant, _ view: any JournalView) throws {
    guard let rows = try view.deviceRows(of: [id], upTo: instant).first ?? nil else { return nil }
    let number = rows.creation.device
    let origin = try Self.origin(of: id, rows.creation)
    let boundary = try rows.boundary.map { try RetentionBoundary($0, of: id, number) }
    // A device whose time was restated may have been created at a later instant.
    guard origin.now <= instant || boundary.map({ $0.at <= instant }) ?? false else { return nil }
    if let boundary, boundary.at > instant { throw boundary.notKept }
    if let newest = rows.snapshot {
      let snapshot = try StoredRow(newest, of: id)
      device = try snapshot.decodedSnapshot(PublishedTimelines(of: id, number, boundary, view))
      sequence = snapshot.number
      guard device.id == id, device.now == snapshot.at else {
        throw snapshot.corrupt("the snapshot does not match its row")
      }
    } else {
      (device, sequence) = try boundary.map { (try $0.device(view), $0.sequence) } ?? (origin, 0)
    }
    self.number = number
    lastDecision = rows.lastDecision
    var selection = RowSelection(.events, of: number)
    (selection.after, selection.upTo) = (Int64(sequence), instant)
    var events = RowCursor(selection, firstPage: rows.events, in: view)
    while let row = try events.next() { try apply(try StoredRow(row, of: id)) }
  }

  /// Returns the first instant, not before `start`, from which a replay until `end` is possible and applies at most
  /// `eventCountMax` events; `nil` if there is no such device.
  static func beginning(
    of id: DeviceID, from start: Instant, through end: Instant, eventCountMax: Int, _ view: any JournalView
  ) throws -> Instant? {
    guard let rows = try view.deviceRows(of: [id], upTo: .min).first ?? nil else { return nil }
    let number = rows.creation.device
    let boundary = try rows.boundary.map { try RetentionBoundary($0, of: id, number) }
    let first = max(start, try boundary?.at ?? origin(of: id, rows.creation).now)
    var selection = RowSelection.last(.events, of: number)
    (selection.after, selection.upTo) = (Int64(boundary?.sequence ?? 0), end)
    guard let last = try view.rows(selection).first else { return first }
    // Sequences have no gaps.
    selection.before = last.number - Int64(eventCountMax) + 1
    guard let latestExcess = try view.rows(selection).first else { return first }
    return max(first, Instant(milliseconds: latestExcess.at) ?? first)
  }

  /// Returns the device at its creation, as a row describes it.
  static func origin(of id: DeviceID, _ creation: TableRow) throws(JournalError) -> Device {
    let row = try StoredRow(creation, of: id)
    let parameters = try row.decodedCreation()
    return Device(id: id, timeZone: parameters.timeZone, policy: parameters.policy, at: row.at)
  }

  /// Advances the device's time.
  mutating func advance(to instant: Instant) {
    appendDecisions(of: device.advance(to: instant))
  }

  /// Applies the stored events up to and including `instant`, and calls `didApply` with the device after each one.
  mutating func applyEvents(
    upTo instant: Instant, _ view: any JournalView, didApply: (Device) -> Void
  ) throws {
    var selection = RowSelection(.events, of: number)
    (selection.after, selection.upTo) = (Int64(sequence), instant)
    var events = RowCursor(selection, in: view)
    while let row = try events.next() {
      try apply(try StoredRow(row, of: device.id))
      didApply(device)
    }
  }

  /// Returns the number and instant of the last stored decision up to the instant of the replay.
  func lastStoredDecision() throws(JournalError) -> (number: UInt64, at: Instant)? {
    guard let lastDecision else { return nil }
    let row = try StoredRow(lastDecision, of: device.id)
    return (row.number, row.at)
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
