import MarqueeCluster
import MarqueeJournal
import MarqueePostgres
import PostgresProcess

/// A node of a random schedule: the shards that it believes to own, and the results of its attempts to write.
///
/// It may have been declared dead without noticing, and then goes on writing.
final class ScheduleNode {
  /// The results of attempts, by their numbers.
  struct Attempts {
    var acknowledged: Set<Int64> = []
    var refused: Set<Int64> = []
    var count: Int64 = 0
  }

  let membership: PostgresMembership
  let relay: Relay
  /// The epochs of the shards of each lane.
  private var owned: [[ShardID: Int]]
  /// The next sequences of the devices that have been loaded.
  private var next: [Int64: Int64] = [:]
  private(set) var isFenced = false

  init(_ membership: PostgresMembership, _ relay: Relay) {
    self.membership = membership
    self.relay = relay
    owned = membership.lanes.map { _ in [:] }
  }

  /// The devices that the node believes to own, in order.
  func devices(of count: Int64) -> [Int64] {
    (0..<count).filter { shard in owned.contains { $0[Self.shard(shard)] != nil } }
  }

  /// Returns the shard of a device, whose number stands for its name.
  private static func shard(_ device: Int64) -> ShardID { ShardID(Int(device) % ClusterFixture.shardCount) }

  /// Calls `body`, and records whether the node has been fenced.
  ///
  /// - Returns: The error.
  private func attempt(_ body: () async throws -> Void) async throws -> JournalError? {
    do {
      try await body()
      return nil
    } catch let error as JournalError {
      if error.code == .fenced { isFenced = true }
      guard [.fenced, .commitFailed, .unavailable].contains(error.code) else { throw error }
      return error
    }
  }

  /// Calls `body` again while its session is lost, which a claim by another node may have ended.
  static func repeating<Value>(_ body: () async throws -> Value) async throws -> Value {
    for _ in 1...5 {
      do {
        return try await body()
      } catch let error as JournalError where [.commitFailed, .unavailable].contains(error.code) {
        continue
      }
    }
    return try await body()
  }

  /// Renews the lease.
  func renew() async throws { _ = try await attempt { try await membership.renew() } }

  /// Reads which shards a lane owns, and loads the devices of those that are new.
  func acquire(_ number: Int) async throws {
    let lane = membership.postgresLanes[number]
    var acquired: [OwnedShard] = []
    var loaded: [PostgresRows] = []
    let error = try await attempt {
      acquired = try await lane.acquire()
      loaded = try await lane.write([
        PostgresCall("SELECT device, max(sequence) FROM entry GROUP BY device")
      ])
    }
    if error?.code == .commitFailed { _ = try await resolve(lane) }
    guard error == nil, let rows = loaded.first else { return }
    var last: [Int64: Int64] = [:]
    for row in 0..<rows.count { last[try rows.integer(row, 0)] = try rows.integer(row, 1) }
    let epochs = Dictionary(uniqueKeysWithValues: acquired.map { ($0.shard, $0.epoch) })
    for device in 0..<Self.deviceCount where Self.shard(device).eventLoop(of: owned.count) == number {
      let shard = Self.shard(device)
      if let epoch = epochs[shard], owned[number][shard] != epoch { next[device] = (last[device] ?? 0) + 1 }
    }
    owned[number] = epochs
  }

  static let deviceCount: Int64 = 40

  /// Writes the next entry of a device that the node believes to own.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - attempts: Records the result.
  ///   - fail: Called before the batch is sent.
  func write(_ device: Int64, _ attempts: inout Attempts, failing fail: (Relay) -> Void = { _ in }) async throws {
    let shard = Self.shard(device)
    let number = shard.eventLoop(of: owned.count)
    guard let epoch = owned[number][shard], let sequence = next[device] else { return }
    attempts.count += 1
    let id = attempts.count
    let lane = membership.postgresLanes[number]
    fail(relay)
    let error = try await attempt {
      _ = try await lane.write([
        ClusterFixture.entry(device, sequence, epoch: epoch, node: membership.node, attempt: id)
      ])
    }
    var isWritten = error == nil
    if error?.code == .commitFailed {
      // A node that has been declared dead meanwhile never learns it.
      guard let resolved = try await resolve(lane) else { return }
      isWritten = resolved
    }
    if isWritten {
      attempts.acknowledged.insert(id)
      next[device] = sequence + 1
    } else {
      attempts.refused.insert(id)
    }
  }

  private func resolve(_ lane: PostgresLane) async throws -> Bool? {
    var isWritten: Bool?
    let error = try await attempt { isWritten = try await lane.resolve() }
    if let error, error.code != .fenced { throw error }
    return isWritten
  }

  /// Hands over the shards of a lane whose moves have been requested.
  func handOver(_ number: Int) async throws {
    let lane = membership.postgresLanes[number]
    var moved: [ShardID] = []
    let error = try await attempt { moved = try await lane.handOver(owned[number].keys.sorted()) }
    for shard in moved { owned[number][shard] = nil }
    guard error?.code == .commitFailed else { return }
    _ = try await resolve(lane)
    try await acquire(number)
  }
}
