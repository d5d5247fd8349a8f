/// A server's memory budgets, per peer and in total, in addition to the limit per connection.
final class PeerBudgets: Sendable {
  private let peers: ByteBudgetTable<PeerKey>
  private let server: ByteBudget

  private init(_ peers: ByteBudgetTable<PeerKey>, _ server: ByteBudget) {
    self.peers = peers
    self.server = server
  }

  /// Returns the budgets for incomplete messages.
  static func assembly(_ configuration: ServerConfiguration) -> PeerBudgets {
    let content = "incomplete messages"
    return PeerBudgets(
      ByteBudgetTable(limit: "peer-assembly-size-max", of: content, sizeMax: configuration.peerAssemblySizeMax),
      ByteBudget(limit: "server-assembly-size-max", of: content, sizeMax: configuration.serverAssemblySizeMax))
  }

  /// Returns the budgets for unsent messages.
  static func backlog(_ configuration: ServerConfiguration) -> PeerBudgets {
    let content = "unsent messages"
    return PeerBudgets(
      ByteBudgetTable(limit: "peer-backlog-size-max", of: content, sizeMax: configuration.peerBacklogSizeMax),
      ByteBudget(limit: "server-backlog-size-max", of: content, sizeMax: configuration.serverBacklogSizeMax))
  }

  /// The bytes in use: the maximum over all peers, and the total.
  var sizes: (ofOnePeer: Int, all: Int) { (peers.fullestSize, server.size) }

  /// Returns the reservation for a connection from the peer.
  func reservation(for peer: Peer) -> ByteReservation {
    ByteReservation([peers[peer.budgetKey], server])
  }
}

/// The key of the connections that share a budget.
enum PeerKey: Hashable {
  /// A local user.
  case user(UInt32)
  /// The names in a client certificate.
  case certificate([String])
  /// The network of an address, as for the connection limit.
  case network(PeerOrigin)
  /// An address that the system no longer knows.
  case unknown
}

extension Peer {
  /// The key of the peer's budget: its local user, its certificate, or its network.
  var budgetKey: PeerKey {
    if let credentials { return .user(credentials.userID) }
    if !certificateNames.isEmpty { return .certificate(certificateNames) }
    return origin.map { .network($0.network) } ?? .unknown
  }
}
