/// The condition under which a pinned widget stays in front of its stack (rule R12).
///
/// All parts must hold; a part that is `nil` always holds.
public struct Pin: Hashable, Sendable {
  /// The times of the local day.
  public let times: PinTimes?
  /// The region in which the user is; it does not hold while the user's place is unknown.
  public let place: PlaceRegion?
  /// The active Focus.
  public let focus: FocusID?

  /// A pin that always holds.
  public static let always = Pin()

  /// Creates a pin.
  public init(times: PinTimes? = nil, place: PlaceRegion? = nil, focus: FocusID? = nil) {
    self.times = times
    self.place = place
    self.focus = focus
  }

  /// Whether the place and the Focus hold in a context.
  public func holds(in context: DeviceContext) -> Bool {
    if let focus, focus != context.focus { return false }
    guard let place else { return true }
    return context.place.map(place.contains) ?? false
  }
}

/// A range of the local day that recurs on certain weekdays, in wall-clock time.
///
/// When clocks are changed, the range holds whenever the wall clock shows one of its times: times that are skipped do
/// not hold, and times that occur twice hold twice.
public struct PinTimes: Hashable, Sendable {
  /// The number of minutes of a day.
  public static let minuteCount = 1_440

  /// The weekdays on which the range starts; not empty.
  public let weekdays: Weekdays
  /// The minute of the day at which the range starts, in `0 ..< 1440`.
  public let start: Int
  /// The minute of the day at which the range ends, in `1 ... 1440`. It is on the next day if it is less than
  /// ``start``.
  public let end: Int

  /// Creates times.
  ///
  /// - Parameters:
  ///   - weekdays: The weekdays on which the range starts; all of them for a daily range.
  ///   - start: The minute of the day at which the range starts.
  ///   - end: The minute of the day at which the range ends, on the next day if it is not after `start`. 0 is stored as
  ///     1440, the end of the day.
  /// - Throws: ``RequestError`` if there are no weekdays or unknown ones, a minute is out of range, or the minutes are
  ///   equal.
  public init(weekdays: Weekdays = .all, start: Int, end: Int) throws(RequestError) {
    guard !weekdays.isEmpty, weekdays.isSubset(of: .all) else {
      throw RequestError(.invalidArgument, field: "weekdays", "must be one or more of the seven weekdays")
    }
    guard (0..<Self.minuteCount).contains(start) else {
      throw RequestError(
        .invalidArgument, field: "start_minute", "\(start) is out of range 0 ..< \(Self.minuteCount) minutes")
    }
    guard (0...Self.minuteCount).contains(end) else {
      throw RequestError(
        .invalidArgument, field: "end_minute", "\(end) is out of range 0 ... \(Self.minuteCount) minutes")
    }
    guard start != end else {
      throw RequestError(.invalidArgument, field: "end_minute", "equals the start (\(start) minutes)")
    }
    self.weekdays = weekdays
    self.start = start
    self.end = end == 0 ? Self.minuteCount : end
  }

  /// Whether the range includes the minute of a local time.
  public func contains(_ time: WallTime) -> Bool {
    let isToday = weekdays.contains(Weekdays(time.weekday))
    if start < end { return isToday && (start..<end).contains(time.minute) }
    return isToday && time.minute >= start
      || time.minute < end && weekdays.contains(Weekdays((time.weekday + 6) % 7))
  }

  /// Returns the first start or end of the range after an instant, for a constant offset from UTC.
  ///
  /// - Parameters:
  ///   - instant: Any instant.
  ///   - offset: The offset in seconds east of UTC.
  public func nextBoundary(after instant: Instant, offset: Int) -> Instant {
    let today = WallTime(at: instant, offset: offset).day
    let shift = Int64(offset) * 1_000
    // A range of the previous day may end today, and the same weekday may be the next one to have a range.
    for day in (today - 1)...(today + 7) where weekdays.contains(Weekdays(WallTime.weekday(ofDay: day))) {
      let endDay = start < end ? day : day + 1
      for minute in [day * Self.minuteCount + start, endDay * Self.minuteCount + end] {
        let wait = Int64(minute) * 60_000 - shift - instant.milliseconds
        if wait > 0 { return instant.advanced(by: TimeSpan(milliseconds: wait)) }
      }
    }
    preconditionFailure("no start of a weekly range within 8 days")
  }
}

/// A set of days of the week.
public struct Weekdays: OptionSet, Hashable, Sendable {
  /// The bit mask; bit 0 is Monday.
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Creates a set of one day.
  ///
  /// - Parameter weekday: The day, from 0 for Monday to 6 for Sunday, as in ``WallTime/weekday``.
  public init(_ weekday: Int) {
    precondition((0..<7).contains(weekday), "weekday \(weekday)")
    rawValue = 1 << UInt8(weekday)
  }

  /// All seven days.
  public static let all = Weekdays(rawValue: 0b111_1111)
  /// Monday to Friday.
  public static let workdays = Weekdays(rawValue: 0b001_1111)
  /// Saturday and Sunday.
  public static let weekend = Weekdays(rawValue: 0b110_0000)
}

/// The rotations that the user allows of a stack's member (rule R12).
public struct RotationRule: Hashable, Sendable {
  /// Whether the engine may rotate the stack to the member.
  public var isToAllowed: Bool
  /// Whether the engine may rotate the stack away from the member, or cover it with a suggestion, while it is in front.
  public var isAwayAllowed: Bool

  /// Creates a rule; by default, everything is allowed.
  public init(isToAllowed: Bool = true, isAwayAllowed: Bool = true) {
    self.isToAllowed = isToAllowed
    self.isAwayAllowed = isAwayAllowed
  }
}

/// The user's settings of a stack's member. They move with the member, and end with it.
public struct MemberSettings: Hashable, Sendable {
  /// The pin; `nil` if the member is not pinned.
  public var pin: Pin?
  /// The allowed rotations.
  public var rotationRule: RotationRule

  /// Creates settings.
  public init(pin: Pin? = nil, rotationRule: RotationRule = RotationRule()) {
    self.pin = pin
    self.rotationRule = rotationRule
  }

  /// Whether nothing differs from the settings of a new member.
  public var isDefault: Bool { pin == nil && rotationRule == RotationRule() }
}
