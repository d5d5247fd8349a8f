/// What past donations say of a predicted action, in numbers that a person can check.
///
/// It names no action: what an action followed may be deleted later, and nothing that was decided meanwhile must tell
/// of it.
public struct HabitReasons: Hashable, Sendable {
  /// The start of the half hour of wall time that is counted, in minutes since midnight, in `0 ..< 1440`.
  public let slotMinute: Int
  /// Whether Saturdays and Sundays are counted, or the other days.
  public let isDayOff: Bool
  /// The latest such days before the present one on which anything was donated.
  public let dayCount: Int
  /// On how many of ``dayCount`` days the action was done in the half hour.
  public let doneDayCount: Int
  /// The latest times that what was done last had been done before.
  public let previousCount: Int
  /// After how many of ``previousCount`` the action came next.
  public let followedCount: Int
  /// How the action goes with the last routine event; `nil` when it does not.
  public let routine: Routine?

  /// A habit relative to a routine event (rule P4).
  public struct Routine: Hashable, Sendable {
    /// What began.
    public let situation: RoutineSituation
    /// After how many of a hundred such beginnings the action was done in the half hour that is as long after; later
    /// ones count for more. In `1 ... 100`.
    public let percentage: Int

    /// A habit; the percentage is in `1 ... 100`.
    public init(_ situation: RoutineSituation, percentage: Int) {
      precondition((1...100).contains(percentage), "\(percentage) %")
      self.situation = situation
      self.percentage = percentage
    }
  }

  /// Reasons; counts are from 0, and no part is greater than its whole.
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
  /// The reasons as a part of a sentence, such as `08:30–09:00 on 9 of the last 10 weekdays`; empty where there is
  /// nothing to count.
  public var words: String {
    var parts: [String] = []
    if doneDayCount > 0 {
      let (start, end) = (Self.time(slotMinute), Self.time((slotMinute + 30) % 1_440))
      let days = isDayOff ? "weekend days" : "weekdays"
      parts.append("\(start)–\(end) on \(doneDayCount) of the last \(dayCount) \(days)")
    }
    if let routine {
      parts.append("as long after \(routine.situation) began, \(routine.percentage) % of the time")
    }
    if followedCount > 0 {
      parts.append("came next \(followedCount) of the last \(previousCount) times after what was done last")
    }
    return parts.joined(separator: ", ")
  }

  private static func time(_ minute: Int) -> String {
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(padded(minute / 60)):\(padded(minute % 60))"
  }
}

extension HabitReasons: ByteCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(slotMinute)
    writer.write(isDayOff)
    for count in [dayCount, doneDayCount, previousCount, followedCount] { writer.write(count) }
    writer.write(routine)
  }

  public init(from reader: inout ByteReader) throws(CorruptBytes) {
    let (minute, isDayOff) = (try reader.readInt(), try reader.readBool())
    let (days, done) = (try reader.readInt(), try reader.readInt())
    let (previous, followed) = (try reader.readInt(), try reader.readInt())
    guard (0..<1_440).contains(minute), (0...days).contains(done), (0...previous).contains(followed) else {
      throw reader.corrupt("reasons that cannot be")
    }
    self.init(
      slotMinute: minute, isDayOff: isDayOff, dayCount: days, doneDayCount: done, previousCount: previous,
      followedCount: followed, routine: try reader.readOptional())
  }
}

extension HabitReasons.Routine: ByteCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(tag: situation.rawValue)
    writer.write(percentage)
  }

  public init(from reader: inout ByteReader) throws(CorruptBytes) {
    let (raw, percentage) = (try reader.readTag(), try reader.readInt())
    guard let situation = RoutineSituation(rawValue: raw), (1...100).contains(percentage) else {
      throw reader.corrupt("\(percentage) % of routine event \(raw)")
    }
    self.init(situation, percentage: percentage)
  }
}
