import Foundation
public import Logging
public import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTerminal
public import ServiceLifecycle
import Synchronization
import UnixSignals

/// Provides an app's widgets to a server.
///
/// A host registers the kinds and intent types, publishes a timeline for each widget that is placed or suggested,
/// answers reload requests and queries, and uploads the kinds' relevance.
///
/// It reconnects with randomized exponential backoff, and publishes unacknowledged timelines again. Publishing replaces
/// a timeline, so nothing is lost or duplicated.
public final class WidgetHost: Service {
  private let kinds: [String: HostedKind]
  private let connection: AppConnection
  private let provider: ProviderClient
  private let logger: Logger
  private let relevance: RelevanceUpdater
  private let contextEntries: ContextEntries
  private let (wanted, requests) = AsyncStream.makeStream(of: WantedTimeline.self)
  /// Waits before a timeline is made again.
  private let sleep: @Sendable (Duration) async throws -> Void
  /// The device's language whenever the host learns it: the first one, or the last two, of those that are not read yet.
  private let languages: AsyncStream<LanguageTag>
  /// The widgets whose configurations the app does not know, each once until it becomes known.
  ///
  /// Errors that are not read are kept up to ``configurationErrorCountMax``; all of them are also logged.
  public let configurationErrors: AsyncStream<WidgetConfigurationError>
  private let configurationErrorFound: AsyncStream<WidgetConfigurationError>.Continuation
  private let state = Mutex(State())

  /// The maximum number of widgets with an unknown configuration that a host remembers.
  public static let configurationErrorCountMax = 256

  /// The mutable state of the host.
  private struct State {
    /// The widgets that have been placed, each in its family; removed ones until all timelines are made again.
    var placed: Set<WidgetInstance> = []
    /// The widgets whose timelines are being made, each in its family; `true` if another reload is pending.
    var isReloadPending: [WidgetInstance: Bool] = [:]
    /// The delays before failed timelines are made again.
    var retryDelays: [WidgetInstance: RetryDelay] = [:]
    /// The widgets with an unknown configuration, each in its family.
    var configurationErrors: [WidgetInstance: WidgetConfigurationError] = [:]
    /// The codes of the warnings about each kind that are logged already.
    var loggedWarnings: [String: Set<String>] = [:]
  }

  /// A widget that needs a timeline in a family.
  private struct WantedTimeline {
    let instance: WidgetInstance
    /// Whether the widget was placed without a timeline; the server reports this in two ways.
    let isPlacement: Bool
  }

