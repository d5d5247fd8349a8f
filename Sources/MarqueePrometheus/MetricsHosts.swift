import Hummingbird

/// A middleware that rejects requests with an unexpected `Host`.
///
/// This protects against DNS rebinding, in which a web page's script reads the endpoint under the page's own host name.
struct MetricsHosts: RouterMiddleware {
  typealias Context = MetricsContext

  /// The allowed hosts in lower case.
  private let names: [String]

  /// Creates a middleware that allows the listening address, the loopback names, and `others`.
  init(_ host: String, others: [String]) {
    let own = host.contains(":") ? "[\(host)]" : host
    names = (["localhost", "127.0.0.1", "[::1]", own] + others).map { $0.lowercased() }
  }

  func handle(
    _ request: Request, context: MetricsContext,
    next: (Request, MetricsContext) async throws -> Response
  ) async throws -> Response {
    // The authority is the first `Host` field; any further one remains in the headers.
    guard let host = request.head.authority, !request.headers.contains(where: { $0.name.canonicalName == "host" })
    else {
      return Self.rejection(.badRequest, "the request must have exactly one Host header")
    }
    guard accepts(host[...], port: context.port) else {
      return Self.rejection(.misdirectedRequest, "unknown Host (metrics-host)")
    }
    return try await next(request, context)
  }

  /// Returns the host and port of a target such as `http://localhost/metrics`; `nil` if the target is only a path.
  static func authority(of target: String) -> Substring? {
    guard !target.utf8.starts(with: "/".utf8), let colon = target.firstRange(of: "://") else { return nil }
    return target[colon.upperBound...].prefix { !"/?#".contains($0) }
  }

  /// Returns whether a host is allowed, with or without the listening port.
  func accepts(_ host: Substring, port: Int?) -> Bool {
    let host = host.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    return names.contains { name in
      host.elementsEqual(name.utf8) || port.map { host.elementsEqual("\(name):\($0)".utf8) } ?? false
    }
  }

  private static func rejection(_ status: HTTPResponse.Status, _ reason: String) -> Response {
    Response(
      status: status, headers: [.contentType: "text/plain; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: "\(reason)\n")))
  }
}

/// The context of a metrics request.
struct MetricsContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The local port of the connection.
  let port: Int?

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    port = source.channel.localAddress?.port
  }
}
