import Logging
import MarqueeLint
import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeTransport
import MarqueeWire
import Metrics
import Tracing

/// What a server is but for its files and sockets: its devices, those who follow them, and what answers calls.
package final class ServerCore: Sendable {
  /// The devices. To be run by whoever made this.
  package let runtime: Runtime
  let health = HealthBoard(
    services: MarqueeServer.serviceNames, writing: [ProviderService.name, DisplayService.name])
  private let limits: Limits
  private let clock: any WallClock
  private let logger: Logger
  private let metrics: any MetricsFactory
  private let slowCallTimeMin: Duration?
  private let tracer: (any Tracer)?
  private let displays = DisplayHub()
  private let providers = ProviderHub()
  private let questions = QuestionHub()
  /// Who may do what.
  let access = Access(AccessPolicy())
  /// The streams that are open.
  let streams: OpenStreams

  /// A core that takes calls once its runtime runs, and logs those without streams that take so long.
  package init(
    _ settings: Runtime.Configuration, clock: any WallClock, journal: any DeviceJournal, logger: Logger,
    metrics: any MetricsFactory = MetricsSystem.factory, slowCallTimeMin: Duration? = nil,
    tracer: (any Tracer)? = nil
  ) {
    limits = settings.limits
    streams = OpenStreams(access: access)
    self.clock = clock
    self.logger = logger
    self.metrics = metrics
    self.slowCallTimeMin = slowCallTimeMin
    self.tracer = tracer
    runtime = Runtime(
      settings, clock: clock, journal: journal, sink: ActionDispatch(displays: displays, providers: providers),
      logger: logger, metrics: metrics, writeEnded: health.noteWrite)
  }

  /// What answers everybody's calls of all services, except for those that need files: for simulations, whose clients
  /// are nobody.
  package var router: Router { services.openRouter }

  /// The methods of all services, except for those that need files.
  var services: ServiceRouter {
    let (logger, health) = (logger, health)
    let isObserved = !(metrics is NOOPMetricsHandler) || slowCallTimeMin != nil
    var router = ServiceRouter(
      streams: streams, tracer: ServerTracer(tracer), observer: isObserved ? observer(of:_:) : nil
    ) { error in
      let status = RPCStatus(error)
      if status.code == .internalError { logger.error("a call failed", metadata: ["error": "\(error)"]) }
      return status
    }
    ProviderHandlers(runtime: runtime, hub: providers, limits: limits).add(to: &router)
    DonationHandlers(runtime: runtime, limits: limits).add(to: &router)
    DisplayHandlers(runtime: runtime, hub: displays).add(to: &router)
    QuestionHandlers(runtime: runtime, hub: questions).add(to: &router)
    AdminHandlers(runtime: runtime).add(to: &router)
    RecordHandler(runtime: runtime).add(to: &router)
    ClockHandlers(runtime: runtime, clock: clock).add(to: &router)
    router.addOpen { router in
      router.synchronous(HealthService.check) { request, _ in try health.check(request) }
      router.serverStreaming(HealthService.watch) { request, writer, _ in try await health.watch(request, writer) }
    }
    return router
  }

  private func observer(of path: String, _ kind: CallKind) -> any CallObserver {
    // Calls that stream are open for as long as somebody watches.
    CallMetrics(path, metrics, slowCallTimeMin: kind == .unary ? slowCallTimeMin : nil, logger: logger)
  }

  /// Says that the server serves no more, and ends every stream that would go on.
  package func stopServing() {
    health.stopServing()
    streams.endAll(RPCStatus(.unavailable, "the server is stopping; come back later"))
  }
}
