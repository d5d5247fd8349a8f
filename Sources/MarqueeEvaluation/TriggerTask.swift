import MarqueePredictor

/// Task 5: synthetic habits that follow an event at varying hours: waking up, an arrival, or a Focus that is turned on.
///
/// On each of 14 days the event occurs at a uniformly distributed time from 08:00 to 20:00, and the habit follows 2 to
/// 12 minutes later. Other actions fill the days. Without the event, the claim is that of the same day at a uniformly
/// distributed time.
public struct TriggerTask: Sendable, Equatable {
  /// The event that decides.
  public enum Trigger: String, Sendable, CaseIterable { case waking, arrival, focus }

  /// The mean claims for one trigger.
  public struct Row: Sendable, Equatable {
    public let trigger: Trigger
    /// The mean claim at the event.
    public internal(set) var with = 0.0
    /// The mean claim without the event.
    public internal(set) var without = 0.0
  }

  /// The lowest acceptable claim at the event, and the highest without it.
  public static let (withMin, withoutMax) = (0.7, 0.05)
  public static let personCount = 20
  static let dayCount = 14

  /// The claims at the event and without it, of each row.
  private(set) var withSums: [ResampledSums<MeanSums>] = []
  private(set) var withoutSums: [ResampledSums<MeanSums>] = []
  /// A row per trigger.
  public private(set) var rows: [Row] = []

  /// Evaluates the predictor on a number of people per trigger.
  public init(_ basis: Predictor.Basis = .everything, personCount: Int = Self.personCount) {
    precondition(personCount > 0, "\(personCount) people")
    for trigger in Trigger.allCases {
      var row = Row(trigger: trigger)
      var (withSum, withoutSum) = (ResampledSums<MeanSums>(), ResampledSums<MeanSums>())
      for person in 0..<personCount {
        var life = SyntheticTriggers(seed: UInt64(person), trigger: trigger)
        for _ in 0..<Self.dayCount { life.live() }
        let (with, without) = life.claims(basis)
        row.with += with / Double(personCount)
        row.without += without / Double(personCount)
        withSum.beginPerson()
        withSum.update(day: 0) { $0.add(with) }
        withoutSum.beginPerson()
        withoutSum.update(day: 0) { $0.add(without) }
      }
      rows.append(row)
      withSums.append(withSum)
      withoutSums.append(withoutSum)
    }
  }
}

/// A synthetic person with a habit that follows an event, and ten other actions a day of eight equally frequent ones.
private struct SyntheticTriggers {
  static let habit = ActionID(0)

  private var predictor = Predictor()
  private var day = SyntheticLife.firstDay
  private var generator: SplitMix
  private let trigger: TriggerTask.Trigger
  /// The second of the last event, counted from the start of 1970.
  private var lastEvent: Int?

  init(seed: UInt64, trigger: TriggerTask.Trigger) {
    generator = SplitMix(seed: seed)
    self.trigger = trigger
  }

  private mutating func eventSecond() -> Int { 8 * 3_600 + generator.below(12 * 3_600) }

  private func moment(_ second: Int) -> Moment {
    let age = lastEvent.map { day * 86_400 + second - $0 }
    let event = age.flatMap { $0 >= 0 ? Moment.Routine(kind: 1, age: $0) : nil }
    switch trigger {
    case .waking: return Moment(day: day, second: second, routine: event)
    case .arrival: return Moment(day: day, second: second, arrival: event)
    case .focus: return Moment(day: day, second: second, focus: event)
    }
  }

  /// Learns the actions of the present day, and begins the next.
  mutating func live() {
    let event = eventSecond()
    var uses = [(second: event + 120 + generator.below(600), action: Self.habit)]
    for _ in 0..<10 {
      uses.append((8 * 3_600 + generator.below(15 * 3_600), ActionID(1 + generator.below(SyntheticLife.otherCount))))
    }
    for use in uses.sorted(by: { ($0.second, $0.action.number) < ($1.second, $1.action.number) }) {
      if use.second >= event { lastEvent = day * 86_400 + event }
      predictor.learn(use.action, at: moment(use.second))
    }
    day += 1
  }

  /// Returns the claims at the event, and without it.
  mutating func claims(_ basis: Predictor.Basis) -> (with: Double, without: Double) {
    let (event, other) = (eventSecond(), eventSecond())
    let without = predictor.soon(basis, at: moment(other)).probability(of: Self.habit)
    lastEvent = day * 86_400 + event
    return (predictor.soon(basis, at: moment(event)).probability(of: Self.habit), without)
  }
}
