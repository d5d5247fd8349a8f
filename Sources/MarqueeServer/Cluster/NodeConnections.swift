import MarqueeTransport
import Synchronization

/// The connections of a node to the other nodes of its cluster, which are opened when calls need them.
final class NodeConnections: Sendable {
  /// The maximum number of calls on a connection, below the number that nodes accept by default.
  private static let callCountMax = 90

  private struct Connection {
    let client: RPCClient
    var callCount = 1
  }

  private let connections = Mutex<[Endpoint: [Connection]]>([:])
  private let configuration: @Sendable (Endpoint) throws -> ClientConfiguration

  /// Creates an empty set of connections.
  ///
  /// - Parameter configuration: Returns the configuration of a connection, with the credentials of this node.
  init(_ configuration: @escaping @Sendable (Endpoint) throws -> ClientConfiguration) {
    self.configuration = configuration
  }

  /// Performs a call on a connection to a node that has room for it.
  func withConnection<Value>(to endpoint: Endpoint, _ body: (RPCClient) async throws -> Value) async throws -> Value {
    let client = try beginCall(to: endpoint)
    defer { endCall(to: endpoint, client) }
    return try await body(client)
  }

  private func beginCall(to endpoint: Endpoint) throws -> RPCClient {
    try connections.withLock { connections in
      if let index = connections[endpoint]?.firstIndex(where: { $0.callCount < Self.callCountMax }) {
        connections[endpoint]?[index].callCount += 1
        return connections[endpoint]![index].client
      }
      var configuration = try configuration(endpoint)
      configuration.followsRedirects = false
      // A node that has restarted is found again soon, and one that has failed is noticed before its lease ends.
      configuration.backoff.last = .seconds(1)
      configuration.connectTimeMax = .seconds(1)
      configuration.limits.silenceBusyMax = .seconds(2)
      configuration.limits.pingTimeMax = .seconds(2)
      // A client that does not read keeps the credit of its stream only.
      configuration.limits.connectionCredit = Self.callCountMax * configuration.limits.streamCredit
      let client = RPCClient(endpoint, configuration: configuration)
      connections[endpoint, default: []].append(Connection(client: client))
      return client
    }
  }

  /// Closes a connection without calls unless it is the only one.
  private func endCall(to endpoint: Endpoint, _ client: RPCClient) {
    connections.withLock { connections in
      guard let index = connections[endpoint]?.firstIndex(where: { $0.client === client }) else { return }
      connections[endpoint]?[index].callCount -= 1
      if index > 0, connections[endpoint]?[index].callCount == 0 { connections[endpoint]?.remove(at: index) }
    }
  }
}
