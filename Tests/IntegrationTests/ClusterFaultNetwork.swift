import MarqueeTransport
import PostgresProcess

/// The network of a cluster under faults: relays between each node and the servers of the database, and between each
/// node and the others, which call it through its relay.
///
/// Relays in this process delay, hold and close what real networks do, need no privileges, and are on every machine.
/// Timeouts of the system's TCP are not among that: a relay closes a connection in their place.
struct ClusterFaultNetwork: Sendable {
  /// The relays to the servers of the database, by node and by place.
  let database: [[Relay]]
  /// The relays to the nodes.
  let nodes: [Relay]

  init(_ database: ClusterFaultDatabase, _ nodeSockets: [String]) throws {
    self.database = try nodeSockets.map { _ in try database.sockets.map { try Relay(to: $0, isDatabase: true) } }
    nodes = try nodeSockets.map { try Relay(to: $0) }
  }

  private var all: [Relay] { database.flatMap(\.self) + nodes }

  /// Returns the connection info of a node.
  func info(_ node: Int) -> String { ClusterFaultDatabase.info(database[node].map(\.path)) }

  /// Adapts the relays to servers that have been replaced.
  func update(_ database: ClusterFaultDatabase) {
    for relays in self.database {
      for (relay, socket) in zip(relays, database.sockets) { relay.redirect(to: socket) }
    }
  }

  /// Ends all faults of the network.
  func release() { for relay in all { relay.release() } }

  /// Ends all connections.
  func close() { for relay in all { relay.close() } }
}
