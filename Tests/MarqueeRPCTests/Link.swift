@testable import MarqueeRPC

/// A client and a server connection and the bytes in flight between them, without sockets.
struct Link {
  var client: Connection
  var server: Connection
  var now = MonotonicTime(nanoseconds: 1_000_000_000)
  /// The bytes that each end has not consumed.
  var toServer: [UInt8] = []
  var toClient: [UInt8] = []

  init(_ clientLimits: RPCLimits = RPCLimits(), _ serverLimits: RPCLimits = RPCLimits()) {
    client = Connection(.client, limits: clientLimits, arena: DecodeArena(), scratch: EncodeScratch(), at: now)
    server = Connection(.server, limits: serverLimits, arena: DecodeArena(), scratch: EncodeScratch(), at: now)
  }

  /// Returns a link whose settings have been exchanged.
  static func open(_ clientLimits: RPCLimits = RPCLimits(), _ serverLimits: RPCLimits = RPCLimits()) -> Link {
    var link = Link(clientLimits, serverLimits)
    _ = link.exchange()
    precondition(link.client.isOpen && link.server.isOpen, "the settings were not exchanged")
    return link
  }

  /// Transfers all bytes, and returns the events of the server and of the client.
  mutating func exchange() -> (server: [Seen], client: [Seen]) {
    var seen: (server: [Seen], client: [Seen]) = ([], [])
    while true {
      let before = (seen.server.count, seen.client.count)
      let moved = move(&client, to: &toServer) + move(&server, to: &toClient)
      seen.server += drain(&server, &toServer)
      seen.client += drain(&client, &toClient)
      if moved == 0, before == (seen.server.count, seen.client.count) { return seen }
    }
  }

  /// Passes the bytes to the server, and returns its events.
  mutating func feedServer(_ bytes: [UInt8]) -> [Seen] {
    toServer += bytes
    return drain(&server, &toServer)
  }

  mutating func feedClient(_ bytes: [UInt8]) -> [Seen] {
    toClient += bytes
    return drain(&client, &toClient)
  }

  /// The frames in the server's output, which is cleared.
  mutating func serverFrames() -> [Frame] { Frame.parse(server.drainAll(at: now)) }
  mutating func clientFrames() -> [Frame] { Frame.parse(client.drainAll(at: now)) }

  private func move(_ connection: inout Connection, to pipe: inout [UInt8]) -> Int {
    let bytes = connection.drainAll(at: now)
    pipe += bytes
    return bytes.count
  }

  private func drain(_ connection: inout Connection, _ pipe: inout [UInt8]) -> [Seen] {
    connection.receive(&pipe, at: now)
  }
}

extension Connection {
  mutating func drainAll(at now: MonotonicTime) -> [UInt8] {
    var bytes: [UInt8] = []
    while hasOutput { drainOutput(at: now) { bytes += $0 } }
    return bytes
  }

  /// Receives the bytes, keeps the unconsumed ones, and returns the events. Messages are consumed if `consuming`.
  mutating func receive(_ pipe: inout [UInt8], at now: MonotonicTime, consuming: Bool = true) -> [Seen] {
    var offset = 0
    var seen: [Seen] = []
    pipe.withUnsafeBytes { bytes in
      while let event = receive(bytes, from: &offset, at: now) {
        seen.append(Seen(event, bytes))
        if consuming, case .message(let message) = event { consume(message.receipt) }
      }
    }
    pipe.removeFirst(offset)
    return seen
  }
}

/// A comparable event with its bytes copied.
enum Seen: Equatable {
  case ready
  case opened(UInt32, String, Metadata, hasDeadline: Bool)
  case header(UInt32, Metadata)
  case message(UInt32, [UInt8], isLast: Bool)
  case rejected
  case halfClosed(UInt32)
  case ended(UInt32, StatusCode)
  case goAway(UInt32, StatusCode)
  case failed(ConnectionFailure.Reason, StatusCode)

  init(_ event: ConnectionEvent, _ bytes: UnsafeRawBufferPointer) {
    switch event {
    case .ready: self = .ready
    case .opened(let call):
      self = .opened(call.stream.rawValue, call.method, call.metadata, hasDeadline: call.deadline != nil)
    case .header(let stream, let metadata, _): self = .header(stream.rawValue, metadata)
    case .message(let message):
      switch message.content {
      case .inPlace(let range):
        self = .message(message.stream.rawValue, Array(bytes[range]), isLast: message.isLast)
      case .assembled(let bytes): self = .message(message.stream.rawValue, bytes, isLast: message.isLast)
      }
    case .rejected: self = .rejected
    case .halfClosed(let stream, _): self = .halfClosed(stream.rawValue)
    case .ended(let stream, let status, _): self = .ended(stream.rawValue, status.code)
    case .goAway(let goAway): self = .goAway(goAway.lastStream.rawValue, goAway.status.code)
    case .failed(let failure): self = .failed(failure.reason, failure.status.code)
    }
  }

  var isFailure: Bool { if case .failed = self { true } else { false } }
}

/// The header fields and the payload of a frame.
struct Frame: Equatable {
  var type: UInt8
  var flags: UInt8 = 0
  var stream: UInt32 = 0
  var payload: [UInt8] = []

  var bytes: [UInt8] {
    func big(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    return big(UInt32(payload.count)) + [type, flags] + big(stream) + payload
  }

  /// Parses frames, after a preface if there is one.
  static func parse(_ bytes: [UInt8]) -> [Frame] {
    var rest = bytes.starts(with: Preface.magic) ? bytes.dropFirst(Preface.size) : bytes[...]
    var frames: [Frame] = []
    while rest.count >= FrameHeader.size {
      let start = rest.startIndex
      func big(_ offset: Int) -> UInt32 { rest[(start + offset)...].prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
      let end = start + FrameHeader.size + Int(big(0))
      frames.append(
        Frame(
          type: rest[start + 4], flags: rest[start + 5], stream: big(6),
          payload: Array(rest[(start + FrameHeader.size)..<end])))
      rest = rest[end...]
    }
    precondition(rest.isEmpty, "\(rest.count) trailing bytes")
    return frames
  }

  // Payloads in handwritten protobuf.
  static let preface: [UInt8] = Preface.bytes
  static let settings = Frame(type: 1)
  static func open(_ stream: UInt32, _ method: String = "a.B/C", extra: [UInt8] = []) -> Frame {
    Frame(type: 2, stream: stream, payload: [0x0A, UInt8(method.utf8.count)] + Array(method.utf8) + extra)
  }
  static func message(_ stream: UInt32, _ payload: [UInt8], flags: UInt8 = 0) -> Frame {
    Frame(type: 4, flags: flags, stream: stream, payload: payload)
  }
  static func status(_ stream: UInt32, code: UInt8 = 0) -> Frame {
    Frame(type: 5, stream: stream, payload: code == 0 ? [] : [0x08, code])
  }
  static func cancel(_ stream: UInt32) -> Frame { Frame(type: 6, stream: stream, payload: [0x08, 1]) }
  static func credit(_ stream: UInt32, _ credit: UInt32) -> Frame {
    Frame(type: 7, stream: stream, payload: (0..<4).map { UInt8(truncatingIfNeeded: credit >> (24 - 8 * $0)) })
  }
  static let ping = Frame(type: 8, payload: [1, 2, 3, 4, 5, 6, 7, 8])
}

/// A small deterministic random number generator.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_F491_4F6C_DD1D
  }
}
