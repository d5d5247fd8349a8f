import MarqueeClient
import MarqueeModel

/// A widget configuration with the time at which it is relevant.
public struct RelevantIntent: Sendable {
  fileprivate let model: @Sendable () throws -> MarqueeModel.RelevantIntent
  fileprivate let type: @Sendable (AppID) throws -> IntentTypeDescriptor

  /// Creates a relevant intent from the current parameter values.
  public init<Intent: WidgetConfigurationIntent>(_ intent: Intent, widgetKind: String, relevance: RelevantContext) {
    let form = Result { try AppIntentForm(intent).model() }
    model = {
      try MarqueeModel.RelevantIntent(
        intent: form.get(), kind: KindName(widgetKind), window: relevance.window())
    }
    type = { try AppIntentForm<Intent>.descriptor(of: $0) }
  }
}

/// The manager of an app's relevant intents.
public final class RelevantIntentManager: Sendable {
  /// The shared manager.
  public static let shared = RelevantIntentManager()

  private init() {}

  /// Replaces all relevant intents of the app, in call order.
  ///
  /// An intent missing from the new set ends immediately. On error, the old set remains. Relevant shortcuts are not
  /// affected.
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
