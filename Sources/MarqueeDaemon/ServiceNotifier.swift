import Foundation
import MarqueeServer
import ServiceLifecycle

/// A service that notifies systemd when the server is listening and when it is stopping (sd_notify(3)).
struct ServiceNotifier: Service {
  private let server: MarqueeServer
  private let path: String

  /// Creates a notifier for the socket in `NOTIFY_SOCKET`; returns `nil` if the variable is not set.
  init?(_ server: MarqueeServer, environment: [String: String]) {
    guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@") else { return nil }
    self.server = server
    self.path = path
  }

  func run() async throws {
    guard await server.listening() != nil else { return }
    send("READY=1")
    try? await gracefulShutdown()  // Cancellation throws, and stops the server too.
    send("STOPPING=1")
  }

  /// Sends a datagram. Failures are ignored, since notifications are optional.
  private func send(_ state: String) {
    let socket = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return }
    defer { close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    // An abstract socket address begins with NUL, which the variable represents as @.
    let name = path.hasPrefix("@") ? [0] + path.utf8.dropFirst() : Array(path.utf8)
    guard name.count < capacity else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let size = MemoryLayout<sockaddr_un>.size - capacity + name.count
    withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = sendto(socket, state, state.utf8.count, CInt(MSG_NOSIGNAL), address, socklen_t(size))
      }
    }
  }
}
