import Foundation
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import PostgresProcess
import ServerSimulation
import Synchronization

/// A cluster of three real nodes on a real database under faults, with clients that write and read.
///
/// After each fault, all devices must be served again in time. At the end, the journal is compared with the calls, and
/// verified, which finds owners whose writes interleave.
struct ClusterFaultRound {
  private static let names = ["a", "b", "c"]
  static let leaseSeconds = 4
  private static let faultCount = 3
  private static let deviceCount = 6
  /// The maximum time from the end of a fault until all devices are served, also on a busy machine.
  private static let recoveryTimeMax = Duration.seconds(40)

  let seed: UInt64
  let faults: [ClusterFault]
  let database: ClusterFaultDatabase
  let network: ClusterFaultNetwork
  let servers: ClusterServers
  let nodes: [ClusterFaultNode]
  /// The numbers of pauses, which depend on time, too.
  private let sampler: SharedSampler
  private let history: ClusterFaultHistory
  private let clients: [ClusterFaultClient]
  /// The faults that have been injected.
  private let injected = InjectedFaults()

  /// Creates a round, whose faults are derived from a seed.
  ///
  /// - Parameter kinds: The faults from which to choose.
  init(seed: UInt64, of kinds: [ClusterFault]) throws {
    var sampler = Sampler(seed: seed)
    faults = Array(kinds.shuffled(using: &sampler).prefix(Self.faultCount))
    let database = try ClusterFaultDatabase(isSmall: faults.contains(.fillDisk))
    let servers = try ClusterServers(info: database.info)
    let network = try ClusterFaultNetwork(database, Self.names.map(servers.socket))
    nodes = Self.names.enumerated().map { number, name in
      let address = Endpoint.unix(path: "\(network.nodes[number].path)/\(name).sock")
      let info = network.info(number)
      return ClusterFaultNode(
        name, servers.arguments(name, lease: Self.leaseSeconds, address: address, info: info))
    }
    let history = ClusterFaultHistory()
    clients = try (1...Self.deviceCount).map { number in
      ClusterFaultClient(try DeviceID("phone-\(number)"), Self.names.map(servers.endpoint), history)
    }
    self.database = database
    self.history = history
    self.network = network
    self.seed = seed
    self.servers = servers
    self.sampler = SharedSampler(seed: sampler.next())
  }

  /// The faults of a round so far, with the times until all devices were served.
  private final class InjectedFaults: Sendable {
    let texts = Mutex<[String]>([])
  }

  /// The random numbers of all tasks.
  private final class SharedSampler: Sendable {
    let state: Mutex<Sampler>

    init(seed: UInt64) { state = Mutex(Sampler(seed: seed)) }
  }

  private func milliseconds(_ range: ClosedRange<Int>) -> Duration {
    .milliseconds(sampler.state.withLock { $0.number(in: range) })
  }

  /// The faults that have been injected, with the times until all devices were served.
  var summary: String { injected.texts.withLock { $0.joined(separator: "; ") } }

  /// Runs the round, and removes all that it has started.
  ///
  /// - Returns: The numbers of calls.
  func run() async throws -> String {
    defer {
      network.close()
      database.remove()
    }
    let counts = try await withThrowingTaskGroup { group in
      for node in nodes { group.addTask { try await node.run { milliseconds(0...2_000) } } }
      do {
        let counts = try await disturb()
        for node in nodes { node.end() }
        try await group.waitForAll()
        return counts
      } catch {
        // The group waits for its tasks.
        for node in nodes { node.kill() }
        throw error
      }
    }
    try await verify()
    return counts
  }

  private func disturb() async throws -> String {
    for client in clients { try await client.register() }
    return try await withThrowingTaskGroup { group in
      for client in clients {
        group.addTask { try await repeating { try await client.write() } }
        group.addTask { try await repeating { try await client.read() } }
      }
      var sampler = Sampler(seed: seed)
      for fault in faults {
        injected.texts.withLock { $0.append("\(fault)") }
        let drawn = try await inject(fault, &sampler)
        let start = ContinuousClock.now
        injected.texts.withLock { $0[$0.count - 1] = "\(fault) (\(drawn))" }
        try await waitUntilServed()
        let tenths = Int(start.duration(to: .now) / .milliseconds(100))
        injected.texts.withLock { $0[$0.count - 1] += ", served after \(tenths / 10).\(tenths % 10) s" }
      }
      group.cancelAll()
      while let result = await group.nextResult() {
        guard case .failure(let error) = result, !(error is CancellationError) else { continue }
        throw error
      }
      try await check()
      return counts
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
    let verified = try await PostgresServer.run(["verify"] + servers.server.options(database.info))
    guard verified.exit == .code(0) else { throw RequirementFailure("verify: \(verified.log)") }
  }
}
