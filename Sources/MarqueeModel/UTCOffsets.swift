/// A time zone's UTC offsets over a period, from which wall-clock time is computed without time zone rules.
///
/// The first offset also applies before the period, and the last after it.
public struct UTCOffsets: Hashable, Sendable {
  /// The maximum number of steps.
  public static let stepCountMax = 512
  /// The maximum magnitude of an offset, in seconds.
  public static let offsetMax = 86_400

  /// An offset and the start of its validity.
  public struct Step: Hashable, Sendable {
    /// When the offset takes effect.
    public let start: Instant
    /// The offset in seconds east of UTC; negative for zones west of UTC.
    public let seconds: Int

    /// Creates a step.
    public init(start: Instant, seconds: Int) {
      self.start = start
      self.seconds = seconds
    }
  }

  /// The time zone.
  public let zone: TimeZoneID
  /// The offsets, at least one, in ascending order of their starts. The first one starts with the period.
  public let steps: [Step]
  /// The end of the period.
  public let end: Instant

  /// Creates offsets.
  ///
  /// - Throws: ``RequestError`` if there are no steps or too many, they are not in ascending order or start after the
  ///   end, or an offset is out of range.
  public init(zone: TimeZoneID, steps: [Step], end: Instant) throws(RequestError) {
    guard steps.count <= Self.stepCountMax else {
      throw RequestError(
        .invalidArgument, field: "steps", "too many steps (\(steps.count), maximum \(Self.stepCountMax))")
    }
    guard let last = steps.last, last.start <= end, zip(steps, steps.dropFirst()).allSatisfy({ $0.start < $1.start })
    else {
      throw RequestError(
        .invalidArgument, field: "steps", "steps must be non-empty and in ascending order (count: \(steps.count))")
    }
    for step in steps where step.seconds.magnitude > Self.offsetMax {
      throw RequestError(.invalidArgument, field: "steps", "UTC offset out of range: \(step.seconds) s")
    }
    self.zone = zone
    self.steps = steps
    self.end = end
  }

  /// Whether the period includes all of `start ... end`.
  public func covers(_ start: Instant, _ end: Instant) -> Bool { steps[0].start <= start && end <= self.end }

  /// Returns the offset at `instant`, in seconds east of UTC.
  public func seconds(at instant: Instant) -> Int {
    steps.last { $0.start <= instant }?.seconds ?? steps[0].seconds
  }
}

/// The local day and minute at an instant.
public struct WallTime: Hashable, Sendable {
  /// The number of days since 1970-01-01, a Thursday; -1 is the day before.
  public let day: Int
  /// The number of minutes since midnight, in `0 ..< 1440`.
  public let minute: Int

  /// Creates the local time at `instant` for an offset in seconds east of UTC.
  public init(at instant: Instant, offset: Int) {
    let local = instant.milliseconds + Int64(offset) * 1_000
    let (perDay, perMinute) = (86_400_000 as Int64, 60_000 as Int64)
    let sinceMidnight = (local % perDay + perDay) % perDay
    day = Int((local - sinceMidnight) / perDay)
    minute = Int(sinceMidnight / perMinute)
  }

  /// The day of the week, from 0 for Monday to 6 for Sunday.
  public var weekday: Int { Self.weekday(ofDay: day) }

  /// Returns the day of the week of a day counted from 1970-01-01, from 0 for Monday to 6 for Sunday.
  static func weekday(ofDay day: Int) -> Int { ((day + 3) % 7 + 7) % 7 }

  /// Returns a minute of the day in words, such as `08:30`; 1440 is `24:00`.
  package static func words(minute: Int) -> String {
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(padded(minute / 60)):\(padded(minute % 60))"
  }
}
