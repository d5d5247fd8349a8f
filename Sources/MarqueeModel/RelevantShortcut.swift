/// Something an app holds relevant to the person at times that it names (WWDC21 10049; rules S1 to S6).
public struct RelevantShortcut: Hashable, Sendable {
  /// Providers of one shortcut, at most.
  public static let providerCountMax = 64

  /// What the shortcut is for.
  public enum Role: UInt8, CaseIterable, Sendable {
    /// The person does something by it.
    case action = 1
    /// The person reads something.
    case information
  }

  /// The kind of the app's widgets to suggest; `nil` when it serves the watch face alone.
  public let kind: KindName?
  /// The configuration of that widget, or what to do; `nil` for a kind with static configuration.
  public let intent: Intent?
  /// What it is for.
  public let role: Role
  /// When it is relevant. None says that there is something new to show, at a time that the system finds (rule S4).
  public let providers: [RelevanceProvider]

  /// A shortcut, or a refusal of too many providers.
  public init(
    kind: KindName? = nil, intent: Intent? = nil, role: Role = .action, providers: [RelevanceProvider] = []
  ) throws(Refusal) {
    guard providers.count <= Self.providerCountMax else {
      throw .over(
        limit: "provider-count-max", maximum: Self.providerCountMax, count: providers.count, field: "providers")
    }
    self.kind = kind
    self.intent = intent
    self.role = role
    self.providers = providers
  }

  /// The spans that the date providers name (rule S3).
  public var windows: [DateWindow] {
    providers.compactMap { if case .date(let window) = $0 { window } else { nil } }
  }
}

/// A widget's configuration with the dates at which it is relevant: the newer spelling of a shortcut (WWDC23 10103;
/// rule S7).
public struct RelevantIntent: Hashable, Sendable {
  /// How the widget is configured.
  public let intent: Intent
  /// The kind of the app's widgets.
  public let kind: KindName
  /// When it is relevant.
  public let window: DateWindow

  /// A relevant intent.
  public init(intent: Intent, kind: KindName, window: DateWindow) {
    self.intent = intent
    self.kind = kind
    self.window = window
  }
}

/// What makes a shortcut relevant. Dates alone count for Widget Suggestions; the rest serves the watch face (rule S5).
public enum RelevanceProvider: Hashable, Sendable {
  /// A span of time or a point in it.
  case date(DateWindow)
  /// Being in a region.
  case location(PlaceRegion)
  /// A situation of the day.
  case dailyRoutine(RoutineSituation)
  /// A provider of a type that the engine does not know.
  case other
}

/// A span of time, the end not included, or a point in time. Plain instants: no change of zone or clock moves them.
public struct DateWindow: Hashable, Sendable {
  /// When it begins.
  public let start: Instant
  /// When it ends, not before ``start``; `nil` for a point, which counts as a span that the policy names (rule S3).
  public let end: Instant?

  /// A window, or a refusal of an end before the start.
  public init(start: Instant, end: Instant? = nil) throws(Refusal) {
    if let end, end < start {
      throw Refusal(
        .invalidArgument, field: "end", "\(end.span(to: start).milliseconds) ms before the start")
    }
    self.start = start
    self.end = end
  }

  /// When it ends, a point counting as `pointLength`.
  public func end(pointLength: TimeSpan) -> Instant { end ?? start.advanced(by: pointLength) }

  /// Where it stands at `instant`, a point counting as `pointLength`.
  public func state(at instant: Instant, pointLength: TimeSpan) -> WindowState {
    if end(pointLength: pointLength) <= instant { return .ended }
    return start <= instant ? .open : .ahead
  }
}

/// Where a window stands.
public enum WindowState: UInt8, CaseIterable, Sendable {
  /// It has not begun.
  case ahead = 1
  /// It holds its widget relevant.
  case open
  /// It is over.
  case ended
}

/// A circle on Earth.
public struct PlaceRegion: Hashable, Sendable {
  /// Half of Earth's circumference in metres: the largest radius that says anything.
  public static let radiusMax = 20_037_508.0

  /// The middle.
  public let center: Place
  /// How far it reaches, in metres, above 0 and at most ``radiusMax``.
  public let radius: Double

  /// A region, or a refusal of a radius out of range.
  public init(center: Place, radius: Double) throws(Refusal) {
    guard radius > 0, radius <= Self.radiusMax else {
      throw Refusal(.invalidArgument, field: "radius", "\(radius) m is not above 0 and at most \(Self.radiusMax)")
    }
    self.center = center
    self.radius = radius
  }
}

/// A situation that recurs in a person's day (rule S6).
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
