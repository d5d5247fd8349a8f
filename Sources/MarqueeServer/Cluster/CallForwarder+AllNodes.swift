import MarqueeCluster
import MarqueeRPC
import MarqueeRuntime
import MarqueeTransport
import Synchronization

/// Calls at all nodes of a cluster.
extension CallForwarder {
  /// The time between two comparisons of the nodes with those whose streams are followed.
  private static let nodeCheckPeriod = Duration.milliseconds(250)

  /// Calls a method of all other nodes, also those that no longer serve shards, or no longer renew their leases.
  ///
  /// - Returns: The responses, in no particular order.
  /// - Throws: The status of a node that cannot be reached: the responses would be incomplete.
  func allOthers<Q: Sendable, S: Sendable>(
    _ method: RPCMethod<Q, S>, _ request: Q, _ call: CallContext
  ) async throws -> [S] {
    try await onEach(state.others.union(state.owners.values)) { owner, endpoint in
      try await self.remotely(owner, endpoint, call) { connection, options in
        try await connection.unary(method, request, options: options)
      }
    }
  }

  /// Calls a method about a device at all other nodes, also those that do not have the device.
  ///
  /// - Returns: The response of the node that has it; `nil` if none of them had it.
  /// - Throws: The status of a node that cannot be reached.
  func allOthersAboutDevice<Q: Sendable, S: Sendable>(
    _ method: RPCMethod<Q, S>, _ request: Q, _ call: CallContext
  ) async throws -> S? {
    let responses: [S?] = try await onEach(state.others) { owner, endpoint in
      do {
        return try await self.remotely(owner, endpoint, call) { connection, options in
          try await connection.unary(method, request, options: options)
        }
      } catch let status as RPCStatus where status.metadata[RPCStatus.movedKey] != nil {
        return nil
      }
    }
    return responses.compactMap(\.self).first
  }

  /// Follows the streams of all other nodes until one of them ends, or the nodes change.
  ///
  /// - Parameters:
  ///   - started: Called when each node has sent a first message.
  ///   - receive: Called with the later messages, of several nodes at the same time.
  /// - Throws: The status with which the stream of this node is to end, because it would be incomplete.
  func followAllOthers<Q: Sendable, S: Sendable>(
    _ method: RPCMethod<Q, S>, _ request: Q, _ call: CallContext, _ started: @escaping @Sendable () -> Void,
    _ receive: @escaping @Sendable (S) -> Void
  ) async throws {
    let others = state.others
    let starts = Countdown(others.count)
    if others.isEmpty { started() }
    @Sendable func follow(_ responses: MessageStream<S>) async throws {
      var responses = responses.makeAsyncIterator()
      if try await responses.next() != nil {
        if starts.isLast() { started() }
        while let response = try await responses.next() { receive(response) }
      }
      throw RPCStatus(.unavailable, "another server of the cluster has ended its stream")
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        while self.state.others == others { try await Task.sleep(for: Self.nodeCheckPeriod) }
        throw RPCStatus(.unavailable, "the servers of the cluster have changed")
      }
      if !others.isEmpty {
        group.addTask {
          try await self.begun {
            _ = try await self.onEach(others) { owner, endpoint in
              try await self.remotely(owner, endpoint, call) { connection, options in
                try await follow(connection.serverStreaming(method, request, options: options).responses)
              }
            }
          }
        }
      }
      try await group.next()
    }
  }

  /// Calls `body` with each of some nodes at the same time.
  private func onEach<Value: Sendable>(
    _ nodes: Set<NodeRecord>, _ body: @escaping @Sendable (NodeRecord, Endpoint) async throws -> Value
  ) async throws -> [Value] {
    try await withThrowingTaskGroup { group in
      for node in nodes {
        group.addTask {
          guard let endpoint = node.endpoint else {
            throw RPCStatus(.unavailable, "the server \(node.name) has no address (setting cluster.address)")
          }
          return try await body(node, endpoint)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }
}

/// Counts events of several tasks.
private final class Countdown: Sendable {
  private let count: Mutex<Int>

  init(_ count: Int) { self.count = Mutex(count) }

  /// Counts an event, and returns whether it is the last one.
  func isLast() -> Bool {
    count.withLock { count in
      count -= 1
      return count == 0
    }
  }
}
