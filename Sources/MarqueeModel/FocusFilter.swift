/// The values with which an app performs an intent while a Focus is on (rule S11).
public struct FocusFilter: Hashable, Sendable {
  /// The identity of a filter: an app has at most one of each intent type for each Focus.
  public struct Key: Hashable, Sendable {
    /// The app that performs the intent.
    public let app: AppID
    /// The type of the intent.
    public let intentType: IntentType
    /// The Focus.
    public let focus: FocusID

    /// Creates a key.
    public init(app: AppID, intentType: IntentType, focus: FocusID) {
      (self.app, self.intentType, self.focus) = (app, intentType, focus)
    }
  }

  /// The app that performs the intent.
  public let app: AppID
  /// The Focus.
  public let focus: FocusID
  /// The intent. A parameter without a value has its default.
  public let intent: Intent
  /// Whether the Focus is on.
  public let isInForce: Bool

  /// Creates a filter.
  public init(app: AppID, focus: FocusID, intent: Intent, isInForce: Bool) {
    (self.app, self.focus, self.intent, self.isInForce) = (app, focus, intent, isInForce)
  }

  /// The identity of the filter.
  public var key: Key { Key(app: app, intentType: intent.type, focus: focus) }
}

/// The state of an app's Focus filter of one intent type (rule S11).
public struct FocusFilterState: Hashable, Sendable {
  /// The type of the intent.
  public let intentType: IntentType
  /// The filter in force; `nil` if none is, so that every parameter has its default.
  public let intent: Intent?
  /// The Focus that is on and for which the filter is set; `nil` without a filter in force.
  public let focus: FocusID?
  /// Whether this is the state when the provider's stream was attached, which the app may have performed before.
  public let isInitial: Bool

  /// Creates a state.
  ///
  /// - Throws: ``RequestError`` if the intent is of another type, or only one of intent and Focus is present.
  public init(
    intentType: IntentType, intent: Intent?, focus: FocusID?, isInitial: Bool
  ) throws(RequestError) {
    guard intent.map({ $0.type == intentType }) ?? true else {
      throw RequestError(.invalidArgument, field: "intent.type", "must be the intent type of the filter")
    }
    guard (intent == nil) == (focus == nil) else {
      throw RequestError(.invalidArgument, field: "focus", "must be set exactly if a filter is in force")
    }
    (self.intentType, self.intent, self.focus, self.isInitial) = (intentType, intent, focus, isInitial)
  }

  /// Whether the app performs the same values as in another state, including the texts that represent them.
  public func performsSameValues(as other: FocusFilterState) -> Bool {
    intentType == other.intentType && intent?.encoded == other.intent?.encoded
  }
}
