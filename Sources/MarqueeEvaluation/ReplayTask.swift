import MarqueePredictor

/// Task 6: the share of uses that find their widget in front of a stack, over the last days of each person.
///
/// The stack has the items used most before those days. The rotations of a device, with its gates, need a server; see
/// the command `backtest`.
public struct ReplayTask: Sendable, Equatable {
  /// The compared methods of choosing the front.
  public static let methods: [Method] = [.free, .mostFrequent, .mostRecent]
  /// The maximum number of members of the stack.
  public static let itemCountMax = 8
  /// The number of days replayed, of people with more days than in ``HalfHourTask/longDayCount`` and of others.
  private static let (longReplay, shortReplay) = (60, 7)

  /// The scores of each person.
  private(set) var sums = ResampledSums<ReplayScores>()

  /// Replays the people of a log; those with too short a history are left out.
  ///
  /// - Parameter progress: Called with the completed fraction, from 0 to 1.
  public init(_ log: HabitLog, progress: (Double) -> Void = { _ in }) {
    for (index, person) in log.people.enumerated() {
      progress(Double(index) / Double(log.people.count))
      let isLong = Set(person.uses.map(\.day)).count > HalfHourTask.longDayCount
      let dayCount = isLong ? Self.longReplay : Self.shortReplay
      guard let plan = ReplayPlan(person, dayCount: dayCount, itemCountMax: Self.itemCountMax) else { continue }
      sums.beginPerson()
      let front = ReplayScores.Front(at: .min, item: plan.items[0])
      sums.update(day: 0) { $0 += ReplayScores(plan, fronts: [front]) }
    }
  }
}

extension ReplayScores: Additive {}
extension Reliability: Additive {}
extension RankScores: Additive {
  static func += (one: inout RankScores, other: RankScores) { one.add(other) }
}
