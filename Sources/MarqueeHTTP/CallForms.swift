import MarqueeRPC

/// The kinds of a server's methods and the content types of their calls, for the responses to requests in another form.
public struct CallForms: Hashable, Sendable {
  /// The kinds of the methods, by path without the leading slash.
  public var kinds: [String: CallKind]
  /// Whether messages may be JSON.
  public var servesJSON: Bool
  /// Whether calls of the Connect protocol are served.
  public var servesConnect: Bool
  /// Whether calls of gRPC-Web are served.
  public var servesGRPCWeb: Bool
  /// Whether calls of gRPC, which need HTTP/2, are served.
  public var servesGRPC: Bool
  /// The files, whose paths have other methods of HTTP.
  public var files = StaticFiles()

  /// Creates the forms of a server.
  public init(
    _ kinds: [String: CallKind] = [:], servesJSON: Bool = true, servesConnect: Bool = true, servesGRPCWeb: Bool = false,
    servesGRPC: Bool = false
  ) {
    (self.kinds, self.servesJSON, self.servesConnect) = (kinds, servesJSON, servesConnect)
    (self.servesGRPCWeb, self.servesGRPC) = (servesGRPCWeb, servesGRPC)
  }

  /// Content types of other programs that a response names, besides those of calls.
  private static let otherTypes: Set = ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"]
  private static let grpcWebTypes = [
    "application/grpc-web", "application/grpc-web+proto", "application/grpc-web-text",
    "application/grpc-web-text+proto",
  ]
  private static let grpcTypes = ["application/grpc", "application/grpc+proto"]

  /// Returns the content types of Connect for calls of a kind, or for all calls without one.
  private func connectTypes(_ kind: CallKind?) -> [String] {
    guard servesConnect else { return [] }
    return ConnectFormat.all.filter { format in
      guard servesJSON || format.codec != .json else { return false }
      return switch kind {
      case nil: true
      case .unary?: !format.isStream
      case .serverStreaming?: format.isStream
      case .clientStreaming?, .bidirectional?: false
      }
    }.map(\.contentType)
  }

  /// Returns the content types of calls of a kind, or of all calls without one.
  private func types(_ kind: CallKind?) -> [String] {
    let streamsRequests = kind == .clientStreaming || kind == .bidirectional
    // Over HTTP/1.1, a call has one request in any form.
    let servesWeb = servesGRPCWeb && (servesGRPC || !streamsRequests)
    return connectTypes(kind) + (servesWeb ? Self.grpcWebTypes : []) + (servesGRPC ? Self.grpcTypes : [])
  }

  /// Returns the response to a request whose method is not `POST`, with a sentence that says how to call the method, or
  /// how to read the file.
  ///
  /// - Parameters:
  ///   - target: The target of the request.
  ///   - isHead: Whether only the head is sent.
  func wrongMethod(_ target: some StringProtocol, isHead: Bool = false) -> HTTPResponse {
    if let path = files.path(of: target) {
      return Self.response(405, HTTPHead.Field("allow", "GET, HEAD"), "\(path) is a file, which is read with GET.")
    }
    let method = self.method(of: target)
    let start = method.map { "\($0.path) is called with POST" } ?? "Methods are called with POST"
    var response = Self.response(405, HTTPHead.Field("allow", "POST"), "\(start). \(advice(method?.kind))")
    response.omitsBody = isHead
    return response
  }

  /// Returns the response to a request with another content type than calls of the method have, with a sentence that
  /// names them. Of the request, it only names content types that are known.
  ///
  /// - Parameters:
  ///   - target: The target of the request.
  ///   - types: The values of the request's field `content-type`.
  public func wrongContentType(_ target: some StringProtocol, _ types: [String]) -> HTTPResponse {
    let method = self.method(of: target)
    let start = method.map { "\($0.path) \(Self.description(of: $0.kind)). " } ?? ""
    let accepted = self.types(method?.kind)
    let field = accepted.isEmpty ? nil : HTTPHead.Field("accept-post", accepted.joined(separator: ", "))
    return Self.response(415, field, "\(start)\(advice(method?.kind)) \(description(of: types, accepted))")
  }

  private static func response(_ status: Int, _ field: HTTPHead.Field?, _ text: String) -> HTTPResponse {
    let type = HTTPHead.Field("content-type", "text/plain; charset=utf-8")
    return HTTPResponse(status, (field.map { [$0] } ?? []) + [type], body: Array("\(text)\n".utf8))
  }

  private func method(of target: some StringProtocol) -> (path: String, kind: CallKind)? {
    guard target.utf8.count <= RPCLimits.methodSizeMax * 2 else { return nil }
    let path = String(target.drop { $0 == "/" }.prefix { $0 != "?" })
    return kinds[path].map { (path, $0) }
  }

  private static func description(of kind: CallKind) -> String {
    switch kind {
    case .unary: "has one response"
    case .serverStreaming: "streams its responses"
    case .clientStreaming, .bidirectional: "streams requests, which requires gRPC over HTTP/2"
    }
  }

  /// Returns the sentence with the content types to send: those of Connect, or of gRPC where it has none.
  private func advice(_ kind: CallKind?) -> String {
    let connect = Array(connectTypes(kind).reversed())
    let types = connect.isEmpty ? types(kind) : connect
    guard let last = types.last else { return "It is not served over this version of HTTP." }
    let others = types.dropLast().joined(separator: ", ")
    return "Send the content type \(others.isEmpty ? last : "\(others) or \(last)")."
  }

  /// Returns the sentence about the content type of a request, one of the accepted ones only if its parameters are not.
  private func description(of types: [String], _ accepted: [String]) -> String {
    guard let text = types.first else { return "The request has no content type." }
    let type = HTTPHead.Field.trimmed(text.prefix { $0 != ";" }).lowercased()
    let known = types.count == 1 ? Self.known.first { $0 == type } : nil
    guard let known else { return "That of the request is not supported." }
    return "The request has \(known)\(accepted.contains(known) ? " with a parameter that is not supported" : "")."
  }

  private static let known =
    otherTypes.union(grpcWebTypes).union(grpcTypes).union(ConnectFormat.all.map(\.contentType))
}
