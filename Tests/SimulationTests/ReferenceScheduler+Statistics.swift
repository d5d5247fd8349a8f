import MarqueeModel
import MarqueeScheduler

/// The statistics of instances and apps (R17).
extension ReferenceScheduler {
  /// The counts of an instance.
  struct Tally {
    var rotations = 0
    var taps = 0
    var scrollsAway = 0
    var suggestions = 0
    var kept = 0
    var dismissals = 0
    /// The number of times that the instance was in front at the end of a second, but not of the one before.
    private(set) var shown = 0
    /// The seconds at whose end the instance was in front, and whether the present one is among them.
    private(set) var seconds = 0
    private(set) var isInFront = false
    /// The first second in which anything was counted.
    private(set) var since: Int?

    mutating func count(_ number: WritableKeyPath<Tally, Int>, _ now: Int) {
      self[keyPath: number] += 1
      since = since ?? now
    }

    mutating func note(isInFront: Bool, _ now: Int) {
      if isInFront {
        seconds += 1
        shown += self.isInFront ? 0 : 1
        since = since ?? now
      }
      self.isInFront = isInFront
    }
  }

  /// Forgets the counts of removed instances of configured widgets, since they can come from deleted donations (D5).
  mutating func forgetCounts(of app: AppID?) {
    for instance in instances where !exists[instance] {
      let removed = widgets[widget(instance)]
      if removed.configuration != nil, app == nil || app == removed.kind.app { tallies[instance] = Tally() }
    }
  }

  /// Returns the statistics of an instance at the start of the present second, or `nil` if nothing was counted.
  func statistics(of instance: Int) -> WidgetStatistics? {
    tallies[instance].since == nil ? nil : statistics(of: [instance])
  }

  /// Returns the statistics of an app: the sums over its instances, and the worth that follows from all reactions.
  func statistics(of app: AppID) -> WidgetStatistics {
    statistics(of: instances.filter { widgets[widget($0)].kind.app == app && tallies[$0].since != nil })
  }

  private func statistics(of instances: [Int]) -> WidgetStatistics {
    func sum(_ number: (Tally) -> Int) -> Int { instances.reduce(0) { $0 + number(tallies[$1]) } }
    let good = instances.reduce(policy.priorGood) { $0 + outcomes[$1].good }
    let bad = instances.reduce(0) { $0 + outcomes[$1].bad }
    return WidgetStatistics(
      since: instances.compactMap { tallies[$0].since }.min().map { RandomDay.instant($0) }, shownCount: sum(\.shown),
      frontTime: .seconds(Int64(sum { $0.seconds - ($0.isInFront ? 1 : 0) })), rotationCount: sum(\.rotations),
      tapCount: sum(\.taps), scrollAwayCount: sum(\.scrollsAway), suggestionCount: sum(\.suggestions),
      keptCount: sum(\.kept), dismissalCount: sum(\.dismissals), worth: good / (good + bad + policy.priorBad))
  }
}
