import Foundation
import Logging
import MarqueeClient
import MarqueeModel
import MarqueeRPC

/// Answers displays' queries from the app's hosted kinds and intents.
struct HostQueryHandler: QueryHandler {
  private let kinds: [String: HostedKind]
  private let intents: [String: HostedIntent]
  private let scene: AppScene
  private let logger: Logger

  /// Creates a handler for kinds, the intents that configure them, further intents, and the app's scene.
  init(_ kinds: [HostedKind], _ intents: [HostedIntent], _ scene: AppScene, _ logger: Logger) {
    self.scene = scene
    self.logger = logger
    self.kinds = Dictionary(kinds.map { ($0.name, $0) }) { first, _ in first }
    self.intents = Dictionary((intents + kinds.compactMap(\.intent)).map { ($0.typeName, $0) }) { first, _ in first }
  }

  func options(_ query: OptionsQuery) async throws -> ParameterOptions {
    try await intent(query.intent, "query.intent.type").options(query)
  }

  func form(_ query: FormQuery) async throws -> ConfigurationForm {
    guard let kind = kinds[query.kind.text] else {
      throw RequestError(.notFound, field: "query.kind", "unknown kind")
    }
    guard let intent = kind.intent else {
      throw RequestError(.failedPrecondition, field: "query.kind", "the kind has no configuration")
    }
    return try await intent.form(query)
  }

  func perform(_ run: IntentInvocation, _ steps: IntentSteps, timeLeft: Duration) async throws -> IntentOutcome {
    guard let perform = try intent(run.intent, "begin.run.intent.type").perform else {
      throw RequestError(
        .failedPrecondition, field: "begin.run.intent.type", "a configuration intent cannot be performed")
    }
    return try await perform(run.intent, steps)
  }

  func performFocusFilter(_ state: FocusFilterState) async throws {
    guard let filter = intents[state.intentType.text]?.focusFilter else {
      logger.warning("unknown type of Focus filters", metadata: ["type": "\(state.intentType)"])
      return
    }
    do {
      try await filter.perform(state, logger)
    } catch {
      if !Task.isCancelled {
        logger.warning(
          "performing a Focus filter failed",
          metadata: ["type": "\(state.intentType)", "error": "\(quoted(error))"])
      }
      throw error
    }
  }

  func handle(_ continuation: Continuation) async throws -> ContinuationOutcome {
    switch continuation {
    // Displays open the app themselves.
    case .userActivity(let activity) where activity.type == .appOpening: return .handled
    case .userActivity(let activity):
      return try await deliver(activity.type.text) { NSUserActivity(activity) }
    case .intent(let intent):
      let outcome = try await deliver(intent.type.text) { NSUserActivity(intent, declared: await declared(intent)) }
      return outcome == .notHandled && isPerformable(intent) ? .performIntent : outcome
    case .reservation(let item, let errand, let intent):
      return try await deliver(intent.type.text) {
        let activity = NSUserActivity(intent, declared: await declared(intent))
        activity.reservationErrand = ReservationErrand(item, errand)
        return activity
      }
    case .person(let person, let intent):
      let type = (intent?.type ?? .sendMessage).text
      return try await deliver(type) {
        let activity =
          if let intent {
            NSUserActivity(intent, declared: await declared(intent))
          } else {
            NSUserActivity(activityType: type)
          }
        activity.person = INPerson(person)
        return activity
      }
    case .widget(let widget, let family, let link):
      if let link, let open = scene.opening {
        try open(link.url)
        return .handled
      }
      return try await deliver(widget.activityType) {
        let configuration = await kinds[widget.kind.name.text]?.intent?.declared(widget.configuration)
        return NSUserActivity(tapped: widget, in: family, link: try link?.url, configuration: configuration)
      }
    }
  }

  /// Passes the scene an activity, which is only made if there is a handler of its type, because that can query
  /// entities.
  private func deliver(
    _ activityType: String, _ activity: () async throws -> NSUserActivity
  ) async throws -> ContinuationOutcome {
    guard let accept = scene.handler(of: activityType) else { return .notHandled }
    let activity = try await activity()
    // The display no longer waits for a cancelled continuation.
    try Task.checkCancellation()
    try accept(activity)
    return .handled
  }

  /// Returns the intent as the app declares it; `nil` if the app does not host its type, or a value is invalid.
  private func declared(_ intent: Intent) async -> (any Sendable)? {
    await intents[intent.type.text]?.declared(intent)
  }

  /// Whether a display can have the intent performed: the app hosts it, and not only as a configuration of widgets.
  private func isPerformable(_ intent: Intent) -> Bool {
    intents[intent.type.text]?.perform != nil && !kinds.values.contains { $0.intent?.typeName == intent.type.text }
  }

  private func intent(_ intent: Intent, _ field: String) throws(RequestError) -> HostedIntent {
    guard let found = intents[intent.type.text] else {
      throw RequestError(.notFound, field: field, "unknown intent type: \(intent.type)")
    }
    return found
  }
}

extension MarqueeModel.Widget {
  /// The type of the activity of a tap: that of the configuration, or the name of the kind without one.
  var activityType: String { configuration?.type.text ?? kind.name.text }
}

extension EntryLink {
  fileprivate var url: URL {
    get throws(RequestError) {
      guard let url = URL(string: text) else {
        throw RequestError(.invalidArgument, field: "widget.link", "not a valid URL (\(text.utf8.count) bytes)")
      }
      return url
    }
  }
}
