import MarqueeCluster
import MarqueeJournal

/// A simulated database with the tables of a cluster and of a journal, whose rows transactions lock.
///
/// It executes what the statements of `MarqueePostgres` do: a statement sees everything that was committed before it,
/// and a transaction that is ended by the database has changed nothing.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class ClusterDatabase: @unchecked Sendable {
  /// A row that transactions lock.
  enum Row: Hashable {
    case node(NodeID)
    case lane(LaneID)
  }

  /// The key of a lane's row.
  struct LaneID: Hashable {
    let node: NodeID
    let number: Int
  }

  /// A row of the table of nodes.
  struct Node {
    let name: String
    var leaseUntil: Duration
    var heldSince: Duration
    var isDraining = false
  }

  /// A row of the table of shards.
  struct Shard {
    var node: NodeID?
    var epoch = 0
    var next: NodeID?
    var placement: NodeID?
  }

  /// A transaction.
  ///
  /// `@unchecked Sendable`: accessed only on the world's thread.
  final class Transaction: @unchecked Sendable {
    let node: NodeID
    fileprivate(set) var isOpen = true
    fileprivate var locks: [Row] = []
    /// Called if the database ends the transaction.
    fileprivate let ended: @Sendable () -> Void

    fileprivate init(_ node: NodeID, _ ended: @escaping @Sendable () -> Void) {
      self.ended = ended
      self.node = node
    }
  }

  /// Receives the reply to a statement; `nil` if the session has ended without one.
  typealias Reply<Value> = @Sendable (Result<Value, JournalError>?) -> Void

  let world: World
  let mutation: ClusterMutation?
  let timeToLive: Duration
  private(set) var nodes: [NodeID: Node] = [:]
  private(set) var lanes: [LaneID: Int] = [:]
  private(set) var shards: [Shard]
  private(set) var rows = ClusterRows()
  /// The number of changes of owners that have been announced.
  private(set) var announcementCount = 0
  private(set) var commitCount = 0
  private(set) var isRunning = true
  /// Whether writes fail because the disk is full.
  var isDiskFull = false
  /// The number of starts, each of which ends all sessions.
  private(set) var startCount = 1
  /// Receives nodes that others declare dead.
  var declaredDead: @Sendable (NodeID) -> Void = { _ in }
  private var changedAt = Duration.zero
  private var terminatedAt: [NodeID: Duration] = [:]
  private var nodeNumber: Int64 = 0
  private var transactions: [Transaction] = []
  private var holders: [Row: Transaction] = [:]
  private var waiting: [(row: Row, transaction: Transaction, granted: @Sendable () -> Void)] = []
  /// The last steps of open transactions that wait for a client that has stopped, by the node.
  private var stalled: [NodeID: [@Sendable () -> Void]] = [:]

  init(_ world: World, shardCount: Int, timeToLive: Duration, _ mutation: ClusterMutation?) {
    self.mutation = mutation
    self.timeToLive = timeToLive
    self.world = world
    shards = Array(repeating: Shard(), count: shardCount)
  }

  /// The database's clock.
  var now: Duration { world.elapsed }

  /// Releases all transactions, after the end.
  func release() {
    declaredDead = { _ in }
    (transactions, waiting) = ([], [])
    holders = [:]
    stalled = [:]
  }

  // MARK: Transactions

  func begin(_ node: NodeID, _ ended: @escaping @Sendable () -> Void) -> Transaction {
    let transaction = Transaction(node, ended)
    transactions.append(transaction)
    return transaction
  }

  /// Ends a transaction, whose changes have been made, and grants its locks to others.
  func end(_ transaction: Transaction) {
    transaction.isOpen = false
    transactions.removeAll { $0 === transaction }
    waiting.removeAll { $0.transaction === transaction }
    for row in transaction.locks where holders[row] === transaction {
      holders[row] = nil
      guard let next = waiting.firstIndex(where: { $0.row == row }) else { continue }
      grant(waiting.remove(at: next))
    }
  }

  private func grant(_ waiter: (row: Row, transaction: Transaction, granted: @Sendable () -> Void)) {
    holders[waiter.row] = waiter.transaction
    waiter.transaction.locks.append(waiter.row)
    world.after(.zero) { if waiter.transaction.isOpen { waiter.granted() } }
  }

  /// Locks a row for a transaction, which waits for others.
  func lock(_ row: Row, _ transaction: Transaction, _ granted: @escaping @Sendable () -> Void) {
    if holders[row] == nil {
      grant((row, transaction, granted))
    } else {
      waiting.append((row, transaction, granted))
    }
  }

  func isLocked(_ row: Row) -> Bool { holders[row] != nil }

  /// Returns the time of the last fault for a node.
  func disturbedAt(_ node: NodeID) -> Duration { max(changedAt, terminatedAt[node] ?? .zero) }

  /// Ends the transactions of a node.
  func terminate(_ node: NodeID) {
    terminatedAt[node] = now
    stalled[node] = stalled[node].map { _ in [] }
    for transaction in transactions where transaction.node == node {
      end(transaction)
      transaction.ended()
    }
  }

  /// Stops, which ends all sessions. Commits are durable.
  func crash() {
    isRunning = false
    changedAt = now
    for transaction in transactions {
      end(transaction)
      transaction.ended()
    }
    waiting = []
  }

  func start() {
    isRunning = true
    changedAt = now
    startCount += 1
    announcementCount += 1
  }

  /// Makes open transactions of a node wait for its client, until ``proceed(_:)``.
  func stall(_ node: NodeID) { stalled[node] = [] }

  func proceed(_ node: NodeID) {
    for rest in stalled.removeValue(forKey: node) ?? [] { rest() }
  }

  /// Writes a batch of a lane.
  ///
  /// - Parameters:
  ///   - number: The number of the batch.
  ///   - body: The statements, executed with the commit.
  func write<Value: Sendable>(
    _ lane: LaneID, _ number: Int, _ body: @escaping @Sendable () throws(JournalError) -> Value,
    _ reply: @escaping Reply<Value>
  ) {
    let transaction = begin(lane.node) { reply(nil) }
    lock(.lane(lane), transaction) { [self] in
      guard lanes[lane] == number - 1 || mutation == .missingFence else {
        end(transaction)
        return reply(.failure(JournalError(.fenced, "another server has taken the devices over")))
      }
      let finish = { @Sendable [self] in
        guard transaction.isOpen else { return }
        let result = Result { () throws(JournalError) -> Value in
          guard !isDiskFull else { throw JournalError(.diskFull, "the disk is full") }
          return try body()
        }
        if case .success = result {
          if lanes[lane] != nil { lanes[lane] = number }
          commitCount += 1
        }
        end(transaction)
        reply(result)
      }
      let pause = world.once(in: 30) ? world.milliseconds(50...900) : .microseconds(world.number(100...3_000))
      world.after(pause) { [self] in
        if stalled[lane.node] != nil { stalled[lane.node]?.append(finish) } else { finish() }
      }
    }
  }

  /// Inserts rows as a part of a lane's batch.
  func insert(_ batch: Batch, _ node: NodeID, _ epochs: [ShardID: Int]) throws(JournalError) {
    for case .insert(let inserted) in batch.steps {
      let (commit, count) = (commitCount, shards.count)
      try rows.insert(inserted) { device in
        let shard = ShardID(of: device, count: count)
        return ClusterRows.Writer(node: node, shard: shard, epoch: epochs[shard] ?? -1, commit: commit)
      }
    }
  }

  /// Determines what became of the batch after `batch`: see `LaneWitness` of MarqueePostgres.
  func resolve(_ lane: LaneID, after batch: Int, _ reply: @escaping Reply<Int?>) {
    let transaction = begin(lane.node) { reply(nil) }
    lock(.lane(lane), transaction) { [self] in
      if let reached = lanes[lane], mutation != .resolutionWithoutAdvance {
        lanes[lane] = reached + (reached <= batch + 1 ? 2 : 0)
      }
      end(transaction)
      reply(.success(lanes[lane]))
    }
    world.after(.seconds(2)) { [self] in
      guard transaction.isOpen else { return }
      end(transaction)
      reply(.failure(JournalError(.busy, "lock timeout")))
    }
  }
}

