/// A local time, and the context known at it.
public struct Moment: Sendable, Hashable {
  /// A change in the user's day that actions can follow: waking up, the end of a workout, an arrival, a Focus that is
  /// turned on or off.
  public struct Routine: Sendable, Hashable {
    /// The kind of event: any number that is stable for the kind.
    public let kind: Int
    /// The time since the event in seconds, at least 0.
    public let age: Int

    /// Creates a routine event. A negative age is treated as 0.
    public init(kind: Int, age: Int) {
      self.kind = kind
      self.age = max(0, age)
    }

    /// Returns the event `seconds` later, or `nil` if it had not occurred yet.
    func aged(by seconds: Int) -> Routine? {
      age + seconds < 0 ? nil : Routine(kind: kind, age: age + seconds)
    }
  }

  /// The local days since 1 January 1970.
  public let day: Int
  /// The seconds of local wall time since midnight, below 86 400.
  public let second: Int
  /// The place of the device: any number that is stable for the place, or `nil` if unknown.
  public let place: Int?
  /// The last routine event, if any.
  public let routine: Routine?
  /// The arrival at the present place or, without one, the departure from the last; `nil` if none is known.
  public let arrival: Routine?
  /// The last time that a Focus was turned on or off, if any.
  public let focus: Routine?
  /// Whether the day is a holiday, whose habits are those of Sundays.
  public let isHoliday: Bool

  /// The maximum distance of a day from 1 January 1970.
  public static let dayMax = 1_000_000

  /// Creates a moment.
  ///
  /// - Precondition: `second` is in `0 ..< 86_400`, and `day` within ± ``dayMax``.
  public init(
    day: Int, second: Int, place: Int? = nil, routine: Routine? = nil, arrival: Routine? = nil, focus: Routine? = nil,
    isHoliday: Bool = false
  ) {
    precondition((0..<86_400).contains(second), "second \(second) is out of range 0 ..< 86400")
    precondition(abs(day) <= Self.dayMax, "day \(day) is out of range ±\(Self.dayMax)")
    self.day = day
    self.second = second
    self.place = place
    self.routine = routine
    self.arrival = arrival
    self.focus = focus
    self.isHoliday = isHoliday
  }

  /// The weekday, from 0 for Monday to 6 for Sunday. Holidays are 6.
  public var weekday: Int {
    isHoliday ? 6 : ((day + 3) % 7 + 7) % 7
  }

  /// Whether the day is a Saturday, a Sunday or a holiday.
  public var isDayOff: Bool { weekday >= 5 }

  /// The seconds of local wall time since the start of 1970.
  var time: Int { day * 86_400 + second }

  /// Returns the same context at another local time.
  ///
  /// The age of the routine event is adjusted, and the event is omitted if it had not occurred yet.
  public func moved(to time: Int) -> Moment {
    let day = time >= 0 ? time / 86_400 : -((86_399 - time) / 86_400)
    let shift = time - self.time
    return Moment(
      day: day, second: time - day * 86_400, place: place, routine: routine?.aged(by: shift),
      arrival: arrival?.aged(by: shift), focus: focus?.aged(by: shift), isHoliday: isHoliday && day == self.day)
  }

  /// The number of events that ``forEachEvent(_:)`` can pass.
  static let eventCount = 3

  /// Calls `body` with each known event; kinds are distinct across routine events, arrivals and Focus changes.
  @inline(__always) func forEachEvent(_ body: (Routine) -> Void) {
    func visit(_ event: Routine?, _ index: Int) {
      if let event { body(Routine(kind: event.kind &* Self.eventCount &+ index, age: event.age)) }
    }
    visit(routine, 0)
    visit(arrival, 1)
    visit(focus, 2)
  }

  /// The start of the five-minute step of local time that contains this moment (rule P1). Events within the step are
  /// treated as occurring at its start.
  var step: Moment {
    let passed = second % Predictor.stepSeconds
    func event(_ event: Routine?) -> Routine? { event.map { Routine(kind: $0.kind, age: $0.age - passed) } }
    return Moment(
      day: day, second: second - passed, place: place, routine: event(routine), arrival: event(arrival),
      focus: event(focus), isHoliday: isHoliday)
  }
}
