/// A relevant shortcut as the watch face lists it, and why it stands where it does (rules S5, S6).
public struct WatchFaceItem: Hashable, Sendable {
  /// What a shortcut's providers make of the present: the first that speaks for it, in this order.
  public enum Reason: Hashable, Sendable {
    /// A date provider's window is open, since that instant; windows that overlap or meet are one.
    case window(since: Instant)
    /// The person is within the region of a location provider, so many metres from its middle.
    case place(distance: Double)
    /// The situation of a routine provider is in force, told at that instant; `nil` when a focus of its name is on.
    case situation(RoutineSituation, since: Instant?)
    /// A date provider's next window begins then.
    case windowAhead(Instant)
    /// The person is outside the region of a location provider, so many metres from its middle; `nil` while it is not
    /// known where.
    case placeAway(distance: Double?)
    /// The situation of a routine provider is not in force.
    case situationAbsent(RoutineSituation)
    /// The providers are of types that the engine does not know.
    case unknownProvider
    /// There are no providers.
    case anyTime
  }

  /// The app that set the shortcut.
  public let app: AppID
  /// The shortcut.
  public let shortcut: RelevantShortcut
  /// Why it stands where it does.
  public let reason: Reason
  /// Until when the reason holds if nothing is told; `nil` where time alone does not end it.
  public let until: Instant?

  /// An item.
  public init(app: AppID, shortcut: RelevantShortcut, reason: Reason, until: Instant?) {
    self.app = app
    self.shortcut = shortcut
    self.reason = reason
    self.until = until
  }

  /// Whether the person does something by it or reads something.
  public var role: RelevantShortcut.Role { shortcut.role }

  /// Whether a provider holds it relevant now.
  public var isRelevantNow: Bool {
    switch reason {
    case .window, .place, .situation: true
    case .windowAhead, .placeAway, .situationAbsent, .unknownProvider, .anyTime: false
    }
  }
}

extension WatchFaceItem {
  /// The reason in one sentence without its full stop; `format` says instants in the reader's way.
  public func summary(format: (Instant) -> String = \.description) -> String {
    Self.summary(of: reason, until: until, format: format)
  }

  static func summary(of reason: Reason, until: Instant? = nil, format: (Instant) -> String) -> String {
    let end = until.map { " until \(format($0))" } ?? ""
    switch reason {
    case .window(let since): return "its window is open since \(format(since))\(end)"
    case .place(let distance): return "the person is at its place, \(words(distance)) from the middle"
    case .situation(let situation, let since?):
      return "the situation \(situation) is in force since \(format(since)),\(end) unless another is told"
    case .situation(let situation, nil): return "the focus \(situation) is on"
    case .windowAhead(let start): return "its next window begins at \(format(start))"
    case .placeAway(let distance?): return "the person is \(words(distance)) from the middle of its place"
    case .placeAway(nil): return "it has a place, and where the person is is not known"
    case .situationAbsent(let situation): return "it waits for the situation \(situation)"
    case .unknownProvider: return "it has providers of a type that is not known"
    case .anyTime: return "it has no providers"
    }
  }

  private static func words(_ metres: Double) -> String {
    metres < 1_000 ? "\(metres.rounded().words) m" : "\(((metres / 100).rounded() / 10).words) km"
  }
}

extension RoutineEvent {
  /// How long home, work and school stay in force at most.
  public static let stayMax = TimeSpan.hours(12)
  /// How long every other situation stays in force at most.
  public static let situationMax = TimeSpan.hours(4)

  /// When the situation ceases to be in force unless another is told before: 12 hours after it was told for home, work
  /// and school, 4 hours for all others.
  public var end: Instant {
    switch situation {
    case .home, .work, .school: at.advanced(by: Self.stayMax)
    case .morning, .evening, .gym, .commute, .headphonesConnected, .activeWorkout, .physicalActivityIncomplete:
      at.advanced(by: Self.situationMax)
    }
  }
}
