import Glibc
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeWire

/// Displays that watch one device in a standard protocol: sockets without a library, so that many fit into one process.
final class RawWatchers {
  enum Form: CaseIterable {
    case http2, http1

    var name: String {
      switch self {
      case .http2: "gRPC over HTTP/2"
      case .http1: "Connect over HTTP/1.1"
      }
    }

    /// The number of watchers per connection; a server allows 256 calls.
    fileprivate var watcherCountMax: Int { self == .http2 ? 250 : 1 }
  }

  private struct Connection {
    var input: [UInt8] = []
    /// Whether the head of a response of HTTP/1.1 has been received.
    var hasHead = false
    /// The incomplete messages by stream.
    var messages: [UInt32: [UInt8]] = [:]
  }

  /// The number of watchers that start at the same time: their requests wait in the queue of the device's shard.
  private static let groupCount = 500
  /// The time limit for progress, in milliseconds.
  private static let timeMax: CInt = 60_000
  private static let readSize = 65_536

  private let path: String
  private let form: Form
  private let request: [UInt8]
  private let arena = DecodeArena()
  private var polls: [pollfd] = []
  private var connections: [Connection] = []
  private var begunCount = 0
  private var expected: Widget?
  /// The times at which watchers received the change, on the monotonic clock.
  private var arrivals: [UInt64] = []

  /// Creates watchers of a device of the server at a Unix socket.
  init(_ form: Form, of device: DeviceID, at path: String) throws {
    self.form = form
    self.path = path
    var buffer = EncodeBuffer()
    DisplayService.watch.request.encode(try WatchRequest(device: device), &buffer)
    request = buffer.bytes
  }

  deinit {
    for poll in polls { close(poll.fd) }
  }

  /// Starts `count` watchers in groups, each after the previous one has received the initial state.
  func start(_ count: Int) throws {
    for first in stride(from: 0, to: count, by: Self.groupCount) {
      let end = min(first + Self.groupCount, count)
      for start in stride(from: first, to: end, by: form.watcherCountMax) {
        try connect(min(form.watcherCountMax, end - start))
      }
      try receive { begunCount == end }
    }
  }

  /// Expects a change to a widget, performs it, and waits until all watchers have received it.
  ///
  /// - Returns: The times of the arrivals.
  func arrivals(of widget: Widget, after change: () -> Void) throws -> [UInt64] {
    expected = widget
    arrivals.removeAll(keepingCapacity: true)
    change()
    try receive { arrivals.count == begunCount }
    return arrivals
  }

  // MARK: Sockets

  private func connect(_ count: Int) throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw BenchmarkError("no socket: error \(errno)") }
    polls.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
    connections.append(Connection())
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard path.utf8.count < capacity else { throw BenchmarkError("the path of the socket is too long") }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw BenchmarkError("no connection: error \(errno)") }
    try send(requests(count), to: descriptor)
  }

  private func send(_ bytes: [UInt8], to descriptor: CInt) throws {
    guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw BenchmarkError("a request was not sent: error \(errno)")
    }
  }

  private func requests(_ count: Int) -> [UInt8] {
    let path = "/\(DisplayService.watch.path)"
    switch form {
    case .http2:
      // The window of the connection must have room for the states of all watchers.
      let window = HTTP2Frame.bytes(HTTP2Frame.windowUpdate, [0x3F, 0xFF, 0, 0])
      return (0..<count).reduce(into: HTTP2Frame.start + window) { bytes, index in
        bytes += HTTP2Frame.call(path, stream: UInt32(2 * index + 1), request)
      }
    case .http1:
      let body = HTTP2Frame.envelope(request)
      let head = [
        "POST \(path) HTTP/1.1", "Host: localhost", "Content-Type: application/connect+proto",
        "Content-Length: \(body.count)", "", "",
      ]
      return Array(head.joined(separator: "\r\n").utf8) + body
    }
  }

  private func receive(until isOver: () -> Bool) throws {
    while !isOver() {
      guard poll(&polls, nfds_t(polls.count), Self.timeMax) > 0 else {
        throw BenchmarkError("watchers did not receive the expected updates")
      }
      for index in polls.indices where polls[index].revents != 0 {
        let part = [UInt8](unsafeUninitializedCapacity: Self.readSize) { space, count in
          count = max(0, recv(polls[index].fd, space.baseAddress, space.count, 0))
        }
        guard !part.isEmpty else { throw BenchmarkError("the server closed a connection") }
        connections[index].input += part
        switch form {
        case .http2: try processFrames(of: index)
        case .http1: try processChunks(of: index)
        }
      }
    }
  }

  // MARK: Protocols

  private func processFrames(of index: Int) throws {
    var start = 0
    while let frame = HTTP2Frame(connections[index].input[start...]) {
      let payload = Array(connections[index].input[start + 9..<start + frame.size])
      start += frame.size
      switch frame.kind {
      case HTTP2Frame.data: try append(payload, to: frame.stream, of: index)
      case HTTP2Frame.headers where frame.endsStream: throw BenchmarkError("a watch has ended")
      case HTTP2Frame.ping where frame.flags == 0:
        try send(HTTP2Frame.bytes(frame.kind, flags: HTTP2Frame.acknowledgement, payload), to: polls[index].fd)
      case HTTP2Frame.goAway: throw BenchmarkError("the server has ended a connection")
      default: break
      }
    }
    connections[index].input.removeFirst(start)
  }

  private func processChunks(of index: Int) throws {
    while let line = connections[index].input.firstIndex(of: UInt8(ascii: "\r")) {
      let text = String(decoding: connections[index].input[..<line], as: UTF8.self)
      guard connections[index].hasHead else {
        guard text.hasPrefix("HTTP/1.1 200") || !text.hasPrefix("HTTP/") else { throw BenchmarkError(text) }
        connections[index].hasHead = text.isEmpty
        guard connections[index].input.count >= line + 2 else { return connections[index].hasHead = false }
        connections[index].input.removeFirst(line + 2)
        continue
      }
      guard let size = Int(text, radix: 16), size > 0 else { throw BenchmarkError("not a chunk: \(text)") }
      guard connections[index].input.count >= line + size + 4 else { return }
      let chunk = Array(connections[index].input[line + 2..<line + 2 + size])
      connections[index].input.removeFirst(line + size + 4)
      try append(chunk, to: 1, of: index)
    }
  }

  /// Appends bytes to the messages of a stream, and handles the complete ones.
  private func append(_ bytes: [UInt8], to stream: UInt32, of index: Int) throws {
    var rest = (connections[index].messages.removeValue(forKey: stream) ?? [])[...] + bytes
    while rest.count >= 5 {
      let size = 5 + rest.dropFirst().prefix(4).reduce(0) { $0 << 8 | Int($1) }
      guard rest.count >= size else { break }
      guard rest.first == 0 else { throw BenchmarkError("a watch has ended") }
      try handle(Array(rest.prefix(size).dropFirst(5)))
      rest = rest.dropFirst(size)
    }
    if !rest.isEmpty { connections[index].messages[stream] = Array(rest) }
  }

  private func handle(_ message: [UInt8]) throws {
    let update = try message.withUnsafeBytes { bytes throws(RPCStatus) in
      try DisplayService.watch.response.decode(bytes, arena)
    }
    switch update.change {
    case .state: begunCount += 1
    case .front(let front) where front.widget == expected: arrivals.append(LoadMeter.now)
    case .label, .entry: break
    case .front, .stack, .removed, .homeWidgetAdded, .homeWidgetRemoved, .heartbeat, .timeZone:
      throw BenchmarkError("unexpected update")
    }
  }
}
