import Foundation
import MarqueePostgres
import MarqueeTestSupport
import PostgresProcess

/// The faults of a round. Their numbers are drawn from the round's seed, in an order that does not depend on time.
extension ClusterFaultRound {
  /// The time to live of the leases, in milliseconds.
  private static let lease = 1_000 * leaseSeconds
  /// The maximum time until a connection reaches a place in a commit: a node may have to start before.
  private static let commitTimeMax = Duration.seconds(40)

  /// Injects a fault, and ends it.
  ///
  /// - Returns: A description of the drawn numbers.
  func inject(_ fault: ClusterFault, _ sampler: inout Sampler) async throws -> String {
    switch fault {
    case .kill, .suspend, .pause, .shutDown: try await disturbNode(fault, &sampler)
    case .endSessions, .crashDatabase, .promoteStandby, .cancelCommits, .cancelAndPromote, .fillDisk:
      try await disturbDatabase(fault, &sampler)
    case .holdCommit, .holdSync, .holdReply, .loseCommit, .loseReply: try await disturbCommit(fault, &sampler)
    case .delayDatabase, .cutDatabase, .delayNodes, .cutNodes, .isolate: try await disturbNetwork(fault, &sampler)
    }
  }

  private func disturbNode(_ fault: ClusterFault, _ sampler: inout Sampler) async throws -> String {
    let node = sampler.one(of: nodes)
    var time = 0
    switch fault {
    case .kill:
      node.send(SIGKILL)
      // Until the others have noticed it, if they must.
      time = sampler.number(in: 0...Self.lease)
    case .suspend: time = sampler.number(in: Self.lease + 1_000...Self.lease + 4_000)
    case .pause: time = sampler.number(in: 50...Self.lease - 2_000)
    default: node.send(SIGTERM)
    }
    if [.suspend, .pause].contains(fault) { node.send(SIGSTOP) }
    defer { node.send(SIGCONT) }
    try await Task.sleep(for: .milliseconds(time))
    return "\(node.name), \(time) ms"
  }

  private func disturbDatabase(_ fault: ClusterFault, _ sampler: inout Sampler) async throws -> String {
    let time = Duration.milliseconds(sampler.number(in: 0...2_000))
    switch fault {
    case .endSessions:
      try await execute(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name LIKE 'marqueed/%' AND random() < 0.5
        """)
      return "half"
    case .crashDatabase:
      try database.primary.kill()
      try await Task.sleep(for: time)
      try database.primary.start()
    case .promoteStandby: try await failOver(after: time)
    case .cancelCommits, .cancelAndPromote:
      let time = Duration.milliseconds(sampler.number(in: 500...Self.lease + 2_000))
      try await cancelCommits(for: time, andKill: fault == .cancelAndPromote)
      if fault == .cancelAndPromote { try await failOver(after: .zero) }
      return "\(time)"
    default:
      let time = Duration.milliseconds(sampler.number(in: 500...Self.lease + 2_000))
      try await database.fill(for: time)
      return "\(time)"
    }
    return "\(time)"
  }

  /// Executes a statement on the present primary.
  private func execute(_ statement: String) async throws {
    let connection = try PostgresConnection(PostgresSettings(database.info))
    _ = try await connection.read([PostgresCall(statement)])
    await connection.close()
  }

  private func failOver(after time: Duration) async throws {
    try await database.failOver(after: time)
    network.update(database)
  }

  /// Cancels commits that wait for the standby, which is stopped.
  ///
  /// - Parameter isKilled: Whether to kill the primary before the standby goes on, which then gets none of them.
  private func cancelCommits(for time: Duration, andKill isKilled: Bool) async throws {
    let standby = database.standby
    try standby.suspend()
    let result = await Task {
      let end = ContinuousClock.now + time
      while ContinuousClock.now < end {
        try await execute(
          """
          SELECT pg_cancel_backend(pid) FROM pg_stat_activity
          WHERE application_name LIKE 'marqueed/%' AND wait_event = 'SyncRep'
          """)
        try await Task.sleep(for: .milliseconds(20))
      }
      if isKilled { try database.primary.kill() }
    }.result
    try standby.resume()
    try result.get()
  }

  /// Stops a connection of the first node that reaches a place in a commit, or loses it there.
  private func disturbCommit(_ fault: ClusterFault, _ sampler: inout Sampler) async throws -> String {
    let isLost = [.loseCommit, .loseReply].contains(fault)
    let isNodeStopped = !isLost && !sampler.once(in: 4)
    let isClosed = isLost || sampler.once(in: 2)
    let time = isLost ? sampler.number(in: 0...20) : sampler.number(in: Self.lease + 1_000...Self.lease + 4_000)
    guard let point = fault.commitPoint else { return "" }
    let relays = network.database.flatMap(\.self)
    for relay in relays { relay.stop(point) }
    defer { network.release() }
    let deadline = ContinuousClock.now + Self.commitTimeMax
    while !relays.contains(where: \.hasStopped) {
      guard .now < deadline else { throw RequirementFailure("no connection reached a commit") }
      try await Task.sleep(for: .milliseconds(1))
    }
    for relay in relays { relay.disarm() }
    let stopped = network.database.indices.filter { network.database[$0].contains(where: \.hasStopped) }
    let names = stopped.map { nodes[$0].name }.joined(separator: " and ")
    if isNodeStopped { for node in stopped { nodes[node].send(SIGSTOP) } }
    defer { for node in stopped { nodes[node].send(SIGCONT) } }
    try await Task.sleep(for: .milliseconds(time))
    if isClosed { for relay in relays { relay.closeStopped() } }
    return "\(names), \(time) ms\(isNodeStopped ? ", node stopped" : "")\(isClosed ? ", closed" : "")"
  }

  private func disturbNetwork(_ fault: ClusterFault, _ sampler: inout Sampler) async throws -> String {
    let all = Array(nodes.indices)
    let chosen = fault != .isolate && sampler.once(in: 4) ? all : [sampler.one(of: all)]
    let directions = sampler.one(of: [[.toServer], [.toClient], Set(Relay.Direction.allCases)])
    let time = sampler.number(in: 500...2 * Self.lease)
    let delay = Duration.milliseconds(sampler.number(in: 5...300))
    let isClosed = sampler.once(in: 2)
    let toDatabase = chosen.flatMap { network.database[$0] }
    let toNodes = chosen.map { network.nodes[$0] }
    let relays =
      switch fault {
      case .delayDatabase, .cutDatabase: toDatabase
      case .isolate: toDatabase + toNodes
      default: toNodes
      }
    let isDelay = [.delayDatabase, .delayNodes].contains(fault)
    for relay in relays {
      if isDelay { relay.delay(directions, by: delay) } else { relay.hold(directions) }
    }
    defer { network.release() }
    try await Task.sleep(for: .milliseconds(time))
    // As the system does after a time without an answer; otherwise its packets arrive late.
    if isClosed, !isDelay { for relay in relays { relay.close() } }
    let names = chosen.map { nodes[$0].name }.joined(separator: ", ")
    let direction = directions.count == 2 ? "both ways" : directions.contains(.toServer) ? "requests" : "replies"
    return "\(names), \(direction), \(time) ms\(isDelay ? ", by \(delay)" : isClosed ? ", closed" : "")"
  }
}
