import MarqueeRPC
import MarqueeTestSupport
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Testing

@testable import MarqueeTransport

@Suite("Detection of protocols", .timeLimit(.minutes(1)))
struct ProtocolDetectorTests {
  /// The beginning of HTTP/2, with empty SETTINGS.
  private static let http2 = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
  private static let settingsType: UInt8 = 4

  @Test(
    "The first bytes decide, as soon as they exclude the other protocols",
    arguments: [
      ([], .incomplete), ([0x89], .begin(.native)), (RawFrame.hello, .begin(.native)),
      (Array("P".utf8), .incomplete), (Array("PRI".utf8), .incomplete), (Array("PRI ".utf8), .begin(.http2)),
      (http2, .begin(.http2)), (Array("PO".utf8), .begin(.http1)), (Array("PRIX".utf8), .begin(.http1)),
      (Array("GET / HTTP/1.1\r\n".utf8), .begin(.http1)), (Array("G".utf8), .begin(.http1)),
      (Array("get".utf8), .garbage), ([0], .garbage), ([0x16, 3, 1], .garbage), ([0x88], .garbage),
    ] as [([UInt8], FirstBytes)])
  func firstBytes(bytes: [UInt8], expected: FirstBytes) {
    #expect(FirstBytes(bytes) == expected)
  }

  @Test("One endpoint serves both protocols, however their first bytes arrive; connections are counted by protocol")
  func bothProtocols() async throws {
    let directory = try TemporaryDirectory()
    for endpoint in [Endpoint.tcp(host: "127.0.0.1", port: 0), .unix(path: directory.file("socket"))] {
      let server = try await EchoServer(endpoint)
      let client = server.client()
      let answer = try await client.unary(Methods.echo, [1])
      #expect(answer == [1])
      var raw = try await RawClient(server.endpoint)
      for byte in Self.http2 { try await raw.send([byte]) }
      let settings = await raw.receive(atLeast: 9)
      #expect(settings.count >= 9 && settings[3] == Self.settingsType)
      #expect(server.server.statistics.connectionsOpenByProtocol == [.native: 1, .http2: 1])
      await client.close()
      try await raw.close()
      await server.shutDown()
      #expect(server.server.statistics.connectionsOpenByProtocol == [.native: 0, .http2: 0])
    }
  }

  @Test("A protocol that is switched off is refused, and the others are served")
  func switchedOff() async throws {
    let first: [ConnectionProtocol: [UInt8]] = [
      .native: RawFrame.hello, .http2: Self.http2, .http1: Array("OPTIONS * HTTP/1.1\r\n\r\n".utf8),
    ]
    for callProtocol in CallProtocol.allCases {
      var configuration = ServerConfiguration()
      configuration.protocols = [callProtocol]
      let server = try await EchoServer(configuration: configuration)
      let others = ConnectionProtocol.allCases.filter { !$0.isAccepted(with: [callProtocol]) }
      for other in others {
        var refused = try await RawClient(server.endpoint)
        try await refused.send(first[other] ?? [])
        let refusal = await refused.receiveToEnd()
        #expect(refusal.isEmpty || (other == .http1 && callProtocol == .grpc))
      }
      // HTTP/2 is accepted for Connect, too.
      #expect(others.count == (callProtocol == .connect ? 1 : 2))
      #expect(server.server.statistics.connectionsFailed == [.garbage: others.count])
      var served = try await RawClient(server.endpoint)
      let accepted = ConnectionProtocol.allCases.last { $0.isAccepted(with: [callProtocol]) }
      try await served.send(accepted.flatMap { first[$0] } ?? [])
      let answer = await served.receive(atLeast: 9)
      #expect(answer.count >= 9)
      try await served.close()
      await server.shutDown()
    }
  }

  @Test("Row 13: without Connect, HTTP/1.1 is answered with 505 without quoting the request; without gRPC, not at all")
  func olderHTTP() async throws {
    let request = Array("GET /secret-path HTTP/1.1\r\nHost: secret-host\r\n\r\n".utf8)
    for protocols in [[.native, .grpc], [.grpc], [.native]] as [Set<CallProtocol>] {
      var configuration = ServerConfiguration()
      configuration.protocols = protocols
      let server = try await EchoServer(configuration: configuration)
      var raw = try await RawClient(server.endpoint)
      try await raw.send(request)
      let answer = String(decoding: await raw.receiveToEnd(), as: UTF8.self)
      if protocols.contains(.grpc) {
        #expect(answer.hasPrefix("HTTP/1.1 505 HTTP Version Not Supported\r\n"))
        let native = protocols.contains(.native) ? ", and the protocol of Marquee's own clients" : ""
        #expect(answer.hasSuffix("\r\n\r\nThis port serves gRPC over HTTP/2\(native).\n"))
      } else {
        #expect(answer.isEmpty)
      }
      #expect(!answer.contains("secret"))
      #expect(server.server.statistics.connectionsFailed == [.garbage: 1])
      await server.shutDown()
    }
  }

