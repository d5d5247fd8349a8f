import MarqueeModel
import MarqueeScheduler

/// A benchmark of one event on a device of 3 stacks with 8 widgets each, by the kind of event, and of how its cost
/// grows with the number of passed entries.
///
/// Events are created beforehand, and are checked and applied like in the runtime.
struct SchedulerBenchmark {
  /// The number of days of donations learned before the first day.
  var pastDayCount = 150

  /// The number of days measured for the first table.
  let days: Int
  /// The days after which the second table measures the costs of one more day, and the allocations of the next.
  let milestones: [Int]

  /// Returns both tables.
  func report() throws -> BenchmarkReport {
    var life = try BusyLife(pastDayCount: pastDayCount)
    var costs = EventCosts()
    for _ in 0..<days { try life.liveDay(&costs) }
    var counts = EventCosts(isCounting: true)
    try life.liveDay(&counts)
    let (growth, ratio) = try growth()
    let kinds = EventKind.allCases.compactMap { kind in
      costs.median(of: kind).map { Figure("one event on a device of 3 × 8 widgets: \(kind.rawValue)", $0) }
    }
    let flat = Figure("the same after many entries, relative to the start", ratio)
    return BenchmarkReport(text: costs.table(counts) + "\n\n" + growth, figures: kinds + [flat])
  }

  /// Returns the second table, and the ratio of the last cost of an event to the first.
  private func growth() throws -> (table: String, ratio: Double) {
    var table = MarkdownTable([
      "days elapsed", "entries passed", "donations learned", "one event or wake, µs", "allocations",
    ])
    var life = try BusyLife(pastDayCount: pastDayCount)
    var means: [Double] = []
    for milestone in milestones {
      while life.day < milestone { try life.liveDay() }
      let passedCount = life.passedCount
      var (costs, counts) = (EventCosts(), EventCosts(isCounting: true))
      try life.liveDay(&costs)
      try life.liveDay(&counts)
      means.append(costs.mean)
      table.add([
        "\(milestone)", "\(passedCount)", "\(life.device.donationCount())", Spread.rounded(costs.mean, 2),
        Spread.rounded(counts.mean, 1),
      ])
    }
    return (table.text, (means.last ?? 1) / (means.first ?? 1))
  }
}

/// A device and its progress.
struct BusyLife {
  private let home: BusyHome
  private(set) var device: Device
  private var counters = DecisionCounters()
  /// The next day.
  private(set) var day = 0
  /// The number of entries that became current.
  private(set) var passedCount = 0

  /// Creates a device that has learned a number of days of donations.
  init(pastDayCount: Int) throws {
    home = try BusyHome()
    let start = BusyHome.instant(day: -pastDayCount, minute: 0)
    device = Device(id: try DeviceID("phone"), timeZone: try TimeZoneID("UTC"), at: start)
    for day in -pastDayCount..<0 {
      for event in try home.donations(day: day) {
        try take(event, at: BusyHome.instant(day: day + 1, minute: 0)) { _ = $1() }
      }
    }
    for event in try home.setUp(day: 0) { try take(event, at: BusyHome.instant(day: 0, minute: 0)) { _ = $1() } }
  }

  /// Runs the next day.
  mutating func liveDay() throws { try liveDay { _ = $1() } }

  /// Runs the next day and records all costs.
  mutating func liveDay(_ costs: inout EventCosts) throws {
    try liveDay { kind, body in costs.note(kind, body) }
  }

  private mutating func liveDay(_ measure: (EventKind, () -> EventKind?) -> Void) throws {
    for number in 0..<BusyHome.sessionCount {
      var instant = BusyHome.time(day: day, session: number)
      for event in try home.session(day: day, number) {
        try take(event, at: instant, measure)
        instant = instant.advanced(by: .seconds(5))
      }
    }
    day += 1
  }

  private mutating func take(
    _ event: Event, at instant: Instant, _ measure: (EventKind, () -> EventKind?) -> Void
  ) throws {
    while let wake = device.nextWake, wake <= instant {
      measure(.wake) {
        let actions = device.advance(to: wake, counting: &counters)
        note(actions)
        return actions.contains { $0.decision != nil } ? .decision : actions.isEmpty ? nil : .entry
      }
    }
    _ = device.advance(to: instant, counting: &counters)
    try device.check(event)
    measure(EventKind(event)) {
      do { try device.check(event) } catch { preconditionFailure("an event failed its check: \(error)") }
      note(device.handle(event, at: instant, counting: &counters))
      return nil
    }
  }

  private mutating func note(_ actions: [Action]) {
    for action in actions { if case .refresh = action.order { passedCount += 1 } }
  }
}
