/// A recommended configuration of a kind configured by an `AppIntent`, captured when the recommendation is created.
///
/// Recommendations are requested by the gallery in this process; they are not sent to the server.
public struct AppIntentRecommendation<Intent: WidgetConfigurationIntent>: Sendable {
  /// The configuration of the widget.
  public let intent: Intent
  /// The description shown to the user.
  public let description: LocalizedStringResource

  /// Creates a recommendation.
  public init(intent: Intent, description: LocalizedStringResource) {
    self.intent = intent
    self.description = description
  }

  /// Creates a recommendation.
  public init(intent: Intent, description: some StringProtocol) {
    self.init(intent: intent, description: LocalizedStringResource(verbatim: String(description)))
  }
}

/// A recommended configuration of a kind configured by an `INIntent`.
///
/// Recommendations are requested by the gallery in this process; they are not sent to the server.
public struct IntentRecommendation<Intent: INIntent>: Sendable {
  /// The configuration of the widget.
  public let intent: Intent
  /// The description shown to the user.
  public let description: LocalizedStringResource

  /// Creates a recommendation.
  public init(intent: Intent, description: LocalizedStringResource) {
    self.intent = intent
    self.description = description
  }

  /// Creates a recommendation.
  public init(intent: Intent, description: some StringProtocol) {
    self.init(intent: intent, description: LocalizedStringResource(verbatim: String(description)))
  }
}
