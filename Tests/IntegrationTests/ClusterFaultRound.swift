import Foundation
import MarqueeModel
import MarqueeTestSupport
import PostgresProcess
import ServerSimulation
import Synchronization

/// A cluster of three real nodes on a real database under faults, with clients that write and read.
///
/// After each fault, all devices must be served again in time. At the end, the journal is compared with the calls, and
/// verified, which finds owners whose writes interleave.
struct ClusterFaultRound {
  /// A fault.
  enum Fault: CaseIterable {
    /// `kill -9` of a node.
    case kill
    /// SIGSTOP of a node for longer than its lease.
    case suspend
    /// SIGSTOP of a node for less than its lease.
    case pause
    /// SIGTERM of a node.
    case shutDown
    /// `pg_terminate_backend` of some sessions of all nodes.
    case endSessions
    /// `kill -9` of PostgreSQL, which is started again.
    case crashDatabase
  }

  private static let names = ["a", "b", "c"]
  /// The time to live of the leases, in seconds.
  private static let lease = 4
  private static let faultCount = 3
  private static let deviceCount = 6
  /// The maximum time from the end of a fault until all devices are served, also on a busy machine.
  private static let recoveryTimeMax = Duration.seconds(40)

  let seed: UInt64
  let database: PostgresProcess
  private let sampler: SharedSampler
  private let history: ClusterFaultHistory
  private let servers: ClusterServers
  private let nodes: [ClusterFaultNode]
  private let clients: [ClusterFaultClient]

  init(seed: UInt64, _ database: PostgresProcess) throws {
    let servers = try ClusterServers(database)
    nodes = Self.names.map { ClusterFaultNode($0, servers.arguments($0, lease: Self.lease)) }
    let history = ClusterFaultHistory()
    clients = try (1...Self.deviceCount).map { number in
      ClusterFaultClient(try DeviceID("phone-\(number)"), Self.names.map(servers.endpoint), history)
    }
    self.database = database
    self.history = history
    self.seed = seed
    self.servers = servers
    sampler = SharedSampler(seed: seed)
  }

  /// The random numbers of all tasks.
  private final class SharedSampler: Sendable {
    let state: Mutex<Sampler>

    init(seed: UInt64) { state = Mutex(Sampler(seed: seed)) }
  }

  private func number(_ range: ClosedRange<Int>) -> Int { sampler.state.withLock { $0.number(in: range) } }

  private func milliseconds(_ range: ClosedRange<Int>) -> Duration { .milliseconds(number(range)) }

  /// Runs the round.
  ///
  /// - Returns: The faults with the times until all devices were served, and the numbers of calls.
  func run() async throws -> String {
    let summary = try await withThrowingTaskGroup { group in
      for node in nodes { group.addTask { try await node.run { milliseconds(0...2_000) } } }
      do {
        let summary = try await disturb()
        for node in nodes { node.end() }
        try await group.waitForAll()
        return summary
      } catch {
        // The group waits for its tasks.
        for node in nodes { node.kill() }
        throw error
      }
    }
    try await verify()
    return summary
  }

  private func disturb() async throws -> String {
    for client in clients { try await client.register() }
    return try await withThrowingTaskGroup { group in
      for client in clients {
        group.addTask { try await repeating { try await client.write() } }
        group.addTask { try await repeating { try await client.read() } }
      }
      var faults: [String] = []
      let chosen = sampler.state.withLock { Fault.allCases.shuffled(using: &$0) }.prefix(Self.faultCount)
      for fault in chosen {
        let start = ContinuousClock.now
        try await inject(fault)
        try await waitUntilServed()
        let span = Double(start.duration(to: .now) / .milliseconds(100)) / 10
        faults.append("\(fault) \((span * 10).rounded() / 10) s")
      }
      group.cancelAll()
      while let result = await group.nextResult() {
        guard case .failure(let error) = result, !(error is CancellationError) else { continue }
        throw error
      }
      try await check()
      return faults.joined(separator: ", ") + "; \(counts)"
    }
  }

  private var counts: String {
    let history = history.state.withLock(\.self)
    let counts = history.counts
    return "\(counts.acknowledged) acknowledged, \(counts.refused) refused, \(counts.unknown) unknown, "
      + "\(history.readCount) reads"
  }

  /// Calls `body` until the task is cancelled.
  private func repeating(_ body: () async throws -> Bool) async throws {
    while !Task.isCancelled {
      _ = try await body()
      try await Task.sleep(for: milliseconds(1...30))
    }
  }

  private func waitUntilServed() async throws {
    let deadline = ContinuousClock.now + Self.recoveryTimeMax
    for client in clients {
      try await client.until(deadline) { try await client.write() }
      try await client.until(deadline) { try await client.read() }
    }
  }

  private func inject(_ fault: Fault) async throws {
    let node = nodes[number(0...nodes.count - 1)]
    switch fault {
    case .kill: node.send(SIGKILL)
    case .suspend:
      node.send(SIGSTOP)
      try await Task.sleep(for: milliseconds(1_000 * (Self.lease + 1)...1_000 * (Self.lease + 4)))
      node.send(SIGCONT)
    case .pause:
      node.send(SIGSTOP)
      try await Task.sleep(for: milliseconds(50...1_000 * (Self.lease - 2)))
      node.send(SIGCONT)
    case .shutDown: node.send(SIGTERM)
    case .endSessions:
      try await servers.server.execute(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name LIKE 'marqueed/%' AND random() < 0.5
        """)
    case .crashDatabase:
      try database.kill()
      try await Task.sleep(for: milliseconds(0...2_000))
      try database.start()
    }
    // Until the others have noticed it, if they must.
    if fault == .kill { try await Task.sleep(for: milliseconds(0...1_000 * Self.lease)) }
  }

  /// Compares the journal with the calls.
  private func check() async throws {
    var violations: [String] = []
    for client in clients {
      let stored = try await client.stored()
      violations += history.state.withLock { $0.violations(client.device, stored) }
        .map { "\($0.kind.rawValue): \($0.text)" }
    }
    guard violations.isEmpty else { throw RequirementFailure(violations.prefix(10).joined(separator: "\n")) }
  }

  /// Verifies the database, after the nodes have ended.
  private func verify() async throws {
    let verified = try await PostgresServer.run(["verify"] + servers.server.options)
    guard verified.exit == .code(0) else { throw RequirementFailure("verify: \(verified.log)") }
  }
}
