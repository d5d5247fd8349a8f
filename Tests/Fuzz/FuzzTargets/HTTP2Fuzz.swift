import MarqueeHTTP
import MarqueeRPC

/// Fuzzes an HTTP/2 connection with raw bytes, whole and in pieces: unless the connection or a call fails, neither the
/// events nor the output may depend on the division. The first input byte selects the size of the pieces, and whether
/// the bytes follow a preface and SETTINGS.
struct HTTP2Fuzz {
  private static let now = MonotonicTime(nanoseconds: 1_000_000_000)
  /// The preface, and an empty SETTINGS frame.
  private static let introduction = HTTP2Connection.preface + [0, 0, 0, 4, 0, 0, 0, 0, 0]

  private let connection: HTTP2Connection
  /// The events that the bytes caused.
  private var seen: [String] = []
  /// The concatenated messages, followed by the output.
  private var bytes: [UInt8] = []

  static func run(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let first = bytes.first else { return false }
    let input = (first & 1 == 0 ? introduction : []) + bytes.dropFirst()
    let whole = outcome(of: input, pieceSize: max(1, input.count))
    let pieces = outcome(of: input, pieceSize: Int(first >> 1) + 1)
    // nghttp2 detects some violations, such as too many CONTINUATION frames, at another place of a divided input.
    // A call that ends early loses the messages that were not read yet.
    guard whole.isUndisturbed, pieces.isUndisturbed else { return whole.connection.isOpen }
    precondition(whole.seen == pieces.seen, "in pieces: \(pieces.seen)\nwhole: \(whole.seen)")
    precondition(whole.bytes == pieces.bytes, "messages or output differ")
    return whole.connection.isOpen
  }

  /// Whether neither the connection nor a call has failed.
  private var isUndisturbed: Bool { connection.isOpen && !seen.contains { $0.hasPrefix("ended(") } }

  private static func outcome(of input: [UInt8], pieceSize: Int) -> HTTP2Fuzz {
    var limits = RPCLimits()
    (limits.streamCredit, limits.connectionCredit, limits.messageSizeMax) = (16_384, 32_768, 49_152)
    (limits.streamCountMax, limits.assemblySizeMax) = (8, 65_536)
    var fuzz = HTTP2Fuzz(connection: HTTP2Connection(limits: limits, scratch: EncodeScratch(), at: now))
    for start in stride(from: 0, to: input.count, by: pieceSize) {
      Array(input[start..<min(start + pieceSize, input.count)]).withUnsafeBytes { fuzz.receive($0) }
    }
    while fuzz.connection.hasOutput { fuzz.connection.drainOutput(at: now) { fuzz.bytes += $0 } }
    fuzz.receive(UnsafeRawBufferPointer(start: nil, count: 0))
    fuzz.endAll()
    return fuzz
  }

  private mutating func receive(_ bytes: UnsafeRawBufferPointer) {
    var offset = 0
    while let event = connection.receive(bytes, from: &offset, at: Self.now) { handle(event, bytes) }
    precondition(offset == bytes.count, "\(bytes.count - offset) bytes were not consumed")
  }

  /// Simulates an application: accepts calls, consumes and answers messages, and finishes ended calls.
  private mutating func handle(_ event: ConnectionEvent, _ bytes: UnsafeRawBufferPointer) {
    switch event {
    case .opened(let call):
      seen.append("\(call)")
      let isSingle = call.stream.rawValue % 4 == 1
      connection.accept(call.stream, messageSizeMax: 20_000, waitsForRequestSince: isSingle ? Self.now : nil)
    case .message(let message):
      let content =
        switch message.content {
        case .inPlace(let range): Array(bytes[range])
        case .assembled(let bytes): bytes
        }
      seen.append("\(message.stream): \(content.count) bytes \(message.isLast)")
      self.bytes += content
      connection.consume(message.receipt)
      _ = connection.send(encoded: content, on: message.stream, sizeMax: 1 << 20, at: Self.now)
      if message.isLast { connection.finish(message.stream, with: .ok) }
    case .halfClosed(let id, _):
      seen.append("\(event)")
      connection.finish(id, with: RPCStatus(.aborted, "äbc %"))
    case .ended(let id, _, _):
      seen.append("\(event)")
      connection.finish(id, with: .ok)
    default:
      seen.append("\(event)")
    }
  }

  /// Ends all calls, after which nothing may be left of them.
  private mutating func endAll() {
    connection.endAll(RPCStatus(.unavailable, "server is stopping"))
    receive(UnsafeRawBufferPointer(start: nil, count: 0))
    while connection.hasOutput { connection.drainOutput(at: Self.now) { _ in } }
    let isOpen = connection.isOpen
    precondition(!isOpen || connection.callCount == 0, "\(connection.callCount) calls have not ended")
  }
}
