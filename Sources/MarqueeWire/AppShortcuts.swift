internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// An app's relevant shortcuts and intents, with its intent types.
public struct AppShortcuts: Hashable, Sendable {
  /// A relevant shortcut, and the states of its date windows.
  public struct ShortcutState: Hashable, Sendable {
    /// The hint as set by the app.
    public var shortcut: RelevantShortcut
    /// The states of its windows, in order.
    public var windows: [WindowStatus]
    /// The representation for the user; `nil` if not determined.
    public var display: ActionDisplay?

    /// Creates the state of a shortcut at an instant. Single dates last for `pointLength`.
    public init(
      _ shortcut: RelevantShortcut, at instant: Instant, pointLength: TimeSpan, display: ActionDisplay? = nil
    ) {
      self.init(
        shortcut: shortcut,
        windows: shortcut.windows.map { WindowStatus($0, at: instant, pointLength: pointLength) }, display: display)
    }

    init(shortcut: RelevantShortcut, windows: [WindowStatus], display: ActionDisplay?) {
      self.shortcut = shortcut
      self.windows = windows
      self.display = display
    }
  }

  /// A relevant intent, and the state of its window.
  public struct RelevantIntentState: Hashable, Sendable {
    /// The hint as set by the app.
    public var intent: RelevantIntent
    /// The state of its window.
    public var window: WindowStatus
    /// The representation for the user; `nil` if not determined.
    public var display: ActionDisplay?

    /// Creates the state of a relevant intent at an instant. A single date lasts for `pointLength`.
    public init(
      _ intent: RelevantIntent, at instant: Instant, pointLength: TimeSpan, display: ActionDisplay? = nil
    ) {
      self.init(
        intent: intent, window: WindowStatus(intent.window, at: instant, pointLength: pointLength), display: display)
    }

    init(intent: RelevantIntent, window: WindowStatus, display: ActionDisplay?) {
      self.intent = intent
      self.window = window
      self.display = display
    }
  }

  /// The app.
  public let app: AppID
  /// Its intent types, in the order of first registration.
  public let intentTypes: [IntentTypeDescriptor]
  /// Its relevant shortcuts, in the app's order.
  public let shortcuts: [ShortcutState]
  /// Its relevant intents, in the app's order.
  public let intents: [RelevantIntentState]

  /// Creates an app's hints.
  ///
  /// - Precondition: The intent types belong to the app.
  public init(
    app: AppID, intentTypes: [IntentTypeDescriptor], shortcuts: [ShortcutState], intents: [RelevantIntentState]
  ) {
    precondition(intentTypes.allSatisfy { $0.app == app }, "intent type of another app")
    self.app = app
    self.intentTypes = intentTypes
    self.shortcuts = shortcuts
    self.intents = intents
  }
}

/// The state of a window; a single date has the duration that the policy defines.
public struct WindowStatus: Hashable, Sendable {
  /// The start.
  public var start: Instant
  /// The end.
  public var end: Instant
  /// The state.
  public var state: WindowState

  /// Creates the state of a window at an instant. A single date lasts for `pointLength`.
  public init(_ window: DateWindow, at instant: Instant, pointLength: TimeSpan) {
    self.init(
      start: window.start, end: window.end(pointLength: pointLength),
      state: window.state(at: instant, pointLength: pointLength))
  }

  init(start: Instant, end: Instant, state: WindowState) {
    self.start = start
    self.end = end
    self.state = state
  }
}

extension AppShortcuts: WireValue {
  init(_ message: Marquee__V1__AppShortcuts) throws(RequestError) {
    let app: AppID = try Field.identifier(message.app, "app")
    self.init(
      app: app,
      intentTypes: try IntentTypeDescriptor.array(message.n_intent_types, message.intent_types, app: app),
      shortcuts: try Field.array(message.n_shortcuts, message.shortcuts, "shortcuts"),
      intents: try Field.array(message.n_intents, message.intents, "intents"))
  }

  func fill(_ message: inout Marquee__V1__AppShortcuts, _ scratch: EncodeScratch) {
    message.app = scratch.text(app)
    (message.n_intent_types, message.intent_types) = scratch.array(intentTypes)
    (message.n_shortcuts, message.shortcuts) = scratch.array(shortcuts)
    (message.n_intents, message.intents) = scratch.array(intents)
  }
}
