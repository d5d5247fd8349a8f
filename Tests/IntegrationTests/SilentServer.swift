import Glibc
import MarqueeTestSupport

/// A socket that accepts connections and never sends.
final class SilentServer: Sendable {
  /// The error if the socket cannot be created.
  struct NoSocket: Error {
    let code: Int32
  }

  /// The endpoint, in the syntax of `--server`.
  var endpoint: String { "unix:\(directory.file("socket"))" }
  private let directory: TemporaryDirectory
  private let socket: CInt

  init() throws {
    directory = try TemporaryDirectory()
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array(directory.file("socket").utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let (socket, size) = (socket, socklen_t(MemoryLayout<sockaddr_un>.size))
    let isBound = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) == 0 }
    }
    guard isBound, listen(socket, 8) == 0 else { throw NoSocket(code: errno) }
  }

  deinit { close(socket) }
}
