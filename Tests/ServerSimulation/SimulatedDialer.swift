import MarqueeTestSupport
import MarqueeTransport
import NIOCore

/// Connects a client to the simulated server, in a protocol.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class SimulatedDialer: Dialer, @unchecked Sendable {
  private let context: SimulationContext
  private let callProtocol: SimulatedProtocol

  init(_ context: SimulationContext, _ callProtocol: SimulatedProtocol) {
    self.context = context
    self.callProtocol = callProtocol
  }

  func dial(_ handler: any ChannelHandler & Sendable, on loop: any EventLoop) -> EventLoopFuture<any Channel> {
    let (context, callProtocol) = (context, callProtocol)
    let report = { @Sendable (violation: String) in context.find("the server violates \(callProtocol): \(violation)") }
    switch callProtocol {
    case .native:
      return connect(on: loop) { try $0.pipeline.syncOperations.addHandler(handler) }
    case .grpc, .connect(_, isHTTP2: true):
      var codec: ConnectBridgeCall.Codec?
      if case .connect(let known, _) = callProtocol { codec = known }
      return connect(on: loop) { [codec] channel in
        let bridge = HTTP2BridgeHandler(codec, on: loop) { violation in
          // The server may end a connection in the middle of a frame whose rest does not arrive.
          if violation.contains("incomplete after"), context.server.hasKeptData(of: channel) { return }
          report(violation)
        }
        try channel.pipeline.syncOperations.addHandlers([bridge, handler])
      }
    case .connect(let codec, isHTTP2: false):
      let bridge = HTTP1Bridge(codec, keepsConnections: true, on: loop, reporting: report) { fill in
        self.connect(on: loop, keepingAlive: true, fill)
      }
      return connect(handler, to: bridge, on: loop)
    }
  }

  /// Connects a client to its bridge.
  private func connect(
    _ handler: any ChannelHandler, to bridge: HTTP1Bridge, on loop: any EventLoop
  ) -> EventLoopFuture<any Channel> {
    do {
      let channel: any Channel = try SimulatedLink(context.world).connect { (side, channel) throws in
        switch side {
        case .client: try channel.pipeline.syncOperations.addHandler(handler)
        case .server: try channel.pipeline.syncOperations.addHandler(bridge)
        }
      }
      return loop.makeSucceededFuture(channel)
    } catch {
      return loop.makeFailedFuture(error)
    }
  }

  /// Connects to the server after a while.
  private func connect(
    on loop: any EventLoop, keepingAlive isKeptAlive: Bool = false,
    _ fill: @escaping @Sendable (any Channel) throws -> Void
  ) -> EventLoopFuture<any Channel> {
    let (context, world) = (context, context.world)
    let promise = loop.makePromise(of: (any Channel).self)
    world.after(world.milliseconds(0...30)) {
      promise.completeWith(Result { try context.server.connect(keepingAlive: isKeptAlive, fill) })
    }
    return promise.futureResult
  }
}
