import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire

/// A client of the server, active until the world winds down. The seed determines its protocol.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
class SimulatedClient: @unchecked Sendable {
  /// The status codes that are expected while servers die and networks break, including those for references to missing
  /// objects.
  private static let bearable: Set<StatusCode> = [
    .ok, .unavailable, .cancelled, .deadlineExceeded, .aborted, .resourceExhausted, .notFound, .failedPrecondition,
    .alreadyExists, .outOfRange,
  ]

  let context: SimulationContext
  let device: DeviceID
  let callProtocol: SimulatedProtocol
  let connection: RPCClient

  init(_ context: SimulationContext, _ device: DeviceID) {
    self.context = context
    self.device = device
    let world = context.world
    var configuration = ClientConfiguration()
    configuration.eventLoopGroup = world.loop
    callProtocol = SimulatedProtocol(&world.sampler)
    configuration.dialer = SimulatedDialer(context, callProtocol)
    configuration.chance = { world.fraction() }
    configuration.backoff.last = .seconds(5)
    connection = RPCClient(.unix(path: "simulated"), configuration: configuration)
    world.log("a client of \(device) calls in \(callProtocol)")
  }

  var world: World { context.world }

  var reconnection: Reconnection {
    let world = world
    var reconnection = Reconnection()
    reconnection.backoff.last = .seconds(5)
    reconnection.chance = { world.fraction() }
    reconnection.sleep = { try await world.sleep($0) }
    return reconnection
  }

  /// Performs an operation.
  ///
  /// - Returns: Whether it succeeded.
  @discardableResult
  func attempt(_ name: String, _ body: () async throws -> Void) async -> Bool {
    do {
      try await body()
      context.callCount += 1
      return true
    } catch let status as RPCStatus {
      // Disk failures of the store are reported as `internal` with a message; programming errors without one.
      let isOfDisk = status.code == .internalError && status.message != "internal error"
      if !Self.bearable.contains(status.code), !isOfDisk { context.find("\(name) on \(device): \(status)") }
    } catch is CancellationError {
      // The world is ending.
    } catch {
      context.find("\(name) on \(device): \(error)")
    }
    return false
  }

  /// Waits for a while, or until the world winds down.
  func pause(_ seconds: ClosedRange<Int>) async {
    // These tasks are never cancelled, so this does not throw.
    try? await world.sleep(world.milliseconds(seconds.lowerBound * 1_000...seconds.upperBound * 1_000))
  }
}
