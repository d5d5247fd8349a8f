/// The checks of the requests of one connection before they are calls: of their host and origin, and of preflight
/// requests.
public struct OriginCheck: Hashable, Sendable {
  /// The body of the response to a request that names another host.
  static let unknownHost = Array(
    "The server does not accept the host of this address. Use another address, or add the host to its setting hosts.\n"
      .utf8)

  /// The hosts and origins of the server.
  public let origins: Origins
  private let address: String?
  private let isEncrypted: Bool

  /// Creates the checks of a connection.
  ///
  /// - Parameters:
  ///   - origins: The hosts and origins of the server.
  ///   - address: The address that the connection is bound to; `nil` for a Unix socket.
  ///   - isEncrypted: Whether the connection is encrypted.
  public init(_ origins: Origins = Origins(), boundTo address: String? = nil, isEncrypted: Bool = false) {
    self.origins = origins
    self.address = address
    self.isEncrypted = isEncrypted
  }

  /// Returns the relation of a request to the pages that may call the server.
  public func relation(of head: HTTPHead) -> Origins.Relation {
    origins.relation(of: head, isEncrypted: isEncrypted)
  }

  /// Returns the response to a request that is refused whatever it asks for, or that is a preflight request; `nil` for
  /// any other, which may be a call.
  public func response(to head: HTTPHead, _ relation: Origins.Relation) -> HTTPResponse? {
    if let status = problem(of: head, relation) {
      var response = HTTPResponse(status, origins.fields(for: relation))
      if status == 421 {
        // The browser of a user who opens a link that names another host shows it.
        response.fields.append(HTTPHead.Field("content-type", "text/plain; charset=utf-8"))
        response.body = Self.unknownHost
        response.omitsBody = head.method == "HEAD"
      }
      return response
    }
    guard head.method == "OPTIONS", head.has("origin") else { return nil }
    guard let fields = origins.preflightFields(head, relation) else {
      return HTTPResponse(403, origins.fields(for: relation))
    }
    return HTTPResponse(204, fields)
  }

  private func problem(of head: HTTPHead, _ relation: Origins.Relation) -> Int? {
    guard let authority = head.authority else { return 400 }
    guard origins.allowsHost(authority, boundTo: address) else { return 421 }
    guard relation != .foreign else { return 403 }
    guard head.values(of: "expect").allSatisfy({ $0.lowercased() == "100-continue" }) else { return 417 }
    return nil
  }
}
