import MarqueeTestSupport
import MarqueeTransport
import NIOCore

/// Connects a client to the simulated server, in the native protocol or in gRPC.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class SimulatedDialer: Dialer, @unchecked Sendable {
  private let context: SimulationContext
  private let isGRPC: Bool

  init(_ context: SimulationContext, isGRPC: Bool) {
    self.context = context
    self.isGRPC = isGRPC
  }

  func dial(_ handler: any ChannelHandler & Sendable, on loop: any EventLoop) -> EventLoopFuture<any Channel> {
    let (context, world) = (context, context.world)
    let promise = loop.makePromise(of: (any Channel).self)
    world.after(world.milliseconds(0...30)) {
      var handlers: [any ChannelHandler] = [handler]
      if self.isGRPC {
        handlers.insert(
          GRPCBridgeHandler(on: loop) { context.find("the server violates gRPC: \($0)") }, at: 0)
      }
      promise.completeWith(Result { try context.server.connect(handlers) })
    }
    return promise.futureResult
  }
}
