import Dispatch
import Glibc
import MarqueeRPC
import MarqueeTestSupport
import NIOCore
import NIOEmbedded
import NIOPosix
import NIOSSL
import NIOTLS
import Testing

@testable import MarqueeTransport

@Suite("Endpoints", .timeLimit(.minutes(1)))
struct EndpointTests {
  @Test("Endpoints are parsed from their description")
  func parsing() throws {
    for text in ["tcp:localhost:7000", "tcp:[::1]:0", "unix:/run/marquee.sock", "unix:relative"] {
      #expect(try Endpoint(text).description == text)
    }
    #expect(try Endpoint("tcp:[::1]:80") == .tcp(host: "::1", port: 80))
  }

  @Test(
    "Invalid endpoints are rejected with a reason",
    arguments: [
      "", "tcp:", "tcp:host", "tcp::80", "tcp:host:", "tcp:host:65536", "tcp:host:-1", "tcp:::1:80", "tcp:host:8x",
      "unix:", "http://x", "unix:" + String(repeating: "x", count: 108),
    ])
  func rejected(text: String) {
    #expect(throws: EndpointError.self) { try Endpoint(text) }
  }

  @Test("Row 31: a Unix socket is private, identifies its peer, and is removed with its server")
  func unixSocket() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("socket")
    let server = try await EchoServer(.unix(path: path))
    var status = stat()
    #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let client = server.client()
    let peer = try await client.unary(Methods.peer, [])
    #expect(String(validating: peer, as: UTF8.self) == "unix \(geteuid()) ")
    await #expect(throws: EndpointError.self) { _ = try await EchoServer(.unix(path: path)) }
    #expect(try await client.unary(Methods.echo, [1]) == [1])
    await client.close()
    await server.shutDown()
    #expect(lstat(path, &status) != 0)
  }

  @Test("Row 31: a stale socket is replaced; a file, a link and another server's socket are not touched")
  func staleSocket() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("socket")
    // Dropping the listener without removing its file simulates a killed server.
    let dead = try UnixListener(path: path, mode: 0o600)
    close(dead.socket)
    dead.releaseLock()
    let server = try await EchoServer(.unix(path: path))
    #expect(rename(path, directory.file("moved")) == 0)
    symlink(directory.file("moved"), path)
    await server.shutDown()
    var status = stat()
    #expect(lstat(path, &status) == 0, "the link is not ours")
    await #expect(throws: EndpointError.self) { _ = try await EchoServer(.unix(path: path)) }
    unlink(path)
    close(open(path, O_CREAT | O_WRONLY, 0o600))
    await #expect(throws: EndpointError.self) { _ = try await EchoServer(.unix(path: path)) }
    #expect(lstat(path, &status) == 0)
  }

  @Test("The directory of a Unix socket is created for the user alone, but not its parents")
  func missingDirectory() async throws {
    let directory = try TemporaryDirectory()
    let server = try await EchoServer(.unix(path: directory.file("own/socket")))
    var status = stat()
    #expect(stat(directory.file("own"), &status) == 0 && status.st_mode & 0o777 == 0o700)
    await server.shutDown()
    let error = await #expect(throws: EndpointError.self) {
      _ = try await EchoServer(.unix(path: directory.file("none/own/socket")))
    }
    #expect(error.map { "\($0)" }?.contains("directory: No such file or directory") == true)
  }

  @Test("A Unix socket uses the configured backlog")
  func backlog() async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    var configuration = ServerConfiguration()
    configuration.acceptBacklog = 300
    configuration.eventLoopGroup = group
    let directory = try TemporaryDirectory()
    let path = directory.file("socket")
    let server = try await EchoServer(.unix(path: path), configuration: configuration)
    let (loopIsHeld, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    group.next().execute {
      loopIsHeld.signal()
      isOver.wait()
    }
    let sockets = Self.connect(250, to: path, after: loopIsHeld)
    isOver.signal()
    #expect(sockets.count == 250)
    for socket in sockets { close(socket) }
    await server.shutDown()
    try await group.shutdownGracefully()
  }

  /// Connects without blocking, until the backlog is full.
  private static func connect(_ count: Int, to path: String, after signal: DispatchSemaphore) -> [CInt] {
    signal.wait()
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    return (0..<count).compactMap { _ in
      let socket = Glibc.socket(AF_UNIX, type, 0)
      let isConnected = withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      }
      if isConnected { return socket }
      close(socket)
      return nil
    }
  }

  @Test("A listener stops accepting while 16 connections are being initialized")
  func backpressure() throws {
    let channel = EmbeddedChannel()
    let backpressure = AcceptBackpressure(on: channel.embeddedEventLoop, underWayMax: 16)
    let reads = ReadCounter()
    try channel.pipeline.syncOperations.addHandlers([reads, backpressure])
    for count in 1...backpressure.underWayMax {
      channel.read()
      #expect(reads.count == count)
      channel.pipeline.fireChannelRead(channel)
    }
    channel.read()
    #expect(reads.count == backpressure.underWayMax)
    backpressure.connectionInitialized()
    #expect(reads.count == backpressure.underWayMax + 1)
    backpressure.connectionInitialized()
    #expect(reads.count == backpressure.underWayMax + 1)
  }

  private final class ReadCounter: ChannelOutboundHandler {
    typealias OutboundIn = Never
    var count = 0

    func read(context: ChannelHandlerContext) { count += 1 }
  }

  @Test("TLS carries calls and names the client by its certificate; plain text is rejected")
  func tls() async throws {
    let tls = try TLSPair()
    let server = try await EchoServer(tls: tls)
    let client = server.client {
      $0.tls = tls.client
      $0.tlsServerName = "localhost"
    }
    let peer = try await client.unary(Methods.peer, [])
    #expect(String(validating: peer, as: UTF8.self) == "127.0.0.1 none localhost,spiffe://marquee.test/provider")
    let large = [UInt8](repeating: 5, count: 1 << 20)
    #expect(try await client.unary(Methods.echo, large) == large)
    var raw = try await RawClient(server.endpoint)
    try await raw.send(RawFrame.hello)
    _ = await raw.receiveToEnd()
    let stranger = server.client {
      $0.tls = tls.client
      $0.tlsServerName = "elsewhere"
    }
    let rejected = try await callStatus { _ = try await stranger.unary(Methods.echo, []) }
    #expect(rejected?.code == .unavailable)
    await stranger.close()
    await client.close()
    await server.shutDown()
  }

  @Test("TLS below 1.2 is rejected by both ends, 1.2 is accepted unless the server requires 1.3, and 1.3 is preferred")
  func tlsVersions() async throws {
    let tls = try TLSPair()
    let server = try await EchoServer(tls: tls)
    let versions: [TLSVersion] = [.tlsv1, .tlsv11, .tlsv12, .tlsv13]
    for version in versions {
      let isTaken = try await Self.handshakes(server.endpoint, tls.client, upTo: version)
      #expect(isTaken == (version == .tlsv12 || version == .tlsv13), "\(version)")
    }
    var strict = tls.server
    strict.minimumTLSVersion = .tlsv13
    try server.server.replaceTLS(with: strict)
    for version in versions {
      let isTaken = try await Self.handshakes(server.endpoint, tls.client, upTo: version)
      #expect(isTaken == (version == .tlsv13), "\(version)")
    }
    let client = server.client {
      $0.tls = tls.client
      $0.tlsServerName = "localhost"
    }
    #expect(try await client.unary(Methods.echo, [1]) == [1])
    await client.close()
    await server.shutDown()
    for old in [TLSVersion.tlsv1, .tlsv11] {
      var configuration = tls.client
      configuration.minimumTLSVersion = old
      #expect(configuration.offering([.native]).minimumTLSVersion == .tlsv12)
    }
    #expect(strict.offering([.native]).minimumTLSVersion == .tlsv13)
  }

  /// Whether a handshake succeeds with a client that supports TLS up to `version`.
  private static func handshakes(
    _ endpoint: Endpoint, _ tls: TLSConfiguration, upTo version: TLSVersion
  ) async throws -> Bool {
    guard case .tcp(let host, let port) = endpoint else { return false }
    var tls = tls
    (tls.minimumTLSVersion, tls.maximumTLSVersion) = (.tlsv1, version)
    let context = try NIOSSLContext(configuration: tls)
    let (ends, continuation) = AsyncStream<Bool>.makeStream()
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).channelInitializer {
      channel in
      channel.eventLoop.makeCompletedFuture {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: "localhost"))
        try pipeline.addHandler(HandshakeEnd(continuation))
      }
    }.connect(host: host, port: port).get()
    defer { channel.close(promise: nil) }
    for await end in ends { return end }
    return false
  }

  private final class HandshakeEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let continuation: AsyncStream<Bool>.Continuation

    init(_ continuation: AsyncStream<Bool>.Continuation) { self.continuation = continuation }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if case TLSUserEvent.handshakeCompleted = event { continuation.yield(true) }
      context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      continuation.yield(false)
      context.close(promise: nil)
    }
  }

  @Test("A client reconnects to a restarted server; waiting calls are answered")
  func reconnect() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("socket")
    let first = try await EchoServer(.unix(path: path))
    let client = first.client()
    #expect(try await client.unary(Methods.echo, [1]) == [1])
    await first.shutDown()
    let rejected = try await callStatus { _ = try await client.unary(Methods.echo, [2]) }
    #expect(rejected?.code == .unavailable)
    async let waiting = client.unary(Methods.echo, [3], options: CallOptions(waitsForReady: true))
    let late = try await callStatus {
      _ = try await client.unary(
        Methods.echo, [4], options: CallOptions(timeout: .milliseconds(20), waitsForReady: true))
    }
    #expect(late?.code == .deadlineExceeded)
    let second = try await EchoServer(.unix(path: path))
    #expect(try await waiting == [3])
    await client.close()
    await second.shutDown()
  }

  @Test("Backoff delays grow to their maximum, with jitter")
  func backoff() {
    var backoff = ClientConfiguration.Backoff()
    backoff.first = .milliseconds(100)
    backoff.last = .seconds(1)
    backoff.factor = 2
    backoff.spread = 0.5
    let pauses = (1...6).map { backoff.pause(after: $0, chance: 0.5) }
    #expect(pauses == [100, 200, 400, 800, 1_000, 1_000].map { .milliseconds($0) })
    #expect(backoff.pause(after: 1, chance: 0) == .milliseconds(50))
    #expect(backoff.pause(after: 1_000_000, chance: 0.75) == .milliseconds(1_250))
  }
}
