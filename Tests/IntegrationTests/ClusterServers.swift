import Foundation
import MarqueeClient
import MarqueeCluster
import MarqueeJournal
import MarqueeModel
import MarqueePostgres
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import PostgresProcess

/// The real `marqueed` as the nodes of a cluster on one database.
struct ClusterServers {
  /// A node, and a connection to it.
  struct Node: Sendable {
    let name: String
    let daemon: Daemon
    let connection: RPCClient
  }

  static let shardCount = 64
  /// The time to live of the leases, in seconds: the default, which a node keeps on a busy machine.
  static let lease = 6

  /// The database, the keys, and the directory of all nodes.
  let server: PostgresServer

  init(_ database: PostgresProcess? = nil) throws {
    try self.init(info: (database ?? PostgresProcess.shared()).database())
  }

  init(info: String) throws { server = try PostgresServer(info: info) }

  /// The path of a node's socket.
  func socket(_ name: String) -> String { server.directory.file("\(name).sock") }

  /// The endpoint of a node.
  func endpoint(_ name: String) -> Endpoint { .unix(path: socket(name)) }

  /// Returns the arguments of a node.
  ///
  /// - Parameters:
  ///   - folder: The name of the node's data directory and socket.
  ///   - name: The name of the node.
  ///   - lease: The time to live of its lease, in seconds.
  ///   - address: The address at which other nodes call it; `nil` for its own.
  ///   - advertised: The address that clients are redirected to; `nil` to have their calls passed on.
  ///   - info: The connection info of the node; `nil` for that of all.
  func arguments(
    _ folder: String, name: String? = nil, lease: Int = lease, shardCount: Int = shardCount,
    address: Endpoint? = nil, advertised: Endpoint? = nil, info: String? = nil
  ) -> [String] {
    (advertised.map { ["--cluster-advertise", "\($0)"] } ?? []) + [
      "--data-dir", server.directory.file(folder), "--listen", "\(endpoint(folder))", "--cluster-node", name ?? folder,
      "--cluster-address", "\(address ?? endpoint(folder))", "--cluster-lease", "\(lease)", "--cluster-shard-count",
      "\(shardCount)",
    ] + server.options(info)
  }

  /// Runs `body` with nodes that own the shards that rendezvous hashing assigns to them.
  ///
  /// - Parameters:
  ///   - names: The names of the nodes.
  ///   - redirecting: Whether clients are redirected.
  ///   - options: Further arguments of a node.
  ///   - body: The function.
  func run<Value>(
    _ names: [String], redirecting: Bool = false, options: (String) -> [String] = { _ in [] },
    _ body: ([Node]) async throws -> Value
  ) async throws -> Value {
    var nodes: [Node] = []
    do {
      for name in names {
        let daemon = try Daemon(arguments(name, advertised: redirecting ? endpoint(name) : nil) + options(name))
        nodes.append(Node(name: name, daemon: daemon, connection: RPCClient(endpoint(name))))
        _ = try await daemon.listening()
      }
      try await waitUntilBalanced(names.count)
      let value = try await body(nodes)
      for node in nodes { try await node.daemon.kill() }
      return value
    } catch {
      for node in nodes { node.daemon.send(signal: SIGKILL) }
      throw error
    }
  }

  /// Returns the shards of each node by its name.
  func shards() async throws -> [String: Set<ShardID>] {
    let rows = try await rows("SELECT node.name, shard.id FROM node JOIN shard ON shard.node = node.id")
    var shards: [String: Set<ShardID>] = [:]
    for row in 0..<rows.count {
      shards[try rows.text(row, 0), default: []].insert(ShardID(Int(try rows.integer(row, 1))))
    }
    return shards
  }

  /// Waits until each of a number of nodes owns its shards, and none is to be moved.
  func waitUntilBalanced(_ count: Int) async throws {
    while true {
      let rows = try await rows("SELECT node FROM shard WHERE node IS NOT NULL AND next IS NULL ORDER BY id")
      let owners = try (0..<rows.count).map { NodeID(try rows.integer($0, 0)) }
      let assignment = Assignment(owners)
      guard owners.count == Self.shardCount, assignment.nodes.count == count else { continue }
      if owners.indices.allSatisfy({ assignment.node(of: ShardID($0)) == owners[$0] }) { return }
    }
  }

  /// Returns the process of the database that serves the connection with which a node renews its lease.
  func keeperProcess() async throws -> pid_t {
    let rows = try await rows(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '%/keeper'")
    return pid_t(try rows.integer(0, 0))
  }

  private func rows(_ statement: String) async throws -> PostgresRows {
    let connection = try PostgresConnection(PostgresSettings(server.info))
    let rows = try await connection.read([PostgresCall(statement)])[0]
    await connection.close()
    return rows
  }

  /// Calls `body` with the connections of nodes in turn, until one of them has the device.
  ///
  /// - Returns: The result, and the name of the node.
  @discardableResult
  static func find<Value>(
    _ nodes: [Node], _ body: (RPCClient) async throws -> Value
  ) async throws -> (value: Value, node: String) {
    while true {
      for node in nodes {
        do {
          return (try await body(node.connection), node.name)
        } catch let status as RPCStatus where status.code == .unavailable {
          try Task.checkCancellation()
        }
      }
    }
  }
}
