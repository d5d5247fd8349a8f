/// The hosts under which a server is reached, and the origins of pages that may call it.
///
/// A server on a private address is protected from the pages of other sites: from DNS rebinding, in which a page's own
/// host name resolves to the server's address, by the check of the host; and from requests of other origins.
public struct Origins: Hashable, Sendable {
  /// The maximum number of hosts, and of origins.
  public static let countMax = 64
  /// The time for which a browser may cache the response to a preflight request, in seconds.
  private static let preflightAgeMax = 7_200
  /// The request fields that pages of an allowed origin may set.
  private static let allowedFields = [
    "authorization", "connect-protocol-version", "connect-timeout-ms", "content-type", "grpc-timeout", "traceparent",
    "x-grpc-web", "x-user-agent",
  ]

  /// The relation of a request to the pages that may call the server.
  public enum Relation: Hashable, Sendable {
    /// The request names no origin, or the server's own.
    case own
    /// The request is from a page of an allowed origin.
    case allowed(String)
    /// The request is from a page that may not call the server.
    case foreign
  }

  private let hosts: Set<String>
  /// The addresses among the hosts.
  private let addresses: Set<IPAddress>
  private let origins: Set<String>

  /// Creates the rules for a server.
  ///
  /// - Parameters:
  ///   - hosts: The hosts that requests may name, besides loopback names and the bound address.
  ///   - origins: The origins of pages that may call the server, such as `https://example.com`.
  public init(hosts: [String] = [], origins: [String] = []) {
    self.hosts = Set(hosts.map { Self.host(of: $0) ?? $0.lowercased() } + ["localhost", "127.0.0.1", "::1"])
    addresses = Set(self.hosts.compactMap(IPAddress.init))
    self.origins = Set(origins)
  }

  /// Whether a text is an origin as browsers send it: `http` or `https`, a host in lower case, and a port unless it is
  /// that of the scheme.
  public static func isOrigin(_ text: String) -> Bool {
    guard let parts = split(text), text == text.lowercased(), host(of: parts.authority) != nil else { return false }
    let port = hostAndPort(parts.authority)?.port
    return port != "" && port != (parts.isEncrypted ? "443" : "80")
  }

  /// Whether a text is a host without a port: a name, or an address, which is in brackets if it has colons.
  public static func isHost(_ text: String) -> Bool {
    guard let host = host(of: text) else { return false }
    return text.lowercased() == host || text.lowercased() == "[\(host)]"
  }

  // MARK: Requests

  /// Whether a request may name a host.
  ///
  /// Names are compared as a whole, in any case, without a port and a final dot; addresses are compared by value.
  ///
  /// - Parameters:
  ///   - authority: The host that the request names, with or without a port.
  ///   - address: The address that the connection is bound to.
  public func allowsHost(_ authority: String, boundTo address: String?) -> Bool {
    guard let host = Self.host(of: authority) else { return false }
    if hosts.contains(host) { return true }
    guard let named = IPAddress(host) else { return false }
    return addresses.contains(named) || address.flatMap(IPAddress.init) == named
  }

  /// Returns the relation of a request to the pages that may call the server.
  ///
  /// - Parameters:
  ///   - head: The request, whose host is allowed.
  ///   - isEncrypted: Whether the connection is encrypted.
  public func relation(of head: HTTPHead, isEncrypted: Bool) -> Relation {
    let values = head.values(of: "origin")
    guard let origin = values.first else {
      // Without `Origin`, a page of another site may only read and navigate, and it cannot read the response.
      return .own
    }
    guard values.count == 1 else { return .foreign }
    if origins.contains(origin) { return .allowed(origin) }
    guard let parts = Self.split(origin), parts.isEncrypted == isEncrypted, let authority = head.authority,
      let host = Self.host(of: authority), Self.host(of: parts.authority) == host
    else { return .foreign }
    let standard = isEncrypted ? "443" : "80"
    let isOwn = (Self.port(of: parts.authority) ?? standard) == (Self.port(of: authority) ?? standard)
    return isOwn ? .own : .foreign
  }