  @Test("Row 1: a peer that does not complete its first bytes is disconnected, and drained and evicted at once")
  func silence() async throws {
    var configuration = ServerConfiguration()
    configuration.limits.handshakeTimeMax = .milliseconds(200)
    let server = try await EchoServer(configuration: configuration)
    for bytes in [[], Array("PRI".utf8), Self.http2.dropLast(9), Array(RawFrame.preface.prefix(6))] as [[UInt8]] {
      var raw = try await RawClient(server.endpoint)
      if !bytes.isEmpty { try await raw.send(bytes) }
      _ = await raw.receiveToEnd()
    }
    #expect(server.server.statistics.connectionsFailed == [.handshakeTimeout: 4])
    await server.shutDown()

    configuration.limits.handshakeTimeMax = .seconds(30)
    configuration.connectionsPerAddressMax = 1
    let second = try await EchoServer(configuration: configuration)
    var evicted = try await RawClient(second.endpoint)
    while second.server.statistics.connectionsAccepted < 1 { try await Task.sleep(for: .milliseconds(1)) }
    var drained = try await RawClient(second.endpoint)
    _ = await evicted.receiveToEnd()
    #expect(second.server.statistics.connectionsFailed == [.evicted: 1])
    await second.shutDown()
    _ = await drained.receiveToEnd()
  }

  @Test("A rejected connection gets the reason in its own protocol")
  func rejection() async throws {
    var configuration = ServerConfiguration()
    configuration.connectionsPerAddressMax = 1
    let server = try await EchoServer(configuration: configuration)
    let client = server.client()
    let answer = try await client.unary(Methods.echo, [1])
    #expect(answer == [1])
    let reason = "too many connections from one address (address-connection-count-max: 1)"
    var grpc = try await RawClient(server.endpoint)
    try await grpc.send(Self.http2)
    let goAway = await grpc.receiveToEnd()
    #expect(goAway.count > 9 && goAway[3] == Self.settingsType)
    #expect(String(decoding: goAway, as: UTF8.self).contains(reason))
    var native = try await RawClient(server.endpoint)
    try await native.send(RawFrame.hello)
    let frames = await native.frames()
    let text = String(decoding: frames.last?.payload ?? [], as: UTF8.self)
    #expect(text.contains(reason))
    await client.close()
    await server.shutDown()
  }

  @Test("With TLS, ALPN decides; without it, the first bytes do")
  func negotiated() async throws {
    let tls = try TLSPair()
    let server = try await EchoServer(tls: tls)
    for names in [["h2"], []] {
      let (negotiated, answer) = try await Self.answer(server.endpoint, tls.client, names, to: Self.http2)
      #expect(negotiated == (names.isEmpty ? nil : "h2"))
      #expect(answer.count >= 9 && answer[3] == Self.settingsType)
    }
    for names in [["marquee/1"], []] {
      let (negotiated, answer) = try await Self.answer(server.endpoint, tls.client, names, to: RawFrame.hello)
      #expect(negotiated == names.first && answer.starts(with: RawFrame.preface))
    }
    let (browsers, settings) = try await Self.answer(
      server.endpoint, tls.client, ["http/1.1", "h2"], to: Self.http2)
    #expect(browsers == "h2" && settings.count >= 9 && settings[3] == Self.settingsType)
    let (older, response) = try await Self.answer(
      server.endpoint, tls.client, ["http/1.1"], to: Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    #expect(older == "http/1.1" && response.starts(with: "HTTP/1.1 405".utf8))
    // The bytes of the other protocol, after ALPN has decided.
    let (_, answer) = try await Self.answer(server.endpoint, tls.client, ["h2"], to: RawFrame.hello)
    #expect(answer.isEmpty)
    await server.shutDown()
  }

  /// Returns the negotiated protocol, and the first bytes that a TLS server sends in response to `bytes`.
  private static func answer(
    _ endpoint: Endpoint, _ tls: TLSConfiguration, _ names: [String], to bytes: [UInt8]
  ) async throws -> (negotiated: String?, bytes: [UInt8]) {
    guard case .tcp(let host, let port) = endpoint else { return (nil, []) }
    var tls = tls
    tls.applicationProtocols = names
    let context = try NIOSSLContext(configuration: tls)
    let (answers, continuation) = AsyncStream<(String?, [UInt8])>.makeStream()
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).channelInitializer {
      channel in
      channel.eventLoop.makeCompletedFuture {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: "localhost"))
        try pipeline.addHandler(Sender(bytes, continuation))
      }
    }.connect(host: host, port: port).get()
    defer { channel.close(promise: nil) }
    for await answer in answers { return answer }
    return (nil, [])
  }

  /// Sends bytes after the handshake, and reports the first response or the end.
  private final class Sender: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let bytes: [UInt8]
    private let continuation: AsyncStream<(String?, [UInt8])>.Continuation
    private var negotiated: String?

    init(_ bytes: [UInt8], _ continuation: AsyncStream<(String?, [UInt8])>.Continuation) {
      self.bytes = bytes
      self.continuation = continuation
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if case .handshakeCompleted(let name)? = event as? TLSUserEvent {
        negotiated = name
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
      }
      context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      continuation.yield((negotiated, Array(buffer: unwrapInboundIn(data))))
    }

    func channelInactive(context: ChannelHandlerContext) {
      continuation.yield((negotiated, []))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}
