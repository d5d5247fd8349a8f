/// The context of the user, as reported by displays (rule U1).
public struct DeviceContext: Hashable, Sendable {
  /// The user's place; `nil` if unknown.
  public var place: Place?
  /// The active Focus; `nil` if none.
  public var focus: FocusID?
  /// The last reported routine event; `nil` before the first.
  public var routine: RoutineEvent?

  /// When the user arrived at ``place`` or, without one, left the last place; `nil` if unknown.
  public var placeSince: Instant?
  /// When ``focus`` was turned on or, without one, the last Focus was turned off; `nil` if unknown.
  public var focusSince: Instant?

  /// Creates an empty context.
  public init() {}
}

/// The start of a routine situation, such as a commute.
public struct RoutineEvent: Hashable, Sendable {
  /// The situation.
  public let situation: RoutineSituation
  /// When it began.
  public let at: Instant

  /// Creates an event.
  public init(_ situation: RoutineSituation, at: Instant) {
    self.situation = situation
    self.at = at
  }
}

/// A change of one part of the context.
public enum ContextChange: Hashable, Sendable {
  /// The user's place changed; `nil` if it is unknown.
  case place(Place?)
  /// The active Focus changed; `nil` if none.
  case focus(FocusID?)
  /// A routine situation began.
  case routine(RoutineSituation)
}
