import MarqueeRPC
import Synchronization

/// Admits connections up to the server's limits, evicting unauthenticated ones if necessary.
///
/// A connection is unauthenticated until its peer is known: as the server's owner, by a certificate, or by an
/// authorized call. If a limit (the total, or that of an address) is reached, the oldest unauthenticated connection is
/// closed in favor of the new one. Some connections are reserved, so that operators can connect however many others
/// are open.
final class ConnectionAdmission: Sendable {
  struct Limits {
    var count: Int
    var ofOneAddress: Int
    /// The part of ``count`` that unauthenticated connections leave free while others can be evicted; half of it is
    /// reserved for the server's owner.
    var reserved: Int
  }

  enum Outcome {
    /// The connection was admitted; the other one, if any, must be closed in its place.
    case admitted(insteadOf: ServerConnection?)
    case rejected(RPCStatus)
  }

  private struct Network {
    var count = 0
    var unauthenticated = InsertionOrderedSet<ServerConnection>()
  }

  private struct State {
    var limits: Limits
    var isClosed = false
    /// All open connections, including evicted ones that are still closing.
    var connections: [ObjectIdentifier: ServerConnection] = [:]
    var evicted: Set<ObjectIdentifier> = []
    var unauthenticated = InsertionOrderedSet<ServerConnection>()
    var networks: [PeerOrigin: Network] = [:]
    var waitingForEnd: [CheckedContinuation<Void, Never>] = []

    var count: Int { connections.count - evicted.count }
  }

  private let state: Mutex<State>

  init(_ limits: Limits) {
    state = Mutex(State(limits: limits))
  }

  /// The open connections.
  var connections: [ServerConnection] { state.withLock { Array($0.connections.values) } }

  /// The number of open connections, and the maximum per address.
  var counts: (open: Int, ofOneAddress: Int) {
    state.withLock { ($0.count, $0.networks.values.reduce(0) { max($0, $1.count) }) }
  }

  /// Replaces the limits.
  func set(_ limits: Limits) {
    state.withLock { $0.limits = limits }
  }

  /// Admits a connection, or returns the reason for its rejection.
  func admit(_ connection: ServerConnection) -> Outcome {
    state.withLock { state in
      if state.isClosed { return .rejected(RPCStatus(.unavailable, "the server is shutting down")) }
      let (limits, isOwner) = (state.limits, connection.origin == .owner)
      var evicted: ServerConnection?
      if !isOwner, let network = connection.origin.flatMap({ state.networks[$0.network] }),
        network.count >= limits.ofOneAddress
      {
        evicted = network.unauthenticated.first
        guard evicted != nil else { return .rejected(Self.tooManyOfOne(limits)) }
      }
      if evicted == nil, state.count >= (isOwner ? limits.count : limits.count - limits.reserved) {
        evicted = state.unauthenticated.first
        // If all others are authenticated, a new connection may use half of the reserve to authenticate.
        let most = isOwner ? limits.count : limits.count - (limits.reserved + 1) / 2
        guard evicted != nil || state.count < most else { return .rejected(Self.tooMany(limits)) }
      }
      if let evicted { Self.evict(evicted, &state) }
      Self.add(connection, &state)
      return .admitted(insteadOf: evicted)
    }
  }

  /// Marks a connection as authenticated.
  func authenticate(_ connection: ServerConnection) {
    state.withLock { Self.removeUnauthenticated(connection, &$0) }
  }

  /// Removes a closed connection, and resumes ``waitForEnd()`` after the last one.
  func remove(_ connection: ServerConnection) {
    let waiting = state.withLock { state in
      guard state.connections[ObjectIdentifier(connection)] != nil else { return [CheckedContinuation<Void, Never>]() }
      if !state.evicted.contains(ObjectIdentifier(connection)) { Self.release(connection, &state) }
      state.evicted.remove(ObjectIdentifier(connection))
      state.connections[ObjectIdentifier(connection)] = nil
      guard state.connections.isEmpty else { return [] }
      defer { state.waitingForEnd = [] }
      return state.waitingForEnd
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Stops admitting connections, and returns the open ones.
  func close() -> [ServerConnection] {
    state.withLock { state in
      state.isClosed = true
      return Array(state.connections.values)
    }
  }

  /// Waits until no connection is open.
  func waitForEnd() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if !state.connections.isEmpty { state.waitingForEnd.append(continuation) }
        return state.connections.isEmpty
      }
      if isOver { continuation.resume() }
    }
  }

  // MARK: Under the lock

  private static func add(_ connection: ServerConnection, _ state: inout State) {
    state.connections[ObjectIdentifier(connection)] = connection
    guard connection.origin != .owner else { return }
    state.unauthenticated.append(connection)
    guard let network = connection.origin?.network else { return }
    state.networks[network, default: Network()].count += 1
    state.networks[network]?.unauthenticated.append(connection)
  }

  private static func evict(_ connection: ServerConnection, _ state: inout State) {
    release(connection, &state)
    state.evicted.insert(ObjectIdentifier(connection))
  }

  private static func release(_ connection: ServerConnection, _ state: inout State) {
    removeUnauthenticated(connection, &state)
    guard connection.origin != .owner, let network = connection.origin?.network else { return }
    state.networks[network]?.count -= 1
    if state.networks[network]?.count == 0 { state.networks[network] = nil }
  }

  private static func removeUnauthenticated(_ connection: ServerConnection, _ state: inout State) {
    guard state.unauthenticated.remove(connection), let network = connection.origin?.network else { return }
    state.networks[network]?.unauthenticated.remove(connection)
  }

  private static func tooMany(_ limits: Limits) -> RPCStatus {
    let reserve = "reserved-connection-count: \(limits.reserved)"
    return RPCStatus(.resourceExhausted, "too many connections (connection-count-max: \(limits.count), \(reserve))")
  }

  private static func tooManyOfOne(_ limits: Limits) -> RPCStatus {
    let message = "too many connections from one address (address-connection-count-max: \(limits.ofOneAddress))"
    return RPCStatus(.resourceExhausted, message)
  }
}
