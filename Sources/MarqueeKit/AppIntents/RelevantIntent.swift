import MarqueeClient
import MarqueeModel

/// A widget's configuration with the time at which it is relevant (WWDC23 10103; rule S7).
public struct RelevantIntent: Sendable {
  fileprivate let model: @Sendable () throws -> MarqueeModel.RelevantIntent
  fileprivate let type: @Sendable (AppID) throws -> IntentTypeDescriptor

  /// A relevant widget of that kind and configuration, as it is now.
  public init<Intent: WidgetConfigurationIntent>(_ intent: Intent, widgetKind: String, relevance: RelevantContext) {
    let form = Result { try AppIntentForm(intent).model() }
    model = {
      try MarqueeModel.RelevantIntent(
        intent: form.get(), kind: KindName(widgetKind), window: relevance.window())
    }
    type = { try AppIntentForm<Intent>.descriptor(of: $0) }
  }
}

/// Where an app's relevant intents are kept.
public final class RelevantIntentManager: Sendable {
  /// The only one.
  public static let shared = RelevantIntentManager()

  private init() {}

  /// Replaces all relevant intents of the app, in its turn; one that is left out ends at once. An error leaves the old
  /// ones. Relevant shortcuts are kept apart from these.
  public func updateRelevantIntents(_ relevantIntents: [RelevantIntent]) async throws {
    try await AppConnection.perform({ connection in
      let app = try AppID(connection.app)
      return (models: try relevantIntents.map { try $0.model() }, types: try relevantIntents.map { try $0.type(app) })
    }) { connection, provider, setting in
      var types: [IntentTypeDescriptor] = []
      for type in setting.types where !types.contains(type) { types.append(type) }
      try await connection.register(types, with: provider)
      try await provider.setRelevantIntents(setting.models)
    }
  }
}
