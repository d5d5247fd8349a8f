/// An address to listen on or connect to: `tcp:HOST:PORT` or `unix:PATH`.
public enum Endpoint: Hashable, Sendable {
  /// A TCP port of a host name or address. When listening, port 0 lets the system choose a port.
  case tcp(host: String, port: Int)
  /// A Unix domain socket path.
  case unix(path: String)

  /// The maximum length of a Unix socket path, in bytes.
  public static let pathSizeMax = 107

  /// Parses `tcp:HOST:PORT`, `tcp:[V6-ADDRESS]:PORT` or `unix:PATH`.
  public init(_ text: String) throws(EndpointError) {
    if let path = text.withoutPrefix("unix:") {
      guard !path.isEmpty else { throw EndpointError("the path after 'unix:' is empty") }
      guard path.utf8.count <= Self.pathSizeMax else {
        throw EndpointError("the path after 'unix:' has \(path.utf8.count) bytes (maximum: \(Self.pathSizeMax))")
      }
      guard !path.utf8.contains(0) else { throw EndpointError("the path after 'unix:' contains NUL") }
      self = .unix(path: String(path))
    } else if let rest = text.withoutPrefix("tcp:") {
      guard let colon = rest.lastIndex(of: ":") else { throw EndpointError("'tcp:HOST:PORT' has no port") }
      var host = rest[..<colon]
      if host.first == "[", host.last == "]" {
        host = host.dropFirst().dropLast()
      } else if host.contains(":") {
        throw EndpointError("an IPv6 address must be in brackets, as in 'tcp:[::1]:7000'")
      }
      guard !host.isEmpty else { throw EndpointError("the host of 'tcp:HOST:PORT' is empty") }
      let digits = rest[rest.index(after: colon)...]
      guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits), port <= 65_535 else {
        throw EndpointError("the port of 'tcp:HOST:PORT' is not a number from 0 to 65535")
      }
      self = .tcp(host: String(host), port: port)
    } else {
      throw EndpointError("an endpoint must begin with 'tcp:' or 'unix:'")
    }
  }

  /// Whether the endpoint is a TCP port.
  public var isTCP: Bool {
    if case .tcp = self { true } else { false }
  }

  /// Whether traffic to the endpoint stays on this machine: a Unix socket or a loopback address.
  public var isLocal: Bool {
    guard case .tcp(let host, _) = self else { return true }
    return host == "localhost" || host == "::1"
      || (host.hasPrefix("127.") && host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") })
  }

  /// Compares byte by byte: canonically equivalent Unicode paths name different files.
  public static func == (left: Endpoint, right: Endpoint) -> Bool {
    switch (left, right) {
    case (.tcp(let host, let port), .tcp(let other, let otherPort)):
      port == otherPort && host.utf8.elementsEqual(other.utf8)
    case (.unix(let path), .unix(let other)): path.utf8.elementsEqual(other.utf8)
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    for byte in description.utf8 { hasher.combine(byte) }
  }
}

extension Endpoint: CustomStringConvertible {
  /// The text from which this endpoint can be parsed.
  public var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }
}

/// The reason why an endpoint is invalid or cannot be listened on.
public struct EndpointError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A description of the problem, for people.
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
