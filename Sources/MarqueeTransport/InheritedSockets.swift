import Glibc
import NIOCore

/// Listening sockets inherited from the service manager (systemd socket activation, `sd_listen_fds(3)`).
///
/// A server uses the inherited socket of an endpoint instead of opening its own. It can then be started by the first
/// connection, restarted without rejecting connections, and listen on privileged ports.
public struct InheritedSockets: Sendable {
  private static let firstDescriptor: CInt = 3

  private var sockets: [(descriptor: CInt, address: SocketAddress)] = []

  /// Creates an empty set.
  public init() {}

  /// Validates the sockets passed in `LISTEN_PID` and `LISTEN_FDS`, and marks them close-on-exec.
  ///
  /// The set is empty if the variables are absent or meant for another process.
  ///
  /// - Throws: ``EndpointError`` if a descriptor is not a listening stream socket.
  public init(environment: [String: String]) throws(EndpointError) {
    guard environment["LISTEN_PID"] == "\(getpid())" else { return }
    guard let count = environment["LISTEN_FDS"].flatMap(CInt.init), (1...1_024).contains(count) else {
      throw EndpointError("LISTEN_FDS is not a number from 1 to 1024")
    }
    for descriptor in Self.firstDescriptor..<Self.firstDescriptor + count {
      guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0,
        Self.option(SO_ACCEPTCONN, of: descriptor) == 1,
        Self.option(SO_TYPE, of: descriptor) == CInt(SOCK_STREAM.rawValue),
        let address = Self.address(of: descriptor)
      else {
        throw EndpointError("inherited file descriptor \(descriptor) is not a listening stream socket")
      }
      sockets.append((descriptor, address))
    }
  }

  /// Whether no sockets are left.
  public var isEmpty: Bool { sockets.isEmpty }

  /// The endpoints of the remaining sockets.
  var endpoints: [Endpoint] { sockets.compactMap { Endpoint(bound: $0.address) } }

  /// Removes and returns the descriptor of the socket bound to the endpoint, or `nil` if there is none.
  mutating func removeDescriptor(for endpoint: Endpoint) throws -> CInt? {
    guard !sockets.isEmpty else { return nil }
    let address =
      switch endpoint {
      case .unix(let path): try SocketAddress(unixDomainSocketPath: path)
      case .tcp(let host, let port): try SocketAddress.makeAddressResolvingHost(host, port: port)
      }
    guard let index = sockets.firstIndex(where: { $0.address == address }) else { return nil }
    return sockets.remove(at: index).descriptor
  }

  private static func option(_ name: CInt, of descriptor: CInt) -> CInt? {
    var value: CInt = 0
    var size = socklen_t(MemoryLayout<CInt>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
  }

  private static func address(of descriptor: CInt) -> SocketAddress? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard getsockname(descriptor, address, &size) == 0 else { return nil }
        switch CInt(address.pointee.sa_family) {
        case AF_INET: return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { SocketAddress($0.pointee) }
        case AF_INET6:
          return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { SocketAddress($0.pointee) }
        case AF_UNIX:
          return address.withMemoryRebound(to: sockaddr_un.self, capacity: 1) { SocketAddress($0.pointee) }
        default: return nil
        }
      }
    }
  }
}

extension Endpoint {
  /// The endpoint of a bound socket address, or `nil` if there is none.
  fileprivate init?(bound address: SocketAddress) {
    if let path = address.pathname, !path.isEmpty {
      self = .unix(path: path)
    } else if let host = address.ipAddress, let port = address.port {
      self = .tcp(host: host, port: port)
    } else {
      return nil
    }
  }
}
