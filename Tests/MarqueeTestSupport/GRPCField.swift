import Foundation
import MarqueeRPC

/// A header field of gRPC over HTTP/2, and the conversions of a client.
///
/// It shares nothing with the server's conversions, so that each is a check of the other.
struct GRPCField {
  var name: String
  var value: [UInt8]

  init(_ name: String, _ value: [UInt8]) {
    self.name = name
    self.value = value
  }

  init(_ name: String, _ value: String) { self.init(name, Array(value.utf8)) }

  var text: String { String(decoding: value, as: UTF8.self) }

  // MARK: Requests

  /// Returns the header list of a call.
  static func request(_ call: OpenedCall, at now: MonotonicTime) -> [GRPCField] {
    var fields = [
      GRPCField(":method", "POST"), GRPCField(":scheme", "http"), GRPCField(":path", "/\(call.method)"),
      GRPCField(":authority", "localhost"), GRPCField("te", "trailers"),
      GRPCField("content-type", "application/grpc"),
    ]
    if let deadline = call.deadline { fields.append(GRPCField("grpc-timeout", timeout(now.duration(to: deadline)))) }
    return fields + call.metadata.pairs.map { GRPCField($0.key, $0.isBinary ? base64($0.value) : $0.value) }
  }

  /// Returns a timeout in the finest unit in which it has at most eight digits, rounded up.
  private static func timeout(_ span: Duration) -> String {
    let nanoseconds = max(1, span.nanoseconds)
    for (unit, size) in [("n", 1), ("u", 1_000), ("m", 1_000_000), ("S", 1_000_000_000)] as [(String, Int64)] {
      let number = (nanoseconds - 1) / size + 1
      if number <= 99_999_999 { return "\(number)\(unit)" }
    }
    return "99999999S"
  }

  // MARK: Responses

  /// Returns the metadata among the fields.
  static func metadata(_ fields: [GRPCField]) -> Metadata {
    var metadata = Metadata()
    for field in fields where !isReserved(field.name) {
      if field.name.hasSuffix("-bin") {
        for part in field.value.split(separator: UInt8(ascii: ",")) {
          metadata.append(field.name, bytes: bytes(ofBase64: part) ?? [])
        }
      } else {
        metadata.append(field.name, field.text)
      }
    }
    return metadata
  }

  private static func isReserved(_ name: String) -> Bool {
    name.hasPrefix(":") || name.hasPrefix("grpc-") || name == "content-type"
  }

  /// Returns the status in trailers; `nil` if they have no valid one.
  static func status(_ fields: [GRPCField]) -> RPCStatus? {
    let codes = fields.filter { $0.name == "grpc-status" }
    guard codes.count == 1, let code = UInt32(codes[0].text) else { return nil }
    let message = fields.first { $0.name == "grpc-message" }?.text.removingPercentEncoding ?? ""
    var details: [StatusDetail] = []
    if let field = fields.first(where: { $0.name == "grpc-status-details-bin" }) {
      guard let bytes = bytes(ofBase64: field.value[...]), let known = Self.details(bytes) else { return nil }
      details = known
    }
    return RPCStatus(StatusCode(rawValue: code), message, details: details, metadata: metadata(fields))
  }

  /// Returns the status of a response that is not of gRPC, as gRPC's documents map its HTTP status.
  static func status(ofHTTP status: String) -> RPCStatus {
    let code: StatusCode =
      switch status {
      case "400": .internalError
      case "401": .unauthenticated
      case "403": .permissionDenied
      case "404": .unimplemented
      case "429", "502", "503", "504": .unavailable
      default: .unknown
      }
    return RPCStatus(code, "HTTP status \(status)")
  }

  /// Returns the details in a `google.rpc.Status`; `nil` if it is malformed.
  private static func details(_ bytes: [UInt8]) -> [StatusDetail]? {
    var (details, rest): ([StatusDetail], ArraySlice<UInt8>) = ([], bytes[...])
    while !rest.isEmpty {
      guard let tag = varint(&rest), let number = varint(&rest) else { return nil }
      guard tag & 7 == 2 else { continue }
      guard number <= rest.count else { return nil }
      var content = rest.prefix(Int(number))
      rest = rest.dropFirst(Int(number))
      guard tag == 0x1A else { continue }
      var detail = StatusDetail(typeURL: "", value: [])
      while !content.isEmpty {
        guard let tag = varint(&content), let size = varint(&content), size <= content.count else { return nil }
        let value = Array(content.prefix(Int(size)))
        content = content.dropFirst(Int(size))
        if tag == 0x0A { detail.typeURL = String(decoding: value, as: UTF8.self) }
        if tag == 0x12 { detail.value = value }
      }
      details.append(detail)
    }
    return details
  }

  private static func varint(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var (value, shift) = (UInt64(0), UInt64(0))
    while shift < 64, let byte = bytes.popFirst() {
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }

  // MARK: Base64

  private static func base64(_ bytes: [UInt8]) -> [UInt8] {
    Array(Data(bytes).base64EncodedData().prefix { $0 != UInt8(ascii: "=") })
  }

  private static func bytes(ofBase64 text: ArraySlice<UInt8>) -> [UInt8]? {
    let digits = text.prefix { $0 != UInt8(ascii: "=") }
    let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
    return Data(base64Encoded: Data(digits + padding)).map { Array($0) }
  }
}
