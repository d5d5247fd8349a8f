/// An app's hint that a widget or an action is relevant to the user at certain times or in certain contexts (WWDC21
/// 10049; rules S1 to S6).
public struct RelevantShortcut: Hashable, Sendable {
  /// The maximum number of relevance providers of a shortcut.
  public static let providerCountMax = 64

  /// The purpose of a shortcut.
  public enum Role: UInt8, CaseIterable, Sendable {
    /// The user performs an action.
    case action = 1
    /// The user reads information.
    case information
  }

  /// The widget kind to suggest; `nil` if the shortcut is only for the watch face.
  public let kind: KindName?
  /// The widget's configuration, or the action; `nil` for a kind with static configuration, and with a user activity.
  public let intent: Intent?
  /// The state to restore, in place of an intent (rule S2).
  public private(set) var userActivity: UserActivity?
  /// The purpose.
  public let role: Role
  /// The conditions in which it is relevant. If empty, there is new content to show at a time that the system chooses
  /// (rule S4).
  public let providers: [RelevanceProvider]
  /// The group that the widget is in during the shortcut's windows; `nil` for none (rule R15).
  public let group: GroupName?

  /// Creates a shortcut.
  ///
  /// - Throws: ``RequestError`` if there are too many providers, or both an intent and a user activity, if the activity
  ///   has no value for a required key, or if there is a group without a kind.
  public init(
    kind: KindName? = nil, intent: Intent? = nil, userActivity: UserActivity? = nil, role: Role = .action,
    providers: [RelevanceProvider] = [], group: GroupName? = nil
  ) throws(RequestError) {
    guard intent == nil || userActivity == nil else {
      throw RequestError(.invalidArgument, field: "user_activity", "not allowed with an intent")
    }
    if let userActivity, userActivity.identifyingValues == nil {
      throw RequestError(
        .invalidArgument, field: "user_activity.required_user_info_keys", "a required key has no value in user_info")
    }
    guard providers.count <= Self.providerCountMax else {
      throw .over(
        limit: "provider-count-max", maximum: Self.providerCountMax, count: providers.count, field: "providers")
    }
    guard group == nil || kind != nil else {
      throw RequestError(.invalidArgument, field: "group", "a group of widgets requires a widget kind")
    }
    self.kind = kind
    self.intent = intent
    self.userActivity = userActivity
    self.role = role
    self.providers = providers
    self.group = group
  }

  /// The shortcut as displays receive it: the activity has only its identity and its title (rule S2).
  public var listed: RelevantShortcut {
    var listed = self
    listed.userActivity = userActivity?.listed
    return listed
  }

  /// The shortcut windows of the date providers (rule S3).
  public var windows: [DateWindow] {
    providers.compactMap { if case .date(let window) = $0 { window } else { nil } }
  }
}

/// A widget configuration with the dates at which it is relevant: the newer API for relevant shortcuts (WWDC23 10103;
/// rule S7).
public struct RelevantIntent: Hashable, Sendable {
  /// The widget's configuration.
  public let intent: Intent
  /// The widget kind.
  public let kind: KindName
  /// The dates at which it is relevant.
  public let window: DateWindow
  /// The group that the widget is in during the window; `nil` for none (rule R15).
  public let group: GroupName?

  /// Creates a relevant intent.
  public init(intent: Intent, kind: KindName, window: DateWindow, group: GroupName? = nil) {
    self.intent = intent
    self.kind = kind
    self.window = window
    self.group = group
  }
}

/// A condition in which a shortcut is relevant. Only dates affect Widget Suggestions; the others affect the watch face
/// (rule S5).
public enum RelevanceProvider: Hashable, Sendable {
  /// A date or a date range.
  case date(DateWindow)
  /// A geographic region.
  case location(PlaceRegion)
  /// A situation of the user's daily routine.
  case dailyRoutine(RoutineSituation)
  /// A provider type that the engine does not support.
  case other
}

/// A date range without its end, or a single date. The instants are absolute: time zone and clock changes do not move
/// them.
public struct DateWindow: Hashable, Sendable {
  /// The start.
  public let start: Instant
  /// The end, not before ``start``; `nil` for a single date, whose duration the policy defines (rule S3).
  public let end: Instant?

  /// Creates a window.
  ///
  /// - Throws: ``RequestError`` if the end precedes the start.
  public init(start: Instant, end: Instant? = nil) throws(RequestError) {
    if let end, end < start {
      throw RequestError(
        .invalidArgument, field: "end", "end precedes the start by \(end.span(to: start).words)")
    }
    self.start = start
    self.end = end
  }

  /// Returns the end. A single date lasts for `pointLength`.
  public func end(pointLength: TimeSpan) -> Instant { end ?? start.advanced(by: pointLength) }

  /// Returns the state at an instant. A single date lasts for `pointLength`.
  public func state(at instant: Instant, pointLength: TimeSpan) -> WindowState {
    if end(pointLength: pointLength) <= instant { return .ended }
    return start <= instant ? .open : .ahead
  }
}

/// The state of a window at an instant.
public enum WindowState: UInt8, CaseIterable, Sendable {
  /// The window has not started.
  case ahead = 1
  /// The window is open: its widget is relevant.
  case open
  /// The window has ended.
  case ended
}

/// A circular region on Earth.
public struct PlaceRegion: Hashable, Sendable {
  /// The maximum radius in meters: half of Earth's circumference.
  public static let radiusMax = 20_037_508.0

  /// The center.
  public let center: Place
  /// The radius in meters, greater than 0 and at most ``radiusMax``.
  public let radius: Double

  /// Creates a region.
  ///
  /// - Throws: ``RequestError`` if the radius is out of range.
  public init(center: Place, radius: Double) throws(RequestError) {
    guard radius > 0, radius <= Self.radiusMax else {
      throw RequestError(
        .invalidArgument, field: "radius", "\(radius) m is not greater than 0 and at most \(Self.radiusMax)")
    }
    self.center = center
    self.radius = radius
  }
}

/// A recurring situation of the user's day (rule S6).
public enum RoutineSituation: UInt8, CaseIterable, Sendable {
  case morning = 1
  case evening
  case home
  case work
  case school
  case gym
  case commute
  case headphonesConnected
  case activeWorkout
  case physicalActivityIncomplete
}
