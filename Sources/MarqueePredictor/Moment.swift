/// When something happens, in the device's local wall time, and what is known of where.
public struct Moment: Sendable, Hashable {
  /// A change in the person's day that actions can follow: waking up, the end of a workout, an arrival.
  public struct Routine: Sendable, Hashable {
    /// Which sort of event; any number that the caller keeps the same for the same sort.
    public let kind: Int
    /// How long ago it was, in seconds, from 0.
    public let age: Int

    /// Negative ages count as 0.
    public init(kind: Int, age: Int) {
      self.kind = kind
      self.age = max(0, age)
    }
  }

  /// Local days since 1 January 1970, a Thursday.
  public let day: Int
  /// Seconds of local wall time since that day's midnight, below 86 400.
  public let second: Int
  /// Where the device is, as any number that stays the same for the same place; nil when that is unknown.
  public let place: Int?
  /// The last routine event, if one is known.
  public let routine: Routine?
  /// Whether a working day is free: its habits are then looked for among Sunday's.
  public let isHoliday: Bool

  /// `second` must be in `0 ..< 86_400`, and `day` within a million days of 1970.
  public init(day: Int, second: Int, place: Int? = nil, routine: Routine? = nil, isHoliday: Bool = false) {
    precondition((0..<86_400).contains(second), "second \(second) of a day")
    precondition(abs(day) <= 1_000_000, "day \(day)")
    self.day = day
    self.second = second
    self.place = place
    self.routine = routine
    self.isHoliday = isHoliday
  }

  /// 0 on Mondays, 6 on Sundays and holidays.
  public var weekday: Int {
    isHoliday ? 6 : ((day + 3) % 7 + 7) % 7
  }

  /// Saturdays, Sundays and holidays.
  public var isDayOff: Bool { weekday >= 5 }

  /// Seconds of local wall time since the start of 1970.
  var time: Int { day * 86_400 + second }

  /// The same context at another local time.
  ///
  /// A routine event becomes as much older as the time is later, and is not known before it happened.
  public func moved(to time: Int) -> Moment {
    let day = time >= 0 ? time / 86_400 : -((86_399 - time) / 86_400)
    let shift = time - self.time
    let routine = routine.flatMap { $0.age + shift < 0 ? nil : Routine(kind: $0.kind, age: $0.age + shift) }
    return Moment(
      day: day, second: time - day * 86_400, place: place, routine: routine, isHoliday: isHoliday && day == self.day)
  }

  /// The start of the five-minute step of local time that this moment is in (rule P1).
  var step: Moment { moved(to: time - (second % Predictor.stepSeconds)) }
}
