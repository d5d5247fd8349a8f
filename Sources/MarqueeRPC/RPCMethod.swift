/// How many messages go each way.
public enum CallKind: Hashable, Sendable {
  /// One request, one response.
  case unary
  /// Any number of requests, one response.
  case clientStreaming
  /// One request, any number of responses.
  case serverStreaming
  /// Any number each way, in any order.
  case bidirectional
}

/// One method of a service: its name, its kind and what its messages are.
public struct RPCMethod<Request: Sendable, Response: Sendable>: Sendable {
  /// `package.Service/Method`, at most ``RPCLimits/methodSizeMax`` bytes.
  public let path: String
  /// How many messages go each way.
  public let kind: CallKind
  /// How requests are read and written.
  public let request: MessageCodec<Request>
  /// How responses are read and written.
  public let response: MessageCodec<Response>
  /// Largest request, in bytes; a larger one ends its call with `RESOURCE_EXHAUSTED`.
  public let requestSizeMax: Int
  /// Largest response, in bytes; a larger one ends its call with `RESOURCE_EXHAUSTED`.
  public let responseSizeMax: Int

  /// A method; the two sizes are held below the connection's own limit as well.
  public init(
    path: String, kind: CallKind, request: MessageCodec<Request>, response: MessageCodec<Response>,
    requestSizeMax: Int = 1 << 20, responseSizeMax: Int = 4 << 20
  ) {
    precondition(
      (3...RPCLimits.methodSizeMax).contains(path.utf8.count), "a method's path has \(path.utf8.count) bytes")
    self.path = path
    self.kind = kind
    self.request = request
    self.response = response
    self.requestSizeMax = requestSizeMax
    self.responseSizeMax = responseSizeMax
  }
}
