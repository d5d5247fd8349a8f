/// The content types of the calls that are served on a connection, for the responses to requests in another form.
struct CallForms: Hashable {
  /// Whether calls of the Connect protocol are served.
  var servesConnect = true
  /// Whether calls of gRPC-Web are served.
  var servesGRPCWeb = false
  /// Whether calls of gRPC, which need HTTP/2, are served.
  var servesGRPC = false

  private static let grpcWebTypes = [
    "application/grpc-web", "application/grpc-web+proto", "application/grpc-web-text",
    "application/grpc-web-text+proto",
  ]
  private static let grpcTypes = ["application/grpc", "application/grpc+proto"]
  /// Content types of other requests that a response names, besides those of calls.
  private static let otherTypes = ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"]
  private static let known = Set(ConnectFormat.all.map(\.contentType) + grpcWebTypes + grpcTypes + otherTypes)

  /// The content types of all calls.
  private var types: [String] {
    (servesConnect ? ConnectFormat.all.map(\.contentType) : []) + (servesGRPCWeb ? Self.grpcWebTypes : [])
      + (servesGRPC ? Self.grpcTypes : [])
  }

  /// The sentence with the content types to send: those of Connect, or of gRPC without it.
  private var advice: String {
    guard servesConnect else { return "Send the content type application/grpc or application/grpc-web." }
    return "Send the content type application/json or application/proto to a method with one response, and "
      + "application/connect+json or application/connect+proto to a method that streams its responses."
  }

  /// Returns the response to a request whose method is not `POST`, with sentences that say how to call a method.
  ///
  /// - Parameter isHead: Whether only the head is sent.
  func wrongMethod(isHead: Bool) -> HTTPResponse {
    var response = Self.response(405, HTTPHead.Field("allow", "POST"), "Methods are called with POST. \(advice)")
    response.omitsBody = isHead
    return response
  }

  /// Returns the response to a request with a content type that calls of its method do not have, with sentences that
  /// name those to send. Of the request, it only names content types that are known.
  ///
  /// - Parameter received: The values of the request's field `content-type`, if known.
  func wrongContentType(_ received: [String]? = nil) -> HTTPResponse {
    let field = HTTPHead.Field("accept-post", types.joined(separator: ", "))
    let seen = received.map { " \(Self.description(of: $0))" } ?? ""
    return Self.response(415, field, "\(advice)\(seen)")
  }

  private static func response(_ status: Int, _ field: HTTPHead.Field, _ text: String) -> HTTPResponse {
    let type = HTTPHead.Field("content-type", "text/plain; charset=utf-8")
    return HTTPResponse(status, [field, type], body: Array("\(text)\n".utf8))
  }

  private static func description(of received: [String]) -> String {
    guard let text = received.first else { return "The request has no content type." }
    let type = HTTPHead.Field.trimmed(text.prefix { $0 != ";" }).lowercased()
    guard received.count == 1, known.contains(type) else { return "That of the request is not supported." }
    return "The request has \(type)."
  }
}
