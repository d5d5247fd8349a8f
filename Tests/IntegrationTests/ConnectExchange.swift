import Foundation
import MarqueeRPC
import MarqueeSchema
import MarqueeTransport
import NIOCore
import NIOHTTP1
import NIOPosix

/// A call of a ``ConnectBridge``, on a connection of its own.
///
/// It shares nothing with the server's conversions but the transcoder, so that each is a check of the other.
///
/// `@unchecked Sendable`: all state is accessed only on the event loop.
final class ConnectExchange: ChannelInboundHandler, @unchecked Sendable {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  private static let transcoder = JSONTranscoder(.marquee)
  private static let sizeMax = 64 << 20

  let id: StreamID
  private let opened: OpenedCall
  private let method: Schema.Method?
  private let bridge: ConnectBridge
  private var request: [UInt8]?
  private var channel: (any Channel)?
  private var isCancelled = false
  private var status = 0
  private var headers = HTTPHeaders()
  private var body: [UInt8] = []

  init(_ opened: OpenedCall, _ method: Schema.Method?, _ bridge: ConnectBridge) {
    id = opened.stream
    self.opened = opened
    self.method = method
    self.bridge = bridge
  }

  private var isJSON: Bool { bridge.codec == .json && method != nil }
  private var isStream: Bool { method?.isServerStreaming == true }

  /// Connects, and sends the call's only request.
  func begin(_ message: [UInt8]) {
    do {
      let bytes = isJSON ? try Self.json(of: message, as: method?.request) : message
      request = isStream ? Self.envelope(bytes) : bytes
    } catch {
      return bridge.finish(self, RPCStatus(.internalError, "the request has no JSON: \(error)"))
    }
    let bootstrap = ClientBootstrap(group: bridge.loop).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHTTPClientHandlers()
        try channel.pipeline.syncOperations.addHandler(self)
      }
    }
    let future =
      switch bridge.endpoint {
      case .tcp(let host, let port): bootstrap.connect(host: host, port: port)
      case .unix(let path): bootstrap.connect(unixDomainSocketPath: path)
      }
    future.assumeIsolated().whenFailure { _ in
      self.bridge.finish(self, RPCStatus(.unavailable, "cannot connect to the server"))
    }
  }

  /// Closes the connection, which is how a client cancels a call.
  func cancel() {
    isCancelled = true
    channel?.close(promise: nil)
  }

  // MARK: Channel events

  func channelActive(context: ChannelHandlerContext) {
    channel = context.channel
    guard !isCancelled, let request else { return context.close(promise: nil) }
    let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/\(opened.method)", headers: requestHeaders)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: request)))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }

  private var requestHeaders: HTTPHeaders {
    var headers = HTTPHeaders([
      ("host", "localhost"), ("connect-protocol-version", "1"), ("content-length", "\(request?.count ?? 0)"),
      ("content-type", "application/\(isStream ? "connect+" : "")\(bridge.codec.rawValue)"),
    ])
    if let deadline = opened.deadline {
      let nanoseconds = max(1, bridge.loop.time.duration(to: deadline).nanoseconds)
      headers.add(name: "connect-timeout-ms", value: "\((nanoseconds - 1) / 1_000_000 + 1)")
    }
    for pair in opened.metadata.pairs {
      let value = pair.isBinary ? Data(pair.value).base64EncodedString() : String(decoding: pair.value, as: UTF8.self)
      headers.add(name: pair.key, value: value)
    }
    return headers
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      status = Int(head.status.code)
      headers = head.headers
      if status == 200 { bridge.header(metadata { $0.hasPrefix("trailer-") ? nil : $0 }, of: self) }
    case .body(let buffer):
      body += buffer.readableBytesView
      if isStream, status == 200 { receiveEnvelopes() }
    case .end:
      if isStream, status == 200 {
        bridge.finish(self, RPCStatus(.internalError, "the stream ended without its last message"))
      } else {
        receiveBody()
      }
      context.close(promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    bridge.finish(self, RPCStatus(.unavailable, "the connection was closed"))
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  // MARK: Responses

  private func receiveBody() {
    let trailers = metadata { $0.hasPrefix("trailer-") ? String($0.dropFirst(8)) : nil }
    guard status == 200 else { return bridge.finish(self, Self.error(body, status, trailers)) }
    if pass(body) { bridge.finish(self, RPCStatus(.ok, "", details: [], metadata: trailers)) }
  }

  private func receiveEnvelopes() {
    while body.count >= 5 {
      let size = body[1..<5].reduce(0) { $0 << 8 | Int($1) }
      guard body.count >= 5 + size else { return }
      let (flag, content) = (body[0], Array(body[5..<(5 + size)]))
      body.removeFirst(5 + size)
      switch flag {
      case 0: guard pass(content) else { return }
      case 2: return bridge.finish(self, Self.end(content))
      default: return bridge.finish(self, RPCStatus(.internalError, "flag \(flag) of a message"))
      }
    }
  }

  /// Passes a message to the client.
  ///
  /// - Returns: Whether the call goes on.
  private func pass(_ content: [UInt8]) -> Bool {
    do {
      bridge.message(isJSON ? try Self.message(fromJSON: content, as: method?.response) : content, of: self)
      return true
    } catch {
      bridge.finish(self, RPCStatus(.internalError, "the response is not JSON of \(method?.response ?? ""): \(error)"))
      return false
    }
  }

  /// Returns the header fields whose name `key` maps to a key of metadata.
  private func metadata(_ key: (String) -> String?) -> Metadata {
    var metadata = Metadata()
    for (name, value) in headers where !Self.isReserved(name.lowercased()) {
      if let key = key(name.lowercased()) { Self.append(key, value, to: &metadata) }
    }
    return metadata
  }

  private static func isReserved(_ name: String) -> Bool {
    ["content-", "connect-", "access-control-", "accept-"].contains { name.hasPrefix($0) }
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

  /// Returns the status in the last message of a stream.
  private static func end(_ content: [UInt8]) -> RPCStatus {
    guard let object = object(content) else { return RPCStatus(.internalError, "the last message is not JSON") }
    var metadata = Metadata()
    for (key, values) in object["metadata"] as? [String: [String]] ?? [:] {
      for value in values { append(key, value, to: &metadata) }
    }
    guard let error = object["error"] as? [String: Any] else {
      return RPCStatus(.ok, "", details: [], metadata: metadata)
    }
    return status(error, metadata) ?? RPCStatus(.internalError, "the stream's error has no code")
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

  // MARK: Messages

  private struct UnknownMessage: Error {}

  private static func type(_ name: String?) throws -> Schema.Message {
    guard let name, let type = Schema.marquee.message(named: name) else { throw UnknownMessage() }
    return type
  }

  private static func json(of message: [UInt8], as name: String?) throws -> [UInt8] {
    try transcoder.json(fromMessage: message, as: try type(name), sizeMax: sizeMax)
  }

  private static func message(fromJSON text: [UInt8], as name: String?) throws -> [UInt8] {
    try transcoder.message(fromJSON: text, as: try type(name), sizeMax: sizeMax)
  }

  private static func envelope(_ message: [UInt8]) -> [UInt8] {
    [0] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: message.count >> $0) } + message
  }
}