/// The statements on the tables of a cluster: see `PostgresMembership` and `PostgresLane`.
extension ClusterDatabase {
  func join(_ name: String, laneCount: Int, until leaseEnd: Duration?) -> NodeID {
    nodeNumber += 1
    let id = NodeID(nodeNumber)
    nodes[id] = Node(name: name, leaseUntil: leaseEnd ?? now + timeToLive, heldSince: now)
    for number in 0..<laneCount { lanes[LaneID(node: id, number: number)] = 0 }
    return id
  }

  func renew(_ node: NodeID, until leaseEnd: Duration?, _ reply: @escaping Reply<Void>) {
    let transaction = begin(node) { reply(nil) }
    lock(.node(node), transaction) { [self] in
      if let row = nodes[node] {
        if row.leaseUntil <= now { nodes[node]?.heldSince = now }
        nodes[node]?.leaseUntil = leaseEnd ?? now + timeToLive
      }
      end(transaction)
      reply(nodes[node] == nil ? .failure(JournalError(.fenced, "the node has been declared dead")) : .success(()))
    }
  }

  /// Returns the nodes whose leases have expired, the first one first.
  ///
  /// - Parameter time: The time of the claimant's clock, with which leases are compared by mistake.
  private func expired(_ claimant: NodeID, _ time: Duration?) -> [NodeID] {
    let time = time ?? (mutation == .claimBeforeExpiry ? now + timeToLive / 2 : now)
    guard let row = nodes[claimant], row.leaseUntil > now || mutation == .leaseByWallClock,
      row.heldSince <= now - timeToLive
    else { return [] }
    let dead = nodes.filter { $0.key != claimant && $0.value.leaseUntil <= time }
    return dead.sorted { ($0.value.leaseUntil, $0.key) < ($1.value.leaseUntil, $1.key) }.map(\.key)
  }

