import CNGHTTP2
import MarqueeTransport
import NIOCore

/// A client that writes and parses the frames of HTTP/2 itself, and grants flow-control credit only on request. Its
/// calls are those of gRPC, unless another content type is given.
package struct GRPCRawClient {
  /// A frame of HTTP/2.
  package struct Frame {
    package var type: UInt8
    package var flags: UInt8
    package var stream: UInt32
    package var payload: [UInt8]

    package init(type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) {
      self.type = type
      self.flags = flags
      self.stream = stream
      self.payload = payload
    }

    package var bytes: [UInt8] {
      Array(RawFrame.big(UInt32(payload.count)).dropFirst()) + [type, flags] + RawFrame.big(stream) + payload
    }

    package var endsStream: Bool { (type == 0 || type == 1) && flags & 1 == 1 }

    /// The error code of an RST_STREAM or GOAWAY frame.
    package var errorCode: UInt32? {
      let start = type == 3 ? 0 : type == 7 ? 4 : Int.max - 4
      guard payload.count >= start + 4 else { return nil }
      return payload[start..<(start + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
  }

  /// The parts of a call's response that have arrived.
  package struct Response {
    /// The header lists in the order of arrival: headers and trailers, or a single one for an error.
    package var headers: [[String: String]] = []
    package var messages: [[UInt8]] = []
    /// The content of all DATA frames.
    package var body: [UInt8] = []
    package var resetCode: UInt8?

    /// The value of `grpc-status`.
    package var code: String? { headers.last?["grpc-status"] }
  }

  private var raw: RawClient
  private var received: [UInt8] = []
  private var offset = 0
  private let decoder = HeaderDecoder()
  /// The header list of the last HEADERS frame.
  private var headers: [String: String] = [:]
  private var data: [UInt32: [UInt8]] = [:]

  /// Connects and sends the preface.
  ///
  /// - Parameters:
  ///   - endpoint: The server.
  ///   - settings: The payload of the SETTINGS frame.
  ///   - awaitsSettings: Whether the server's settings are received, because its windows apply once they are
  ///     acknowledged.
  ///   - reads: Whether anything is received at all.
  package init(
    _ endpoint: Endpoint, settings: [UInt8] = [], awaitsSettings: Bool = true, reads: Bool = true
  ) async throws {
    raw = try await RawClient(endpoint, reads: reads)
    raw.push(Self.preface + Frame(type: 4, payload: settings).bytes)
    guard awaitsSettings, reads else { return }
    while let frame = await next(), frame.type != 4 || frame.flags != 0 {}
  }

  /// The first bytes of a client.
  package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  package func close() async throws { try await raw.close() }

  /// Closes after a time, unless the server closes first.
  package func close(in time: TimeAmount) { raw.close(in: time) }

  package func push(_ frame: Frame) { raw.push(frame.bytes) }

  package func push(_ bytes: [UInt8]) { raw.push(bytes) }

  /// Sends one byte per `interval` from now on, while the socket is open.
  package func push(_ bytes: [UInt8], each interval: TimeAmount) { raw.push(bytes, each: interval) }

  /// Opens a call.
  package func open(_ stream: UInt32, _ path: String, _ metadata: [(String, String)] = []) {
    request(stream, path, [("content-type", "application/grpc"), ("te", "trailers")] + metadata)
  }

  /// Sends the head of a request.
  package func request(
    _ stream: UInt32, _ path: String, _ fields: [(String, String)], method: String = "POST",
    authority: String? = "localhost", isWhole: Bool = false
  ) {
    let headers =
      [(":method", method), (":scheme", "http"), (":path", "/" + path)]
      + (authority.map { [(":authority", $0)] } ?? []) + fields
    // Literals without indexing and without Huffman coding; every length is below 127.
    var block: [UInt8] = []
    for (name, value) in headers {
      block += [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
    }
    push(Frame(type: 1, flags: isWhole ? 5 : 4, stream: stream, payload: block))
  }

  /// Sends a message, in frames of at most 16 KiB.
  package func send(_ stream: UInt32, _ message: [UInt8], isLast: Bool) {
    var rest = ([0] + RawFrame.big(UInt32(message.count)) + message)[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(16_384))
      rest = rest.dropFirst(piece.count)
      push(Frame(type: 0, flags: rest.isEmpty && isLast ? 1 : 0, stream: stream, payload: piece))
    }
  }

  /// Sends a call with a single request.
  package func call(_ stream: UInt32, _ path: String, _ message: [UInt8], _ metadata: [(String, String)] = []) {
    open(stream, path, metadata)
    send(stream, message, isLast: true)
  }

  package func closeSending(_ stream: UInt32) { push(Frame(type: 0, flags: 1, stream: stream)) }

  package func cancel(_ stream: UInt32) { push(Frame(type: 3, stream: stream, payload: RawFrame.big(8))) }

  package func grant(_ stream: UInt32, _ size: UInt32) {
    for id in [0, stream] { push(Frame(type: 8, stream: id, payload: RawFrame.big(size))) }
  }

  /// Returns the next frame, or `nil` after the last one. Acknowledges settings and pings.
  package mutating func next() async -> Frame? {
    while true {
      if let frame = parsed() {
        switch frame.type {
        // Header blocks of all streams share the state of the decoder.
        case 1: headers = decoder.decode(frame.payload)
        case 4 where frame.flags & 1 == 0: push(Frame(type: 4, flags: 1))
        case 6 where frame.flags & 1 == 0: push(Frame(type: 6, flags: 1, payload: frame.payload))
        default: break
        }
        return frame
      }
      let all = await raw.receive(atLeast: received.count + 1)
      guard all.count > received.count else { return nil }
      received = all
    }
  }

  private mutating func parsed() -> Frame? {
    guard received.count >= offset + 9 else { return nil }
    let size = received[offset..<(offset + 3)].reduce(0) { $0 << 8 | Int($1) }
    guard received.count >= offset + 9 + size else { return nil }
    let stream = received[(offset + 5)..<(offset + 9)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    defer { offset += 9 + size }
    return Frame(
      type: received[offset + 3], flags: received[offset + 4], stream: stream,
      payload: Array(received[(offset + 9)..<(offset + 9 + size)]))
  }

  /// Returns a call's response when it is complete, or has `messageCount` messages, or `headerCount` header lists.
  /// Frames of other calls are lost.
  package mutating func response(
    of stream: UInt32, messageCount: Int = .max, headerCount: Int = .max
  ) async -> Response {
    var response = Response()
    while response.messages.count < messageCount, response.headers.count < headerCount, let frame = await next() {
      guard frame.stream == stream else { continue }
      switch frame.type {
      case 0:
        response.body += frame.payload
        data[stream, default: []] += frame.payload
        while let message = nextMessage(of: stream) { response.messages.append(message) }
      case 1: response.headers.append(headers)
      case 3: response.resetCode = frame.payload.last
      default: break
      }
      if frame.endsStream || frame.type == 3 { break }
    }
    return response
  }

  private mutating func nextMessage(of stream: UInt32) -> [UInt8]? {
    let bytes = data[stream, default: []]
    // The body of a call without streams in the Connect protocol has no prefix.
    guard bytes.count >= 5, bytes[0] <= 2 else { return nil }
    let end = 5 + bytes[1..<5].reduce(0) { $0 << 8 | Int($1) }
    guard bytes.count >= end else { return nil }
    data[stream] = Array(bytes[end...])
    return Array(bytes[5..<end])
  }
}

/// A decoder of HPACK header blocks.
private final class HeaderDecoder {
  private var inflater: OpaquePointer?

  init() { nghttp2_hd_inflate_new(&inflater) }

  deinit { nghttp2_hd_inflate_del(inflater) }

  /// Returns the header fields of a block. Of several fields with one name, the last one is kept.
  func decode(_ block: [UInt8]) -> [String: String] {
    var headers: [String: String] = [:]
    var start = 0
    while true {
      var field = nghttp2_nv()
      var flags: CInt = 0
      let count = block[start...].withUnsafeBufferPointer {
        nghttp2_hd_inflate_hd2(inflater, &field, &flags, $0.baseAddress, $0.count, 1)
      }
      guard count >= 0 else { return headers }
      start += Int(count)
      if flags & CInt(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
        let name = UnsafeBufferPointer(start: field.name, count: field.namelen)
        let value = UnsafeBufferPointer(start: field.value, count: field.valuelen)
        headers[String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
      }
      if flags & CInt(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
        nghttp2_hd_inflate_end_headers(inflater)
        return headers
      }
    }
  }
}
