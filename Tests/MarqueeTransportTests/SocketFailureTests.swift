import MarqueeRPC
import MarqueeTestSupport
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import MarqueeTransport

/// Sockets that fail or are full while a connection uses them, without sockets.
@Suite("Sockets that fail, and clients that do not read")
struct SocketFailureTests {
  /// A handler in the place of the socket.
  ///
  /// `@unchecked Sendable`: used on one thread.
  private final class Socket: ChannelDuplexHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    /// The input that a failing write reads.
    var nested: [UInt8]?
    /// Whether the socket accepts no output.
    var isFull = false
    private var isReceiving = false
    private var waiting: [EventLoopPromise<Void>?] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      isReceiving = true
      context.fireChannelRead(data)
      isReceiving = false
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      if isFull { waiting.append(promise) } else { context.write(data, promise: promise) }
    }

    func flush(context: ChannelHandlerContext) {
      if isReceiving, let nested {
        self.nested = nil
        context.fireChannelRead(NIOAny(ByteBuffer(bytes: nested)))
      }
      context.flush()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
      // The channel has no directions.
      if mode == .output { promise?.succeed() } else { context.close(mode: mode, promise: promise) }
    }

    func accept() {
      isFull = false
      for promise in waiting { promise?.succeed() }
      waiting = []
    }
  }

  private final class Count: Sendable {
    let value = Mutex(0)
  }

  /// A connection to a server, both on one thread.
  private struct Link {
    let loop = EmbeddedEventLoop()
    let channel: EmbeddedChannel
    let server: RPCServer
    let socket = Socket()
    /// The number of calls of the method whose calls only the nested input has.
    let nestedCount = Count()

    init(_ change: (inout ServerConfiguration) -> Void = { _ in }) throws {
      var configuration = ServerConfiguration()
      configuration.eventLoopGroup = loop
      change(&configuration)
      var router = Router(status: EchoServer.status)
      router.synchronous(Methods.echoNow) { request, _ in request }
      router.synchronous(Methods.fail) { [nestedCount] request, _ in
        nestedCount.value.withLock { $0 += 1 }
        return request
      }
      server = RPCServer(router: router, configuration: configuration, logger: .silent)
      channel = EmbeddedChannel(loop: loop)
      try server.accept(channel)
      try channel.pipeline.syncOperations.addHandler(socket, position: .first)
      channel.connect(to: try SocketAddress(unixDomainSocketPath: "test"), promise: nil)
    }

    func receive(_ bytes: [UInt8]) throws {
      try channel.writeInbound(ByteBuffer(bytes: bytes))
      loop.run()
    }

    /// Returns the output since the last call.
    func output() throws -> [UInt8] {
      var output: [UInt8] = []
      while let part = try channel.readOutbound(as: ByteBuffer.self) { output += part.readableBytesView }
      return output
    }

    /// Whether the connection is still open after some seconds.
    func isOpen(after seconds: Int64) -> Bool {
      loop.advanceTime(by: .seconds(seconds))
      return channel.isActive
    }
  }

  /// Returns calls in a protocol. Responses to enough calls are written before all have been read.
  private static func calls(_ number: ConnectionProtocol, _ path: String, count: Int, first: Int) -> [UInt8] {
    let message = [UInt8](repeating: 7, count: 300)
    switch number {
    case .native:
      var bytes: [UInt8] = []
      for call in first..<(first + count) {
        let stream = UInt32(2 * call + 1)
        bytes += RawFrame.open(stream, path)
        bytes += RawFrame.message(stream, message)
      }
      return bytes
    case .http1: return (0..<count).flatMap { _ in HTTP1RawClient.call(path, message) }
    case .http2: return []
    }
  }

  @Test(
    "Input that a failing write reads in the middle of a buffer is no part of it, and is dropped",
    arguments: [ConnectionProtocol.native, .http1, .http2])
  func nestedRead(in used: ConnectionProtocol) throws {
    let link = try Link { if used == .http1 { $0.limits.outputSizeMax = 4_096 } }
    var calls = Self.calls(used, Methods.echoNow.path, count: 60, first: 0)
    var nested = Self.calls(used, Methods.fail.path, count: 1, first: 60)
    if used == .native { try link.receive(RawFrame.hello) }
    if used == .http2 {
      let client = HTTP2TestClient()
      try link.receive(client.output())
      client.receive(try link.output())
      func requests(_ path: String, _ count: Int) -> [UInt8] {
        for _ in 0..<count {
          let call = client.request(HTTP2TestClient.fields("/\(path)"))
          client.send(HTTP2TestClient.Message(bytes: [UInt8](repeating: 7, count: 300)).encoded, on: call, ends: true)
        }
        return client.output()
      }
      calls = requests(Methods.echoNow.path, 60)
      nested = requests(Methods.fail.path, 1)
    }
    link.socket.nested = nested
    try link.receive(calls)
    #expect(link.socket.nested == nil, "nothing was written before the end of the buffer")
    #expect(link.nestedCount.value.withLock(\.self) == 0)
    #expect(link.server.statistics.callsFinished[.ok] == 60)
    _ = try link.channel.finish(acceptAlreadyClosed: true)
  }

  /// What ends a connection of HTTP/1.1 whose client does not read the response.
  enum Ending: CaseIterable {
    case inputClosed
    case idle
    case shutDown
    case malformed
  }

  @Test("A connection in HTTP/1.1 whose client reads nothing is closed in time", arguments: Ending.allCases)
  func unreadResponse(_ ending: Ending) throws {
    let link = try Link()
    link.socket.isFull = true
    try link.receive(HTTP1RawClient.call(Methods.echoNow.path, [1]))
    var time: Int64 = 30
    switch ending {
    case .inputClosed: link.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    case .idle: time = 90
    case .shutDown:
      link.server.close(RPCStatus(.unavailable, "over")) { _ in true }
      time = 1
    case .malformed: try link.receive(Array("garbage\r\n\r\n".utf8))
    }
    link.loop.run()
    #expect(link.isOpen(after: time - 1))
    #expect(!link.isOpen(after: 2))
    _ = try link.channel.finish(acceptAlreadyClosed: true)
  }

  @Test(
    "A client has a second to close after it has read the end of the output, and not from its queueing on",
    arguments: [ConnectionProtocol.native, .http1])
  func lingering(in used: ConnectionProtocol) throws {
    let link = try Link()
    if used == .native { try link.receive(RawFrame.hello) }
    link.socket.isFull = true
    try link.receive(used == .native ? RawFrame(type: 4, payload: [1]).bytes : Array("GET\r\n\r\n".utf8))
    #expect(link.isOpen(after: 20))
    link.socket.accept()
    link.loop.run()
    #expect(link.channel.isActive)
    #expect(!link.isOpen(after: 2))
    _ = try link.channel.finish(acceptAlreadyClosed: true)
  }

  @Test("A connection whose client has not read the last output can be closed at once", arguments: [false, true])
  func closedWhileLingering(evicting: Bool) throws {
    let link = try Link { if evicting { $0.connectionCountMax = 1 } }
    try link.receive(RawFrame.hello)
    link.socket.isFull = true
    try link.receive(RawFrame(type: 4, payload: [1]).bytes)
    #expect(link.isOpen(after: 1))
    if evicting {
      let other = EmbeddedChannel(loop: link.loop)
      try link.server.accept(other)
      other.connect(to: try SocketAddress(unixDomainSocketPath: "test"), promise: nil)
      _ = try other.finish(acceptAlreadyClosed: true)
    } else {
      link.server.close(RPCStatus(.unavailable, "over")) { _ in true }
    }
    link.loop.run()
    #expect(!link.channel.isActive)
    _ = try link.channel.finish(acceptAlreadyClosed: true)
  }

  @Test("A shutdown leaves a client the time to read the last output of its connection")
  func drainedWhileLingering() throws {
    let link = try Link()
    try link.receive(RawFrame.hello)
    link.socket.isFull = true
    try link.receive(RawFrame(type: 4, payload: [1]).bytes)
    #expect(link.server.admission.connections.count == 1)
    for connection in link.server.admission.connections { connection.drain(retryAfter: .zero) }
    #expect(link.isOpen(after: 20))
    _ = try link.channel.finish(acceptAlreadyClosed: true)
  }

  @Test("The requests in HTTP/1.1 before malformed input are answered, the last one with the end of the connection")
  func malformedInputAfterWaitingRequests() throws {
    let link = try Link { $0.limits.outputSizeMax = 100 }
    link.channel.isWritable = false
    let call = HTTP1RawClient.call(Methods.echoNow.path, [UInt8](repeating: 7, count: 300))
    try link.receive(call + call + call + Array("garbage\r\n\r\n".utf8))
    #expect(try link.output().isEmpty)
    link.channel.isWritable = true
    link.channel.pipeline.fireChannelWritabilityChanged()
    link.loop.run()
    let text = String(decoding: try link.output(), as: UTF8.self)
    #expect(text.ranges(of: "HTTP/1.1 200 ").count == 3 && !text.contains("HTTP/1.1 400 "), "\(text)")
    #expect(text.ranges(of: "connection: close").count == 1)
    _ = try link.channel.finish(acceptAlreadyClosed: true)
  }

  @Test("A waiting request in HTTP/1.1 that is malformed is answered after the ones before it")
  func malformedWaitingRequest() throws {
    let link = try Link { $0.limits.outputSizeMax = 100 }
    link.channel.isWritable = false
    let call = HTTP1RawClient.call(Methods.echoNow.path, [UInt8](repeating: 7, count: 300))
    let head = "POST /\(Methods.echoNow.path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/proto\r\n"
    try link.receive(call + Array((head + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\nx\r\n").utf8))
    link.channel.isWritable = true
    link.channel.pipeline.fireChannelWritabilityChanged()
    link.loop.run()
    let text = String(decoding: try link.output(), as: UTF8.self)
    #expect(text.hasPrefix("HTTP/1.1 200 ") && text.contains("HTTP/1.1 400 "), "\(text)")
    _ = try link.channel.finish(acceptAlreadyClosed: true)
  }

  @Test("An upload in HTTP/1.1 that stalls is refused 30 s after its last part, however much came before")
  func stalledUpload() throws {
    let link = try Link()
    let head = "POST /\(Methods.echoNow.path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/proto\r\n"
    try link.receive(Array((head + "Content-Length: 1000000\r\n\r\n").utf8) + [UInt8](repeating: 1, count: 900_000))
    #expect(link.isOpen(after: 20))
    try link.receive([1])
    #expect(link.isOpen(after: 29))
    #expect(try link.output().isEmpty)
    _ = link.isOpen(after: 1)
    let answer = String(decoding: try link.output(), as: UTF8.self)
    #expect(answer.hasPrefix("HTTP/1.1 429 ") && answer.contains("message-time-max"), "\(answer)")
    _ = try link.channel.finish(acceptAlreadyClosed: true)
  }

  @Test("No more is read while a body of a later request in HTTP/1.1 waits, and its bytes count as incomplete")
  func pendingBody() async throws {
    let server = try await EchoServer()
    let size = 16 << 20
    let stream = try await HTTP1RawClient(server.endpoint)
    stream.push(HTTP1RawClient.call(Methods.wait.path, [], ["Connect-Timeout-Ms: 10000"]))
    await server.waits.wait()
    stream.push(HTTP1RawClient.call(Methods.echoNow.path, [UInt8](repeating: 1, count: size)))
    var (last, sizes) = (-1, server.server.assemblySizes)
    while sizes.all != last || last == 0 {
      last = sizes.all
      try await Task.sleep(for: .milliseconds(100))
      sizes = server.server.assemblySizes
    }
    // A read has at most 64 KiB, and the channel may have made a few before it is asked for the next one.
    #expect(last >= HTTP1Session.pendingSizeMax && last < 4 * HTTP1Session.pendingSizeMax)
    try await stream.close()
    await server.shutDown()
    #expect(server.server.assemblySizes.all == 0)
  }
}