  /// Declares at most one node dead, and distributes its shards and those without an owner.
  func claim(by claimant: NodeID, at time: Duration?, isRepeated: Bool = false, _ reply: @escaping Reply<Claim>) {
    let dead = expired(claimant, time).first { !isLocked(.node($0)) }
    guard dead != nil || shards.contains(where: { $0.node == nil }) else { return reply(.success(Claim())) }
    let transaction = begin(claimant) { reply(nil) }
    guard let dead else { return distribute(nil, transaction, reply) }
    lock(.node(dead), transaction) { [self] in
      lockLanes(of: dead, transaction) { [self] in
        declaredDead(dead)
        distribute(dead, transaction, reply)
      }
    }
    world.after(.milliseconds(500)) { [self] in
      guard transaction.isOpen else { return }
      // A transaction of the dead node has locks, and waits for a client that has stopped.
      end(transaction)
      guard !isRepeated else { return reply(.failure(JournalError(.busy, "lock timeout"))) }
      for node in expired(claimant, time) { terminate(node) }
      claim(by: claimant, at: time, isRepeated: true, reply)
    }
  }

  /// Removes a node that leaves.
  func leave(_ node: NodeID, _ reply: @escaping Reply<Claim>) {
    let transaction = begin(node) { reply(nil) }
    lock(.node(node), transaction) { [self] in
      guard nodes[node] != nil else {
        end(transaction)
        return reply(.success(Claim()))
      }
      lockLanes(of: node, transaction) { [self] in distribute(node, transaction, reply) }
    }
  }

