import Glibc
import NIOCore

/// Sockets that listened before the process began, as systemd hands them over (sd_listen_fds(3)).
///
/// A server that is to listen at the address of one takes it instead of a socket of its own: it can then be started by
/// the first call, restarted without refusing any, and listen where it may not open sockets.
public struct InheritedSockets: Sendable {
  private static let firstDescriptor: CInt = 3

  private var sockets: [(descriptor: CInt, address: SocketAddress)] = []

  /// No sockets.
  public init() {}

  /// Those that the environment's `LISTEN_PID` and `LISTEN_FDS` tell of; none when they tell of none, or are another
  /// process's. Programs that this process starts do not inherit them.
  ///
  /// Throws ``EndpointError`` when one is no stream socket that listens.
  public init(environment: [String: String]) throws(EndpointError) {
    guard environment["LISTEN_PID"] == "\(getpid())" else { return }
    guard let count = environment["LISTEN_FDS"].flatMap(CInt.init), (1...1_024).contains(count) else {
      throw EndpointError("LISTEN_FDS is no number of sockets")
    }
    for descriptor in Self.firstDescriptor..<Self.firstDescriptor + count {
      guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0,
        Self.option(SO_ACCEPTCONN, of: descriptor) == 1,
        Self.option(SO_TYPE, of: descriptor) == CInt(SOCK_STREAM.rawValue),
        let address = Self.address(of: descriptor)
      else {
        throw EndpointError("descriptor \(descriptor) is no stream socket that listens")
      }
      sockets.append((descriptor, address))
    }
  }

  /// Whether there are none, or no more.
  public var isEmpty: Bool { sockets.isEmpty }

  /// The endpoints that are left.
  var endpoints: [Endpoint] { sockets.compactMap { Endpoint(bound: $0.address) } }

  /// Takes out the descriptor of the socket that listens there; `nil` when none does.
  mutating func take(_ endpoint: Endpoint) throws -> CInt? {
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
  /// Where a socket is bound.
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
