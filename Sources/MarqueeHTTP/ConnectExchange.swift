import MarqueeRPC
import MarqueeSchema

/// A call in the Connect protocol in any version of HTTP: the parts of its request and response that are not complete.
public struct ConnectExchange: Sendable {
  /// The form of the messages.
  public let format: ConnectFormat
  /// The relation of the request to the pages that may call the server.
  public let relation: Origins.Relation
  private let origins: Origins

  /// The request's body, until it is complete.
  public var body: ConnectBody?
  /// The handler's metadata, sent with the head.
  public var header = Metadata()
  /// The response of a unary call, until its status is known.
  public var response: [UInt8]?
  /// The HTTP status of an error, if it differs from that of the status code.
  public var errorStatus: Int?

  /// Creates the exchange of a request that has no body yet.
  public init(_ format: ConnectFormat, _ relation: Origins.Relation, _ origins: Origins) {
    self.format = format
    self.relation = relation
    self.origins = origins
  }

  // MARK: The request

  /// Waits for the body of a call that is accepted.
  ///
  /// - Parameter messageSizeMax: The maximum size of the encoded request.
  public mutating func beginBody(messageSizeMax: Int) {
    body = ConnectBody(format, messageSizeMax: messageSizeMax)
  }

  /// Checks the size that the head of the request announces.
  ///
  /// - Throws: The status of a body over its limit.
  public mutating func checkLength(_ head: HTTPHead) throws(RPCStatus) {
    guard let body, let text = head.value(of: "content-length"), (Int(text) ?? .max) > body.bodySizeMax else {
      return
    }
    errorStatus = 413
    throw body.tooLarge
  }

  /// Appends received bytes to the body.
  ///
  /// - Throws: The status of an invalid body, whose rest cannot be used.
  public mutating func append(_ chunk: UnsafeRawBufferPointer) throws(RPCStatus) {
    do throws(RPCStatus) {
      try body?.append(chunk)
    } catch {
      if error == body?.tooLarge { errorStatus = 413 }
      throw error
    }
  }

  // MARK: The response

  /// The fields of a stream's response, whose status is 200 even if the call fails.
  public var streamFields: [HTTPHead.Field] {
    let metadata = ConnectResponse.fields(header)
    let names = (format.isGRPCWeb ? ["grpc-status", "grpc-message"] : []) + metadata.map(\.name)
    return [format.contentTypeField] + origins.fields(for: relation, exposing: names) + metadata
  }

  /// Returns a message of a stream in its envelope.
  public func envelope(_ message: [UInt8]) -> [UInt8] { envelope(OutboundMessage(message)) }

  /// Returns the message that ends a stream with `status`, in its envelope.
  public func lastMessage(_ status: RPCStatus) -> [UInt8] {
    envelope(OutboundMessage(ending: status, isGRPCWeb: format.isGRPCWeb))
  }

  private func envelope(_ message: OutboundMessage) -> [UInt8] {
    let envelope = ConnectResponse.envelope(message.bytes, flag: message.flag)
    guard format.isText else { return envelope }
    // Padded, so that a client can decode each message when it arrives.
    var text: [UInt8] = []
    Base64.append(envelope[...], to: &text)
    return text
  }

  /// Returns the response of a unary call that ends with `status`.
  public func unaryResponse(_ status: RPCStatus) -> HTTPResponse {
    var answer = HTTPResponse(200, [format.contentTypeField], body: response ?? [])
    if status.code != .ok {
      answer = ConnectResponse.failure(status)
      if let errorStatus { answer.status = errorStatus }
    }
    let metadata = ConnectResponse.fields(header) + ConnectResponse.fields(status.metadata, prefix: "trailer-")
    answer.fields += metadata + origins.fields(for: relation, exposing: metadata.map(\.name))
    return answer
  }
}

extension ConnectRequest.Rejection {
  /// Returns the complete response to a request that no handler will see.
  ///
  /// - Parameters:
  ///   - relation: The relation of the request to the pages that may call the server.
  ///   - origins: The origins of the server.
  public func response(_ relation: Origins.Relation, _ origins: Origins) -> HTTPResponse {
    switch self {
    case .http(var response):
      response.fields += origins.fields(for: relation)
      return response
    case .status(let status, let format):
      let exchange = ConnectExchange(format, relation, origins)
      guard format.isStream else { return exchange.unaryResponse(status) }
      return HTTPResponse(200, exchange.streamFields, body: exchange.lastMessage(status))
    }
  }
}
