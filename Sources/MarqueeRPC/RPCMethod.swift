/// The streaming kind of a method.
public enum CallKind: Hashable, Sendable {
  /// One request, one response.
  case unary
  /// Any number of requests, one response.
  case clientStreaming
  /// One request, any number of responses.
  case serverStreaming
  /// Any number of requests and responses, in any order.
  case bidirectional
}

/// A method of a service: its path, its kind, and its message types.
public struct RPCMethod<Request: Sendable, Response: Sendable>: Sendable {
  /// The path, `package.Service/Method`, of at most ``RPCLimits/methodSizeMax`` bytes.
  public let path: String
  /// The streaming kind.
  public let kind: CallKind
  /// The codec of requests.
  public let request: MessageCodec<Request>
  /// The codec of responses.
  public let response: MessageCodec<Response>
  /// The maximum size of a request, in bytes; a larger one ends its call with `RESOURCE_EXHAUSTED`.
  public let requestSizeMax: Int
  /// The maximum size of a response, in bytes; a larger one ends its call with `RESOURCE_EXHAUSTED`.
  public let responseSizeMax: Int

  /// Creates a method. Both sizes are also limited by the connection's ``RPCLimits/messageSizeMax``.
  public init(
    path: String, kind: CallKind, request: MessageCodec<Request>, response: MessageCodec<Response>,
    requestSizeMax: Int = 1 << 20, responseSizeMax: Int = 4 << 20
  ) {
    precondition(
      (3...RPCLimits.methodSizeMax).contains(path.utf8.count),
      "method path of \(path.utf8.count) bytes is not in 3...\(RPCLimits.methodSizeMax) bytes")
    self.path = path
    self.kind = kind
    self.request = request
    self.response = response
    self.requestSizeMax = requestSizeMax
    self.responseSizeMax = responseSizeMax
  }
}
