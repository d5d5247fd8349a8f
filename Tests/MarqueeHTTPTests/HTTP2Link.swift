import MarqueeRPC
import MarqueeTestSupport

@testable import MarqueeHTTP

/// A client over libnghttp2, a server's connection, and the bytes in flight between them, without sockets.
struct HTTP2Link {
  typealias Field = HTTP2TestClient.Field

  let client: HTTP2TestClient
  let server: HTTP2Connection
  var now = MonotonicTime(nanoseconds: 1_000_000_000)
  /// Whether delivered messages are consumed at once.
  var consumes = true
  /// The largest number of bytes that the server receives at once.
  var pieceSize = Int.max
  /// The receipts of delivered messages.
  var receipts: [CreditReceipt] = []

  init(
    _ limits: RPCLimits = RPCLimits(), _ http2: HTTP2Limits = HTTP2Limits(), clientSettings: [(UInt32, UInt32)] = []
  ) {
    client = HTTP2TestClient(settings: clientSettings)
    server = HTTP2Connection(limits: limits, http2: http2, scratch: EncodeScratch(), at: now)
  }

  /// Returns a link whose settings have been exchanged.
  static func open(
    _ limits: RPCLimits = RPCLimits(), _ http2: HTTP2Limits = HTTP2Limits(), clientSettings: [(UInt32, UInt32)] = []
  ) -> HTTP2Link {
    var link = HTTP2Link(limits, http2, clientSettings: clientSettings)
    let seen = link.exchange()
    precondition(seen == [.ready] && link.server.isOpen, "the settings were not exchanged")
    return link
  }

  /// Passes the bytes to the server, and returns its events.
  mutating func feed(_ bytes: [UInt8]) -> [Seen] {
    var seen: [Seen] = []
    for start in stride(from: 0, to: bytes.count, by: min(pieceSize, max(1, bytes.count))) {
      let piece = Array(bytes[start..<min(start + min(pieceSize, bytes.count), bytes.count)])
      seen += receive(piece)
    }
    return bytes.isEmpty ? receive([]) : seen
  }

  private mutating func receive(_ bytes: [UInt8]) -> [Seen] {
    var (seen, offset): ([Seen], Int) = ([], 0)
    bytes.withUnsafeBytes { bytes in
      while let event = server.receive(bytes, from: &offset, at: now) {
        seen.append(Seen(event, bytes))
        if case .message(let message) = event {
          if consumes { server.consume(message.receipt) } else { receipts.append(message.receipt) }
        }
      }
    }
    precondition(offset == bytes.count, "\(bytes.count - offset) bytes were not consumed")
    return seen
  }

  /// Returns the server's output, which is cleared.
  func serverOutput() -> [UInt8] {
    var bytes: [UInt8] = []
    while server.hasOutput { server.drainOutput(at: now) { bytes += $0 } }
    return bytes
  }

  /// Transfers all bytes in both directions until none are left, and returns the server's events.
  @discardableResult
  mutating func exchange() -> [Seen] {
    var seen: [Seen] = []
    while true {
      let (toServer, count) = (client.output(), seen.count)
      if !toServer.isEmpty || server.hasOutput { seen += feed(toServer) }
      let toClient = serverOutput()
      client.receive(toClient)
      seen += feed([])
      if toServer.isEmpty, toClient.isEmpty, seen.count == count { return seen }
    }
  }

  /// Advances the time to the server's next wake-up, and returns the events.
  mutating func wake() -> [Seen] {
    now = server.wakeUpTime ?? now
    server.wakeUp(at: now)
    return feed([])
  }

  /// Opens a call on the client, and returns its number after the server has accepted it.
  mutating func open(
    _ path: String = "/a.B/C", contentType: String = "application/grpc", single: Bool = false,
    messageSizeMax: Int = 1 << 20, fields more: [Field] = []
  ) -> Int32 {
    let id = client.request(HTTP2TestClient.fields(path, contentType: contentType, more))
    exchange()
    server.accept(
      StreamID(id), messageSizeMax: messageSizeMax, owner: nil, waitsForRequestSince: single ? now : nil)
    return id
  }

  func response(_ id: Int32) -> HTTP2TestClient.Response {
    client.responses[id] ?? HTTP2TestClient.Response()
  }

