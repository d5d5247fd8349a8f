import NIOHTTP1

/// A response of the metrics endpoint.
struct MetricsResponse: Sendable {
  let status: HTTPResponseStatus
  let type: String
  let body: String

  /// Creates a response in plain text.
  init(_ status: HTTPResponseStatus, _ text: String) {
    self.init(status, type: "text/plain; charset=utf-8", text)
  }

  private init(_ status: HTTPResponseStatus, type: String, _ body: String) {
    self.status = status
    self.type = type
    self.body = body
  }

  /// Creates a response with metrics in version 0.0.4 of the text format.
  static func metrics(_ text: String) -> MetricsResponse {
    MetricsResponse(.ok, type: "text/plain; version=0.0.4; charset=utf-8", text)
  }

  /// Returns the response to a request with an allowed host; `nil` for one that reads the metrics.
  static func rejection(of head: HTTPRequestHead) -> MetricsResponse? {
    guard path(of: head.uri) == ["metrics"] else { return MetricsResponse(.notFound, "not found\n") }
    return head.method == .GET ? nil : MetricsResponse(.methodNotAllowed, "method not allowed\n")
  }

  /// Returns the components of a target's path, without a host and a query.
  private static func path(of target: String) -> [Substring] {
    var path = target.prefix { $0 != "?" && $0 != "#" }
    if !path.utf8.starts(with: "/".utf8), let colon = path.firstRange(of: "://") {
      path = path[colon.upperBound...].drop { $0 != "/" }
    }
    return path.split(separator: "/")
  }

  /// Returns the head of the response.
  ///
  /// - Parameter closes: Whether the connection is closed after the response.
  func head(closes: Bool) -> HTTPResponseHead {
    var fields: HTTPHeaders = ["Content-Type": type, "Content-Length": "\(body.utf8.count)"]
    if status == .methodNotAllowed { fields.add(name: "Allow", value: "GET") }
    if closes { fields.add(name: "Connection", value: "close") }
    return HTTPResponseHead(version: .http1_1, status: status, headers: fields)
  }
}
