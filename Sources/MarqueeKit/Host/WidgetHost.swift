import Foundation
public import Logging
public import MarqueeClient
import MarqueeModel
import MarqueeRPC
public import ServiceLifecycle
import Synchronization
import UnixSignals

/// Provides an app's widgets: registers their kinds and configurations, makes the first timeline of each widget that
/// is put on a stack or suggested, answers requests for the next, and tells the server when the kinds say that they are
/// relevant. It stays connected, with pauses that grow and are spread by chance; what the server has not acknowledged
/// is published again when it is back, and replaces what was there (rule T1), so that nothing is lost and nothing there
/// twice.
public final class WidgetHost: Service {
  private let kinds: [String: HostedKind]
  private let connection: AppConnection
  private let provider: ProviderClient
  private let logger: Logger
  private let relevance: RelevanceDesk
  private let desk = Mutex(Desk())

  /// Widgets, and what is going on for them.
  private struct Desk {
    var families: [MarqueeModel.Widget: WidgetFamily] = [:]
    /// Whose timelines are being made; `true` when another is wanted already.
    var isWantedAgain: [MarqueeModel.Widget: Bool] = [:]
  }

  /// A host that does nothing until it runs. It answers displays for the intents that configure the kinds, for
  /// `intents`, and for those that `handlers` handle.
  ///
  /// - Throws: `Refusal` for a kind or an intent type that the server would not take, and for a name that comes twice.
  public init(
    _ kinds: [HostedKind], intents: [any AppIntent.Type] = [], handlers: [any INIntentHandling] = [],
    connection: AppConnection, reconnection: Reconnection = Reconnection(), logger: Logger = Logger(label: "MarqueeKit")
  ) throws {
    let app = try AppID(connection.app)
    var types: [IntentTypeDescriptor] = []
    let hosted = intents.map { HostedIntent($0) } + handlers.map { HostedIntent(handledBy: $0) }
    for intent in kinds.compactMap(\.intent) + hosted {
      let type = try intent.descriptor(app)
      if !types.contains(type) { types.append(type) }
    }
    provider = try ProviderClient(
      connection.client, device: DeviceID(connection.device), app: app,
      kinds: kinds.map { try $0.descriptor(of: app) }, intentTypes: types, reconnection: reconnection,
      answering: HostAnswers(kinds, hosted))
    self.kinds = Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0) })
    self.connection = connection
    self.logger = logger
    relevance = RelevanceDesk(kinds, connection: connection, provider: provider, logger: logger)
  }

  /// A host of a bundle's widgets.
  public convenience init<Bundle: WidgetBundle>(
    _ bundle: Bundle, connection: AppConnection, reconnection: Reconnection = Reconnection(),
    logger: Logger = Logger(label: "MarqueeKit")
  ) throws {
    try self.init(
      bundle.body.hostedKinds, intents: Bundle.appIntents, handlers: Bundle.intentHandlers, connection: connection,
      reconnection: reconnection, logger: logger)
  }

  /// Whether the server knows what the kinds have said of their relevance.
  package var isRelevanceTold: Bool { relevance.isQuiet }

  /// Provides until the task is cancelled or a graceful shutdown begins. Throws `RPCStatus` when the server refuses
  /// the app, its kinds or its intent types. To be called once.
  public func run() async throws {
    try await connection.run {
      try await connection.relevanceDesks.with(relevance) {
        try await cancelWhenGracefulShutdown {
          try await withThrowingDiscardingTaskGroup { group in
            // Each returns when it is cancelled; who is refused ends the others.
            group.addTask { try await self.provider.run() }
            group.addTask { await self.answer() }
            group.addTask { await self.relevance.run() }
            group.addTask { for await _ in self.provider.attachments { self.relevance.want(nil) } }
          }
        }
      }
    }
  }

  private func answer() async {
    await withDiscardingTaskGroup { makers in
      await withTaskGroup { readers in
        let (wanted, continuation) = AsyncStream.makeStream(of: MarqueeModel.Widget.self)
        readers.addTask {
          for await placed in self.provider.placedWidgets where self.isNew(placed) { continuation.yield(placed.widget) }
          continuation.finish()
        }
        readers.addTask {
          for await request in self.provider.reloadRequests {
            self.relevance.want(request.widget.kind.name.text)
            continuation.yield(request.widget)
          }
        }
        for await widget in wanted where begins(widget) {
          makers.addTask { await self.provide(widget) }
        }
      }
    }
  }

  /// Notes where a widget is; gives whether it was not anywhere before.
  private func isNew(_ placed: PlacedWidget) -> Bool {
    let family = placed.family.map { WidgetFamily($0) } ?? kinds[placed.widget.kind.name.text]?.families.first
    return desk.withLock { $0.families.updateValue(family ?? .systemSmall, forKey: placed.widget) == nil }
  }

  /// Whether a timeline is to be made now; one that is being made is followed by another.
  private func begins(_ widget: MarqueeModel.Widget) -> Bool {
    desk.withLock { desk in
      guard desk.isWantedAgain[widget] == nil else {
        desk.isWantedAgain[widget] = true
        return false
      }
      desk.isWantedAgain[widget] = false
      return true
    }
  }

  /// Whether nothing more is to be made for a widget now.
  private func ends(_ widget: MarqueeModel.Widget) -> Bool {
    desk.withLock { desk in
      guard desk.isWantedAgain[widget] == true else {
        desk.isWantedAgain[widget] = nil
        return true
      }
      desk.isWantedAgain[widget] = false
      return false
    }
  }

  /// Publishes timelines for a widget until no more are wanted; what fails is tried again after a pause.
  private func provide(_ widget: MarqueeModel.Widget) async {
    var failureCount = 0
    repeat {
      do {
        try await publish(widget)
        failureCount = 0
      } catch {
        if Task.isCancelled { return }
        logger.warning("no timeline is published", metadata: ["kind": "\(widget.kind.name)", "error": "\(error)"])
        failureCount += 1
        let pause = Duration.seconds(min(300, 1 << min(failureCount, 9)))
        // A pause that is cancelled ends the host.
        guard (try? await Task.sleep(for: pause)) != nil else { return }
        // What has failed is wanted again.
        _ = begins(widget)
      }
    } while !ends(widget)
  }

  private func publish(_ widget: MarqueeModel.Widget) async throws {
    guard let kind = kinds[widget.kind.name.text] else { return }
    let family = desk.withLock { $0.families[widget] } ?? kind.families[0]
    let context = TimelineProviderContext(family: family, isPreview: false)
    let timeline = try await kind.timeline(widget.configuration, context)
    for warning in try await provider.publish(timeline.entries, policy: timeline.policy, for: widget) {
      logger.notice("\(warning.message)", metadata: ["kind": "\(widget.kind.name)", "warning": "\(warning.code)"])
    }
  }
}

extension WidgetHost {
  /// Provides kinds as the environment says, until SIGTERM or SIGINT comes.
  static func main(
    _ kinds: [HostedKind], _ intents: [any AppIntent.Type], _ handlers: [any INIntentHandling]
  ) async {
    let logger = Logger(label: "MarqueeKit") { StreamLogHandler.standardError(label: $0) }
    do {
      let host = try WidgetHost(
        kinds, intents: intents, handlers: handlers, connection: AppConnection.current, logger: logger)
      let group = ServiceGroup(
        configuration: ServiceGroupConfiguration(
          services: [.init(service: host)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
      try await group.run()
    } catch {
      logger.critical("the widgets are provided no more", metadata: ["error": "\(error)"])
      exit(1)
    }
  }
}
