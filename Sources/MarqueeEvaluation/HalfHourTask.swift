import MarqueePredictor

/// Task 2: predicting the items used within the next half hour, every 15 minutes from local midnight.
///
/// Only days with any use count, from the sixth on. For people with more than 500 such days, only the last 250 count.
public struct HalfHourTask: Sendable, Equatable {
  static let slotSeconds = 900
  static let windowSeconds = 1_800
  static let skippedDayCount = 5
  static let longDayCount = 500
  static let scoredDayCount = 250
  /// The highest acceptable calibration error of the predictor.
  public static let calibrationErrorMax = 0.01

  /// The information available to the methods.
  public enum Basis: Sendable { case timeAlone, everything }

  public private(set) var scores: [Method: SlotScores] = [:]
  /// The predictor's sums by person and day.
  private(set) var sums = ResampledSums<SlotSums>()

  /// Evaluates `methods` on the pooled data of all people in a log.
  ///
  /// With `timeAlone`, methods that depend on the preceding actions are omitted.
  ///
  /// - Parameter progress: Called with the completed fraction, from 0 to 1.
  public init(
    _ log: HabitLog, basis: Basis, methods: [Method] = Method.allCases, progress: (Double) -> Void = { _ in }
  ) {
    let people = log.people.filter { $0.uses.count >= NextActionTask.useCountMin }
    let methods = methods.filter { basis == .everything || !$0.isSequential }
    let runCount = Double(people.count * methods.count)
    var doneCount = 0.0
    for person in people {
      for method in methods {
        var run = Run(person, method: method, basis: basis == .everything ? .everything : .timeAlone)
        if method == .marquee { sums.beginPerson() }
        run.measure(into: &scores[method, default: SlotScores()], &sums) { progress((doneCount + $0) / runCount) }
        doneCount += 1
      }
    }
  }

  /// The evaluation of one method on one person.
  private struct Run {
    let uses: [HabitLog.Use]
    let days: [Int]
    let scoredFrom: Int
    let basis: Predictor.Basis
    let method: Method
    var predictor = Predictor()
    var baseline: (any Baseline)?
    var lastUse: [Int]
    /// The number of uses learned.
    var learned = 0
    var closed: [(start: Int, done: [Int])] = []
    var top: Int?

    init(_ person: HabitLog.Person, method: Method, basis: Predictor.Basis) {
      uses = person.uses
      var days: [Int] = []
      for use in person.uses where days.last != use.day { days.append(use.day) }
      self.days = days
      scoredFrom = days.count > longDayCount ? days.count - scoredDayCount : skippedDayCount
      self.basis = basis
      self.method = method
      baseline = method.baseline(itemCount: person.itemCount)
      lastUse = [Int](repeating: -1, count: person.itemCount)
    }

    mutating func measure(
      into scores: inout SlotScores, _ sums: inout ResampledSums<SlotSums>, _ progress: (Double) -> Void
    ) {
      for (index, day) in days.enumerated() {
        progress(Double(index) / Double(days.count))
        for second in stride(from: 0, to: 86_400, by: slotSeconds) {
          let start = day * 86_400 + second
          learn(until: start)
          let done = done(after: start)
          if index >= scoredFrom, learned > 0 {
            let (items, confidence) = forecast(day: day, second: second)
            let isChange = top != nil && top != items.first
            top = items.first
            scores.add(top: items, confidence: confidence, done: done, isDayStart: second == 0, isChange: isChange)
            if method == .marquee {
              sums.update(day: day) { $0.add(top: items, confidence: confidence, done: done, second: second) }
            }
          }
          closed.append((start, done))
        }
      }
    }

    private mutating func learn(until start: Int) {
      while learned < uses.count, uses[learned].time <= start {
        let use = uses[learned]
        lastUse[use.item] = learned
        learned += 1
        if baseline == nil {
          predictor.learn(ActionID(use.item), group: use.action, at: use.moment)
        } else if method.isSequential {
          baseline?.learn(use.item, at: use.time)
        }
      }
      while let first = closed.first, first.start + windowSeconds <= start {
        if !method.isSequential {
          for item in first.done { baseline?.learn(item, at: first.start) }
        }
        closed.removeFirst()
      }
    }

    /// Returns the distinct items used in the window after `start`.
    private func done(after start: Int) -> [Int] {
      var done: [Int] = []
      for use in uses[learned...] {
        guard use.time <= start + windowSeconds else { break }
        if !done.contains(use.item) { done.append(use.item) }
      }
      return done
    }

    private func forecast(day: Int, second: Int) -> (items: [Int], confidence: Double?) {
      guard let baseline else {
        let moment = Moment(day: day, second: second, place: uses[learned - 1].place)
        let forecast = predictor.soon(basis, at: moment)
        let items = forecast.top(3)
        return (items.map(\.number), items.first.map(forecast.probability))
      }
      let weights = baseline.weights(at: day * 86_400 + second)
      var top: [Int] = []
      for item in weights.indices where lastUse[item] >= 0 {
        let place = top.firstIndex { (weights[item], lastUse[item]) > (weights[$0], lastUse[$0]) } ?? top.count
        if place < 3 { top.insert(item, at: place) }
        if top.count > 3 { top.removeLast() }
      }
      return (top, nil)
    }
  }
}
