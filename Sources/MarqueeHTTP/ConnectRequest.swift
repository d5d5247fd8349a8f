import MarqueeRPC

/// A call as the head of its request describes it in the Connect protocol, or in gRPC-Web over HTTP/1.1.
public struct ConnectRequest: Sendable {
  /// The method path without the leading slash.
  public let method: String
  /// The form of the messages.
  public let format: ConnectFormat
  /// The time until the deadline; `nil` without one.
  public let timeout: Duration?
  /// The call's metadata, validated.
  public let metadata: Metadata

  /// The response to a request that is not a call, or whose head is invalid.
  public enum Rejection: Error, Hashable, Sendable {
    /// A response of HTTP: 405 for methods other than POST, 415 for other content types.
    case http(HTTPResponse)
    /// A status in the form of the call.
    case status(RPCStatus, ConnectFormat)

    /// The code with which the request counts as rejected.
    public var code: StatusCode {
      switch self {
      case .http: .invalidArgument
      case .status(let status, _): status.code
      }
    }
  }

  /// The maximum number of digits of a timeout.
  private static let timeoutDigitCountMax = 10

  /// Interprets the head of a request.
  ///
  /// - Parameters:
  ///   - head: The head.
  ///   - forms: The forms of calls that are served.
  /// - Throws: The response to a request that is not a valid call.
  public init(_ head: HTTPHead, _ forms: CallForms = CallForms()) throws(Rejection) {
    guard head.method == "POST" else { throw .http(forms.wrongMethod(head.target, isHead: head.method == "HEAD")) }
    let types = head.values(of: "content-type")
    guard types.count == 1,
      let format = ConnectFormat(contentType: types[0])
        ?? (forms.servesGRPCWeb ? ConnectFormat(grpcWebContentType: types[0]) : nil)
    else { throw .http(forms.wrongContentType(head.target, types)) }
    do throws(RPCStatus) {
      method = try GRPCRequest.method(head.target.utf8)
      try Self.checkVersion(head)
      try Self.checkEncoding(head, format)
      timeout = try format.isGRPCWeb ? Self.grpcTimeout(head) : Self.timeout(head)
      metadata = try Self.metadata(head)
    } catch {
      throw .status(error, format)
    }
    self.format = format
  }

  private static func checkVersion(_ head: HTTPHead) throws(RPCStatus) {
    for version in head.values(of: "connect-protocol-version") where version != "1" {
      throw RPCStatus(.invalidArgument, "connect-protocol-version: must be 1")
    }
  }

  /// Throws if messages may be compressed; no compression is offered.
  private static func checkEncoding(_ head: HTTPHead, _ format: ConnectFormat) throws(RPCStatus) {
    let ofMessages = format.isGRPCWeb ? "grpc-encoding" : "connect-content-encoding"
    for name in format.isStream ? [ofMessages, "content-encoding"] : ["content-encoding"] {
      for encoding in head.values(of: name) where !encoding.isEmpty && encoding.lowercased() != "identity" {
        throw RPCStatus(.unimplemented, "\(name): compression is not supported (accepted: identity)")
      }
    }
  }

  private static func timeout(_ head: HTTPHead) throws(RPCStatus) -> Duration? {
    let values = head.values(of: "connect-timeout-ms")
    guard let text = values.first else { return nil }
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard values.count == 1, (1...timeoutDigitCountMax).contains(text.utf8.count),
      text.utf8.allSatisfy({ digits.contains($0) }), let milliseconds = Int64(text)
    else {
      throw RPCStatus(.invalidArgument, "connect-timeout-ms: must have 1 to \(timeoutDigitCountMax) digits")
    }
    guard milliseconds > 0 else { throw .deadlinePassedOnArrival }
    return .milliseconds(milliseconds)
  }

  private static func grpcTimeout(_ head: HTTPHead) throws(RPCStatus) -> Duration? {
    let values = head.values(of: "grpc-timeout")
    guard let text = values.first else { return nil }
    guard values.count == 1, let timeout = GRPCTimeout.parse(Array(text.utf8)) else {
      throw RPCStatus(.invalidArgument, "grpc-timeout: must have 1 to 8 digits and a unit")
    }
    guard timeout > .zero else { throw .deadlinePassedOnArrival }
    return timeout
  }

  private static func metadata(_ head: HTTPHead) throws(RPCStatus) -> Metadata {
    var fields = HeaderList()
    for field in head.fields where !ReservedField.contains(field.name) {
      guard fields.count < Metadata.pairCountMax else {
        throw RPCStatus(
          .resourceExhausted, "too many metadata pairs (metadata-count-max: \(Metadata.pairCountMax))")
      }
      fields.append(field.name, field.value.utf8)
    }
    return try GRPCRequest.metadata(fields)
  }
}
