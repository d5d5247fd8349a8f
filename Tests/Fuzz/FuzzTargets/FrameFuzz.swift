import MarqueeRPC

/// Fuzzes one side of a connection with raw bytes, whole and in pieces. The first input byte selects the side and the
/// size of the pieces.
struct FrameFuzz {
  private static let now = MonotonicTime(nanoseconds: 1_000_000_000)

  private let role: Connection.Role
  private var connection: Connection
  /// The events that the bytes caused.
  private var seen: [String] = []
  /// The concatenated messages, followed by the output.
  private var bytes: [UInt8] = []

  static func run(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let first = bytes.first else { return false }
    let role = first & 1 == 0 ? Connection.Role.server : .client
    let input = (first & 2 == 0 ? introduction : []) + bytes.dropFirst()
    let whole = outcome(of: input, at: role, pieceSize: max(1, input.count))
    let pieces = outcome(of: input, at: role, pieceSize: Int(first >> 2) + 1)
    precondition(whole.seen == pieces.seen, "in pieces: \(pieces.seen)\nwhole: \(whole.seen)")
    precondition(whole.bytes == pieces.bytes, "messages or output differ")
    return whole.connection.isOpen
  }

  /// The preface and settings of a peer with the default limits.
  private static let introduction: [UInt8] = {
    var bytes: [UInt8] = []
    var client = Connection(.client, arena: DecodeArena(), scratch: EncodeScratch(), at: now)
    client.drainOutput(at: now) { bytes += $0 }
    return bytes
  }()

  private static func outcome(of input: [UInt8], at role: Connection.Role, pieceSize: Int) -> FrameFuzz {
    let connection = Connection(role, arena: DecodeArena(), scratch: EncodeScratch(), at: now)
    var end = FrameFuzz(role: role, connection: connection)
    var kept: [UInt8] = []
    for start in stride(from: 0, to: input.count, by: pieceSize) {
      kept += input[start..<min(start + pieceSize, input.count)]
      var offset = 0
      kept.withUnsafeBytes { bytes in
        while let event = end.connection.receive(bytes, from: &offset, at: now) { end.handle(event, bytes) }
      }
      kept.removeFirst(offset)
    }
    end.connection.drainOutput(at: now) { end.bytes += $0 }
    return end
  }

  /// Simulates an application: opens calls, consumes and answers messages, and finishes ended calls.
  private mutating func handle(_ event: ConnectionEvent, _ bytes: UnsafeRawBufferPointer) {
    switch event {
    case .ready where role == .client:
      for _ in 0..<2 {
        let id = connection.open(
          method: "a.B/C", deadline: nil, metadata: Metadata(), messageSizeMax: 20_000, at: Self.now)
        _ = connection.send(on: id, sizeMax: 9, at: Self.now) { $0.append([1, 2, 3]) }
      }
      seen.append("ready")
    case .message(let message):
      handle(message, bytes)
    case .halfClosed(let id, _):
      seen.append("\(event)")
      connection.finish(id, with: .ok)
    case .ended(let id, _, _):
      seen.append("\(event)")
      if role == .server { connection.finish(id, with: .ok) }
    default:
      seen.append("\(event)")
    }
  }

  private mutating func handle(_ message: ReceivedMessage, _ bytes: UnsafeRawBufferPointer) {
    let content =
      switch message.content {
      case .inPlace(let range): Array(bytes[range])
      case .assembled(let bytes): bytes
      }
    seen.append("\(message.stream): \(content.count) bytes \(message.isLast)")
    self.bytes += content
    connection.consume(message.receipt)
    guard role == .server else { return }
    _ = connection.send(on: message.stream, sizeMax: 1 << 20, at: Self.now) { $0.append(content) }
    if message.isLast { connection.finish(message.stream, with: .ok) }
  }
}
