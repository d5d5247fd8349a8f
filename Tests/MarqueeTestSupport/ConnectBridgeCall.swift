import Foundation
import MarqueeRPC
import MarqueeSchema

/// A call of a test's client that a bridge makes in the Connect protocol, in any version of HTTP.
///
/// It shares nothing with the server's conversions but the transcoder, so that each is a check of the other.
package struct ConnectBridgeCall {
  /// The encoding of messages.
  package enum Codec: String, CaseIterable, Sendable {
    case proto, json
  }

  /// An event of the response.
  package enum Event {
    case header(Metadata)
    case message([UInt8])
    case ended(RPCStatus)
    /// The response violates the protocol, which ends the call.
    case violated(String)
  }

  /// A header field.
  package typealias Field = (name: String, value: String)

  private static let methods = Dictionary(
    uniqueKeysWithValues: Schema.marquee.services.flatMap(\.methods).map { ($0.path, $0) })
  private static let transcoder = JSONTranscoder(.marquee)
  private static let sizeMax = 64 << 20

  private let opened: OpenedCall
  /// The method; `nil` if it is unknown, which is called like a unary one.
  private let method: Schema.Method?
  private let codec: Codec
  private var status = 0
  private var fields: [Field] = []
  private var body: [UInt8] = []
  private var isOver = false

  /// Creates a call that has not been sent.
  package init(_ opened: OpenedCall, _ codec: Codec) {
    self.opened = opened
    self.codec = codec
    method = Self.methods[opened.method]
  }

  private var isJSON: Bool { codec == .json && method != nil }
  private var isStream: Bool { method?.isServerStreaming == true }
  private var contentType: String { "application/\(isStream ? "connect+" : "")\(codec.rawValue)" }

  /// The path of the request.
  package var path: String { "/\(opened.method)" }

  /// The status of a call that the protocol does not have: one whose client streams.
  package var rejection: RPCStatus? {
    method?.isClientStreaming == true ? RPCStatus(.unimplemented, "not a call of the Connect protocol") : nil
  }

  // MARK: Requests

  /// Returns the header fields of the request, except those of a version of HTTP.
  package func requestFields(at now: MonotonicTime) -> [Field] {
    var fields: [Field] = [("connect-protocol-version", "1"), ("content-type", contentType)]
    if let deadline = opened.deadline {
      let nanoseconds = max(1, now.duration(to: deadline).nanoseconds)
      fields.append(("connect-timeout-ms", "\((nanoseconds - 1) / 1_000_000 + 1)"))
    }
    for pair in opened.metadata.pairs {
      let value = pair.isBinary ? Data(pair.value).base64EncodedString() : String(decoding: pair.value, as: UTF8.self)
      fields.append((pair.key, value))
    }
    return fields
  }

  /// Returns the body of the request with a message.
  package func requestBody(_ message: [UInt8]) throws(RPCStatus) -> [UInt8] {
    var bytes = message
    if isJSON {
      do {
        let type = try Self.type(method?.request)
        bytes = try Self.transcoder.json(fromMessage: message, as: type, sizeMax: Self.sizeMax)
      } catch {
        throw RPCStatus(.internalError, "the request has no JSON: \(error)")
      }
    }
    return isStream ? HTTP2TestClient.Message(bytes: bytes).encoded : bytes
  }

  // MARK: Responses

  /// Processes the head of the response.
  package mutating func receive(status: Int, _ fields: [Field]) -> [Event] {
    self.status = status
    self.fields = fields.map { ($0.name.lowercased(), $0.value) }
    guard status == 200 else { return [] }
    let types = self.fields.filter { $0.name == "content-type" }.map { $0.value }
    guard types == [contentType] else { return violated("content types \(types) of a response") }
    return [.header(metadata { $0.hasPrefix("trailer-") ? nil : $0 })]
  }

  /// Processes bytes of the response's body.
  package mutating func receive(_ bytes: some Sequence<UInt8>) -> [Event] {
    body += bytes
    var events: [Event] = []
    while isStream, status == 200, body.count >= 5 {
      let size = body[1..<5].reduce(0) { $0 << 8 | Int($1) }
      guard body.count >= 5 + size else { break }
      let (flag, content) = (body[0], Array(body[5..<(5 + size)]))
      body.removeFirst(5 + size)
      if isOver { return violated("bytes after the last message") }
      switch flag {
      case 0: events.append(message(content))
      case 2:
        isOver = true
        events.append(translated(Self.end(content)))
      default: events += violated("flag \(flag) of a message")
      }
    }
    return events
  }

  /// Processes the end of the response's body.
  package mutating func receiveEnd() -> [Event] {
    if isOver { return body.isEmpty ? [] : violated("bytes after the last message") }
    isOver = true
    let trailers = metadata { $0.hasPrefix("trailer-") ? String($0.dropFirst(8)) : nil }
    guard status == 200 else { return [translated(.ended(Self.error(body, status, trailers)))] }
    guard !isStream else { return violated("the stream ended without its last message") }
    return [message(body), .ended(RPCStatus(.ok, "", details: [], metadata: trailers))]
  }

  private mutating func violated(_ violation: String) -> [Event] {
    isOver = true
    return [.violated("\(opened.method): \(violation)")]
  }

  private func message(_ content: [UInt8]) -> Event {
    guard isJSON else { return .message(content) }
    do {
      let type = try Self.type(method?.response)
      return .message(try Self.transcoder.message(fromJSON: content, as: type, sizeMax: Self.sizeMax))
    } catch {
      return .violated("\(opened.method): the response is not JSON of \(method?.response ?? ""): \(error)")
    }
  }

  /// Returns the header fields whose name `key` maps to a key of metadata.
  private func metadata(_ key: (String) -> String?) -> Metadata {
    var metadata = Metadata()
    for field in fields where !Self.isReserved(field.name) {
      if let key = key(field.name) { Self.append(key, field.value, to: &metadata) }
    }
    return metadata
  }

  private static func isReserved(_ name: String) -> Bool {
    [":", "content-", "connect-", "access-control-", "accept-"].contains { name.hasPrefix($0) }
      || ["transfer-encoding", "connection", "vary", "date", "retry-after", "allow"].contains(name)
  }

  private static func append(_ key: String, _ value: String, to metadata: inout Metadata) {
    if key.hasSuffix("-bin") {
      metadata.append(key, bytes: bytes(ofBase64: value))
    } else {
      metadata.append(key, value)
    }
  }

  // MARK: Errors

  /// Returns an event with the names that fields have in the .proto files, as clients of other protocols receive it.
  private func translated(_ event: Event) -> Event {
    guard isJSON, case .ended(let status) = event else { return event }
    return .ended(status.withProtoFields)
  }

  private static let codes = [
    "ok", "canceled", "unknown", "invalid_argument", "deadline_exceeded", "not_found", "already_exists",
    "permission_denied", "resource_exhausted", "failed_precondition", "aborted", "out_of_range", "unimplemented",
    "internal", "unavailable", "data_loss", "unauthenticated",
  ]

  /// Returns the status of a response with an HTTP status other than 200.
  private static func error(_ body: [UInt8], _ status: Int, _ metadata: Metadata) -> RPCStatus {
    guard let object = object(body), let known = Self.status(object, metadata) else {
      return RPCStatus(.unknown, "HTTP status \(status)")
    }
    return known
  }

  /// Returns the event of the last message of a stream.
  private static func end(_ content: [UInt8]) -> Event {
    guard let object = object(content) else { return .violated("the last message is not JSON") }
    var metadata = Metadata()
    for (key, values) in (object["metadata"] as? [String: [String]] ?? [:]).sorted(by: { $0.key < $1.key }) {
      for value in values { append(key, value, to: &metadata) }
    }
    guard let error = object["error"] as? [String: Any] else {
      return .ended(RPCStatus(.ok, "", details: [], metadata: metadata))
    }
    return status(error, metadata).map { .ended($0) } ?? .violated("the stream's error has no code")
  }

  private static func status(_ error: [String: Any], _ metadata: Metadata) -> RPCStatus? {
    guard let name = error["code"] as? String, let code = codes.firstIndex(of: name) else { return nil }
    let details = (error["details"] as? [[String: Any]] ?? []).map { detail in
      StatusDetail(
        typeURL: "type.googleapis.com/\(detail["type"] as? String ?? "")",
        value: bytes(ofBase64: detail["value"] as? String ?? ""))
    }
    return RPCStatus(
      StatusCode(rawValue: UInt32(code)), error["message"] as? String ?? "", details: details, metadata: metadata)
  }

  private static func object(_ json: [UInt8]) -> [String: Any]? {
    // Text that is not JSON is reported by the caller.
    (try? JSONSerialization.jsonObject(with: Data(json))) as? [String: Any]
  }

  private static func bytes(ofBase64 text: String) -> [UInt8] {
    let padding = String(repeating: "=", count: text.contains("=") ? 0 : (4 - text.utf8.count % 4) % 4)
    return Data(base64Encoded: text + padding).map { Array($0) } ?? []
  }

  private struct UnknownMessage: Error {}

  private static func type(_ name: String?) throws(UnknownMessage) -> Schema.Message {
    guard let name, let type = Schema.marquee.message(named: name) else { throw UnknownMessage() }
    return type
  }
}

extension RPCStatus {
  /// The status with the names that fields have in the .proto files.
  fileprivate var withProtoFields: RPCStatus {
    var status = self
    for (index, detail) in details.enumerated() {
      guard let violation = FieldViolation(detail) else { continue }
      let field = violation.field.map { $0.isUppercase ? "_\($0.lowercased())" : "\($0)" }.joined()
      status.details[index] = FieldViolation(field: field, violation.reason).detail
      if message == "\(violation.field): \(violation.reason)" { status.message = "\(field): \(violation.reason)" }
    }
    return status
  }
}
