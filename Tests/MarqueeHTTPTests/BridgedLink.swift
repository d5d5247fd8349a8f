import MarqueeHTTP
import MarqueeRPC
import MarqueeTestSupport

/// A client of the native protocol, a bridge, and a server in gRPC, without sockets.
final class BridgedLink {
  /// An event of the client or the server.
  enum Seen: Equatable {
    case ready
    case opened(StreamID, String, Metadata, timeout: Duration?)
    case header(StreamID, Metadata)
    case message(StreamID, [UInt8])
    case halfClosed(StreamID)
    case ended(StreamID, RPCStatus)
    case goAway(String)
    case failed(ConnectionFailure.Reason)
  }

  private(set) var now = MonotonicTime(nanoseconds: 0)
  var client: Connection
  let server: HTTP2Connection
  let bridge: HTTP2Bridge
  private(set) var clientSeen: [Seen] = []
  private(set) var serverSeen: [Seen] = []
  /// Whether the client, or the server, returns the credit of messages at once.
  var clientReads = true
  var serverReads = true
  private var unread: [UInt8] = []
  /// Splits the bytes in flight; `nil` for whole writes.
  private var sampler: Sampler?

  init(splitting sampler: Sampler? = nil) {
    self.sampler = sampler
    client = Connection(.client, arena: DecodeArena(), scratch: EncodeScratch(), at: now)
    server = HTTP2Connection(scratch: EncodeScratch(), at: now)
    bridge = HTTP2Bridge(at: now)
  }

  func open(_ metadata: Metadata = Metadata(), timeout: Duration? = nil) -> StreamID {
    client.open(
      method: "a.B/C", deadline: timeout.map { now.advanced(by: $0) }, metadata: metadata, messageSizeMax: 4 << 20,
      at: now)
  }

  func advance(by span: Duration) { now = now.advanced(by: span) }

  /// Passes bytes on until nothing is in flight.
  func exchange() {
    var isActive = true
    while isActive {
      var bytes: [UInt8] = []
      while client.hasOutput { client.drainOutput(at: now) { bytes += $0 } }
      isActive = !bytes.isEmpty
      for part in parts(bytes) { bridge.receive(fromClient: part, at: now) }
      let forServer = bridge.outputToServer(at: now)
      isActive = isActive || !forServer.isEmpty
      for part in parts(forServer) { receiveOnServer(part) }
      var fromServer: [UInt8] = []
      while server.hasOutput {
        let count = fromServer.count
        server.drainOutput(at: now) { fromServer += $0 }
        if fromServer.count == count { break }
      }
      isActive = isActive || !fromServer.isEmpty
      for part in parts(fromServer) { part.withUnsafeBytes { bridge.receive(fromServer: $0, at: now) } }
      let forClient = bridge.outputToClient(at: now)
      isActive = isActive || !forClient.isEmpty
      for part in parts(forClient) { receiveOnClient(part) }
    }
  }

  private func parts(_ bytes: [UInt8]) -> [[UInt8]] {
    guard var sampler else { return bytes.isEmpty ? [] : [bytes] }
    var parts: [[UInt8]] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let sizeMax = sampler.once(in: 2) ? 20 : 40_000
      let size = sampler.number(in: 1...sizeMax)
      parts.append(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    self.sampler = sampler
    return parts
  }

  private func receiveOnServer(_ bytes: [UInt8]) {
    var offset = 0
    bytes.withUnsafeBytes { bytes in
      while let event = server.receive(bytes, from: &offset, at: now) {
        if case .opened(let opened) = event { server.accept(opened.stream, messageSizeMax: 4 << 20) }
        if case .message(let message) = event, serverReads { server.consume(message.receipt) }
        if let seen = seen(event, bytes) { serverSeen.append(seen) }
      }
    }
  }

  private func receiveOnClient(_ bytes: [UInt8]) {
    unread += bytes
    var offset = 0
    let whole = unread
    whole.withUnsafeBytes { bytes in
      while let event = client.receive(bytes, from: &offset, at: now) {
        if case .message(let message) = event, clientReads { client.consume(message.receipt) }
        if let seen = seen(event, bytes) { clientSeen.append(seen) }
      }
    }
    unread.removeFirst(offset)
  }

  private func seen(_ event: ConnectionEvent, _ bytes: UnsafeRawBufferPointer) -> Seen? {
    switch event {
    case .ready: return .ready
    case .opened(let opened):
      let timeout = opened.deadline.map { now.duration(to: $0) }
      return .opened(opened.stream, opened.method, opened.metadata, timeout: timeout)
    case .header(let id, let metadata, _): return .header(id, metadata)
    case .message(let message):
      switch message.content {
      case .inPlace(let range): return .message(message.stream, Array(bytes[range]))
      case .assembled(let bytes): return .message(message.stream, bytes)
      }
    case .halfClosed(let id, _): return .halfClosed(id)
    case .ended(let id, let status, _): return .ended(id, status)
    case .goAway(let goAway): return .goAway(goAway.status.message)
    case .failed(let failure): return .failed(failure.reason)
    case .rejected: return nil
    }
  }
}
