/// A relevant shortcut on the watch face, with the reason for its rank (rules S5, S6).
public struct WatchFaceItem: Hashable, Sendable {
  /// The current state of the shortcut's most relevant provider, in descending order of relevance.
  public enum Reason: Hashable, Sendable {
    /// A date window is open since this time; overlapping and adjacent windows are merged.
    case window(since: Instant)
    /// The user is inside a provider's region, at this distance in meters from its center.
    case place(distance: Double)
    /// The situation of a routine provider is in force since it was reported; `nil` if it is in force because a Focus
    /// with its name is on.
    case situation(RoutineSituation, since: Instant?)
    /// The next date window starts at this time.
    case windowAhead(Instant)
    /// The user is outside a provider's region, at this distance in meters from its center; `nil` if the user's place
    /// is unknown.
    case placeAway(distance: Double?)
    /// The situation of a routine provider is not in force.
    case situationAbsent(RoutineSituation)
    /// The engine does not support the provider types.
    case unknownProvider
    /// The shortcut has no providers.
    case anyTime
  }

  /// The app that set the shortcut.
  public let app: AppID
  /// The shortcut.
  public let shortcut: RelevantShortcut
  /// The reason for its rank.
  public let reason: Reason
  /// When the reason expires without further reports; `nil` if time alone does not end it.
  public let until: Instant?
  /// The representation for the user (rule X1); `nil` if not determined.
  public var display: ActionDisplay?

  /// Creates an item.
  public init(
    app: AppID, shortcut: RelevantShortcut, reason: Reason, until: Instant?, display: ActionDisplay? = nil
  ) {
    self.app = app
    self.shortcut = shortcut
    self.reason = reason
    self.until = until
    self.display = display
  }

  /// The item as displays receive it: a user activity has only its identity and its title (rule S2).
  public var listed: WatchFaceItem {
    WatchFaceItem(app: app, shortcut: shortcut.listed, reason: reason, until: until, display: display)
  }

  /// The purpose of the shortcut.
  public var role: RelevantShortcut.Role { shortcut.role }

  /// Whether a provider makes it relevant now.
  public var isRelevantNow: Bool {
    switch reason {
    case .window, .place, .situation: true
    case .windowAhead, .placeAway, .situationAbsent, .unknownProvider, .anyTime: false
    }
  }
}

extension WatchFaceItem {
  /// Returns the reason as one sentence, without a full stop.
  ///
  /// - Parameter format: Formats an instant for the reader.
  public func summary(format: (Instant) -> String = \.description) -> String {
    Self.summary(of: reason, until: until, format: format)
  }

  static func summary(of reason: Reason, until: Instant? = nil, format: (Instant) -> String) -> String {
    let end = until.map { " until \(format($0))" } ?? ""
    switch reason {
    case .window(let since): return "its window is open since \(format(since))\(end)"
    case .place(let distance): return "the user is at its place, \(words(distance)) from the center"
    case .situation(let situation, let since?):
      return "the situation \(situation.words) is in force since \(format(since)),\(end) unless another is reported"
    case .situation(let situation, nil): return "the focus \(situation) is on"
    case .windowAhead(let start): return "its next window begins at \(format(start))"
    case .placeAway(let distance?): return "the user is \(words(distance)) from the center of its place"
    case .placeAway(nil): return "it has a place, but the user's location is unknown"
    case .situationAbsent(let situation): return "it waits for the situation \(situation.words)"
    case .unknownProvider: return "it has providers of an unsupported type"
    case .anyTime: return "it has no providers"
    }
  }

  private static func words(_ meters: Double) -> String {
    meters < 1_000 ? "\(meters.rounded().words) m" : "\(((meters / 100).rounded() / 10).words) km"
  }
}

extension RoutineEvent {
  /// The maximum duration for which home, work and school stay in force.
  public static let stayMax = TimeSpan.hours(12)
  /// The maximum duration for which other situations stay in force.
  public static let situationMax = TimeSpan.hours(4)

  /// When the situation expires unless another is reported before: 12 hours after home, work and school, 4 hours after
  /// the others.
  public var end: Instant {
    switch situation {
    case .home, .work, .school: at.advanced(by: Self.stayMax)
    case .morning, .evening, .gym, .commute, .headphonesConnected, .activeWorkout, .physicalActivityIncomplete:
      at.advanced(by: Self.situationMax)
    }
  }
}
