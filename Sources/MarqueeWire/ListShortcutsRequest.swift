internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// Asks what apps hold relevant on a device.
public struct ListShortcutsRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// Only of this app; `nil`: of all that have set or registered any.
  public var app: AppID?
  /// Only of apps after this one in the order of their names; `nil`: from the first.
  public var after: AppID?

  /// A request.
  public init(device: DeviceID, app: AppID? = nil, after: AppID? = nil) {
    self.device = device
    self.app = app
    self.after = after
  }
}

/// What apps hold relevant on a device.
public struct ListShortcutsResponse: Hashable, Sendable {
  /// When it was read.
  public var at: Instant
  /// In the order of the apps' names.
  public var apps: [AppShortcuts]
  /// Whether there are further apps after the last one.
  public var hasMore: Bool
  /// Where the device is.
  public var timeZone: TimeZoneID

  /// A response.
  public init(at: Instant, apps: [AppShortcuts], hasMore: Bool, timeZone: TimeZoneID) {
    self.at = at
    self.apps = apps
    self.hasMore = hasMore
    self.timeZone = timeZone
  }
}

/// What one app holds relevant, as it was set, with its intent types.
public struct AppShortcuts: Hashable, Sendable {
  /// A relevant shortcut and where its date providers' windows stand, in their order.
  public struct ShortcutState: Hashable, Sendable {
    /// As it was set.
    public var shortcut: RelevantShortcut
    /// Its windows.
    public var windows: [WindowReading]

    /// A shortcut at `instant`, points counting as `pointLength`.
    public init(_ shortcut: RelevantShortcut, at instant: Instant, pointLength: TimeSpan) {
      self.init(
        shortcut: shortcut,
        windows: shortcut.windows.map { WindowReading($0, at: instant, pointLength: pointLength) })
    }

    init(shortcut: RelevantShortcut, windows: [WindowReading]) {
      self.shortcut = shortcut
      self.windows = windows
    }
  }

  /// A relevant intent and where its window stands.
  public struct RelevantIntentState: Hashable, Sendable {
    /// As it was set.
    public var intent: RelevantIntent
    /// Its window.
    public var window: WindowReading

    /// A relevant intent at `instant`, a point counting as `pointLength`.
    public init(_ intent: RelevantIntent, at instant: Instant, pointLength: TimeSpan) {
      self.init(intent: intent, window: WindowReading(intent.window, at: instant, pointLength: pointLength))
    }

    init(intent: RelevantIntent, window: WindowReading) {
      self.intent = intent
      self.window = window
    }
  }

  /// The app.
  public let app: AppID
  /// Its intent types, in the order of their first registration.
  public let intentTypes: [IntentTypeDescriptor]
  /// Its relevant shortcuts, in the order set.
  public let shortcuts: [ShortcutState]
  /// Its relevant intents, in the order set.
  public let intents: [RelevantIntentState]

  /// What an app holds relevant; the types are its own.
  public init(
    app: AppID, intentTypes: [IntentTypeDescriptor], shortcuts: [ShortcutState], intents: [RelevantIntentState]
  ) {
    precondition(intentTypes.allSatisfy { $0.app == app }, "an intent type of another app")
    self.app = app
    self.intentTypes = intentTypes
    self.shortcuts = shortcuts
    self.intents = intents
  }
}

/// A window as it counts.
public struct WindowReading: Hashable, Sendable {
  /// When it begins.
  public var start: Instant
  /// When it ends.
  public var end: Instant
  /// Where it stands.
  public var state: WindowState

  /// A window at `instant`, a point counting as `pointLength`.
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
  init(_ message: Marquee__V1__ListShortcutsRequest) throws(Refusal) {
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
  init(_ message: Marquee__V1__ListShortcutsResponse) throws(Refusal) {
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
  init(_ message: Marquee__V1__AppShortcuts) throws(Refusal) {
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
  init(_ message: Marquee__V1__ShortcutState) throws(Refusal) {
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
  init(_ message: Marquee__V1__RelevantIntentState) throws(Refusal) {
    self.init(
      intent: try Field.required(message.intent, "intent"), window: try Field.required(message.window, "window"))
  }

  func fill(_ message: inout Marquee__V1__RelevantIntentState, _ scratch: EncodeScratch) {
    message.intent = scratch.message(intent)
    message.window = scratch.message(window)
  }
}

extension WindowReading: WireValue {
  init(_ message: Marquee__V1__WindowReading) throws(Refusal) {
    guard let state = UInt8(exactly: message.state.rawValue).flatMap(WindowState.init) else {
      throw Refusal(.invalidArgument, field: "state", "\(message.state.rawValue) is no state of a window")
    }
    self.init(
      start: try Field.instant(message.start_ms, "start_ms"), end: try Field.instant(message.end_ms, "end_ms"),
      state: state)
  }

  func fill(_ message: inout Marquee__V1__WindowReading, _ scratch: EncodeScratch) {
    message.start_ms = start.milliseconds
    message.end_ms = end.milliseconds
    message.state = Marquee__V1__WindowState(rawValue: UInt32(state.rawValue))
  }
}
