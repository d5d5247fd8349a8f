import NIOHTTP1

/// The hosts that requests of metrics may name.
///
/// This protects against DNS rebinding, in which a web page's script reads the endpoint under the page's own host name.
struct MetricsHosts: Sendable {
  /// The allowed hosts in lower case.
  private let names: [String]

  /// Allows the listening address, the loopback names, and `others`.
  init(_ host: String, others: [String]) {
    let own = host.contains(":") ? "[\(host)]" : host
    names = (["localhost", "127.0.0.1", "[::1]", own] + others).map { $0.lowercased() }
  }

  /// Returns the response to a request that does not name an allowed host; `nil` for any other.
  ///
  /// The host of an absolute-form target takes precedence over the field (RFC 9112, section 3.2.2), which must be
  /// allowed all the same.
  ///
  /// - Parameters:
  ///   - head: The request.
  ///   - port: The local port of the connection.
  func rejection(of head: HTTPRequestHead, port: Int?) -> MetricsResponse? {
    let hosts = head.headers["host"]
    guard hosts.count == 1 else {
      return MetricsResponse(.badRequest, "the request must have exactly one Host header\n")
    }
    let named = [hosts[0][...], Self.authority(of: head.uri)].compactMap(\.self)
    guard named.allSatisfy({ accepts($0, port: port) }) else {
      return MetricsResponse(.misdirectedRequest, "unknown Host (metrics-host)\n")
    }
    return nil
  }

  /// Returns the host and port of a target such as `http://localhost/metrics`; `nil` if the target is only a path.
  private static func authority(of target: String) -> Substring? {
    guard !target.utf8.starts(with: "/".utf8), let colon = target.firstRange(of: "://") else { return nil }
    return target[colon.upperBound...].prefix { !"/?#".contains($0) }
  }

  /// Returns whether a host is allowed, with or without the listening port.
  private func accepts(_ host: Substring, port: Int?) -> Bool {
    let host = host.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    return names.contains { name in
      host.elementsEqual(name.utf8) || port.map { host.elementsEqual("\(name):\($0)".utf8) } ?? false
    }
  }
}
