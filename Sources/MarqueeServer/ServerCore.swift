import Logging
import MarqueeCluster
import MarqueeJournal
import MarqueeLint
import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeTransport
import MarqueeWire
import Metrics
import ServiceLifecycle
import Tracing

/// A server without files and sockets: the runtime, the hubs of displays and providers, and the call handlers.
package final class ServerCore: Service {
  /// The runtime of the devices.
  package let runtime: Runtime
  let health = HealthStatus(
    services: MarqueeServer.serviceNames, writing: [ProviderService.name, DisplayService.name])
  private let limits: Limits
  private let clock: any WallClock
  private let logger: Logger
  private let metrics: any MetricsFactory
  private let slowCallThreshold: Duration?
  private let tracer: (any Tracer)?
  private let sleep: @Sendable (Duration) async throws -> Void
  private let appNames: AppNames
  private let displays: DisplayHub
  private let surfaces: SurfaceHub
  private let heartbeats: Heartbeats
  private let providers = ProviderHub()
  private let queries: ProviderQueryRouter
  private let widgetEvents: WidgetEventHub
  private let activity = ActivityHub()
  let timelines: TimelineBudgets
  let quotas = CallQuotas()
  let access: AccessController
  let streams: OpenStreams
  private let forwarder: CallForwarder?

  /// Creates a core that serves calls once ``run()`` is called.
  ///
  /// - Parameters:
  ///   - slowCallThreshold: The minimum duration of unary calls that are logged; `nil` to log none.
  ///   - sleep: Sleeps in real time, whatever `clock` is; simulated in simulations.
  package convenience init(
    _ settings: Runtime.Configuration, clock: any WallClock, journal: any DeviceJournal, logger: Logger,
    metrics: any MetricsFactory = MetricsSystem.factory, slowCallThreshold: Duration? = nil,
    tracer: (any Tracer)? = nil, sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.init(
      settings, clock: clock, journals: Array(repeating: journal, count: settings.shardCount), logger: logger,
      metrics: metrics, slowCallThreshold: slowCallThreshold, tracer: tracer, timelines: TimelineBudgets(),
      sessions: SessionTable(), sleep: sleep)
  }

  /// Creates the core of a node, which serves the shards of `settings` with the journals of its event loops.
  package convenience init(
    _ settings: Runtime.Configuration, clock: any WallClock, journals: [any DeviceJournal], logger: Logger
  ) {
    self.init(
      settings, clock: clock, journals: journals, logger: logger, metrics: MetricsSystem.factory,
      slowCallThreshold: nil, tracer: nil, timelines: TimelineBudgets(), sessions: SessionTable())
  }

  /// Creates a core with the memory budgets of uncommitted timelines, and the sessions of an earlier process.
  ///
  /// - Parameter connections: The connections to the other nodes of a cluster; `nil` to pass no calls on.
  init(
    _ settings: Runtime.Configuration, clock: any WallClock, journals: [any DeviceJournal], logger: Logger,
    metrics: any MetricsFactory, slowCallThreshold: Duration?, tracer: (any Tracer)?, timelines: TimelineBudgets,
    sessions: SessionTable, connections: NodeConnections? = nil,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.timelines = timelines
    if let node = settings.node, let connections {
      forwarder = CallForwarder(node, connections, logger: logger, metrics: metrics)
    } else {
      forwarder = nil
    }
    appNames = AppNames()
    displays = DisplayHub(appNames: appNames)
    queries = ProviderQueryRouter(appNames: appNames)
    limits = settings.limits
    access = AccessController(AccessPolicy(), sessions, node: settings.node)
    streams = OpenStreams(access: access)
    surfaces = SurfaceHub(clock: clock, sleep: sleep)
    heartbeats = Heartbeats(clock: clock, sleep: sleep)
    widgetEvents = WidgetEventHub(clock: clock)
    self.clock = clock
    self.logger = logger
    self.metrics = metrics
    self.slowCallThreshold = slowCallThreshold
    self.tracer = tracer
    self.sleep = sleep
    runtime = Runtime(
      settings, clock: clock, journals: journals,
      sink: ActionDispatch(
        displays: displays, surfaces: surfaces, providers: providers, queries: queries, widgetEvents: widgetEvents,
        activity: activity),
      logger: logger,
      metrics: metrics, writeEnded: health.recordWrite)
  }

  /// Runs the devices, computes the lists of watched surfaces and sends widget events until a graceful shutdown. It can
  /// be called once.
  ///
  /// - Throws: The errors of `Runtime.run()`.
  package func run() async throws {
    // Cancelled when the runtime has stopped.
    async let _ = surfaces.run(runtime)
    async let _ = widgetEvents.run()
    try await runtime.run()
  }

  /// The router of all services without authorization, for simulations. Methods that need files are missing.
  package var router: Router {
    var router = services.unrestrictedRouter
    router.transcoder = SchemaTranscoder(logger: logger)
    return router
  }

  /// The methods of all services, except for those that need files.
  var services: ServiceRouter {
    let (logger, health) = (logger, health)
    let isObserved = !(metrics is NOOPMetricsHandler) || slowCallThreshold != nil
    var router = ServiceRouter(
      streams: streams, forwarder: forwarder, logger: logger, tracer: ServerTracer(tracer),
      observer: isObserved ? observer(of:_:) : nil
    ) { error in
      let status = RPCStatus(error)
      // An error that is a status is the peer's violation of the protocol, of which it may cause many.
      if status.code == .internalError, !(error is RPCStatus) {
        logger.error("internal error in a call", metadata: ["error": "\(error)"])
      }
      return status
    }
    ProviderHandlers(
      runtime: runtime, hub: providers, activity: activity, limits: limits, timelines: timelines,
      heartbeats: heartbeats, appNames: appNames
    ).add(to: &router)
    DonationHandlers(runtime: runtime, limits: limits).add(to: &router)
    DisplayHandlers(
      runtime: runtime, hub: displays, surfaces: surfaces, providers: providers, heartbeats: heartbeats, sleep: sleep
    ).add(to: &router)
    WidgetEventHandlers(runtime: runtime, hub: widgetEvents, limits: limits, heartbeats: heartbeats).add(to: &router)
    ProviderQueryHandlers(
      runtime: runtime, hub: queries, displays: displays, widgetEvents: widgetEvents, heartbeats: heartbeats,
      sleep: sleep
    ).add(to: &router)
    PhraseHandlers(runtime: runtime, hub: queries).add(to: &router)
    FocusFilterHandlers(runtime: runtime).add(to: &router)
    AdminHandlers(runtime: runtime).add(to: &router)
    RemovalHandlers(runtime: runtime, access: access, streams: streams, appNames: appNames).add(to: &router)
    ExportHandler(runtime: runtime, quota: quotas.exports).add(to: &router)
    ForesightHandler(runtime: runtime, quota: quotas.foresights).add(to: &router)
    ActivityHandlers(hub: activity, heartbeats: heartbeats, quota: quotas.activityStreams).add(to: &router)
    ClockHandlers(runtime: runtime, clock: clock).add(to: &router)
    SimulationHandler(now: { [runtime] in runtime.now }, quota: quotas.simulations).add(to: &router)
    router.addAnonymous { router in
      router.synchronous(HealthService.check) { request, _ in try health.check(request) }
      router.serverStreaming(HealthService.watch) { request, writer, _ in
        try await health.watch(request, writer)
      }
      router.synchronous(HealthService.list) { _, _ in health.list() }
      ReflectionHandlers(health: health).add(to: &router)
    }
    return router
  }

  private func observer(of path: String, _ kind: CallKind) -> any CallObserver {
    // Streaming calls are expected to stay open.
    CallMetrics(path, metrics, slowCallThreshold: kind == .unary ? slowCallThreshold : nil, logger: logger)
  }

  /// Begins to serve the devices of shards: see `Runtime.beginServing(_:)`.
  package func beginServing(_ shards: some Sequence<ShardID>) async throws { try await runtime.beginServing(shards) }

  /// Ends serving the devices of shards, and ends their streams with a status that names the server that has them.
  ///
  /// - Parameters:
  ///   - shards: The shards.
  ///   - owner: The server, if it is known.
  /// - Throws: As `Runtime.endServing(_:owner:)`.
  package func endServing(_ shards: ShardSet, owner: NodeRecord?) async throws {
    try await runtime.endServing(shards.shards, owner: owner)
    // Providers give them to the next server, too, and may give others there.
    appNames.remove(shards)
    // Streams that begin later read their device first, which fails.
    streams.end(of: shards, RPCStatus(.unavailable, RuntimeError.moved(to: owner).message).retryableAtOnce())
  }

  /// Ends all streams with a status.
  func endStreams(_ status: RPCStatus) { streams.endAll(status) }

  /// Sets health to NOT_SERVING and ends all streams.
  package func stopServing() {
    health.stopServing()
    streams.stop(.shuttingDown)
  }
}
