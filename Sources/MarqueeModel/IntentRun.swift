/// An intent that a provider is to perform.
public struct IntentRun: Hashable, Sendable {
  /// The intent, with its parameters.
  public let intent: Intent
  /// The widget whose button or toggle the person used, if it was one.
  public let widget: Widget?

  /// A run.
  public init(_ intent: Intent, from widget: Widget? = nil) {
    self.intent = intent
    self.widget = widget
  }
}

/// How far an intent is that is being performed.
public struct IntentProgress: Hashable, Sendable {
  /// Units of work that are done; not negative.
  public let completedUnitCount: Int64
  /// Units of work that there are; 0 or less when that is not known.
  public let totalUnitCount: Int64
  /// What is being done, for people; may be empty.
  public let description: String

  /// A progress.
  public init(completedUnitCount: Int64, totalUnitCount: Int64, description: String = "") {
    self.completedUnitCount = completedUnitCount
    self.totalUnitCount = totalUnitCount
    self.description = description
  }
}

/// What an intent that is being performed asks the person.
public struct IntentPrompt: Hashable, Sendable {
  /// What is asked for.
  public enum Purpose: UInt8, CaseIterable, Sendable {
    /// That the app comes to the foreground, where the intent goes on.
    case foreground = 1
    /// That the person agrees to what is about to be done.
    case confirmation
  }

  /// What is asked for.
  public let purpose: Purpose
  /// The words to show; may be empty.
  public let dialog: String

  /// A prompt.
  public init(_ purpose: Purpose, dialog: String = "") {
    self.purpose = purpose
    self.dialog = dialog
  }
}

/// How an intent that was performed ended.
public struct IntentOutcome: Hashable, Sendable {
  /// What it gives, if anything.
  public let value: ParameterValue?
  /// What people call ``value``; may be empty.
  public let valueName: String
  /// What to tell the person; may be empty.
  public let dialog: String
  /// Whether the app is to come to the foreground now.
  public let opensApp: Bool

  /// An outcome.
  public init(value: ParameterValue? = nil, valueName: String = "", dialog: String = "", opensApp: Bool = false) {
    self.value = value
    self.valueName = valueName
    self.dialog = dialog
    self.opensApp = opensApp
  }
}