  /// Returns the response fields with which a browser shows a response to the page that caused the request.
  ///
  /// - Parameters:
  ///   - relation: The relation of the request.
  ///   - names: The names of response fields that the page may read.
  public func fields(for relation: Relation, exposing names: [String] = []) -> [HTTPHead.Field] {
    var fields: [HTTPHead.Field] = []
    if case .allowed(let origin) = relation {
      fields.append(HTTPHead.Field("access-control-allow-origin", origin))
      let list = names.joined(separator: ", ")
      if !names.isEmpty { fields.append(HTTPHead.Field("access-control-expose-headers", list)) }
    }
    if !origins.isEmpty { fields.append(HTTPHead.Field("vary", "Origin")) }
    return fields
  }

  /// Returns the response fields to a preflight request; `nil` if the page may not send the announced request.
  public func preflightFields(_ head: HTTPHead, _ relation: Relation) -> [HTTPHead.Field]? {
    guard case .allowed = relation, head.values(of: "access-control-request-method") == ["POST"] else { return nil }
    let requested = head.values(of: "access-control-request-headers").flatMap { $0.split(separator: ",") }.map {
      HTTPHead.Field.trimmed($0).lowercased()
    }
    guard requested.allSatisfy({ $0.isEmpty || Self.allowedFields.contains($0) }) else { return nil }
    return fields(for: relation) + [
      HTTPHead.Field("access-control-allow-methods", "POST"),
      HTTPHead.Field("access-control-allow-headers", Self.allowedFields.joined(separator: ", ")),
      HTTPHead.Field("access-control-max-age", "\(Self.preflightAgeMax)"),
    ]
  }

  // MARK: Parsing

  /// Returns the scheme and the authority of an origin; `nil` for other texts, such as `null`.
  private static func split(_ origin: String) -> (isEncrypted: Bool, authority: String)? {
    for (scheme, isEncrypted) in [("http://", false), ("https://", true)] where origin.hasPrefix(scheme) {
      return (isEncrypted, String(origin.dropFirst(scheme.count)))
    }
    return nil
  }

  /// Returns the host of an authority in lower case, without brackets, a port and a final dot; `nil` if the text is not
  /// a host with or without a port.
  static func host(of authority: String) -> String? {
    guard let parts = hostAndPort(authority), (parts.port?.utf8.count ?? 0) <= 5 else { return nil }
    return parts.host
  }

  /// Returns the port of an authority; `nil` if it has none.
  private static func port(of authority: String) -> String? {
    guard let port = hostAndPort(authority)?.port, !port.isEmpty else { return nil }
    return port
  }

  private static func hostAndPort(_ authority: String) -> (host: String, port: String?)? {
    let bytes = Array(authority.utf8)
    guard let first = bytes.first, bytes.count <= 255 else { return nil }
    let isAddress = first == UInt8(ascii: "[")
    let end: Int
    if isAddress {
      guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      end = bracket + 1
    } else {
      end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
    }
    var port: String?
    if end < bytes.count {
      let digits = bytes[(end + 1)...]
      guard bytes[end] == UInt8(ascii: ":"),
        digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
      else { return nil }
      port = String(decoding: digits, as: UTF8.self)
    }
    var host = bytes[..<end]
    if isAddress {
      host = host.dropFirst().dropLast()
      guard !host.isEmpty, host.allSatisfy(isInAddress) else { return nil }
    } else {
      if host.last == UInt8(ascii: ".") { host.removeLast() }
      guard !host.isEmpty, host.allSatisfy(isInName) else { return nil }
    }
    return (String(decoding: host, as: UTF8.self).lowercased(), port)
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default:
      false
    }
  }

  private static func isInAddress(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "."):
      true
    default:
      false
    }
  }
}
