/// How far a zone's clocks are from UTC in a span of time, so that wall time needs no rules of time zones.
///
/// Before the span the first offset counts, after it the last.
public struct UTCOffsets: Hashable, Sendable {
  /// Steps, at most.
  public static let stepCountMax = 512
  /// The farthest that a clock is from UTC, in seconds.
  public static let offsetMax = 86_400

  /// An offset, and since when it holds.
  public struct Step: Hashable, Sendable {
    /// When the clocks were set so.
    public let start: Instant
    /// Seconds that the clocks are ahead of UTC; negative west of Greenwich.
    public let seconds: Int

    /// A step.
    public init(start: Instant, seconds: Int) {
      self.start = start
      self.seconds = seconds
    }
  }

  /// The zone.
  public let zone: TimeZoneID
  /// The offsets in the order in which they hold, at least one; the first from the start of the span.
  public let steps: [Step]
  /// Until when they are known.
  public let end: Instant

  /// Offsets, or a refusal of steps out of order or beyond the end, of none or too many, or of an offset that no clock
  /// has.
  public init(zone: TimeZoneID, steps: [Step], end: Instant) throws(Refusal) {
    guard steps.count <= Self.stepCountMax else {
      throw .over(limit: "step-count-max", maximum: Self.stepCountMax, count: steps.count, field: "steps")
    }
    guard let last = steps.last, last.start <= end, zip(steps, steps.dropFirst()).allSatisfy({ $0.start < $1.start })
    else { throw Refusal(.invalidArgument, field: "steps", "\(steps.count) steps, none or out of order") }
    for step in steps where step.seconds.magnitude > Self.offsetMax {
      throw Refusal(.invalidArgument, field: "steps", "an offset of \(step.seconds) s")
    }
    self.zone = zone
    self.steps = steps
    self.end = end
  }

  /// Whether the offsets of all of the span are known.
  public func covers(_ start: Instant, _ end: Instant) -> Bool { steps[0].start <= start && end <= self.end }

  /// Seconds that the clocks are ahead of UTC at `instant`.
  public func seconds(at instant: Instant) -> Int {
    steps.last { $0.start <= instant }?.seconds ?? steps[0].seconds
  }
}

/// What a person reads on a clock and a calendar at an instant.
public struct WallTime: Hashable, Sendable {
  /// Days since 1970-01-01, which was a Thursday; -1 is the day before.
  public let day: Int
  /// Minutes since midnight on the clock, in `0 ..< 1440`.
  public let minute: Int

  /// The wall time at `instant` where clocks are `offset` seconds ahead of UTC.
  public init(at instant: Instant, offset: Int) {
    let local = instant.milliseconds + Int64(offset) * 1_000
    let (perDay, perMinute) = (86_400_000 as Int64, 60_000 as Int64)
    let sinceMidnight = (local % perDay + perDay) % perDay
    day = Int((local - sinceMidnight) / perDay)
    minute = Int(sinceMidnight / perMinute)
  }

  /// The day of the week, from 0 for Monday to 6 for Sunday.
  public var weekday: Int { ((day + 3) % 7 + 7) % 7 }
}
