import MarqueePredictor

/// Task 4: the calibration of the first prediction over each person's first actions, and by experience.
///
/// Every 15 minutes from the first action on, on days with any action, the most probable action for the next half hour
/// is compared with the actions done in it.
public struct EarlyTask: Sendable, Equatable {
  /// The numbers of actions of a person over which the calibration is reported.
  public static let limits = [50, 500]
  /// The upper bounds of the classes of experience: how often the predicted action was done before.
  public static let experiences = [3, 10, 50, 500]
  /// The number of a person's actions after which the task ends.
  private static let actionCountMax = 2_000
  /// The highest acceptable calibration error over the first actions, for each of ``limits`` (rule P4).
  public static let errorMax = [0.03, 0.015]

  /// The sums of each of ``limits``.
  private(set) var earlySums = [ResampledSums<Reliability>](repeating: ResampledSums(), count: limits.count)
  /// The sums of each of ``experiences``.
  private(set) var experiencedSums = [ResampledSums<Reliability>](
    repeating: ResampledSums(), count: experiences.count)

  /// The bins of each of ``limits``.
  public var early: [Reliability] { earlySums.map(\.total) }
  /// The bins of each of ``experiences``.
  public var experienced: [Reliability] { experiencedSums.map(\.total) }

  /// Evaluates the predictor on the pooled data of all people in a log.
  ///
  /// - Parameter progress: Called with the completed fraction, from 0 to 1.
  public init(_ log: HabitLog, basis: Predictor.Basis, progress: (Double) -> Void = { _ in }) {
    for (index, person) in log.people.enumerated() {
      progress(Double(index) / Double(log.people.count))
      for index in earlySums.indices { earlySums[index].beginPerson() }
      for index in experiencedSums.indices { experiencedSums[index].beginPerson() }
      measure(person, basis)
    }
  }

  /// Returns the range of occurrences of a class of experience, such as "4–10".
  ///
  /// - Parameter index: An index of ``experiences``.
  public static func experienceLabel(_ index: Int) -> String {
    "\(index == 0 ? 1 : experiences[index - 1] + 1)–\(experiences[index])"
  }

  /// Returns the range that contains the calibration error over the first actions with a probability of 95 %, by
  /// resampling people, or the days of a single person.
  ///
  /// - Parameter limit: An index of ``limits``.
  public func interval(limit: Int) -> ClosedRange<Double>? { earlySums[limit].interval(\.error) }

  private mutating func measure(_ person: HabitLog.Person, _ basis: Predictor.Basis) {
    var predictor = Predictor()
    var counts = [Int](repeating: 0, count: person.itemCount)
    var learned = 0
    var days: [Int] = []
    for use in person.uses where days.last != use.day { days.append(use.day) }
    for day in days {
      for second in stride(from: 0, to: 86_400, by: HalfHourTask.slotSeconds) {
        let start = day * 86_400 + second
        while learned < person.uses.count, person.uses[learned].time <= start {
          let use = person.uses[learned]
          predictor.learn(ActionID(use.item), group: use.action, at: use.moment)
          counts[use.item] += 1
          learned += 1
        }
        guard learned > 0 else { continue }
        guard learned <= Self.actionCountMax else { return }
        let moment = Moment(day: day, second: second, place: person.uses[learned - 1].place)
        let forecast = predictor.soon(basis, at: moment)
        guard let top = forecast.top(1).first else { continue }
        let isTrue = person.uses[learned...].prefix { $0.time <= start + HalfHourTask.windowSeconds }
          .contains { $0.item == top.number }
        add(forecast.probability(of: top), isTrue, day: day, learned: learned, occurrences: counts[top.number])
      }
    }
  }

  private mutating func add(_ claim: Double, _ isTrue: Bool, day: Int, learned: Int, occurrences: Int) {
    for (index, limit) in Self.limits.enumerated() where learned <= limit {
      earlySums[index].update(day: day) { $0.add(claim, isTrue: isTrue) }
    }
    if let index = Self.experiences.firstIndex(where: { occurrences <= $0 }) {
      experiencedSums[index].update(day: day) { $0.add(claim, isTrue: isTrue) }
    }
  }
}
