import MarqueeRPC

/// The meaning of a request's header list on an HTTP/2 connection.
enum HTTP2Request {
  /// A call in gRPC or gRPC-Web. A page of another origin may have caused the latter.
  case grpc(GRPCCall, Origins.Relation)
  /// A call in the Connect protocol.
  case connect(ConnectRequest, Origins.Relation)
  /// A request that is answered in gRPC or gRPC-Web without a call.
  case rejection(GRPCRejection, Origins.Relation)
  /// A request that is answered without a call, and the code with which it counts as rejected, if it does.
  case response(HTTPResponse, StatusCode?)

  /// Interprets the header list of a request, which nghttp2 has validated.
  init(_ head: RequestHead, _ protocols: HTTP2Protocols) {
    if let variant = head.variant {
      self = protocols.servesGRPC ? Self.grpc(head, variant, protocols.check) : Self.other(head, protocols)
    } else if protocols.servesConnect, Self.isConnect(head) {
      self = Self.connect(HTTPHead(head), protocols)
    } else if protocols.servesGRPC, Self.format(of: head, ConnectFormat.init(grpcWebContentType:)) != nil {
      self = Self.text(head, protocols)
    } else if protocols.servesGRPC || protocols.servesConnect, head.method == .options {
      self = Self.preflight(head, protocols)
    } else {
      self = Self.file(head, protocols) ?? Self.other(head, protocols)
    }
  }

  /// A request for a file; `nil` for any other request.
  private static func file(_ head: RequestHead, _ protocols: HTTP2Protocols) -> HTTP2Request? {
    guard protocols.servesConnect, head.method == .get || head.method == .head else { return nil }
    let head = HTTPHead(head)
    guard let response = protocols.files.response(to: head) else { return nil }
    if let refusal = protocols.check.response(to: head, protocols.check.relation(of: head)) {
      return .response(refusal, .invalidArgument)
    }
    return .response(response, nil)
  }

  private static func grpc(_ head: RequestHead, _ variant: GRPCVariant, _ check: OriginCheck) -> HTTP2Request {
    var relation = Origins.Relation.own
    if variant == .web {
      let head = HTTPHead(head)
      relation = check.relation(of: head)
      if let response = check.response(to: head, relation) { return .response(response, .invalidArgument) }
    }
    switch GRPCRequest(head) {
    case .call(let call): return .grpc(call, relation)
    case .rejection(let rejection): return .rejection(rejection, relation)
    }
  }

  /// Whether the content type is one of the Connect protocol.
  static func isConnect(_ head: RequestHead) -> Bool { format(of: head, ConnectFormat.init(contentType:)) != nil }

  private static func format(of head: RequestHead, _ parse: (String) -> ConnectFormat?) -> ConnectFormat? {
    for index in 0..<head.others.count where head.others[index].name.elementsEqual("content-type".utf8) {
      return parse(String(decoding: head.others[index].value, as: UTF8.self))
    }
    return nil
  }

  /// Interprets a request of gRPC-Web as text. Its timeout is not part of the result.
  private static func text(_ head: RequestHead, _ protocols: HTTP2Protocols) -> HTTP2Request {
    let status = RPCStatus(.unimplemented, "grpc-encoding: compression is not supported (accepted: identity)")
    if head.hasUnknownEncoding, let response = textRejection(status, head, protocols.check) {
      return .response(response, status.code)
    }
    return connect(HTTPHead(head), protocols)
  }

  /// Returns the response with which a request of gRPC-Web as text is rejected; `nil` for another request.
  static func textRejection(_ status: RPCStatus, _ head: RequestHead, _ check: OriginCheck) -> HTTPResponse? {
    guard let format = format(of: head, ConnectFormat.init(grpcWebContentType:)), format.isText else { return nil }
    return ConnectRequest.Rejection.status(status, format).response(check.relation(of: HTTPHead(head)), check.origins)
  }

  private static func connect(_ head: HTTPHead, _ protocols: HTTP2Protocols) -> HTTP2Request {
    let check = protocols.check
    let relation = check.relation(of: head)
    if let response = check.response(to: head, relation) { return .response(response, .invalidArgument) }
    do throws(ConnectRequest.Rejection) {
      return .connect(try ConnectRequest(head, protocols.forms), relation)
    } catch {
      return .response(error.response(relation, check.origins), error.code)
    }
  }

  private static func preflight(_ list: RequestHead, _ protocols: HTTP2Protocols) -> HTTP2Request {
    let (head, check) = (HTTPHead(list), protocols.check)
    guard head.has("origin") else { return other(list, protocols) }
    let response = check.response(to: head, check.relation(of: head)) ?? HTTPResponse(403)
    return .response(response, response.status == 204 ? nil : .invalidArgument)
  }

  /// A request of another method or content type.
  private static func other(_ list: RequestHead, _ protocols: HTTP2Protocols) -> HTTP2Request {
    let head = HTTPHead(list)
    let response =
      list.method == .post
      ? protocols.forms.wrongContentType(head.target, head.values(of: "content-type"))
      : protocols.forms.wrongMethod(head.target, isHead: list.method == .head)
    return .response(response, .invalidArgument)
  }
}