  func sendOK(_ id: Int32, _ messages: [UInt8]...) {
    for message in messages { _ = server.send(encoded: message, on: StreamID(id), sizeMax: 1 << 24, at: now) }
    server.finish(StreamID(id), with: .ok)
  }
}

extension StreamID {
  init(_ number: Int32) {
    self.init(rawValue: UInt32(number))
  }
}

/// A comparable event with its bytes copied.
enum Seen: Equatable {
  case ready
  case opened(UInt32, String, Metadata, hasDeadline: Bool)
  case message(UInt32, [UInt8], isLast: Bool)
  case rejected
  case halfClosed(UInt32)
  case ended(UInt32, StatusCode)
  case failed(ConnectionFailure.Reason, StatusCode)

  init(_ event: ConnectionEvent, _ bytes: UnsafeRawBufferPointer) {
    switch event {
    case .ready: self = .ready
    case .opened(let call):
      self = .opened(call.stream.rawValue, call.method, call.metadata, hasDeadline: call.deadline != nil)
    case .message(let message):
      switch message.content {
      case .inPlace(let range):
        self = .message(message.stream.rawValue, Array(bytes[range]), isLast: message.isLast)
      case .assembled(let bytes): self = .message(message.stream.rawValue, bytes, isLast: message.isLast)
      }
    case .rejected: self = .rejected
    case .halfClosed(let stream, _): self = .halfClosed(stream.rawValue)
    case .ended(let stream, let status, _): self = .ended(stream.rawValue, status.code)
    case .failed(let failure): self = .failed(failure.reason, failure.status.code)
    case .header, .goAway: preconditionFailure("\(event) on a server")
    }
  }

  var isFailure: Bool { if case .failed = self { true } else { false } }
}

/// A frame of HTTP/2, for tests of single bytes.
struct Frame: Equatable {
  var type: UInt8
  var flags: UInt8 = 0
  var stream: Int32 = 0
  var payload: [UInt8] = []

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    HTTP2FrameHeader(length: payload.count, type: type, flags: flags, stream: stream).append(to: &bytes)
    return bytes + payload
  }

  /// Parses complete frames.
  static func parse(_ bytes: [UInt8]) -> [Frame] {
    var (frames, rest): ([Frame], ArraySlice<UInt8>) = ([], bytes[...])
    while rest.count >= 9 {
      let head = Array(rest.prefix(9))
      let size = head[..<3].reduce(0) { $0 << 8 | Int($1) }
      let stream = head[5...].reduce(0) { $0 << 8 | Int32($1) }
      let payload = Array(rest.dropFirst(9).prefix(size))
      frames.append(Frame(type: head[3], flags: head[4], stream: stream, payload: payload))
      rest = rest.dropFirst(9 + size)
    }
    precondition(rest.isEmpty, "\(rest.count) trailing bytes")
    return frames
  }

  static func number(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
  }

  static let settings = Frame(type: 4)
  static let settingsAcknowledgement = Frame(type: 4, flags: 1)
  static let ping = Frame(type: 6, payload: [1, 2, 3, 4, 5, 6, 7, 8])
  static func data(_ stream: Int32, _ payload: [UInt8], ends: Bool = false) -> Frame {
    Frame(type: 0, flags: ends ? 1 : 0, stream: stream, payload: payload)
  }
  static func reset(_ stream: Int32) -> Frame { Frame(type: 3, stream: stream, payload: number(8)) }
  static func windowUpdate(_ stream: Int32, _ size: UInt32) -> Frame {
    Frame(type: 8, stream: stream, payload: number(size))
  }

  /// A request, encoded as HPACK literals without indexing, so that frames can be reordered and dropped.
  static func headers(
    _ stream: Int32, _ fields: [HTTP2Link.Field] = HTTP2TestClient.fields("/a.B/C"), ends: Bool = false
  ) -> Frame {
    let block = fields.flatMap { field -> [UInt8] in
      precondition(field.name.utf8.count < 127 && field.value.utf8.count < 127, "the test's encoder is too simple")
      return [0, UInt8(field.name.utf8.count)] + Array(field.name.utf8) + [UInt8(field.value.utf8.count)]
        + Array(field.value.utf8)
    }
    return Frame(type: 1, flags: ends ? 5 : 4, stream: stream, payload: block)
  }
}
