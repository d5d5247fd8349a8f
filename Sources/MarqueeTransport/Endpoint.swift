/// Where a server listens or a client connects: `tcp:HOST:PORT` or `unix:PATH`.
public enum Endpoint: Hashable, Sendable {
  /// A TCP port of a host's name or address. Port 0 lets the system choose when listening.
  case tcp(host: String, port: Int)
  /// A Unix domain socket at a path.
  case unix(path: String)

  /// Longest path of a Unix socket, in bytes.
  public static let pathSizeMax = 107

  /// Reads `tcp:HOST:PORT`, `tcp:[V6-ADDRESS]:PORT` or `unix:PATH`.
  public init(_ text: String) throws(EndpointError) {
    if let path = text.withoutPrefix("unix:") {
      guard !path.isEmpty else { throw EndpointError("the path after 'unix:' is empty") }
      guard path.utf8.count <= Self.pathSizeMax else {
        throw EndpointError("the path after 'unix:' has \(path.utf8.count) bytes, at most \(Self.pathSizeMax)")
      }
      guard !path.utf8.contains(0) else { throw EndpointError("the path after 'unix:' has a NUL") }
      self = .unix(path: String(path))
    } else if let rest = text.withoutPrefix("tcp:") {
      guard let colon = rest.lastIndex(of: ":") else { throw EndpointError("'tcp:HOST:PORT' has no port") }
      var host = rest[..<colon]
      if host.first == "[", host.last == "]" {
        host = host.dropFirst().dropLast()
      } else if host.contains(":") {
        throw EndpointError("an IPv6 address stands in brackets, as in 'tcp:[::1]:7000'")
      }
      guard !host.isEmpty else { throw EndpointError("the host of 'tcp:HOST:PORT' is empty") }
      let digits = rest[rest.index(after: colon)...]
      guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits), port <= 65_535 else {
        throw EndpointError("the port of 'tcp:HOST:PORT' is not a number from 0 to 65535")
      }
      self = .tcp(host: String(host), port: port)
    } else {
      throw EndpointError("an endpoint begins with 'tcp:' or 'unix:'")
    }
  }

  /// Whether it is a TCP port.
  public var isTCP: Bool {
    if case .tcp = self { true } else { false }
  }

  /// Whether what goes there stays on this machine: a Unix socket, or a loopback address.
  public var isLocal: Bool {
    guard case .tcp(let host, _) = self else { return true }
    return host == "localhost" || host == "::1"
      || (host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." })
  }
}

extension Endpoint: CustomStringConvertible {
  /// The text that reads as this endpoint.
  public var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }
}

/// Why an endpoint cannot be read or listened on.
public struct EndpointError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, for people.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}

extension String {
  fileprivate func withoutPrefix(_ prefix: String) -> Substring? {
    hasPrefix(prefix) ? dropFirst(prefix.count) : nil
  }
}
