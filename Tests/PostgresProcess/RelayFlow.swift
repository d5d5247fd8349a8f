import Foundation
import Glibc

/// The connections of a ``Relay``, which its threads share.
///
/// It is `@unchecked Sendable` because its state is only used with the lock of ``condition``.
final class RelayFlow: @unchecked Sendable {
  typealias Direction = Relay.Direction

  struct State {
    /// The path of the server's socket.
    var target: String
    var tripCount = 0
    /// The directions of which the next bytes are dropped.
    var dropped: Set<Direction> = []
    var delays: [Direction: Duration] = [:]
    var held: Set<Direction> = []
    var commitPoint: Relay.CommitPoint?
    /// The connection that was stopped within a commit.
    var stopped: RelayConnection?
    var connections: [RelayConnection] = []

    /// Ends all delays and holds.
    mutating func release() {
      delays = [:]
      held = []
      commitPoint = nil
      stopped?.held = []
      stopped = nil
    }
  }

  /// Signals changes of the state.
  private let condition = NSCondition()
  private var state: State
  private let isDatabase: Bool

  init(to path: String, isDatabase: Bool) {
    self.isDatabase = isDatabase
    state = State(target: path)
  }

  func read<Value>(_ body: (State) -> Value) -> Value {
    condition.withLock { body(state) }
  }

  func change(_ body: (inout State) -> Void) {
    condition.withLock {
      body(&state)
      condition.broadcast()
    }
  }

  /// Connects to the server, and forwards a client's connection in two threads.
  func connect(_ client: CInt) {
    let server = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    let connection = RelayConnection(client: client, server: server)
    guard UnixSocket.call(read(\.target), { Glibc.connect(server, $0, $1) }) else { return }
    change { $0.connections.append(connection) }
    for direction in Direction.allCases {
      Thread.detachNewThread { [self] in
        forward(connection, direction)
        close(connection)
      }
    }
  }

  /// Forwards the bytes of one direction until the connection ends.
  private func forward(_ connection: RelayConnection, _ direction: Direction) {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    var requests = isDatabase && direction == .toServer ? PostgresRequests() : nil
    while true {
      let count = recv(connection.source(direction), &bytes, bytes.count, 0)
      guard count > 0, isForwarded(direction, connection) else {
        // The end of a connection is held like its bytes.
        _ = wait(connection, direction, .other)
        return
      }
      if let time = read({ $0.delays[direction] }) { usleep(UInt32(time / .microseconds(1))) }
      let received = Array(bytes[..<count])
      for part in requests?.append(received) ?? [PostgresRequests.Part(kind: .other, bytes: received)] {
        guard wait(connection, direction, part.kind), connection.send(part.bytes, direction) else { return }
      }
    }
  }

  /// Counts round trips, and returns whether received bytes are forwarded, and not dropped.
  private func isForwarded(_ direction: Direction, _ connection: RelayConnection) -> Bool {
    condition.withLock {
      if direction == .toClient, connection.hasSent { state.tripCount += 1 }
      connection.hasSent = direction == .toServer
      return state.dropped.remove(direction) == nil
    }
  }

  /// Waits while the bytes of a direction are held.
  ///
  /// - Returns: Whether the connection is open.
  private func wait(_ connection: RelayConnection, _ direction: Direction, _ kind: PostgresRequests.Kind) -> Bool {
    condition.withLock {
      stop(connection, before: kind)
      while !connection.isClosed, state.held.contains(direction) || connection.held.contains(direction) {
        condition.wait()
      }
      return !connection.isClosed
    }
  }

  /// Stops a connection that reaches the place in a commit at which one is to be stopped.
  private func stop(_ connection: RelayConnection, before kind: PostgresRequests.Kind) {
    switch (state.commitPoint, kind) {
    case (.beforeCommit, .commit), (.beforeSync, .commitEnd): connection.held = [.toServer, .toClient]
    case (.beforeReply, .commitEnd): connection.held = [.toClient]
    default: return
    }
    state.commitPoint = nil
    state.stopped = connection
    condition.broadcast()
  }

  func closeStopped() {
    condition.withLock {
      state.stopped?.close()
      state.stopped = nil
      condition.broadcast()
    }
  }

  /// Closes all connections.
  func close() {
    condition.withLock {
      for connection in state.connections { connection.close() }
      state.connections = []
      condition.broadcast()
    }
  }

  private func close(_ connection: RelayConnection) {
    condition.withLock {
      connection.close()
      state.connections.removeAll { $0 === connection }
      condition.broadcast()
    }
  }
}

/// A connection of a ``Relay``. All but the descriptors is used with the lock of ``RelayFlow`` only.
final class RelayConnection: @unchecked Sendable {
  private let client: CInt
  private let server: CInt
  var held: Set<Relay.Direction> = []
  /// Whether the client has sent something since the last reply.
  var hasSent = false
  private(set) var isClosed = false

  init(client: CInt, server: CInt) {
    self.client = client
    self.server = server
  }

  deinit {
    Glibc.close(client)
    Glibc.close(server)
  }

  /// Returns the descriptor from which bytes of a direction come.
  func source(_ direction: Relay.Direction) -> CInt { direction == .toServer ? client : server }

  /// Sends all of the bytes.
  ///
  /// - Returns: Whether the connection is open.
  func send(_ bytes: [UInt8], _ direction: Relay.Direction) -> Bool {
    let sink = direction == .toServer ? server : client
    var sent = 0
    while sent < bytes.count {
      let written = bytes.withUnsafeBytes {
        // Without a signal if the other end is closed.
        Glibc.send(sink, $0.baseAddress.map { $0 + sent }, bytes.count - sent, CInt(MSG_NOSIGNAL))
      }
      guard written > 0 else { return false }
      sent += written
    }
    return true
  }

  /// Ends the connection in both directions. Its descriptors are closed with the last reference.
  func close() {
    isClosed = true
    for descriptor in [client, server] { shutdown(descriptor, CInt(SHUT_RDWR)) }
  }
}

/// The addresses of Unix sockets.
enum UnixSocket {
  /// Calls a function with the address of a socket.
  ///
  /// - Returns: Whether it returned 0.
  static func call(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    } == 0
  }
}
