import ArgumentParser
import GRPCNIOTransportHTTP2Posix

/// An endpoint of a peer: `tcp:127.0.0.1:PORT` or `unix:PATH`.
enum Endpoint: ExpressibleByArgument, CustomStringConvertible {
  case tcp(host: String, port: Int)
  case unix(path: String)

  init?(argument: String) {
    let parts = argument.split(separator: ":", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    switch parts[0] {
    case "tcp":
      let address = parts[1].split(separator: ":")
      guard address.count == 2, let port = Int(address[1]) else { return nil }
      self = .tcp(host: String(address[0]), port: port)
    case "unix":
      self = .unix(path: String(parts[1]))
    default:
      return nil
    }
  }

  /// The endpoint that a transport has bound.
  init?(_ address: SocketAddress) {
    if let bound = address.ipv4 {
      self = .tcp(host: bound.host, port: bound.port)
    } else if let bound = address.unixDomainSocket {
      self = .unix(path: bound.path)
    } else {
      return nil
    }
  }

  var description: String {
    switch self {
    case .tcp(let host, let port): "tcp:\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }

  /// The address that a server binds.
  var address: SocketAddress {
    switch self {
    case .tcp(let host, let port): .ipv4(host: host, port: port)
    case .unix(let path): .unixDomainSocket(path: path)
    }
  }

  /// The target that a client connects to.
  var target: any ResolvableTarget {
    switch self {
    case .tcp(let host, let port): .ipv4(address: host, port: port)
    case .unix(let path): .unixDomainSocket(path: path)
    }
  }
}
