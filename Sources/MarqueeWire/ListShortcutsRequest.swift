internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request for the apps' relevant shortcuts and intents on a device.
public struct ListShortcutsRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The app; `nil` for all apps that have set or registered any.
  public var app: AppID?
  /// Returns only apps after this one; `nil` to start with the first.
  public var after: AppID?

  /// Creates a request.
  public init(device: DeviceID, app: AppID? = nil, after: AppID? = nil) {
    self.device = device
    self.app = app
    self.after = after
  }
}

/// The apps' relevant shortcuts and intents on a device.
public struct ListShortcutsResponse: Hashable, Sendable {
  /// When the response was computed.
  public var at: Instant
  /// The apps, ordered by identifier.
  public var apps: [AppShortcuts]
  /// Whether there are more apps after the last one.
  public var hasMore: Bool
  /// The device's time zone.
  public var timeZone: TimeZoneID

  /// Creates a response.
  public init(at: Instant, apps: [AppShortcuts], hasMore: Bool, timeZone: TimeZoneID) {
    self.at = at
    self.apps = apps
    self.hasMore = hasMore
    self.timeZone = timeZone
  }
}

/// An app's relevant shortcuts and intents, with its intent types.
public struct AppShortcuts: Hashable, Sendable {
  /// A relevant shortcut, and the states of its date windows.
  public struct ShortcutState: Hashable, Sendable {
    /// The hint as set by the app.
    public var shortcut: RelevantShortcut
    /// The states of its windows, in order.
    public var windows: [WindowStatus]

    /// Creates the state of a shortcut at an instant. Single dates last for `pointLength`.
    public init(_ shortcut: RelevantShortcut, at instant: Instant, pointLength: TimeSpan) {
      self.init(
        shortcut: shortcut,
        windows: shortcut.windows.map { WindowStatus($0, at: instant, pointLength: pointLength) })
    }

    init(shortcut: RelevantShortcut, windows: [WindowStatus]) {
      self.shortcut = shortcut
      self.windows = windows
    }
  }

  /// A relevant intent, and the state of its window.
  public struct RelevantIntentState: Hashable, Sendable {
    /// The hint as set by the app.
    public var intent: RelevantIntent
    /// The state of its window.
    public var window: WindowStatus

    /// Creates the state of a relevant intent at an instant. A single date lasts for `pointLength`.
    public init(_ intent: RelevantIntent, at instant: Instant, pointLength: TimeSpan) {
      self.init(intent: intent, window: WindowStatus(intent.window, at: instant, pointLength: pointLength))
    }

    init(intent: RelevantIntent, window: WindowStatus) {
      self.intent = intent
      self.window = window
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

extension ListShortcutsRequest: WireValue {
  init(_ message: Marquee__V1__ListShortcutsRequest) throws(RequestError) {
    self.init(
      device: try Field.identifier(message.device, "device"), app: try Field.identifierIfPresent(message.app, "app"),
      after: try Field.identifierIfPresent(message.after, "after"))
  }

  func fill(_ message: inout Marquee__V1__ListShortcutsRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.app = scratch.text(app)
    message.after = scratch.text(after)
  }
}

extension ListShortcutsResponse: WireValue {
  init(_ message: Marquee__V1__ListShortcutsResponse) throws(RequestError) {
    self.init(
      at: try Field.instant(message.at_ms, "at_ms"),
      apps: try Field.array(message.n_apps, message.apps, "apps"),
      hasMore: message.has_more != 0,
      timeZone: try Field.identifier(message.time_zone, "time_zone"))
  }

  func fill(_ message: inout Marquee__V1__ListShortcutsResponse, _ scratch: EncodeScratch) {
    message.at_ms = at.milliseconds
    (message.n_apps, message.apps) = scratch.array(apps)
    message.has_more = hasMore ? 1 : 0
    message.time_zone = scratch.text(timeZone)
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

extension AppShortcuts.ShortcutState: WireValue {
  init(_ message: Marquee__V1__ShortcutState) throws(RequestError) {
    self.init(
      shortcut: try Field.required(message.shortcut, "shortcut"),
      windows: try Field.array(message.n_windows, message.windows, "windows"))
  }

  func fill(_ message: inout Marquee__V1__ShortcutState, _ scratch: EncodeScratch) {
    message.shortcut = scratch.message(shortcut)
    (message.n_windows, message.windows) = scratch.array(windows)
  }
}

extension AppShortcuts.RelevantIntentState: WireValue {
  init(_ message: Marquee__V1__RelevantIntentState) throws(RequestError) {
    self.init(
      intent: try Field.required(message.intent, "intent"), window: try Field.required(message.window, "window"))
  }

  func fill(_ message: inout Marquee__V1__RelevantIntentState, _ scratch: EncodeScratch) {
    message.intent = scratch.message(intent)
    message.window = scratch.message(window)
  }
}

extension WindowStatus: WireValue {
  init(_ message: Marquee__V1__WindowStatus) throws(RequestError) {
    guard let state = UInt8(exactly: message.state.rawValue).flatMap(WindowState.init) else {
      throw RequestError(.invalidArgument, field: "state", "unknown window state: \(message.state.rawValue)")
    }
    self.init(
      start: try Field.instant(message.start_ms, "start_ms"), end: try Field.instant(message.end_ms, "end_ms"),
      state: state)
  }

  func fill(_ message: inout Marquee__V1__WindowStatus, _ scratch: EncodeScratch) {
    message.start_ms = start.milliseconds
    message.end_ms = end.milliseconds
    message.state = Marquee__V1__WindowState(rawValue: UInt32(state.rawValue))
  }
}
