import Foundation
import MarqueeTestSupport
import Synchronization

/// A Unix socket that forwards connections to a server, counts their round trips, and drops what tests choose.
final class Relay: Sendable {
  private struct State {
    var tripCount = 0
    var dropsRequests = false
    var dropsReplies = false
  }

  /// What the thread shares, which must not keep the relay.
  private final class Flow: Sendable {
    let target: String
    let state = Mutex(State())

    init(to target: String) { self.target = target }
  }

  private let directory: TemporaryDirectory
  private let listener: CInt
  private let flow: Flow

  /// Creates a relay to the server whose socket is in a directory.
  init(to directory: String) throws {
    self.directory = try TemporaryDirectory()
    flow = Flow(to: directory)
    listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    let path = self.directory.path
    guard Self.call(path, { bind(listener, $0, $1) }), listen(listener, 8) == 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
    Thread.detachNewThread { [flow, listener] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { break }
        Thread.detachNewThread { Self.forward(client, flow) }
      }
      close(listener)
    }
  }

  deinit { shutdown(listener, CInt(SHUT_RDWR)) }

  /// The number of times at which the server replied to something.
  var tripCount: Int { flow.state.withLock(\.tripCount) }

  /// Returns a connection info with the relay in place of the server.
  func info(_ info: String) -> String { info.replacing(flow.target, with: directory.path) }

  /// Drops what a client sends next, and closes its connection.
  func dropRequests() { flow.state.withLock { $0.dropsRequests = true } }

  /// Drops the replies to what a client sends next, and closes its connection.
  func dropReplies() { flow.state.withLock { $0.dropsReplies = true } }

  private static func forward(_ client: CInt, _ flow: Flow) {
    let server = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    defer {
      close(client)
      close(server)
    }
    guard call(flow.target, { connect(server, $0, $1) }) else { return }
    var descriptors = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    var hasSent = false
    while poll(&descriptors, 2, -1) > 0 {
      let isReply = descriptors[0].revents == 0
      let count = read(isReply ? server : client, &bytes, bytes.count)
      guard count > 0 else { return }
      let isDropped = flow.state.withLock { state in
        if isReply, hasSent { state.tripCount += 1 }
        defer { if isReply { state.dropsReplies = false } else { state.dropsRequests = false } }
        return isReply ? state.dropsReplies : state.dropsRequests
      }
      hasSent = !isReply
      guard !isDropped else { return }
      var sent = 0
      while sent < count {
        let written = bytes.withUnsafeBytes {
          // Without a signal if the server has ended the session.
          send(isReply ? client : server, $0.baseAddress.map { $0 + sent }, count - sent, CInt(MSG_NOSIGNAL))
        }
        guard written > 0 else { return }
        sent += written
      }
    }
  }

  /// Calls a function with the address of PostgreSQL's socket in a directory.
  private static func call(
    _ directory: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "\(directory)/.s.PGSQL.5432".utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    } == 0
  }
}
