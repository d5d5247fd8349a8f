import CNGHTTP2
import MarqueeTestSupport
import MarqueeTransport

/// A gRPC client that writes and parses the frames of HTTP/2 itself, and grants flow-control credit only on request.
struct GRPCRawClient {
  /// A frame of HTTP/2.
  struct Frame {
    var type: UInt8
    var flags: UInt8 = 0
    var stream: UInt32 = 0
    var payload: [UInt8] = []

    var bytes: [UInt8] {
      Array(RawFrame.big(UInt32(payload.count)).dropFirst()) + [type, flags] + RawFrame.big(stream) + payload
    }

    var endsStream: Bool { (type == 0 || type == 1) && flags & 1 == 1 }
  }

  /// The parts of a call's response that have arrived.
  struct Response {
    /// The header lists in the order of arrival: headers and trailers, or a single one for an error.
    var headers: [[String: String]] = []
    var messages: [[UInt8]] = []
    var resetCode: UInt8?

    /// The value of `grpc-status`.
    var code: String? { headers.last?["grpc-status"] }
  }

  private var raw: RawClient
  private var received: [UInt8] = []
  private var offset = 0
  private var decoder = HeaderDecoder()
  private var data: [UInt32: [UInt8]] = [:]

  init(_ endpoint: Endpoint) async throws {
    raw = try await RawClient(endpoint)
    raw.push(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Frame(type: 4).bytes)
    // The server's windows apply once its settings are acknowledged.
    while let frame = await next(), frame.type != 4 || frame.flags != 0 {}
  }

  func close() async throws { try await raw.close() }

  func push(_ frame: Frame) { raw.push(frame.bytes) }

  /// Opens a call.
  func open(_ stream: UInt32, _ path: String, _ metadata: [(String, String)] = []) {
    let headers =
      [
        (":method", "POST"), (":scheme", "http"), (":path", "/" + path), (":authority", "localhost"),
        ("content-type", "application/grpc"), ("te", "trailers"),
      ] + metadata
    // Literals without indexing and without Huffman coding; every length is below 127.
    var block: [UInt8] = []
    for (name, value) in headers {
      block += [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
    }
    push(Frame(type: 1, flags: 4, stream: stream, payload: block))
  }

  /// Sends a message, in frames of at most 16 KiB.
  func send(_ stream: UInt32, _ message: [UInt8], isLast: Bool) {
    var rest = ([0] + RawFrame.big(UInt32(message.count)) + message)[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(16_384))
      rest = rest.dropFirst(piece.count)
      push(Frame(type: 0, flags: rest.isEmpty && isLast ? 1 : 0, stream: stream, payload: piece))
    }
  }

  /// Sends a call with a single request.
  func call(_ stream: UInt32, _ path: String, _ message: [UInt8], _ metadata: [(String, String)] = []) {
    open(stream, path, metadata)
    send(stream, message, isLast: true)
  }

  func closeSending(_ stream: UInt32) { push(Frame(type: 0, flags: 1, stream: stream)) }

  func cancel(_ stream: UInt32) { push(Frame(type: 3, stream: stream, payload: RawFrame.big(8))) }

  func grant(_ stream: UInt32, _ size: UInt32) {
    for id in [0, stream] { push(Frame(type: 8, stream: id, payload: RawFrame.big(size))) }
  }

  /// Returns the next frame, or `nil` after the last one. Acknowledges settings and pings.
  mutating func next() async -> Frame? {
    while true {
      if let frame = parsed() {
        switch frame.type {
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

  /// Returns a call's response when it is complete, or has `messageCount` messages. Frames of other calls are lost.
  mutating func response(of stream: UInt32, messageCount: Int = .max) async -> Response {
    var response = Response()
    while response.messages.count < messageCount, let frame = await next() {
      // Header blocks of all streams share the state of the decoder.
      let headers = frame.type == 1 ? decoder.decode(frame.payload) : [:]
      guard frame.stream == stream else { continue }
      switch frame.type {
      case 0:
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
    guard bytes.count >= 5 else { return nil }
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
