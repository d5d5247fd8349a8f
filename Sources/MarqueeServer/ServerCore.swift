import Logging
import MarqueeLint
import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeTransport
import MarqueeWire

/// What a server is but for its files and sockets: its devices, those who follow them, and what answers calls.
package final class ServerCore: Sendable {
  /// The devices. To be run by whoever made this.
  package let runtime: Runtime
  let health = HealthBoard(services: MarqueeServer.serviceNames)
  private let limits: Limits
  private let clock: any WallClock
  private let logger: Logger
  private let displays = DisplayHub()
  private let providers = ProviderHub()
  /// Who may do what.
  let access = Access(AccessPolicy())
  /// The streams that are open.
  let streams: OpenStreams

  /// A core that takes calls once its runtime runs.
  package init(
    _ settings: Runtime.Configuration, clock: any WallClock, journal: any DeviceJournal, logger: Logger
  ) {
    limits = settings.limits
    streams = OpenStreams(access: access)
    self.clock = clock
    self.logger = logger
    runtime = Runtime(
      settings, clock: clock, journal: journal, sink: ActionDispatch(displays: displays, providers: providers),
      logger: logger)
  }

  /// What answers everybody's calls of all services, except for those that need files: for simulations, whose clients
  /// are nobody.
  package var router: Router { services.openRouter }

  /// The methods of all services, except for those that need files.
  var services: ServiceRouter {
    let (logger, health) = (logger, health)
    var router = ServiceRouter(streams: streams) { error in
      let status = RPCStatus(error)
      if status.code == .internalError { logger.error("a call failed", metadata: ["error": "\(error)"]) }
      return status
    }
    ProviderHandlers(runtime: runtime, hub: providers, limits: limits).add(to: &router)
    DonationHandlers(runtime: runtime, limits: limits).add(to: &router)
    DisplayHandlers(runtime: runtime, hub: displays).add(to: &router)
    AdminHandlers(runtime: runtime).add(to: &router)
    RecordHandler(runtime: runtime).add(to: &router)
    ClockHandlers(runtime: runtime, clock: clock).add(to: &router)
    router.addOpen { router in
      router.synchronous(HealthService.check) { request, _ in try health.check(request) }
      router.serverStreaming(HealthService.watch) { request, writer, _ in try await health.watch(request, writer) }
    }
    return router
  }

  /// Says that the server serves no more, and ends every stream that would go on.
  package func stopServing() {
    health.stopServing()
    streams.endAll(RPCStatus(.unavailable, "the server is stopping; come back later"))
  }
}
