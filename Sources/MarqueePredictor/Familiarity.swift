/// How much is known about each action: how often and on how many days it was done, and how sharply the time of day or
/// an event determines it.
struct Familiarity: Sendable, Equatable {
  /// The minimum number of occurrences, and of days with one, of an action that is predicted (rule P4).
  static let occurrenceCountMin = 3
  static let dayCountMin = 2
  /// The time in minutes after an occurrence within which one on the next day counts as one of the same day.
  private static let midnightSpan = 60
  /// The number of latest uses over which fractions are averaged.
  private static let memory: Float = 20

  private struct Entry: Sendable, Equatable {
    /// The number of occurrences, up to 65 535.
    var occurrences: UInt16 = 0
    /// The number of days with an occurrence, up to 65 535.
    var dayCount: UInt16 = 0
    var lastDay: Int32 = .min
    /// The minute of the last occurrence, since the start of 1970.
    var lastMinute: Int32 = .min
  }

  private var entries: [Entry] = []
  /// The day of each action's first occurrence.
  private(set) var firstDays: [Int32] = []
  /// 1 for actions with enough occurrences, 0 for others.
  private(set) var supported = ActionVector()
  /// The number of occurrences of each action.
  private(set) var counts = ActionVector()
  /// The discount of each action's number of occurrences; see ``Confidence/discount(_:)``.
  private(set) var discounts = ActionVector()
  /// The mean of ``UseLog/sharpness(of:at:since:)`` over each action's latest occurrences.
  private(set) var sharpness = ActionVector()
  /// The mean of ``RoutineCounts/sharpness(of:at:time:)`` beyond that of the time of day.
  private(set) var eventSharpness = ActionVector()

  mutating func grow(to actionCount: Int, chunks: Int) {
    while entries.count < actionCount {
      entries.append(Entry())
      firstDays.append(.max)
    }
    supported.grow(toChunks: chunks)
    counts.grow(toChunks: chunks)
    discounts.grow(toChunks: chunks)
    sharpness.grow(toChunks: chunks)
    eventSharpness.grow(toChunks: chunks)
  }

  mutating func note(_ action: Int, at moment: Moment, sharpness: Float, eventSharpness: Float) {
    var entry = entries[action]
    entry.occurrences = min(entry.occurrences, .max - 1) + 1
    let (day, minute) = (Int32(moment.day), Int32(moment.time / 60))
    let isSameNight = entry.occurrences > 1 && Int(minute) - Int(entry.lastMinute) <= Self.midnightSpan
    if day > entry.lastDay, !isSameNight {
      entry.dayCount = min(entry.dayCount, .max - 1) + 1
      entry.lastDay = day
    }
    entry.lastMinute = max(entry.lastMinute, minute)
    if firstDays[action] == .max { firstDays[action] = day }
    entries[action] = entry
    let rate = 1 / min(Float(entry.occurrences), Self.memory)
    self.sharpness[action] += rate * (sharpness - self.sharpness[action])
    self.eventSharpness[action] += rate * (eventSharpness - self.eventSharpness[action])
    counts[action] = Float(entry.occurrences)
    discounts.lanes[action >> 3] = Confidence.discount(counts.lanes[action >> 3])
    if entry.occurrences >= Self.occurrenceCountMin, entry.dayCount >= Self.dayCountMin { supported[action] = 1 }
  }

  var byteCount: Int { entries.capacity * 16 + firstDays.capacity * 4 + 5 * supported.lanes.capacity * 32 }
}
