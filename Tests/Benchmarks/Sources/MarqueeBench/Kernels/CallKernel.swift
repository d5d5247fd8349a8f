import MarqueeRPC
import MarqueeTransport
import MarqueeWire
import NIOCore
import NIOEmbedded

/// A kernel of unary echo calls between a client and a server on one thread, in memory: the cost of a call without
/// sockets.
struct CallKernel {
  private let loop = EmbeddedEventLoop()
  private let dialer: EmbeddedDialer
  private let client: RPCClient
  private let server: RPCServer

  init() throws {
    server = MarqueeEcho.server(on: loop)
    dialer = EmbeddedDialer(server: server, loop: loop)
    var ofClient = ClientConfiguration()
    ofClient.eventLoopGroup = loop
    ofClient.dialer = dialer
    client = RPCClient(.unix(path: "kernel"), configuration: ofClient)
  }

  /// Makes `count` calls, 64 in flight.
  func run(count: Int) {
    let client = client
    var options = CallOptions(timeout: .seconds(10))
    options.metadata.append("x-request-id", "0123456789abcdef")
    options.metadata.append("x-client", "bench")
    let executor = LoopExecutor(loop)
    let done = Counters()
    for caller in 0..<64 {
      let share = count / 64 + (caller < count % 64 ? 1 : 0)
      Task(executorPreference: executor) { [options] in
        for _ in 0..<share {
          do {
            let answer = try await client.unary(MarqueeEcho.small, EchoPayload.smallMessage, options: options)
            precondition(answer == EchoPayload.smallMessage, "the echo differs from the message")
          } catch {
            preconditionFailure("a call failed: \(error)")
          }
        }
        done.count += 1
      }
    }
    while done.count < 64 {
      loop.run()
      dialer.carry()
    }
  }

  /// The number of completed tasks.
  ///
  /// `@unchecked Sendable`: used on one thread.
  private final class Counters: @unchecked Sendable {
    var count = 0
  }
}

/// Transfers bytes between two channels on one thread.
///
/// `@unchecked Sendable`: used on one thread.
private final class EmbeddedDialer: Dialer, @unchecked Sendable {
  private let server: RPCServer
  private let loop: EmbeddedEventLoop
  private var ends: (client: EmbeddedChannel, server: EmbeddedChannel)?

  init(server: RPCServer, loop: EmbeddedEventLoop) {
    self.server = server
    self.loop = loop
  }

  func dial(_ handler: any ChannelHandler & Sendable, on loop: any EventLoop) -> EventLoopFuture<any Channel> {
    do {
      let ends = (client: EmbeddedChannel(loop: self.loop), server: EmbeddedChannel(loop: self.loop))
      try server.accept(ends.server)
      try ends.client.pipeline.syncOperations.addHandler(handler)
      let address = try SocketAddress(unixDomainSocketPath: "kernel")
      for channel in [ends.server, ends.client] { channel.connect(to: address, promise: nil) }
      self.ends = ends
      return loop.makeSucceededFuture(ends.client)
    } catch {
      return loop.makeFailedFuture(error)
    }
  }

  /// Transfers the bytes written by both ends.
  func carry() {
    guard let ends else { return }
    do {
      while let bytes = try ends.client.readOutbound(as: ByteBuffer.self) { try ends.server.writeInbound(bytes) }
      while let bytes = try ends.server.readOutbound(as: ByteBuffer.self) { try ends.client.writeInbound(bytes) }
    } catch {
      preconditionFailure("transferring bytes failed: \(error)")
    }
  }
}
