import MarqueeTransport
import NIOCore

/// A client of HTTP/1.1 that writes the bytes of requests itself, and parses responses.
package struct HTTP1RawClient {
  package struct Response {
    package var status = 0
    package var fields: [(name: String, value: String)] = []
    package var body: [UInt8] = []
    /// The parts of a chunked body.
    package var chunks: [[UInt8]] = []

    package init() {}

    package var text: String { String(decoding: body, as: UTF8.self) }

    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The messages of a stream, and the last one, which ends it.
    package var messages: (data: [[UInt8]], end: String?) {
      var (data, end, offset): ([[UInt8]], String?, Int) = ([], nil, 0)
      while offset + 5 <= body.count {
        let size = body[(offset + 1)..<(offset + 5)].reduce(0) { $0 << 8 | Int($1) }
        let message = Array(body[(offset + 5)..<(offset + 5 + size)])
        if body[offset] == 2 { end = String(decoding: message, as: UTF8.self) } else { data.append(message) }
        offset += 5 + size
      }
      return (data, end)
    }
  }

  private var raw: RawClient
  private var offset = 0

  package init(_ endpoint: Endpoint, reads: Bool = true) async throws {
    raw = try await RawClient(endpoint, reads: reads)
  }

  package func close() async throws { try await raw.close() }
  package func closeOutput() async throws { try await raw.closeOutput() }

  /// Closes after a time, unless the server closes first.
  package func close(in time: TimeAmount) { raw.close(in: time) }

  /// Sends one byte per `interval` from now on, while the socket is open.
  package func push(_ bytes: [UInt8], each interval: TimeAmount) { raw.push(bytes, each: interval) }

  package func push(_ text: String) { raw.push(Array(text.utf8)) }
  package func push(_ bytes: [UInt8]) { raw.push(bytes) }

  /// Returns the bytes of a call.
  package static func call(
    _ path: String, _ body: [UInt8], type: String = "application/proto", _ fields: [String] = [],
    host: String = "localhost"
  ) -> [UInt8] {
    let head = ["POST /\(path) HTTP/1.1", "Host: \(host)", "Content-Type: \(type)", "Content-Length: \(body.count)"]
    return Array(((head + fields).joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
  }

  /// Returns a message in an envelope.
  package static func envelope(_ message: [UInt8]) -> [UInt8] { [0] + RawFrame.big(UInt32(message.count)) + message }

  /// Sends a call, and returns the response.
  package mutating func answer(
    _ path: String, _ body: [UInt8], type: String = "application/proto", _ fields: [String] = []
  ) async -> Response? {
    push(Self.call(path, body, type: type, fields))
    return await response()
  }

  /// Returns the next response; `nil` if the server has closed the connection before its end.
  ///
  /// - Parameter isHead: Whether it is the response to a HEAD request, which has the fields of a body, and no body.
  package mutating func response(isHead: Bool = false) async -> Response? {
    guard let head = await text(upTo: "\r\n\r\n") else { return nil }
    var response = Response()
    let lines = head.components(separatedBy: "\r\n")
    response.status = Int(lines[0].split(separator: " ")[1]) ?? 0
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      response.fields.append((String(parts[0]), parts.count > 1 ? String(parts[1].dropFirst()) : ""))
    }
    if isHead || response.status == 100 { return response }
    if let size = response["content-length"].flatMap({ Int($0) }) {
      guard let body = await bytes(size) else { return nil }
      response.body = body
    }
    guard response["transfer-encoding"] == "chunked" else { return response }
    while true {
      guard let line = await text(upTo: "\r\n"), let size = Int(line, radix: 16),
        let part = await bytes(size + 2)?.dropLast(2)
      else { return nil }
      if size == 0 { break }
      response.chunks.append(Array(part))
      response.body += part
    }
    return response
  }

  /// Returns whether the head of a response arrives; it is skipped.
  package mutating func receivesHead() async -> Bool { await text(upTo: "\r\n\r\n") != nil }

  /// Whether the server closes the connection without sending more.
  package mutating func isClosed() async -> Bool {
    let received = await raw.receiveToEnd()
    return received.count == offset
  }

  private mutating func bytes(_ count: Int) async -> [UInt8]? {
    let received = await raw.receive(atLeast: offset + count)
    guard received.count >= offset + count else { return nil }
    defer { offset += count }
    return Array(received[offset..<(offset + count)])
  }

  /// Returns the text before the next occurrence of an end, which is skipped.
  private mutating func text(upTo end: String) async -> String? {
    let end = Array(end.utf8)
    var searched = offset
    while true {
      let received = await raw.receive(atLeast: searched + end.count)
      guard received.count >= searched + end.count else { return nil }
      while searched + end.count <= received.count {
        if received[searched..<(searched + end.count)].elementsEqual(end) {
          defer { offset = searched + end.count }
          return String(decoding: received[offset..<searched], as: UTF8.self)
        }
        searched += 1
      }
    }
  }
}

extension String {
  fileprivate func components(separatedBy separator: String) -> [String] {
    var (rest, parts) = (self[...], [String]())
    while let range = rest.firstRange(of: separator) {
      parts.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return parts + [String(rest)]
  }
}
