/// The statistics of past donations behind a prediction, in numbers that the user can verify.
///
/// The preceding action is not named: it may be deleted later, and stored decisions must not reveal it.
public struct HabitReasons: Hashable, Sendable {
  /// The start of the predicted half hour of wall-clock time, in minutes since midnight, in `0 ..< 1440`.
  public let slotMinute: Int
  /// Whether weekend days are counted; otherwise, weekdays are.
  ///
  /// They are of the kind of the current day, or of the other one if only on those the action was done.
  public let isDayOff: Bool
  /// The number of recent such days with any donation, not including the current day.
  public let dayCount: Int
  /// The number of those days on which the action was done in the half hour.
  public let doneDayCount: Int
  /// The number of recent occurrences of the preceding action.
  public let previousCount: Int
  /// The number of those occurrences that the action followed.
  public let followedCount: Int
  /// The action's correlation with the last routine event; `nil` if there is none.
  public let routine: Routine?

  /// A habit relative to a routine event (rule P4).
  public struct Routine: Hashable, Sendable {
    /// The routine event.
    public let situation: RoutineSituation
    /// The weighted percentage of such events after which the action was done in the same half-hour slot relative to
    /// the event; recent events weigh more. In `1 ... 100`.
    public let percentage: Int

    /// Creates a routine habit.
    ///
    /// - Precondition: `percentage` is in `1 ... 100`.
    public init(_ situation: RoutineSituation, percentage: Int) {
      precondition((1...100).contains(percentage), "\(percentage) %")
      self.situation = situation
      self.percentage = percentage
    }
  }

  /// Creates statistics.
  ///
  /// - Precondition: Counts are not negative, and no part exceeds its total.
  public init(
    slotMinute: Int, isDayOff: Bool, dayCount: Int, doneDayCount: Int, previousCount: Int, followedCount: Int,
    routine: Routine? = nil
  ) {
    precondition((0..<1_440).contains(slotMinute), "minute \(slotMinute) of a day")
    precondition(
      (0...dayCount).contains(doneDayCount) && (0...previousCount).contains(followedCount),
      "\(doneDayCount) of \(dayCount) days, \(followedCount) of \(previousCount) times")
    self.slotMinute = slotMinute
    self.isDayOff = isDayOff
    self.dayCount = dayCount
    self.doneDayCount = doneDayCount
    self.previousCount = previousCount
    self.followedCount = followedCount
    self.routine = routine
  }
}

extension HabitReasons {
  /// A sentence fragment with the reasons, such as `08:25–08:55 on 9 of the last 10 active weekdays`, never
  /// empty. Active days have any activity: a device that is off for a week tells nothing about habits.
  public var words: String {
    var parts: [String] = []
    if doneDayCount > 0 {
      let (start, end) = (WallTime.words(minute: slotMinute), WallTime.words(minute: (slotMinute + 30) % 1_440))
      let days = Self.share(doneDayCount, ofLast: dayCount, isDayOff ? "active weekend day" : "active weekday")
      parts.append("\(start)–\(end) on \(days)")
    }
    if let routine {
      parts.append("at the same time after \(routine.situation.beginning), \(routine.percentage) % of the time")
    }
    if followedCount > 0 {
      parts.append("followed the previous action \(Self.share(followedCount, ofLast: previousCount, "time"))")
    }
    return parts.isEmpty ? "done longer ago or at other times" : parts.joined(separator: ", ")
  }

  /// Returns how many of the last things of a kind are meant, at least one: `9 of the last 10 times`, or
  /// `the last time` if there is only one.
  static func share(_ count: Int, ofLast total: Int, _ noun: String) -> String {
    total == 1 ? "the last \(noun)" : "\(count) of the last \(total) \(noun)s"
  }

}

extension HabitReasons: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(slotMinute)
    writer.write(isDayOff)
    for count in [dayCount, doneDayCount, previousCount, followedCount] { writer.write(count) }
    writer.write(routine)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (minute, isDayOff) = (try reader.readInt(), try reader.readBool())
    let (days, done) = (try reader.readInt(), try reader.readInt())
    let (previous, followed) = (try reader.readInt(), try reader.readInt())
    guard (0..<1_440).contains(minute), (0...days).contains(done), (0...previous).contains(followed) else {
      throw reader.corrupt("inconsistent habit statistics")
    }
    self.init(
      slotMinute: minute, isDayOff: isDayOff, dayCount: days, doneDayCount: done, previousCount: previous,
      followedCount: followed, routine: try reader.readOptional())
  }
}

extension HabitReasons.Routine: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(tag: situation.rawValue)
    writer.write(percentage)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (raw, percentage) = (try reader.readTag(), try reader.readInt())
    guard let situation = RoutineSituation(rawValue: raw), (1...100).contains(percentage) else {
      throw reader.corrupt("invalid routine habit: situation \(raw), \(percentage) %")
    }
    self.init(situation, percentage: percentage)
  }
}
