import MarqueeCluster
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport

/// The calls of the clients of a simulated cluster, and the tenures under which nodes have shown shards.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class ClusterLedger: @unchecked Sendable {
  /// The time for which a node has a shard.
  struct Tenure: Hashable {
    let shard: ShardID
    let epoch: Int
    let node: NodeID
  }

  /// The kinds of violations besides those of ``RegisterHistory``.
  enum Kind: String, CaseIterable {
    case interleaved = "interleaved"
    case twoOwners = "shown by two owners"
    case ended = "ended without a reason"
    case stuck = "not served after the faults"
    case misplaced = "on another node than requested"
  }

  /// All kinds, the most telling ones first.
  static let kinds = RegisterHistory.Violation.allCases.map(\.rawValue) + Kind.allCases.map(\.rawValue)

  private let world: World
  var history = RegisterHistory()
  private(set) var findings: [(kind: String, text: String)] = []
  private var latest: [ShardID: Tenure] = [:]
  private(set) var showCount = 0

  init(_ world: World) { self.world = world }

  func find(_ kind: Kind, _ text: String) { find(kind.rawValue, text) }

  private func find(_ kind: String, _ text: String) {
    world.log("FOUND \(kind): \(text)")
    findings.append((kind, text))
  }

  /// Returns the event of a write.
  static func event(_ number: Int) throws -> Event {
    .reported(.contextChanged(.place(try Place(latitude: Double(number % 80), longitude: 13, display: "\(number)"))))
  }

  /// Returns the number of the last write of a device.
  static func number(of device: Device) -> Int? { device.context.place.flatMap { Int($0.display) } }

  // MARK: Reading and showing

  /// Records a read that was answered by a node.
  ///
  /// - Parameters:
  ///   - tenure: The tenure of the node; `nil` if it does not have the device.
  ///   - latestThen: The latest tenure under which the shard had been shown before the call.
  func endRead(
    _ device: DeviceID, _ number: Int?, began begin: Int, by tenure: Tenure?, _ latestThen: Tenure?
  ) {
    history.endRead(device, number, began: begin)
    guard let tenure else { return find(.twoOwners, "\(device) was read from a node that does not have it") }
    check(tenure, latestThen)
    show(tenure)
  }

  /// Returns the latest tenure under which a shard has been shown.
  func latestTenure(_ shard: ShardID) -> Tenure? { latest[shard] }

  /// Records that a node has shown a device.
  func show(_ device: DeviceID, _ tenure: Tenure?) {
    showCount += 1
    guard let tenure else { return find(.twoOwners, "\(device) was shown by a node that does not have it") }
    check(tenure, latest[tenure.shard])
    show(tenure)
  }

  private func show(_ tenure: Tenure) {
    if tenure.epoch > latest[tenure.shard]?.epoch ?? -1 { latest[tenure.shard] = tenure }
  }

  private func check(_ tenure: Tenure, _ earlier: Tenure?) {
    guard let earlier, tenure.epoch < earlier.epoch || tenure.epoch == earlier.epoch && tenure.node != earlier.node
    else { return }
    find(
      .twoOwners,
      "shard \(tenure.shard) by \(tenure.node) in epoch \(tenure.epoch) after \(earlier.node) in \(earlier.epoch)")
  }

  // MARK: The journal

  /// Compares the calls with the rows of the journal.
  func check(_ rows: ClusterRows, _ devices: [DeviceID]) {
    for device in devices {
      let stored = rows.devices[device.text]?.events.compactMap { Self.number(of: $0) } ?? []
      for violation in history.violations(device, stored) { find(violation.kind.rawValue, violation.text) }
    }
    checkWriters(rows)
  }

  /// Checks that the owners of a shard have written one after the other.
  private func checkWriters(_ rows: ClusterRows) {
    let writers = rows.devices.values.flatMap(\.writers).sorted { $0.commit < $1.commit }
    var last: [ShardID: ClusterRows.Writer] = [:]
    for writer in writers {
      if let earlier = last[writer.shard],
        writer.epoch < earlier.epoch || writer.epoch == earlier.epoch && writer.node != earlier.node
      {
        find(
          .interleaved,
          "shard \(writer.shard): \(writer.node) in epoch \(writer.epoch) after \(earlier.node) in \(earlier.epoch)")
      }
      last[writer.shard] = writer
    }
  }

  private static func number(of row: TableRow) -> Int? {
    var reader = ByteReader(row.bytes)
    // Rows are those that the journal has encoded.
    guard let event = try? Event(from: &reader), case .reported(.contextChanged(.place(let place?))) = event else {
      return nil
    }
    return Int(place.display)
  }
}
