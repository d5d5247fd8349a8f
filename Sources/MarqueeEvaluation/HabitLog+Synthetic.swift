import MarqueePredictor

/// Synthetic people with habits, for evaluations without a log.
///
/// Every person has three habits on all days and two on weekdays, each at a time of its own with a standard deviation
/// of 0 to 20 minutes and done on 60 to 100 % of its days; an action that follows another within minutes on four of
/// five occasions; and 6 to 15 other actions a day from 07:00 to 23:00, of which some are more frequent than others.
/// The same seed gives the same people on every machine.
extension HabitLog {
  /// The maximum number of synthetic people, and of the days of each.
  public static let (syntheticPersonCountMax, syntheticDayCountMax) = (1_000, 1_000)

  /// Creates a log of synthetic people.
  ///
  /// - Precondition: The numbers of people and days are at least 1 and within the limits.
  public init(syntheticSeed seed: UInt64, personCount: Int, dayCount: Int) {
    precondition(
      (1...Self.syntheticPersonCountMax).contains(personCount) && (1...Self.syntheticDayCountMax).contains(dayCount),
      "\(personCount) people, \(dayCount) days")
    var generator = SplitMix(seed: seed)
    self.init(
      people: (1...personCount).map { number in
        SyntheticPerson(seed: generator.next()).person(name: "synthetic-\(number)", dayCount: dayCount)
      })
  }
}

private struct SyntheticPerson {
  private struct Habit {
    let minute: Int
    /// The standard deviation of the time, in minutes.
    let spread: Double
    let probability: Double
    let isWeekdays: Bool
  }

  private static let habitCount = 5
  /// The item that follows another, and the item that it follows.
  private static let (follower, leader) = (habitCount, habitCount + 1)
  private static let itemCount = habitCount + 13

  private var generator: SplitMix
  private var habits: [Habit] = []
  private let otherCount: Int

  init(seed: UInt64) {
    generator = SplitMix(seed: seed)
    for index in 0..<Self.habitCount {
      habits.append(
        Habit(
          minute: 6 * 60 + 180 * index + generator.below(150), spread: 20 * generator.fraction(),
          probability: 0.6 + 0.4 * generator.fraction(), isWeekdays: index >= 3))
    }
    otherCount = 6 + generator.below(10)
  }

  func person(name: String, dayCount: Int) -> HabitLog.Person {
    var draft = self
    let uses = (0..<dayCount).flatMap { draft.uses(day: SyntheticLife.firstDay + $0) }
    let items = (0..<Self.itemCount).map { HabitLog.Item(action: "action-\($0 / 3)", parameter: "\($0)") }
    return HabitLog.Person(name: name, uses: uses, items: items)
  }

  private mutating func uses(day: Int) -> [HabitLog.Use] {
    var times: [(second: Int, item: Int)] = []
    for (item, habit) in habits.enumerated() {
      let isDone = generator.fraction() < habit.probability
      let second = habit.minute * 60 + Int(generator.normal() * habit.spread * 60)
      if isDone, !habit.isWeekdays || !Moment(day: day, second: 0).isDayOff { times.append((second, item)) }
    }
    for _ in 0..<otherCount {
      let second = 7 * 3_600 + generator.below(16 * 3_600)
      // The lesser of two numbers, so that lower ones are more frequent.
      let count = Self.itemCount - Self.leader
      let item = Self.leader + min(generator.below(count), generator.below(count))
      times.append((second, item))
      if item == Self.leader, generator.below(5) > 0 {
        times.append((second + 30 + generator.below(240), Self.follower))
      }
    }
    let uses = times.map { time in
      HabitLog.Use(day: day, second: min(time.second, 86_399), item: time.item, action: time.item / 3, place: nil)
    }
    return uses.sorted { ($0.second, $0.item) < ($1.second, $1.item) }
  }
}
