import MarqueeCluster
import MarqueeJournal
import MarqueeModel

/// The rows of a simulated database's journal.
struct ClusterRows: Sendable {
  /// The writer of a row.
  struct Writer: Hashable, Sendable {
    let node: NodeID
    let shard: ShardID
    let epoch: Int
    /// The number of the commit.
    let commit: Int
  }

  /// The rows of a device.
  struct StoredDevice: Sendable {
    let number: Int64
    let creation: TableRow
    var events: [TableRow] = []
    /// The writers of the events.
    var writers: [Writer] = []
    var snapshots: [TableRow] = []
    var decisions: [TableRow] = []
    var wake: WakeRow?
  }

  private(set) var devices: [String: StoredDevice] = [:]

  /// Inserts rows, all of them or none.
  ///
  /// - Throws: `JournalError` `conflict`.
  mutating func insert(_ rows: Batch.Rows, _ writer: (DeviceID) -> Writer) throws(JournalError) {
    var changed = devices
    for row in rows.created {
      guard changed[row.device.text] == nil else { throw Self.conflict(row.device, row.number) }
      let number = Int64(changed.count + 1)
      changed[row.device.text] = StoredDevice(number: number, creation: Self.stored(row, number))
    }
    try Self.insert(rows.events, into: &changed) { row, device throws(JournalError) in
      let last = device.events.last ?? device.creation
      guard row.number == last.number + 1, row.at >= last.at else { throw Self.conflict(row.device, row.number) }
      device.events.append(Self.stored(row, device.number))
      device.writers.append(writer(row.device))
    }
    for decision in rows.decisions {
      try Self.insert([decision.row], into: &changed) { row, device throws(JournalError) in
        guard row.number > device.decisions.last?.number ?? 0 else { return }
        device.decisions.append(Self.stored(row, device.number, decision.stack))
      }
    }
    try Self.insert(rows.snapshots, into: &changed) { row, device throws(JournalError) in
      guard row.number > device.snapshots.last?.number ?? -1 else { return }
      device.snapshots =
        device.snapshots.suffix(Batch.Rows.recentSnapshotCount - 1) + [
          Self.stored(row, device.number)
        ]
    }
    for wake in rows.wakes {
      guard changed[wake.device.text] != nil else { throw Self.conflict(wake.device, 0) }
      changed[wake.device.text]?.wake = wake.row
    }
    devices = changed
  }

  /// Replaces the devices of a shard by earlier ones.
  mutating func replace(_ shard: ShardID, of count: Int, by earlier: ClusterRows) {
    let selected = ShardSet([shard], of: count)
    devices = devices.filter { !selected.contains(name: $0.key) }
    devices.merge(earlier.devices.filter { selected.contains(name: $0.key) }) { $1 }
  }

  private static func insert(
    _ rows: [Batch.Row], into devices: inout [String: StoredDevice],
    _ body: (Batch.Row, inout StoredDevice) throws(JournalError) -> Void
  ) throws(JournalError) {
    for row in rows {
      // Taken out, so that it is changed in place.
      guard var device = devices.removeValue(forKey: row.device.text) else { throw conflict(row.device, row.number) }
      try body(row, &device)
      devices[row.device.text] = device
    }
  }

  private static func stored(_ row: Batch.Row, _ number: Int64, _ stack: StackID? = nil) -> TableRow {
    TableRow(
      device: number, number: row.number, at: row.at, bytes: row.bytes, checksum: row.checksum(number),
      stack: stack?.text)
  }

  private static func conflict(_ device: DeviceID, _ number: Int64) -> JournalError {
    JournalError(.conflict, "a row conflicts with a stored one", device: device, sequence: UInt64(number))
  }
}

/// A view of a simulated database's journal.
struct ClusterView: JournalView {
  private let devices: [String: ClusterRows.StoredDevice]
  private let byNumber: [Int64: String]
  /// The shards whose devices can be read, and the number of all.
  private let shards: ShardSet

  init(_ rows: ClusterRows, _ shards: ShardSet) {
    devices = rows.devices
    byNumber = Dictionary(uniqueKeysWithValues: rows.devices.map { ($0.value.number, $0.key) })
    self.shards = shards
  }

  private func check(_ id: DeviceID) throws(JournalError) {
    guard shards.contains(id) else { throw JournalError(.notOwned, "the device is another node's", device: id) }
  }

  private func names(of selected: ShardSet?) -> [String] {
    devices.keys.filter { selected?.contains(name: $0) ?? true }.sorted()
  }

  func number(of id: DeviceID) throws -> Int64? {
    try check(id)
    return devices[id.text]?.number
  }

  func deviceRows(of ids: [DeviceID], upTo instant: Instant) throws -> [DeviceRows?] {
    try ids.map { id in
      try check(id)
      guard let device = devices[id.text] else { return nil }
      let end = instant.milliseconds
      let snapshot = device.snapshots.last { $0.at <= end }
      return DeviceRows(
        creation: device.creation, boundary: nil, snapshot: snapshot,
        events: device.events.filter { $0.at <= end && $0.number > snapshot?.number ?? 0 },
        lastDecision: device.decisions.last { $0.at <= end })
    }
  }

  func rows(_ selection: RowSelection) throws -> [TableRow] {
    guard let device = byNumber[selection.device].flatMap({ devices[$0] }) else { return [] }
    var rows: [TableRow] =
      switch selection.table {
      case .events: device.events
      case .snapshots: device.snapshots
      case .decisions: device.decisions
      }
    rows = rows.filter { row in
      row.number > selection.after && row.number < selection.before && row.at >= selection.since.milliseconds
        && row.at <= selection.upTo.milliseconds && (selection.stack.map { $0.text == row.stack } ?? true)
    }
    if selection.isDescending { rows.reverse() }
    return Array(rows.prefix(selection.countMax))
  }

  func wakes(
    policy: Int64, of selected: ShardSet?, after name: String, count: Int
  ) throws -> [(name: String, wake: Int64)] {
    let found = names(of: selected).filter { $0 > name }.compactMap { name -> (name: String, wake: Int64)? in
      guard let row = devices[name]?.wake, row.policy ^ (row.wake ?? -1) == policy else { return (name, 0) }
      return row.wake.map { (name, $0) }
    }
    return Array(found.prefix(count))
  }

  func wake(of device: Int64) throws -> WakeRow? { byNumber[device].flatMap { devices[$0]?.wake } }

  func names(after name: String, count: Int) throws -> [String] {
    Array(names(of: nil).filter { $0 > name }.prefix(count))
  }

  func deviceCount(of selected: ShardSet?) throws -> Int { names(of: selected).count }

  func latestInstants(of selected: ShardSet?, count: Int) throws -> [(name: String, at: Int64)] { [] }

  // Nothing is removed in this simulation.

  func boundary(of device: Int64) throws -> BoundaryRow? { nil }
  func boundaryState(of device: Int64) throws -> TableRow? { nil }
  func lastRedactedDeletion(of device: Int64, after sequence: Int64) throws -> Int64? { nil }
  func lastDeletion(of device: Int64) throws -> Int64? { 0 }
  func erasure(of device: Int64) throws -> ErasureRow? { nil }
  func unfinishedErasure() throws -> Int64? { nil }
  func names(withRowsBefore instant: Instant, of shards: ShardSet?) throws -> [String] { [] }
}
