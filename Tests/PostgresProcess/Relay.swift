import Foundation
import Glibc
import MarqueeTestSupport
import Synchronization

/// A Unix socket that forwards connections to another one, as an unreliable network does: it delays or holds bytes of
/// one direction or of both, drops what tests choose, closes connections, and stops them within a commit of PostgreSQL.
///
/// Bytes that are held are not lost, as TCP repeats packets, until the connection is closed, as after its timeouts.
package final class Relay: Sendable {
  /// A direction of bytes.
  package enum Direction: CaseIterable, Sendable {
    case toServer
    case toClient
  }

  /// A place in the commit of a lane's batch at which a connection is stopped.
  package enum CommitPoint: CaseIterable, Sendable {
    /// The statements were sent, and the commit was not.
    case beforeCommit
    /// The commit was sent, and the end of the round trip, without which the server sends no reply, was not.
    case beforeSync
    /// Everything was sent, and the reply is held.
    case beforeReply
  }

  private let directory: TemporaryDirectory
  private let listener: CInt
  private let flow: RelayFlow

  /// Creates a relay to a Unix socket.
  ///
  /// - Parameters:
  ///   - path: The path of the socket. That of the relay has the same name in another directory.
  ///   - isDatabase: Whether it is PostgreSQL's.
  package init(to path: String, isDatabase: Bool = false) throws {
    directory = try TemporaryDirectory()
    flow = RelayFlow(to: path, isDatabase: isDatabase)
    listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    let own = directory.file(URL(filePath: path).lastPathComponent)
    guard UnixSocket.call(own, { bind(listener, $0, $1) }), listen(listener, 64) == 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
    Thread.detachNewThread { [flow, listener] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { break }
        flow.connect(client)
      }
      Glibc.close(listener)
    }
  }

  /// Creates a relay to the PostgreSQL server whose socket is in a directory.
  package convenience init(to directory: String) throws {
    try self.init(to: PostgresProcess.socket(in: directory), isDatabase: true)
  }

  deinit { shutdown(listener, CInt(SHUT_RDWR)) }

  /// The number of times at which the server replied to something.
  package var tripCount: Int { flow.read(\.tripCount) }

  /// The directory of the relay's socket.
  package var path: String { directory.path }

  /// Returns a connection info with the relay in place of the server.
  package func info(_ info: String) -> String {
    info.replacing(URL(filePath: flow.read(\.target)).deletingLastPathComponent().path, with: directory.path)
  }

  /// Drops what a client sends next, and closes its connection.
  package func dropRequests() { flow.change { $0.dropped.insert(.toServer) } }

  /// Drops the replies to what a client sends next, and closes its connection.
  package func dropReplies() { flow.change { $0.dropped.insert(.toClient) } }

  /// Delays each part of the bytes of some directions.
  package func delay(_ directions: Set<Direction>, by time: Duration) {
    flow.change { state in for direction in directions { state.delays[direction] = time } }
  }

  /// Holds the bytes of some directions.
  package func hold(_ directions: Set<Direction>) { flow.change { $0.held.formUnion(directions) } }

  /// Stops the next connection that reaches a place in a commit, until ``release()``.
  package func stop(_ point: CommitPoint) { flow.change { $0.commitPoint = point } }

  /// Whether a connection has been stopped within a commit.
  package var hasStopped: Bool { flow.read { $0.stopped != nil } }

  /// Stops no connection within a commit any more.
  package func disarm() { flow.change { $0.commitPoint = nil } }

  /// Ends all delays and holds, also of a connection that has been stopped within a commit.
  package func release() { flow.change { $0.release() } }

  /// Closes the connection that has been stopped within a commit.
  package func closeStopped() { flow.closeStopped() }

  /// Closes all connections.
  package func close() { flow.close() }

  /// Forwards later connections to another socket.
  package func redirect(to path: String) { flow.change { $0.target = path } }
}