  private func lockLanes(of node: NodeID, _ transaction: Transaction, _ granted: @escaping @Sendable () -> Void) {
    guard mutation != .claimDuringBatch else { return granted() }
    lockAll(lanes.keys.filter { $0.node == node }.sorted { $0.number < $1.number }, transaction, granted)
  }

  private func lockAll(_ lanes: [LaneID], _ transaction: Transaction, _ granted: @escaping @Sendable () -> Void) {
    guard let lane = lanes.first else { return granted() }
    lock(.lane(lane), transaction) { [self] in lockAll(Array(lanes.dropFirst()), transaction, granted) }
  }

  private func distribute(_ dead: NodeID?, _ transaction: Transaction, _ reply: Reply<Claim>) {
    for lane in lanes.keys where lane.node == dead { lanes[lane] = nil }
    let recipients = nodes.filter { $0.key != dead && $0.value.leaseUntil > now && !isLocked(.node($0.key)) }
    let assignment = Assignment(recipients.keys, draining: Set(recipients.filter(\.value.isDraining).keys))
    var count = 0
    for index in shards.indices {
      if let dead, shards[index].next == dead { shards[index].next = nil }
      if let dead, shards[index].placement == dead { shards[index].placement = nil }
      guard shards[index].node == dead || shards[index].node == nil else { continue }
      let node = assignment.node(of: ShardID(index), placedOn: shards[index].placement)
      guard node != shards[index].node else { continue }
      give(index, to: node)
      count += 1
    }
    if let dead { nodes[dead] = nil }
    if dead != nil || count > 0 { announcementCount += 1 }
    end(transaction)
    if let dead, mutation != .claimDuringBatch { terminate(dead) }
    reply(.success(Claim(deadNode: dead, shardCount: count)))
  }

  private func give(_ index: Int, to node: NodeID?) {
    shards[index] = Shard(node: node, epoch: shards[index].epoch + 1, placement: shards[index].placement)
  }

  func move(_ moved: [ShardID], to target: NodeID) -> Int {
    guard nodes[target] != nil, !isLocked(.node(target)) else { return 0 }
    let owned = moved.filter { shards[$0.number].node != nil }
    for shard in owned { shards[shard.number].next = shards[shard.number].node == target ? nil : target }
    announcementCount += 1
    return owned.count
  }

  func drain(_ node: NodeID, _ isDraining: Bool) {
    guard !isLocked(.node(node)) else { return }
    nodes[node]?.isDraining = isDraining
    announcementCount += 1
  }

  func place(_ shard: ShardID, on target: NodeID?) {
    if let target {
      guard let row = nodes[target], !row.isDraining, !isLocked(.node(target)) else { return }
      let node = shards[shard.number].node
      shards[shard.number].next = node == nil || node == target ? nil : target
    }
    shards[shard.number].placement = target
    announcementCount += 1
  }

  func handOver(_ handed: [ShardID], of node: NodeID) -> [ShardID] {
    let moved = handed.filter { shard in
      guard let next = shards[shard.number].next, shards[shard.number].node == node else { return false }
      return nodes[next] != nil && !isLocked(.node(next))
    }
    for shard in moved { give(shard.number, to: shards[shard.number].next) }
    announcementCount += 1
    return moved
  }

  /// Returns the shards of a lane.
  func owned(by lane: LaneID, of laneCount: Int) -> [OwnedShard] {
    shards.indices.filter { shards[$0].node == lane.node && $0 % laneCount == lane.number }
      .map { OwnedShard(ShardID($0), epoch: shards[$0].epoch) }
  }

  var map: ShardMap {
    ShardMap(
      shards: shards.map {
        ShardMap.Ownership(node: $0.node, epoch: $0.epoch, next: $0.next, placement: $0.placement)
      },
      nodes: nodes.filter { $0.value.leaseUntil > now }.keys,
      records: nodes.mapValues { NodeRecord(name: $0.name) },
      draining: Set(nodes.filter(\.value.isDraining).keys))
  }
}