  /// Creates a host. Call ``run()`` to start it.
  ///
  /// The host answers queries for the intents that configure the kinds, for `intents`, and for those of `shortcuts` and
  /// `handlers`. Suggestions and widgets that the user taps are continued by `scene`. With `localizations`, which
  /// become those of the connection, it registers all texts in the device's language, and again when that changes.
  ///
  /// - Throws: `RequestError` for an invalid kind, intent type or App Shortcut, in any of the languages, or a duplicate
  ///   name.
  public init(
    _ kinds: [HostedKind], intents: [any AppIntent.Type] = [], handlers: [any INIntentHandling] = [],
    shortcuts: [AppShortcut] = [], scene: AppScene = AppScene(), localizations: Localizations? = nil,
    connection: AppConnection, reconnection: Reconnection = Reconnection(),
    logger: Logger = Logger(label: "MarqueeKit")
  ) throws {
    let (device, app) = (try DeviceID(connection.device), try AppID(connection.app))
    let reconnection = reconnection.logging(to: logger)
    if let localizations, !localizations.languages.isEmpty { connection.use(localizations) }
    let performed = intents.merging(shortcuts.map(\.intentType))
    let hosted = performed.map { HostedIntent($0) } + handlers.map { HostedIntent(handledBy: $0) }
    let registration = HostRegistration(
      kinds: kinds, intents: kinds.compactMap(\.intent) + hosted, shortcuts: shortcuts, connection: connection, app: app
    )
    let handler = HostQueryHandler(kinds, hosted, scene, logger)
    let (languages, learned) = AsyncStream.makeStream(of: LanguageTag.self, bufferingPolicy: .bufferingNewest(2))
    self.languages = languages
    (configurationErrors, configurationErrorFound) = AsyncStream.makeStream(
      bufferingPolicy: .bufferingOldest(Self.configurationErrorCountMax))
    if connection.texts.localizations.languages.isEmpty {
      let registration = try registration.inDevelopmentLanguage()
      provider = try ProviderClient(
        connection.client, device: device, app: app, kinds: registration.kinds,
        intentTypes: registration.intentTypes, reconnection: reconnection, answering: handler,
        phrases: registration.phrases)
    } else {
      try registration.checkAllLanguages()
      provider = try ProviderClient(
        connection.client, device: device, app: app, reconnection: reconnection, answering: handler,
        learned: { language in
          connection.texts.use(language)
          learned.yield(language)
        },
        registering: { try registration.localized(in: $0) })
    }
    connection.followTimeZone(of: provider)
    self.kinds = Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0) })
    self.connection = connection
    sleep = reconnection.sleep
    self.logger = logger
    let (entries, requests) = (ContextEntries(), requests)
    contextEntries = entries
    relevance = RelevanceUpdater(kinds, connection: connection, provider: provider, logger: logger, sleep: sleep) {
      kind, relevance in
      guard kind.isReloadedAtContexts else { return }
      for instance in entries.update(relevance, of: kind.name) {
        requests.yield(WantedTimeline(instance: instance, isPlacement: false))
      }
    }
  }

  /// Creates a host for a bundle's widgets.
  ///
  /// - Throws: The errors of the bundle's localizations, and those of the initializer with kinds.
  public convenience init<Bundle: WidgetBundle>(
    _ bundle: Bundle, connection: AppConnection, reconnection: Reconnection = Reconnection(),
    logger: Logger = Logger(label: "MarqueeKit")
  ) throws {
    try self.init(
      bundle.body.hostedKinds, intents: Bundle.hostedIntents, handlers: Bundle.intentHandlers,
      shortcuts: Bundle.hostedShortcuts, scene: Bundle.scene, localizations: Bundle.localizations,
      connection: connection, reconnection: reconnection, logger: logger)
  }

  /// Whether the server has received the latest relevance of every kind, and the entries that depend on it are made.
  package var isRelevanceSynchronized: Bool { relevance.isSynchronized && contextEntries.areCurrent }

  /// Whether queries of displays reach the host.
  package var isServingQueries: Bool { provider.isServingQueries }

  /// Runs the host until the task is cancelled or a graceful shutdown begins. Call it once.
  ///
  /// - Throws: `RPCStatus` if the server rejects the app, its kinds or its intent types; `NOT_FOUND` if the app was
  ///   removed from the device, or the device from the server.
  public func run() async throws {
    try await connection.run {
      try await connection.relevanceUpdaters.with(relevance) {
        try await connection.texts.follow {
          try await cancelWhenGracefulShutdown { try await self.runTasks() }
        }
      }
    }
  }

  private func runTasks() async throws {
    try await withThrowingDiscardingTaskGroup { group in
      // Each task returns when it is cancelled; the first error cancels the others.
      group.addTask { try await self.provider.run() }
      group.addTask { await self.answer() }
      group.addTask { await self.relevance.run() }
      group.addTask { for await _ in self.provider.attachments { self.relevance.schedule(nil) } }
      group.addTask { await self.followLanguage() }
      group.addTask {
        for await _ in self.provider.timeZones {
          self.relevance.schedule(nil)
          await self.reloadAll()
        }
      }
    }
  }

  /// Makes the timelines again in each language after the first. Other hosts of the connection do so for their widgets.
  private func followLanguage() async {
    var known: LanguageTag?
    for await language in languages where language != known {
      if known != nil { await reloadAll() }
      known = language
    }
  }

  /// Makes the timelines of all placed widgets again, in another language or time zone. Requesting the list of these is
  /// retried with exponential backoff.
  private func reloadAll() async {
    var failureCount = 0
    while true {
      let known = state.withLock(\.placed)
      do {
        let placed = try await provider.listPlacedWidgets().map { WidgetInstance($0.widget, in: $0.family) }
        // Widgets that were placed during the call may be missing from the list.
        state.withLock { $0.placed = Set(placed).union($0.placed.subtracting(known)) }
        for instance in Set(placed) { requests.yield(WantedTimeline(instance: instance, isPlacement: false)) }
        return
      } catch {
        if Task.isCancelled { return }
        logger.warning("listing the placed widgets failed", metadata: ["error": "\(quoted(error))"])
        failureCount += 1
        guard await RetryDelay(afterFailures: failureCount, sleep).wait() else { return }
      }
    }
  }

  /// Waits before a widget's timeline is made again, until it is requested.
  ///
  /// - Returns: `false` if the task is cancelled.
  private func pause(_ instance: WidgetInstance, afterFailures failureCount: Int) async -> Bool {
    let delay = RetryDelay(afterFailures: failureCount, sleep)
    let isRequested = state.withLock { state in
      state.retryDelays[instance] = delay
      return state.isReloadPending[instance] == true
    }
    // It was requested during the failed attempt.
    if isRequested { delay.end() }
    defer { state.withLock { $0.retryDelays[instance] = nil } }
    return await delay.wait()
  }

  private func answer() async {
    await withDiscardingTaskGroup { makers in
      await withTaskGroup { readers in
        readers.addTask {
          for await placed in self.provider.placedWidgets {
            let instance = WidgetInstance(placed.widget, in: placed.family)
            guard self.isNew(instance) else { continue }
            self.requests.yield(WantedTimeline(instance: instance, isPlacement: true))
          }
          self.requests.finish()
        }
        readers.addTask {
          for await request in self.provider.reloadRequests {
            self.relevance.schedule(request.widget.kind.name.text)
            let instance = WidgetInstance(request.widget, in: request.family)
            // A widget that is placed for the first time is also among the placed widgets.
            guard request.reason != .placed || self.isKnown(instance) else { continue }
            self.requests.yield(WantedTimeline(instance: instance, isPlacement: request.reason == .placed))
          }
        }
        for await timeline in wanted where shouldStart(timeline) {
          makers.addTask { await self.provide(timeline.instance) }
        }
      }
    }
  }

  /// Records a placed widget.
  ///
  /// - Returns: Whether it has not been placed in its family before.
  private func isNew(_ placed: WidgetInstance) -> Bool {
    state.withLock { $0.placed.insert(placed).inserted }
  }

  /// Whether the widget has been placed in its family before.
  private func isKnown(_ instance: WidgetInstance) -> Bool {
    state.withLock { $0.placed.contains(instance) }
  }

  /// Whether to start making a timeline. If one is in progress, it serves a placement, and another is made after it for
  /// any other reason. If one failed and is to be made again, that follows at once.
  private func shouldStart(_ timeline: WantedTimeline) -> Bool {
    state.withLock { state in
      guard let isPending = state.isReloadPending[timeline.instance] else {
        state.isReloadPending[timeline.instance] = false
        return true
      }
      let delay = state.retryDelays[timeline.instance]
      delay?.end()
      state.isReloadPending[timeline.instance] = isPending || !timeline.isPlacement || delay != nil
      return false
    }
  }

  /// Whether no further reload of the widget in its family is pending.
  private func isFinished(_ instance: WidgetInstance) -> Bool {
    state.withLock { state in
      guard state.isReloadPending[instance] == true else {
        state.isReloadPending[instance] = nil
        return true
      }
      state.isReloadPending[instance] = false
      return false
    }
  }

  /// Publishes timelines for a widget in its family until no reload is pending. Failures are retried with exponential
  /// backoff, or at once when the timeline is requested.
  private func provide(_ instance: WidgetInstance) async {
    var failureCount = 0
    repeat {
      do {
        try await publish(instance)
        failureCount = 0
        state.withLock { $0.configurationErrors[instance] = nil }
      } catch {
        if Task.isCancelled { return }
        if error is UnknownConfiguration {
          report(WidgetConfigurationError(instance), of: instance)
        } else {
          logger.warning(
            "publishing a timeline failed",
            metadata: ["kind": "\(instance.widget.kind.name)", "error": "\(quoted(error))"])
        }
        failureCount += 1
        guard await pause(instance, afterFailures: failureCount) else { return }
        // Retry.
        _ = shouldStart(WantedTimeline(instance: instance, isPlacement: false))
      }
    } while !isFinished(instance)
  }

  /// Reports a widget's unknown configuration, unless it is known to be unknown.
  private func report(_ error: WidgetConfigurationError, of instance: WidgetInstance) {
    contextEntries.abandon(instance)
    let isNew = state.withLock { state in
      guard state.configurationErrors[instance] == nil else { return false }
      let hasRoom = state.configurationErrors.count < Self.configurationErrorCountMax
      if !hasRoom { state.configurationErrors = [:] }
      state.configurationErrors[instance] = error
      return true
    }
    guard isNew else { return }
    configurationErrorFound.yield(error)
    logger.error(
      "a widget gets no timeline, because the app does not know its configuration",
      metadata: ["kind": "\(quoted(error.kind))", "error": "\(quoted(error))"])
  }

  /// Returns the error of a widget with an unknown configuration.
  package func configurationError(of widget: MarqueeModel.Widget) -> WidgetConfigurationError? {
    state.withLock { $0.configurationErrors.first { $0.key.widget == widget }?.value }
  }

  private func publish(_ instance: WidgetInstance) async throws {
    let widget = instance.widget
    guard let kind = kinds[widget.kind.name.text] else { return }
    let size = provider.widgetSize(of: instance.family).map { CGSize(width: $0.width, height: $0.height) }
    let context = TimelineProviderContext(
      family: WidgetFamily(instance.family), isPreview: false, displaySize: size)
    if kind.isReloadedAtContexts { contextEntries.begin(instance) }
    var timeline = try await kind.timeline(widget.configuration, context)
    if kind.isReloadedAtContexts {
      timeline.policy = contextEntries.policy(of: instance, at: timeline.entries[0].date)
    }
    if isDatedBySystemClock(timeline) {
      warn(
        "system-clock", of: widget.kind,
        "an entry has the date of the system clock, not of the app's: use AppConnection.now in place of Date()")
    }
    let warnings = try await provider.publish(
      timeline.entries, policy: timeline.policy, for: widget, in: instance.family, fallback: timeline.fallback,
      group: timeline.group?.name(of: widget.kind.name))
    if kind.isReloadedAtContexts { contextEntries.end(instance) }
    // The policy of a relevance configuration follows from its contexts, not from the provider.
    for warning in warnings where !kind.isReloadedAtContexts || warning.code != "reload-over-budget" {
      warn(warning.code, of: widget.kind, quoted(warning.message))
    }
  }

  /// Logs the first warning of each code about a kind; most recur with every timeline.
  private func warn(_ code: String, of kind: MarqueeModel.WidgetKind, _ message: String) {
    let isFirst = state.withLock { $0.loggedWarnings[kind.name.text, default: []].insert(code).inserted }
    guard isFirst else { return }
    logger.notice("\(message)", metadata: ["kind": "\(kind.name)", "warning": "\(quoted(code))"])
  }

  /// Whether an entry was probably dated by the system clock although the connection has another clock, as in a test:
  /// its date is within a minute of the system time, from which the connection's differs by more than a day.
  private func isDatedBySystemClock(_ timeline: HostedTimeline) -> Bool {
    let systemTime = Date()
    guard connection.now().timeIntervalSince(systemTime).magnitude > 86_400 else { return false }
    return timeline.entries.contains { Date($0.date).timeIntervalSince(systemTime).magnitude < 60 }
  }
}

extension WidgetHost {
  /// Provides kinds, configured by the environment, until SIGTERM or SIGINT; or prints Marquee's version if `--version`
  /// is the only argument.
  static func main(
    _ kinds: [HostedKind], _ intents: [any AppIntent.Type], _ handlers: [any INIntentHandling],
    _ shortcuts: [AppShortcut] = [], _ scene: AppScene = AppScene(),
    localizations: () throws -> Localizations = { .none }
  ) async {
    guard CommandLine.arguments.dropFirst() != ["--version"] else {
      Terminal.standard.write([MarqueeVersion.current])
      return
    }
    let logger = Logger(label: "MarqueeKit") { StreamLogHandler.standardError(label: $0) }
    do {
      let host = try WidgetHost(
        kinds, intents: intents, handlers: handlers, shortcuts: shortcuts, scene: scene,
        localizations: localizations(), connection: AppConnection.current, logger: logger)
      let group = ServiceGroup(
        configuration: ServiceGroupConfiguration(
          services: [.init(service: host)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
      try await group.run()
    } catch {
      logger.critical("the widget host failed", metadata: ["error": "\(quoted(error))"])
      exit(1)
    }
  }
}
