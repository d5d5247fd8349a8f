/// What surrounds the person, as far as displays have told (rule U1).
public struct DeviceContext: Hashable, Sendable {
  /// Where the person is; `nil` while unknown.
  public var place: Place?
  /// The focus that is on; `nil` for none.
  public var focus: FocusID?
  /// The last routine event and when it was told; `nil` before the first.
  public var routine: RoutineEvent?

  /// Nothing is known.
  public init() {}
}

/// A routine situation that began.
public struct RoutineEvent: Hashable, Sendable {
  /// The situation.
  public let situation: RoutineSituation
  /// When it began.
  public let at: Instant

  /// An event.
  public init(_ situation: RoutineSituation, at: Instant) {
    self.situation = situation
    self.at = at
  }
}

/// One thing of the context that changed.
public enum ContextChange: Hashable, Sendable {
  /// The person is there now, or nowhere known.
  case place(Place?)
  /// That focus is on, or none.
  case focus(FocusID?)
  /// A routine situation began.
  case routine(RoutineSituation)
}
