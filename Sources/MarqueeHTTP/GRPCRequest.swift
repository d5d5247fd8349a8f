import MarqueeRPC
import MarqueeSchema

/// The meaning of a request's header list.
enum GRPCRequest {
  /// A call of a method.
  case call(GRPCCall)
  /// A request that is answered without a call.
  case rejection(GRPCRejection)
}

/// A call as its header list describes it, without the timeout.
struct GRPCCall {
  /// The method path without the leading slash.
  var method: String
  var metadata: Metadata
  var variant: GRPCVariant
}

/// The form in which messages and the status of a call are sent.
enum GRPCVariant: Hashable {
  /// gRPC over HTTP/2: the status is in the trailers.
  case grpc
  /// gRPC-Web: the status is the last message of the body.
  case web

  /// The content type of responses.
  var contentType: String {
    switch self {
    case .grpc: "application/grpc"
    case .web: "application/grpc-web+proto"
    }
  }

  /// Creates the variant of a content type, in any case and with any parameters; `nil` for any other type.
  init?(contentType: some Collection<UInt8>) {
    let type = contentType.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09 }
    switch String(decoding: type, as: UTF8.self).lowercased() {
    case "application/grpc", "application/grpc+proto": self = .grpc
    case "application/grpc-web", "application/grpc-web+proto": self = .web
    default: return nil
    }
  }
}

/// The response to a request that is not a call, or whose header list is invalid.
enum GRPCRejection: Equatable {
  /// An HTTP status without a body: 405 or 415.
  case http(Int)
  /// A gRPC status, in the form of the variant.
  case status(RPCStatus, GRPCVariant)
}

extension GRPCRequest {
  /// Interprets the header list of a request, which nghttp2 has validated.
  init(_ head: RequestHead) {
    guard head.method == .post else {
      self = .rejection(.http(405))
      return
    }
    guard let variant = head.variant else {
      self = .rejection(.http(415))
      return
    }
    do throws(RPCStatus) {
      self = .call(try Self.call(head, variant))
    } catch {
      self = .rejection(.status(error, variant))
    }
  }

  private static func call(_ head: RequestHead, _ variant: GRPCVariant) throws(RPCStatus) -> GRPCCall {
    if head.hasUnknownEncoding {
      var status = RPCStatus(.unimplemented, "compression is not supported (grpc-accept-encoding: identity)")
      status.metadata.append("grpc-accept-encoding", "identity")
      throw status
    }
    if head.metadata.count > Metadata.pairCountMax {
      throw RPCStatus(
        .resourceExhausted,
        "too many metadata pairs: \(head.metadata.count) (metadata-count-max: \(Metadata.pairCountMax))")
    }
    return GRPCCall(method: try method(head.path), metadata: try metadata(head.metadata), variant: variant)
  }

  /// Returns the method path without the leading slash.
  ///
  /// - Throws: ``RPCStatus/unknownMethod(_:)`` for a path that no method can have.
  static func method(_ path: some Collection<UInt8>) throws(RPCStatus) -> String {
    let name = path.dropFirst()
    guard path.first == UInt8(ascii: "/"), (3...RPCLimits.methodSizeMax).contains(name.count),
      name.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw .unknownMethod(name) }
    return String(decoding: name, as: UTF8.self)
  }

  /// Converts header fields to metadata. Fields that no gRPC client sends are dropped.
  static func metadata(_ fields: HeaderList) throws(RPCStatus) -> Metadata {
    var metadata = Metadata()
    for index in 0..<fields.count {
      let (name, value) = fields[index]
      guard name.allSatisfy(Metadata.mayBeInKey) else { continue }
      let key = String(decoding: name, as: UTF8.self)
      if name.suffix(4).elementsEqual("-bin".utf8) {
        for part in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
          guard let bytes = Base64.decode(trimmed(part), ignoresUnusedBits: true) else {
            throw RPCStatus(.invalidArgument, "metadata[\(metadata.pairs.count)].value: not base64")
          }
          metadata.append(key, bytes: bytes)
        }
      } else {
        let text = trimmed(value)
        if text.allSatisfy({ (0x20...0x7E).contains($0) }) { metadata.append(key, bytes: Array(text)) }
      }
    }
    if let problem = metadata.problem { throw RPCStatus(.invalidArgument, problem) }
    return metadata
  }

  private static func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    var value = value.drop(while: isSpace)
    while let last = value.last, isSpace(last) { value.removeLast() }
    return value
  }
}
