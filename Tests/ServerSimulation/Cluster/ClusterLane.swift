import MarqueeCluster
import MarqueeJournal

/// A lane of a simulated node: the steps of `FencedConnection`, `LaneWitness` and `PostgresWriter` of MarqueePostgres
/// on a simulated database.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class ClusterLane: Lane, @unchecked Sendable {
  /// The time between two attempts to resolve a batch.
  private static let resolutionPause = Duration.milliseconds(100)

  let number: Int
  let connection: ClusterConnection
  private let process: ClusterProcess
  private let id: ClusterDatabase.LaneID
  /// The number of the last batch.
  private var batch = 0
  private var isInDoubt = false
  private var isResolving = false
  private var closure: JournalError?
  /// The epochs of the owned shards.
  private(set) var owned: [ShardID: Int] = [:]
  /// The rows as they were before the shard was acquired, which are read by mistake.
  private var earlierRows: [ShardID: ClusterRows] = [:]

  init(_ process: ClusterProcess, _ node: NodeID, number: Int) {
    connection = ClusterConnection(process)
    id = ClusterDatabase.LaneID(node: node, number: number)
    self.number = number
    self.process = process
  }

  private var database: ClusterDatabase { connection.database }
  private var mutation: ClusterMutation? { database.mutation }

  /// The shards whose devices can be read.
  private var shards: ShardSet { ShardSet(owned.keys, of: database.shards.count) }

  private func attempt<Value: Sendable>(
    _ body: @escaping @Sendable (ClusterDatabase) throws(JournalError) -> Value
  ) async throws(JournalError) -> Value {
    if let closure { throw closure }
    guard !isInDoubt else { throw JournalError(.unavailable, "the outcome of the last batch is unknown") }
    let (id, next) = (id, batch + 1)
    do {
      let value: Value = try await connection.call(isCommit: true) { database, reply in
        database.write(id, next, { () throws(JournalError) in try body(database) }, reply)
      }
      batch = next
      return value
    } catch {
      isInDoubt = error.code == .commitFailed
      if error.code == .fenced { closure = error }
      throw error
    }
  }

  func acquire() async throws(JournalError) -> [OwnedShard] {
    process.serveEarly(self)
    await connection.enter()
    defer { connection.leave() }
    let (id, laneCount) = (id, ClusterProcess.laneCount)
    let owned = try await attempt { database in database.owned(by: id, of: laneCount) }
    self.owned = Dictionary(uniqueKeysWithValues: owned.map { ($0.shard, $0.epoch) })
    return owned
  }

  func handOver(_ shards: [ShardID]) async throws(JournalError) -> [ShardID] {
    let moved = try await move(shards)
    await process.endServingLate()
    return moved
  }

  private func move(_ shards: [ShardID]) async throws(JournalError) -> [ShardID] {
    await connection.enter()
    defer { connection.leave() }
    let node = id.node
    do {
      let moved = try await attempt { database in database.handOver(shards, of: node) }
      for shard in moved { owned[shard] = nil }
      return moved
    } catch {
      if error.code == .commitFailed { for shard in shards { owned[shard] = nil } }
      throw error
    }
  }

  func resolve() async throws(JournalError) -> Bool {
    guard mutation != .unresolvedHandOver else { return false }
    await connection.enter()
    defer { connection.leave() }
    return try await resolveBatch()
  }

  private func resolveBatch() async throws(JournalError) -> Bool {
    if let closure { throw closure }
    precondition(isInDoubt)
    let (id, last) = (id, batch)
    let found: Int?
    do {
      found = try await connection.call(isCommit: true) { $0.resolve(id, after: last, $1) }
    } catch {
      // The outcome of the resolution itself does not matter, because it is repeated.
      throw error.code == .commitFailed ? JournalError(.unavailable, error.message) : error
    }
    guard let reached = found else {
      let error = JournalError(.fenced, "another server has taken the devices over")
      closure = error
      throw error
    }
    isInDoubt = false
    batch = reached
    return reached == last + (mutation == .resolutionWithoutAdvance ? 1 : 3)
  }

  /// Calls `body` with a view of the devices of the owned shards.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any JournalView) throws -> Value
  ) async throws(JournalError) -> Value {
    let (shards, earlier) = (shards, earlierRows)
    // Readers have connections of their own.
    return try await ClusterConnection(process).call { database, reply in
      var rows = database.rows
      for (shard, earlier) in earlier { rows.replace(shard, of: database.shards.count, by: earlier) }
      let view = ClusterView(rows, shards)
      reply(
        Result { () throws(JournalError) -> Value in
          do {
            return try body(view)
          } catch {
            throw error as? JournalError ?? JournalError(.corrupt, "\(error)")
          }
        })
    }
  }

  /// Writes a batch of the journal, and finds out what became of it if its commit is not answered.
  func write(_ written: Batch) async throws(JournalError) {
    guard !isResolving else { throw JournalError(.unavailable, "a commit has not been answered") }
    await connection.enter()
    defer { connection.leave() }
    let (epochs, node) = (owned, id.node)
    try check(written)
    do {
      try await attempt { database throws(JournalError) in try database.insert(written, node, epochs) }
      earlierRows = [:]
    } catch {
      guard error.code == .commitFailed else { throw error }
      switch mutation {
      case .unknownAsWritten:
        (batch, isInDoubt) = (batch + 1, false)
        return
      case .unknownAsRefused:
        (batch, isInDoubt) = (database.lanes[id] ?? batch, false)
        throw JournalError(.unavailable, "the connection was lost")
      default: try await resolve(error)
      }
    }
  }

  private func check(_ written: Batch) throws(JournalError) {
    for case .insert(let rows) in written.steps {
      let devices = rows.created.map(\.device) + rows.events.map(\.device) + rows.decisions.map(\.row.device)
      for device in devices + rows.snapshots.map(\.device) + rows.wakes.map(\.device) where !shards.contains(device) {
        throw JournalError(.notOwned, "the device is another node's", device: device)
      }
    }
  }

  private func resolve(_ failure: JournalError) async throws(JournalError) {
    isResolving = true
    defer { isResolving = false }
    while true {
      let isWritten: Bool
      do {
        isWritten = try await resolveBatch()
      } catch {
        guard [.unavailable, .busy].contains(error.code) else {
          // The process ends.
          throw JournalError(.commitFailed, "what became of a batch could not be found out", cause: failure)
        }
        await process.pause(Self.resolutionPause)
        continue
      }
      if isWritten { return }
      throw JournalError(.unavailable, "the connection was lost; the transaction was not committed")
    }
  }

  /// Keeps the rows of a shard's devices as they are now, from which they are loaded later: a mistake.
  func readAhead(_ shard: ShardID, _ rows: ClusterRows) {
    if mutation == .readBeforeAcquisition { earlierRows[shard] = rows }
  }
}

/// The tables of a lane.
final class ClusterTables: JournalTables {
  private let lane: ClusterLane

  init(_ lane: ClusterLane) { self.lane = lane }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any JournalView) throws -> Value
  ) async throws(JournalError) -> Value { try await lane.read(body) }

  func write(_ batch: Batch) async throws(JournalError) { try await lane.write(batch) }
}

/// The journal of a lane: the product's, on the simulated database.
struct ClusterJournal: TableJournal {
  let tables: ClusterTables
}
