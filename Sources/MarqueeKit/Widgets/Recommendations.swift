/// A configuration that an app recommends for widgets that an `AppIntent` configures, as it is when this is made.
///
/// Recommendations are asked for where widgets are offered, in this process; the server is not told of them.
public struct AppIntentRecommendation<Intent: WidgetConfigurationIntent>: Sendable {
  /// How the widget is configured.
  public let intent: Intent
  /// What people read of it.
  public let description: LocalizedStringResource

  /// A recommendation.
  public init(intent: Intent, description: LocalizedStringResource) {
    self.intent = intent
    self.description = description
  }

  /// A recommendation.
  public init(intent: Intent, description: some StringProtocol) {
    self.init(intent: intent, description: LocalizedStringResource(String(description)))
  }
}

/// A configuration that an app recommends for widgets that an `INIntent` configures.
///
/// Recommendations are asked for where widgets are offered, in this process; the server is not told of them.
public struct IntentRecommendation<Intent: INIntent>: Sendable {
  /// How the widget is configured.
  public let intent: Intent
  /// What people read of it.
  public let description: LocalizedStringResource

  /// A recommendation.
  public init(intent: Intent, description: LocalizedStringResource) {
    self.intent = intent
    self.description = description
  }

  /// A recommendation.
  public init(intent: Intent, description: some StringProtocol) {
    self.init(intent: intent, description: LocalizedStringResource(String(description)))
  }
}
