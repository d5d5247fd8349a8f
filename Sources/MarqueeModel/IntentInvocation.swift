/// A request to a provider to perform an intent.
public struct IntentInvocation: Hashable, Sendable {
  /// The intent, with its parameters.
  public let intent: Intent
  /// The widget whose button or toggle the user activated, if any.
  public let widget: Widget?

  /// Creates an invocation.
  public init(_ intent: Intent, from widget: Widget? = nil) {
    self.intent = intent
    self.widget = widget
  }
}

/// The progress of an intent that is being performed.
public struct IntentProgress: Hashable, Sendable {
  /// The number of completed units of work; not negative.
  public let completedUnitCount: Int64
  /// The total number of units of work; 0 or less if unknown.
  public let totalUnitCount: Int64
  /// A description of the current step for the user; may be empty.
  public let description: String

  /// Creates a progress report.
  public init(completedUnitCount: Int64, totalUnitCount: Int64, description: String = "") {
    self.completedUnitCount = completedUnitCount
    self.totalUnitCount = totalUnitCount
    self.description = description
  }
}

/// A prompt for the user while an intent is being performed.
public struct IntentPrompt: Hashable, Sendable {
  /// The purpose of the prompt.
  public enum Purpose: UInt8, CaseIterable, Sendable {
    /// Permission to continue in the app in the foreground.
    case foreground = 1
    /// Confirmation of the action that is about to be performed.
    case confirmation
  }

  /// The purpose of the prompt.
  public let purpose: Purpose
  /// The text to show; may be empty.
  public let dialog: String

  /// Creates a prompt.
  public init(_ purpose: Purpose, dialog: String = "") {
    self.purpose = purpose
    self.dialog = dialog
  }
}

/// The outcome of an intent that was performed.
public struct IntentOutcome: Hashable, Sendable {
  /// The returned value, if any.
  public let value: ParameterValue?
  /// The user-visible name of ``value``; may be empty.
  public let valueName: String
  /// The text to show to the user; may be empty.
  public let dialog: String
  /// Whether the app should come to the foreground now.
  public let opensApp: Bool

  /// Creates an outcome.
  public init(value: ParameterValue? = nil, valueName: String = "", dialog: String = "", opensApp: Bool = false) {
    self.value = value
    self.valueName = valueName
    self.dialog = dialog
    self.opensApp = opensApp
  }
}
